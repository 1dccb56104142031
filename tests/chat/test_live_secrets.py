"""Only the player gets the rack of a running game from the bot, whatever is posted, requested or pressed."""

from __future__ import annotations

from dataclasses import replace

import discord
import pytest

from bot.chat.card import Style
from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.crossword.play_text import rack_text
from bot.features.showing.controls import SHOWING
from bot.jobs.account import Requester
from bot.storage import live_games
from tests.domain.crossword.notations.live_links import delta, history, whole

from .viewer import answer_of, click, components_of, replies, text_of

GAME = history("g7", 6)
REFUSED = "A rack is shown only to its player"


def racks(turns: int) -> list[str]:
    """Return the racks after ``turns`` turns, which are the players' secrets."""
    played = turn_url.replay(replace(GAME, turns=GAME.turns[:turns])).value
    return [rack_text(rack, played.game.rules.distribution) for rack in played.racks[turns]]


def passed(turns: int) -> str:
    """Return the whole link after ``turns`` turns and an invented pass."""
    return whole(replace(GAME, turns=(*GAME.turns[:turns], ExchangeTurn())))


async def post(world, text, author, channel=None):
    """Post a text and return the answers to it."""
    channel = channel or world.channel
    before = {message.id for message in replies(channel)}
    await author.send(channel, text)
    return [message for message in replies(channel) if message.id not in before]


async def play(world, turns, *, first=1):
    """Have alice and bob post their turns as they come."""
    for number in range(first, turns + 1):
        answers = await post(world, delta(GAME, number), world.alice if number % 2 else world.bob)
    return answers


async def show_game(actor, channel, **options):
    return answer_of(await actor.slash(channel, "game show", game="g7", my_rack=True, **options))


async def asked_alone(user):
    return answer_of(await user.slash("game show", game="g7", my_rack=True))


def told_rack(message) -> str:
    return "".join(attachment.description or "" for attachment in message.attachments)


@pytest.fixture
def carol(world):
    return world.guild.add_member(world.env.create_user("carol"))


async def test_two_players_see_both_racks_without_confirmation(world, carol):
    await play(world, 2)
    for actor in (world.alice, world.bob, carol):
        message = await show_game(actor, world.channel)
        assert REFUSED in text_of(message)
        assert "`/game seats`" in text_of(message)
    [third] = await play(world, 3, first=3)
    assert (
        f"Kibitz assumes that the players are <@{world.alice.id}> (alice), <@{world.bob.id}> (bob)."
        in text_of(third)
    )
    for actor, rack, other in ((world.alice, *racks(3)), (world.bob, *racks(3)[::-1])):
        message = await show_game(actor, world.channel)
        assert message.ephemeral
        assert f"rack {rack}" in told_rack(message)
        assert other not in told_rack(message)
        assert not components_of(message)
    assert REFUSED in (text_of(await show_game(carol, world.channel)))


async def test_a_link_in_a_direct_message_reveals_no_rack(world, carol):
    await play(world, 2)
    await carol.send_dm(whole(replace(GAME, turns=GAME.turns[:2])))
    await carol.send_dm(part(3, ExchangeTurn()))
    message = await asked_alone(carol.user)
    assert REFUSED in text_of(message)
    assert not message.attachments
    await play(world, 3, first=3)
    await carol.send_dm(passed(3))
    assert REFUSED in (text_of(await asked_alone(carol.user)))


async def test_passing_first_does_not_seat_a_stranger(world, carol):
    await play(world, 1)
    await post(world, passed(1), carol)
    assert REFUSED in (text_of(await show_game(carol, world.channel)))
    [answer] = await post(world, delta(GAME, 2), world.bob)
    assert "Turn 2 is" in text_of(answer)
    await post(world, delta(GAME, 3), world.alice)
    for actor in (carol, world.bob, world.alice):
        assert REFUSED in (text_of(await show_game(actor, world.channel)))


async def test_a_pass_for_a_known_player_is_replaced_and_reveals_no_draws(world, carol):
    await play(world, 3)
    [answer] = await post(world, part(4, ExchangeTurn()), carol)
    assert "Turn 4 was not posted by its player" in text_of(answer)
    await post(world, part(5, ExchangeTurn()), world.alice)
    message = await show_game(world.alice, world.channel)
    assert "Turn 4 was not posted by its player, so your rack comes from the turns before it." in text_of(
        message
    )
    assert f"rack {racks(3)[0]}" in told_rack(message)
    [answer] = await post(world, delta(GAME, 4), world.bob)
    assert "⚠" not in text_of(answer)
    assert racks(4)[1] in told_rack(await show_game(world.bob, world.channel))


def part(number: int, turn, game_id: str = "g7") -> str:
    """Return a link of one turn."""
    return turn_url.write(TurnUrl(game_id, number, (turn,), base="https://example.org/sw/"))


async def test_fitting_and_impossible_plays_get_the_same_answer(world, carol):
    """An onlooker tries one letter after the other, of the game and of a copy of it, in private and by converting."""
    await play(world, 1)
    service, word = world.bot.service[SHOWING], GAME.turns[0].word
    result = set()
    for letter in "ABCDEFGHIKLMNOPRSTUVWXYZ":
        turn = WordTurn(7, 5, Direction.ACROSS, word + letter)
        for game_id in ("g7", "copy"):
            settings = replace(GAME.settings, seed=GAME.seed)
            link = whole(replace(GAME, game_id=game_id, settings=settings, turns=(*GAME.turns[:1], turn)))
            source = Source(
                link, requester=Requester(carol.id, world.guild.id, world.channel.id, public=False)
            )
            answers = (await service.show(source, Style()), await service.convert(source, "cgp", Style()))
            result |= {
                answer.text.count("cannot be played") + answer.text.count("does not fit")
                for answer in answers
            }
            assert f"**8F (SLSTT){letter}**" in answers[0].text
    assert result == {0}


async def test_the_same_seed_under_another_id_is_the_same_game(world, carol):
    dave = world.guild.add_member(world.env.create_user("dave"))
    await play(world, 1)
    other = world.guild.create_text_channel("others")
    copy = replace(GAME, game_id="copy", settings=replace(GAME.settings, seed=GAME.seed))
    for number, actor in ((1, carol), (2, dave), (3, carol)):
        link = (
            whole(replace(copy, turns=GAME.turns[:1]))
            if number == 1
            else part(number, GAME.turns[number - 1], "copy")
        )
        await post(world, link, actor, other)
    result = await carol.slash(other, "game show", game="copy", my_rack=True)
    assert REFUSED in text_of(answer_of(result))
    result = await dave.slash(other, "game seats", game="copy")
    assert "where the game's first link was posted" in text_of(answer_of(result))


async def test_a_player_continues_from_any_channel(world, carol):
    await play(world, 3)
    other = world.guild.create_text_channel("others")
    [answer] = await post(world, delta(GAME, 4), world.bob, other)
    assert "Turn 4 of 4" in text_of(answer)
    await world.alice.send_dm(delta(GAME, 5))
    reply = answer_of(await carol.slash(world.channel, "game show", game="g7"))
    assert "Turn 5 of 5" in text_of(reply)
    message = await asked_alone(world.alice.user)
    assert f"rack {racks(5)[0]}" in told_rack(message)
    [answer] = await post(world, part(6, ExchangeTurn()), carol, other)
    assert "Turn 6" not in text_of(answer_of(await carol.slash(world.channel, "game show", game="g7")))


async def test_forgetting_a_game_frees_no_seat(world, carol):
    await play(world, 4)
    answer = answer_of(await carol.slash(world.channel, "game forget", game="g7"))
    assert "Only its players and moderators" in text_of(answer)
    await world.bob.slash(world.channel, "game forget", game="g7")
    # Bob tells the game as he would like it: with alice passing, he would draw what she drew.
    forged = replace(GAME, turns=(GAME.turns[0], GAME.turns[1], ExchangeTurn(), ExchangeTurn()))
    await post(world, whole(forged), world.bob)
    message = await show_game(world.bob, world.channel)
    assert "Turn 1 was not posted by its player" in text_of(message)
    assert f"rack {racks(0)[1]}" in told_rack(message)
    dave = world.guild.add_member(world.env.create_user("dave"))
    elsewhere = world.guild.create_text_channel("elsewhere")
    for number, actor in ((1, carol), (2, dave), (3, carol)):
        await post(world, delta(GAME, number), actor, elsewhere)
    assert REFUSED in (text_of(await show_game(carol, elsewhere)))


async def test_a_fake_end_of_a_game_reveals_nothing(world, carol):
    """Near the end, an onlooker makes up how a player goes out: the racks follow from no such guess."""
    start = turn_url.read(
        "https://example.org/sw/#gid=g7&v=1&p1n=alice&p2n=bob&bag=A-3-1.B-3-3&racksize=2&seed=3&tn=1"
    ).value
    dealt = [
        rack_text(rack, turn_url.replay(start).value.game.rules.distribution)
        for rack in turn_url.replay(start).value.racks[0]
    ]
    first = WordTurn(7, 6, Direction.ACROSS, dealt[0])
    begun = replace(start, turns=(first,))
    await post(world, whole(begun), world.alice)
    answers = set()
    for word in ("AA", "AB", "BA", "BB"):
        guess = WordTurn(8, 6, Direction.ACROSS, word)
        link = whole(replace(begun, turns=(first, guess)))
        for result in (
            await carol.slash(world.channel, "show", position=link, private=True),
            await carol.slash(world.channel, "convert", position=link, to="json"),
        ):
            text = text_of(answer_of(result))
            assert "does not fit" not in text
            answers.add(text.count("end-rack"))
    assert len(answers) <= 2


async def test_seat_controls_work_after_a_restart(world, carol):
    alice, bob, channel = world.alice, world.bob, world.channel
    await alice.send(channel, delta(GAME, 1))
    panel = answer_of(await bob.slash(channel, "game seats", game="g7"))
    assert "1. alice: seat still free" in text_of(panel)
    result = await click(carol, panel, label="I am bob")
    assert f"2. bob: <@{carol.id}>, not confirmed yet" in text_of(channel.last_message)
    await click(alice, channel.last_message, label="I am alice")
    # Alice has seen another user say to be bob, and the bot trusts her confirmation.
    panel = channel.last_message
    assert f"2. bob: <@{carol.id}>" in text_of(panel)
    await click(carol, panel, label="Leave")
    await world.restart()
    await click(bob, channel.last_message, label="I am bob")
    result = await click(bob, channel.last_message, label="That's right")
    assert "can confirm the seats" in text_of(answer_of(result))
    assert REFUSED in (text_of(await show_game(bob, channel)))
    await click(alice, channel.last_message, label="That's right")
    assert f"1. alice: <@{alice.id}>\n2. bob: <@{bob.id}>" in text_of(channel.last_message)
    assert f"rack {racks(1)[1]}" in told_rack(await show_game(bob, channel))
    assert REFUSED in (text_of(await show_game(carol, channel)))


async def test_only_a_moderator_can_seat_others(world, carol):
    role = world.guild.create_role("moderators", permissions=discord.Permissions(manage_messages=True))
    dave = world.guild.add_member(world.env.create_user("dave"), roles=[role])
    await play(world, 1)
    await carol.slash(world.channel, "game seats", game="g7")
    await click(carol, world.channel.last_message, label="I am alice")
    await click(world.bob, world.channel.last_message, label="I am bob")
    await click(carol, world.channel.last_message, label="That's right")
    assert REFUSED in (text_of(await show_game(carol, world.channel)))
    await click(world.alice, world.channel.last_message, label="I am alice")
    await click(dave, world.channel.last_message, label="Leave")
    assert "1. alice: seat still free\n2. bob: seat still free" in text_of(world.channel.last_message)


async def test_a_user_cannot_push_out_other_users_games(world, carol, monkeypatch):
    monkeypatch.setattr(live_games, "MAX_GAMES", 3)
    await play(world, 3)
    for number in range(3):
        links = "\n".join(whole(history(f"junk{number}{letter}", 1)) for letter in "abcd")
        answers = await post(world, links, carol)
    assert "it deleted your oldest" in "".join(text_of(answer) for answer in answers)
    assert "Turn 3 of 3" in text_of(answer_of(await carol.slash(world.channel, "game show", game="g7")))
    assert f"rack {racks(3)[0]}" in told_rack(await show_game(world.alice, world.channel))


SHORT = turn_url.read(
    "https://example.org/sw/#gid=s&v=1&p1n=alice&p2n=bob&bag=A-8-1&racksize=3&seed=5&tn=1&wl=7.6&wh=AA&wl=7.6&wv=AAAA"
).value
"""A game that is over after two turns; the first kept a tile."""

OPEN = ">alice: AAA 8G AA"


async def in_gcg(world, actor, text):
    return text_of(answer_of(await actor.slash(world.channel, "convert", position=text, to="gcg")))


async def test_a_finished_game_shows_its_racks(world, carol):
    begun = replace(SHORT, turns=SHORT.turns[:1])
    await post(world, whole(begun), world.alice)
    assert OPEN not in await in_gcg(world, carol, whole(begun))
    assert OPEN not in await in_gcg(world, carol, whole(SHORT)), "an end that somebody made up"
    await world.bob.slash(world.channel, "game seats", game="s")
    await click(world.bob, world.channel.last_message, label="I am bob")
    await click(world.alice, world.channel.last_message, label="I am alice")
    last = turn_url.write(TurnUrl("s", 2, SHORT.turns[1:]))
    await post(world, last, carol)
    assert OPEN not in await in_gcg(world, carol, whole(SHORT)), "not told by its player"
    await post(world, last, world.bob)
    assert OPEN in await in_gcg(world, carol, whole(SHORT))


async def test_only_the_first_ending_of_an_outside_game_is_shown(world, carol):
    other = replace(SHORT, turns=(SHORT.turns[0], WordTurn(7, 7, Direction.DOWN, "AAAA")))
    assert OPEN in await in_gcg(world, carol, whole(SHORT))
    assert OPEN not in await in_gcg(world, carol, whole(other))
    assert OPEN in await in_gcg(
        world, carol, whole(replace(SHORT, game_id="copy", settings=replace(SHORT.settings, seed="5")))
    )
