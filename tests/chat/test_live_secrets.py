"""During a live game, the bot shows a rack only to its player."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.chat.card import ReplyContext
from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.crossword.play_text import rack_text
from bot.features.showing.controls import PRESENTER
from bot.jobs.account import Requester
from bot.storage import live_games
from tests.domain.crossword.notations.live_links import (
    drawn_racks,
    game_link,
    history,
    racks_after,
    single_turn_link,
    turn_link,
)

from .actions import click, controls_of, post, reply_of, text_of

GAME = history("g7", 6)
REFUSAL = "A rack is shown only to its player"


def link_with_pass(turn_count: int) -> str:
    """Return a link with the game's first ``turn_count`` turns and an invented pass."""
    return game_link(replace(GAME, turns=(*GAME.turns[:turn_count], ExchangeTurn())))


async def post_turns(world, last, *, first=1):
    """Let alice and bob post the turns from ``first`` to ``last``. Return the replies to the last post."""
    for number in range(first, last + 1):
        replies = await post(world, turn_link(GAME, number), world.alice if number % 2 else world.bob)
    return replies


async def show_rack(actor, channel, **options):
    return reply_of(await actor.slash(channel, "game show", game="g7", my_rack=True, **options))


async def show_rack_in_direct_message(user):
    return reply_of(await user.slash("game show", game="g7", my_rack=True))


def alt_texts(message) -> str:
    return "".join(attachment.description or "" for attachment in message.attachments)


@pytest.fixture
def carol(world):
    return world.add_member("carol")


async def test_two_players_see_their_racks_after_three_turns(world, carol):
    await post_turns(world, 2)
    for actor in (world.alice, world.bob, carol):
        message = await show_rack(actor, world.channel)
        assert REFUSAL in text_of(message)
        assert "`/game seats`" in text_of(message)
    [third] = await post_turns(world, 3, first=3)
    assert (
        f"Kibitz assumes that the players are <@{world.alice.id}> (alice), <@{world.bob.id}> (bob)."
        in text_of(third)
    )
    for actor, rack, other_rack in (
        (world.alice, *racks_after(GAME, 3)),
        (world.bob, *racks_after(GAME, 3)[::-1]),
    ):
        message = await show_rack(actor, world.channel)
        assert message.ephemeral
        assert f"rack {rack}" in alt_texts(message)
        assert other_rack not in alt_texts(message)
        assert not controls_of(message)
    assert REFUSAL in (text_of(await show_rack(carol, world.channel)))


async def test_a_player_learns_which_turn_does_not_fit_their_tiles(world):
    await post_turns(world, 3)
    word = GAME.turns[0].word + "A"  # bob has no A
    await post(world, single_turn_link(GAME.game_id, 4, WordTurn(7, 5, Direction.ACROSS, word)), world.bob)
    message = await show_rack(world.bob, world.channel)
    assert "Your turn 4 doesn't fit your tiles, so your rack is unknown." in text_of(message)
    assert not message.attachments


async def test_a_link_in_a_direct_message_reveals_no_rack(world, carol):
    await post_turns(world, 2)
    await carol.send_dm(game_link(replace(GAME, turns=GAME.turns[:2])))
    await carol.send_dm(single_turn_link(GAME.game_id, 3, ExchangeTurn()))
    message = await show_rack_in_direct_message(carol.user)
    assert REFUSAL in text_of(message)
    assert not message.attachments
    await post_turns(world, 3, first=3)
    await carol.send_dm(link_with_pass(3))
    assert REFUSAL in (text_of(await show_rack_in_direct_message(carol.user)))


async def test_a_stranger_gets_no_seat_by_posting_a_pass_before_the_player(world, carol):
    await post_turns(world, 1)
    await post(world, link_with_pass(1), carol)
    assert REFUSAL in (text_of(await show_rack(carol, world.channel)))
    [reply] = await post(world, turn_link(GAME, 2), world.bob)
    assert "Turn 2 is" in text_of(reply)
    await post(world, turn_link(GAME, 3), world.alice)
    for actor in (carol, world.bob, world.alice):
        assert REFUSAL in (text_of(await show_rack(actor, world.channel)))


async def test_a_pass_posted_for_a_known_player_is_replaced_and_reveals_no_draws(world, carol):
    await post_turns(world, 3)
    [reply] = await post(world, single_turn_link(GAME.game_id, 4, ExchangeTurn()), carol)
    assert "Turn 4 wasn't posted by its player" in text_of(reply)
    await post(world, single_turn_link(GAME.game_id, 5, ExchangeTurn()), world.alice)
    message = await show_rack(world.alice, world.channel)
    assert "Turn 4 wasn't posted by its player, so your rack comes from the turns before it." in text_of(
        message
    )
    assert f"rack {racks_after(GAME, 3)[0]}" in alt_texts(message)
    [reply] = await post(world, turn_link(GAME, 4), world.bob)
    assert "⚠" not in text_of(reply)
    assert racks_after(GAME, 4)[1] in alt_texts(await show_rack(world.bob, world.channel))


async def test_fitting_and_impossible_plays_get_the_same_reply(world, carol):
    """A spectator tries to add each letter to a word."""
    await post_turns(world, 1)
    service, word = world.bot.services[PRESENTER], GAME.turns[0].word
    fits, cards = set(), set()
    for letter in "ABCDEFGHIKLMNOPRSTUVWXYZ":
        game = replace(GAME, turns=(*GAME.turns[:1], WordTurn(7, 5, Direction.ACROSS, word + letter)))
        fits.add(turn_url.replay(game).error is None)
        for game_id in ("g7", "copy"):
            settings = replace(GAME.settings, seed=GAME.seed)
            link = game_link(replace(game, game_id=game_id, settings=settings))
            source = Source(
                link, requester=Requester(carol.id, world.guild.id, world.channel.id, public=False)
            )
            board_card, conversion = (
                await service.show(source, ReplyContext()),
                await service.convert(source, "cgp", ReplyContext()),
            )
            assert f"**8F (SLSTT){letter}**" in board_card.text
            assert f" lm 8F .....{letter};" in conversion.text
            for text in (board_card.text, conversion.text):
                without_letter = re.sub(rf"(SLSTT\)?|\.{{5}}){letter}", "", text)
                cards.add(re.sub(r"\d+", "0", without_letter.replace("copy", "g0")))
    assert fits == {True, False}, "the draws allow all letters or none, so the replies prove nothing"
    assert len(cards) == 2, "the replies differ in more than the letter, so they reveal the rack"


async def test_the_same_seed_under_another_id_is_the_same_game(world, carol):
    dave = world.add_member("dave")
    await post_turns(world, 1)
    other_channel = world.guild.create_text_channel("others")
    copy = replace(GAME, game_id="copy", settings=replace(GAME.settings, seed=GAME.seed))
    for number, actor in ((1, carol), (2, dave), (3, carol)):
        link = (
            game_link(replace(copy, turns=GAME.turns[:1]))
            if number == 1
            else single_turn_link("copy", number, GAME.turns[number - 1])
        )
        await post(world, link, actor, other_channel)
    result = await carol.slash(other_channel, "game show", game="copy", my_rack=True)
    assert REFUSAL in text_of(reply_of(result))
    result = await dave.slash(other_channel, "game seats", game="copy")
    assert "where the game's first link was posted" in text_of(reply_of(result))


async def test_a_player_continues_from_any_channel(world, carol):
    await post_turns(world, 3)
    other_channel = world.guild.create_text_channel("others")
    [bobs_reply] = await post(world, turn_link(GAME, 4), world.bob, other_channel)
    assert "Turn 4 of 4" in text_of(bobs_reply)
    await world.alice.send_dm(turn_link(GAME, 5))
    reply = reply_of(await carol.slash(world.channel, "game show", game="g7"))
    assert "Turn 5 of 5" in text_of(reply)
    message = await show_rack_in_direct_message(world.alice.user)
    assert f"rack {racks_after(GAME, 5)[0]}" in alt_texts(message)
    link = single_turn_link(GAME.game_id, 6, ExchangeTurn())
    assert len(await post(world, link, carol, other_channel)) == 1
    assert "Turn 6" not in text_of(reply_of(await carol.slash(world.channel, "game show", game="g7")))


async def test_forgetting_a_game_frees_no_seat(world, carol):
    await post_turns(world, 4)
    reply = reply_of(await carol.slash(world.channel, "game forget", game="g7"))
    assert "Only moderators and the players" in text_of(reply)
    await world.bob.slash(world.channel, "game forget", game="g7")
    # Bob posts an invented game in which alice passes, so that bob would draw alice's tiles.
    forged_game = replace(GAME, turns=(GAME.turns[0], GAME.turns[1], ExchangeTurn(), ExchangeTurn()))
    await post(world, game_link(forged_game), world.bob)
    message = await show_rack(world.bob, world.channel)
    assert "Turn 1 wasn't posted by its player" in text_of(message)
    assert f"rack {racks_after(GAME, 0)[1]}" in alt_texts(message)
    dave = world.add_member("dave")
    other_channel = world.guild.create_text_channel("elsewhere")
    for number, actor in ((1, carol), (2, dave), (3, carol)):
        await post(world, turn_link(GAME, number), actor, other_channel)
    assert REFUSAL in (text_of(await show_rack(carol, other_channel)))


async def test_an_invented_ending_of_a_game_reveals_nothing(world, carol):
    """A spectator makes up a last play with which a player goes out."""
    start = turn_url.read(
        "https://example.org/sw/#gid=g7&v=1&p1n=alice&p2n=bob&bag=A-3-1.B-3-3&racksize=2&seed=3&tn=1"
    ).value
    first_racks = [
        rack_text(rack, turn_url.replay(start).value.game.rules.distribution) for rack in drawn_racks(start)
    ]
    first_turn = WordTurn(7, 6, Direction.ACROSS, first_racks[0])
    one_turn_game = replace(start, turns=(first_turn,))
    await post(world, game_link(one_turn_game), world.alice)
    fitting_words = []
    # The unseen tiles are one A and three Bs.
    for word, looks_possible in (("AA", False), ("AB", True), ("BA", True), ("BB", True)):
        game = replace(one_turn_game, turns=(first_turn, WordTurn(8, 6, Direction.ACROSS, word)))
        if turn_url.replay(game).error is None:
            fitting_words.append(word)
        board_card = await carol.slash(world.channel, "show", position=game_link(game), private=True)
        conversion = await carol.slash(world.channel, "convert", position=game_link(game), to="json")
        assert ("**bob wins by " in text_of(reply_of(board_card))) is looks_possible
        assert text_of(reply_of(conversion)).count("end-rack") == (2 if looks_possible else 0)
    assert fitting_words == ["BB"], "the draws allow an ending other than BB, so the replies prove nothing"


async def test_seat_controls_work_after_a_restart(world, carol):
    alice, bob, channel = world.alice, world.bob, world.channel
    await alice.send(channel, turn_link(GAME, 1))
    panel = reply_of(await bob.slash(channel, "game seats", game="g7"))
    assert "1. alice: seat still free" in text_of(panel)
    await click(carol, panel, label="I am bob")
    assert f"2. bob: <@{carol.id}>, not confirmed yet" in text_of(channel.last_message)
    await click(alice, channel.last_message, label="I am alice")
    # When alice took her seat, she saw that bob's was taken. Therefore, both seats are confirmed.
    panel = channel.last_message
    assert f"2. bob: <@{carol.id}>" in text_of(panel)
    await click(carol, panel, label="Leave")
    await world.restart()
    await click(bob, channel.last_message, label="I am bob")
    result = await click(bob, channel.last_message, label="That's right")
    assert "can confirm the seats" in text_of(reply_of(result))
    assert REFUSAL in (text_of(await show_rack(bob, channel)))
    await click(alice, channel.last_message, label="That's right")
    assert f"1. alice: <@{alice.id}>\n2. bob: <@{bob.id}>" in text_of(channel.last_message)
    assert f"rack {racks_after(GAME, 1)[1]}" in alt_texts(await show_rack(bob, channel))
    assert REFUSAL in (text_of(await show_rack(carol, channel)))


async def test_a_stranger_cannot_confirm_seats_and_a_moderator_can_free_them(world, carol):
    dave = world.add_member("dave", manage_messages=True)
    await post_turns(world, 1)
    await carol.slash(world.channel, "game seats", game="g7")
    await click(carol, world.channel.last_message, label="I am alice")
    await click(world.bob, world.channel.last_message, label="I am bob")
    await click(carol, world.channel.last_message, label="That's right")
    assert REFUSAL in (text_of(await show_rack(carol, world.channel)))
    await click(world.alice, world.channel.last_message, label="I am alice")
    await click(dave, world.channel.last_message, label="Leave")
    assert "1. alice: seat still free\n2. bob: seat still free" in text_of(world.channel.last_message)


async def test_a_user_with_too_many_games_loses_only_their_own_games(world, carol, monkeypatch):
    monkeypatch.setattr(live_games, "MAX_LIVE_GAMES", 3)
    await post_turns(world, 3)
    for number in range(3):
        links = "\n".join(game_link(history(f"junk{number}{letter}", 1)) for letter in "abcd")
        replies = await post(world, links, carol)
    assert "it deleted your oldest" in "".join(text_of(reply) for reply in replies)
    assert "Turn 3 of 3" in text_of(reply_of(await carol.slash(world.channel, "game show", game="g7")))
    assert f"rack {racks_after(GAME, 3)[0]}" in alt_texts(await show_rack(world.alice, world.channel))


SHORT_GAME = turn_url.read(
    "https://example.org/sw/#gid=s&v=1&p1n=alice&p2n=bob&bag=A-8-1&racksize=3&seed=5&tn=1&wl=7.6&wh=AA&wl=7.6&wv=AAAA"
).value
"""A game that is over after two turns. Alice keeps a tile in the first turn."""

FULL_RACK_LINE = ">alice: AAA 8G AA"
"""The line in GCG that shows alice's full rack."""


async def convert_to_gcg(world, actor, text):
    return text_of(reply_of(await actor.slash(world.channel, "convert", position=text, to="gcg")))


async def test_a_finished_game_shows_its_racks(world, carol):
    one_turn_game = replace(SHORT_GAME, turns=SHORT_GAME.turns[:1])
    await post(world, game_link(one_turn_game), world.alice)
    assert FULL_RACK_LINE not in await convert_to_gcg(world, carol, game_link(one_turn_game))
    assert FULL_RACK_LINE not in await convert_to_gcg(world, carol, game_link(SHORT_GAME)), (
        "an ending that carol requested, and may have invented, revealed alice's rack"
    )
    await world.bob.slash(world.channel, "game seats", game="s")
    await click(world.bob, world.channel.last_message, label="I am bob")
    await click(world.alice, world.channel.last_message, label="I am alice")
    last_turn = turn_url.write(TurnUrl("s", 2, SHORT_GAME.turns[1:]))
    await post(world, last_turn, carol)
    assert FULL_RACK_LINE not in await convert_to_gcg(world, carol, game_link(SHORT_GAME)), (
        "a last turn that its player did not post revealed alice's rack"
    )
    await post(world, last_turn, world.bob)
    assert FULL_RACK_LINE in await convert_to_gcg(world, carol, game_link(SHORT_GAME))


async def test_only_the_first_requested_ending_of_an_unposted_game_shows_racks(world, carol):
    """If users could request several endings, they could learn the racks by inventing endings."""
    other_ending = replace(SHORT_GAME, turns=(SHORT_GAME.turns[0], WordTurn(7, 7, Direction.DOWN, "AAAA")))
    assert FULL_RACK_LINE in await convert_to_gcg(world, carol, game_link(SHORT_GAME))
    assert FULL_RACK_LINE not in await convert_to_gcg(world, carol, game_link(other_ending))
    assert FULL_RACK_LINE in await convert_to_gcg(
        world,
        carol,
        game_link(replace(SHORT_GAME, game_id="copy", settings=replace(SHORT_GAME.settings, seed="5"))),
    )
