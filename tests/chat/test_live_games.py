"""Turn URLs that are posted turn by turn continue one game."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from unittest.mock import AsyncMock

import pytest

from bot.chat.source import Source
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.url import WordTurn
from bot.domain.crossword.play import Direction
from bot.features.showing.controls import PRESENTER
from bot.jobs.account import Requester
from bot.storage.errors import StoreError
from tests.domain.crossword.notations.live_links import (
    game_link,
    history,
    racks_after,
    single_turn_link,
    turn_link,
)

from .actions import control, controls_of, post, press, replies, reply_of, text_of

GAME = history("g7", 5)


async def test_every_link_continues_the_game(world):
    [first] = await post(world, f"my first move: {turn_link(GAME, 1)}")
    assert "Turn 1 of 1: alice · **8F SLSTT**" in text_of(first)
    assert "Kibitz is now following game **g7**. Post the next link here" in text_of(first)
    [second] = await post(world, f"take that <{turn_link(GAME, 2)}>", world.bob)
    assert "Turn 2 of 2: bob · **F8 (S)IS** +3 → 3" in text_of(second)
    assert "the next link" not in text_of(second)
    assert "..S..." in second.attachments[0].description
    [third] = await post(world, turn_link(GAME, 3))
    assert "Turn 3 of 3: alice" in text_of(third)
    await press(world.bob, third, "first")
    assert "The start of the game; 3 turns follow" in text_of(replies(world.channel)[2])


async def test_a_link_waits_for_the_turns_before_it(world):
    await post(world, turn_link(GAME, 1))
    [reply] = await post(world, turn_link(GAME, 4), world.bob)
    assert "⏳ Turn 4 is waiting for turns 2–3." in text_of(reply)
    assert "Turn 1 of 1" in text_of(reply)
    [reply] = await post(world, turn_link(GAME, 3))
    assert "⏳ Turns 3–4 are waiting for turn 2." in text_of(reply)
    [reply] = await post(world, turn_link(GAME, 2), world.bob)
    assert "Turn 4 of 4: bob" in text_of(reply)
    assert "⏳" not in text_of(reply)


@pytest.mark.parametrize("order", [(5, 4, 3, 2, 1), (3, 1, 5, 2, 4), (2, 4, 1, 3, 5)])
async def test_links_in_any_order_result_in_the_same_game(world, order):
    for number in order:
        last_replies = await post(world, turn_link(GAME, number))
    assert "Turn 5 of 5" in text_of(last_replies[0])
    record = await world.bot.store.live_game(world.channel.id, "g7")
    assert len(record.urls) == 5


async def test_a_game_with_an_unknown_start_waits_for_a_link_with_the_whole_game(world):
    [reply] = await post(world, turn_link(GAME, 3))
    assert "Kibitz knows turn 3 of game **g7**, but not its start." in text_of(reply)
    assert not reply.attachments
    [reply] = await post(world, game_link(replace(GAME, turns=GAME.turns[:2])), world.bob)
    assert "Turn 3 of 3" in text_of(reply)


async def test_a_link_with_a_whole_game_adds_the_missing_turns(world):
    await post(world, game_link(replace(GAME, turns=GAME.turns[:3])))
    [reply] = await post(world, game_link(GAME), world.bob)
    assert "Turn 5 of 5" in text_of(reply)
    [reply] = await post(world, game_link(replace(GAME, turns=GAME.turns[:2])))
    assert "The game has continued since that link. This is turn 5." in text_of(reply)
    assert "Turn 5 of 5" in text_of(reply)


async def test_a_link_posted_twice_is_stored_once(world):
    await post(world, turn_link(GAME, 1))
    for _ in range(2):
        [reply] = await post(world, turn_link(GAME, 2), world.bob)
        assert "Turn 2 of 2" in text_of(reply)
        assert "⚠" not in text_of(reply)
    record = await world.bot.store.live_game(world.channel.id, "g7")
    assert len(record.urls) == 2


async def test_a_contradicting_link_is_reported_and_ignored(world):
    await post(world, game_link(replace(GAME, turns=GAME.turns[:2])))
    other_turn = WordTurn(7, 9, Direction.DOWN, "TI")
    [reply] = await post(world, single_turn_link(GAME.game_id, 2, other_turn), world.bob)
    assert "⚠ Turn 2 is **J8 TI** in this link, but was **F8 SIS** in an earlier link." in text_of(reply)
    assert "`/game forget`" in text_of(reply)
    assert "Turn 2 of 2: bob · **F8 (S)IS**" in text_of(reply)
    [reply] = await post(world, game_link(replace(GAME, settings=replace(GAME.settings, bingo_bonus=50))))
    assert "game settings in this link differ" in text_of(reply)


async def test_a_turn_that_cannot_be_played_is_left_out(world):
    await post(world, game_link(replace(GAME, turns=GAME.turns[:1])))
    [reply] = await post(
        world, single_turn_link(GAME.game_id, 2, WordTurn(0, 0, Direction.ACROSS, "ZZZ")), world.bob
    )
    assert "⛔ Turn 2 can't be played and is left out" in text_of(reply)
    assert "Turn 1 of 1" in text_of(reply)
    [reply] = await post(world, turn_link(GAME, 2), world.bob)
    assert "Turn 2 of 2: bob" in text_of(reply), "a possible turn did not replace the impossible one"


async def test_a_waiting_turn_that_proves_impossible_is_left_out(world):
    await post(world, game_link(replace(GAME, turns=GAME.turns[:1])))
    await post(world, single_turn_link(GAME.game_id, 3, WordTurn(0, 0, Direction.ACROSS, "ZZZ")))
    [reply] = await post(world, turn_link(GAME, 2), world.bob)
    assert "⛔ Turn 3 can't be played and is left out" in text_of(reply)
    assert "Turn 2 of 2" in text_of(reply)
    [reply] = await post(world, turn_link(GAME, 3))
    assert "Turn 3 of 3" in text_of(reply)


async def test_each_channel_has_separate_games(world):
    other_channel = world.guild.create_text_channel("others")
    await post(world, turn_link(GAME, 1))
    [reply] = await post(world, turn_link(GAME, 2), author=world.bob, channel=other_channel)
    assert "not its start" in text_of(reply)


async def test_no_rack_is_shown_during_the_game(world):
    for number in range(1, 6):
        [reply] = await post(world, turn_link(GAME, number), world.alice if number % 2 else world.bob)
        text = text_of(reply) + reply.attachments[0].description
        for turns in range(number + 1):
            for rack in racks_after(GAME, turns):
                assert rack not in text
        assert "rack" not in reply.attachments[0].description
    assert "side:" not in str(controls_of(reply))


async def test_other_users_do_not_see_a_rack(world):
    carol = world.add_member("carol")
    await post(world, game_link(replace(GAME, turns=GAME.turns[:2])), carol)
    await post(world, turn_link(GAME, 3), world.alice)
    for requester in (carol, world.bob):
        result = await requester.slash(world.channel, "game show", game="g7", my_rack=True)
        assert "A rack is shown only to its player" in text_of(reply_of(result))
        assert reply_of(result).ephemeral
        assert not reply_of(result).attachments
    await post(world, turn_link(GAME, 4), world.alice)
    result = await world.alice.slash(world.channel, "game show", game="g7", my_rack=True)
    assert not reply_of(result).attachments, "alice, who posted turns of both players, was shown a rack"


async def test_the_games_in_a_channel_are_listed_shown_and_suggested(world):
    result = await world.alice.slash(world.channel, "game list")
    assert "There are no live games here" in text_of(reply_of(result))
    await post(world, game_link(GAME))
    await post(world, game_link(history("other*game", 1)))
    await post(world, single_turn_link("third", 3, GAME.turns[2]))
    result = await world.bob.slash(world.channel, "game list")
    assert reply_of(result).ephemeral
    lines = text_of(reply_of(result)).split("\n")
    assert [line.split("**")[1] for line in lines] == ["third", r"other\*game", "g7"]
    assert "5 turns" in lines[2]
    assert "turns 1–2 are missing" in lines[0]
    choices = await world.bob.autocomplete(world.channel, "game show", "game", "G")
    assert [choice["value"] for choice in choices] == ["other*game", "g7"]
    result = await world.bob.slash(world.channel, "game show", game="g7")
    assert not reply_of(result).ephemeral
    assert "Turn 5 of 5" in text_of(reply_of(result))
    await press(world.alice, reply_of(result), "first")
    result = await world.bob.slash(world.channel, "game show", game="nothing")
    assert "There is no game **nothing**" in text_of(reply_of(result))
    assert reply_of(result).ephemeral
    result = await world.bob.slash(world.channel, "game show", game="third")
    assert "not its start" in text_of(reply_of(result))


async def test_posters_and_moderators_can_forget_a_game(world):
    await post(world, game_link(GAME))
    result = await world.bob.slash(world.channel, "game forget", game="g7")
    assert "Only moderators and the people who posted its links" in text_of(reply_of(result))
    await post(world, game_link(GAME), world.bob)
    result = await world.bob.slash(world.channel, "game forget", game="g7")
    assert "Only moderators and the people who posted its links" in text_of(reply_of(result)), (
        "bob, who posted only turns that were already known, counted as a poster of the game"
    )
    assert await world.bot.store.live_game(world.channel.id, "g7")
    result = await world.alice.slash(world.channel, "game forget", game="g7")
    assert "has been deleted" in text_of(reply_of(result))
    assert await world.bot.store.live_game(world.channel.id, "g7") is None
    await post(world, game_link(GAME))
    carol = world.add_member("carol", manage_messages=True)
    result = await carol.slash(world.channel, "game forget", game="g7")
    assert "has been deleted" in text_of(reply_of(result))


async def test_games_shown_privately_are_not_stored(world):
    await post(world, turn_link(GAME, 1))
    result = await world.bob.slash(world.channel, "show", position=turn_link(GAME, 2), private=True)
    assert "Turn 2 of 2" in text_of(reply_of(result))
    assert reply_of(result).ephemeral
    result = await world.bob.slash(world.channel, "convert", position=turn_link(GAME, 2), to="cgp")
    assert "lm F8 .IS" in text_of(reply_of(result))
    result = await world.bob.slash(world.channel, "game show", game="g7")
    assert "Turn 1 of 1" in text_of(reply_of(result))


async def test_a_hidden_link_stays_hidden(world):
    await post(world, turn_link(GAME, 1))
    [reply] = await post(world, f"||{turn_link(GAME, 2)}||", world.bob)
    assert not "".join(text_of(reply).split("||")[::2]).strip("\n-# ")
    assert reply.attachments[0].is_spoiler()


async def test_an_edited_link_is_read_again(world):
    await post(world, turn_link(GAME, 1))
    message = await world.bob.send(world.channel, "wait for it")
    await world.bob.edit(message, turn_link(GAME, 2))
    assert "Turn 2 of 2" in text_of(replies(world.channel)[-1])


async def test_several_links_in_one_message_get_one_reply(world):
    [reply] = await post(world, "\n".join(turn_link(GAME, number) for number in (2, 1, 3)))
    assert "Turn 3 of 3" in text_of(reply)


async def test_a_whole_game_is_shown_while_the_database_is_locked(world, monkeypatch):
    for name in ("live_game", "live_games"):
        monkeypatch.setattr(
            world.bot.store, name, AsyncMock(side_effect=StoreError("the database is locked"))
        )
    assert await world.bob.autocomplete(world.channel, "game show", "game", "g") == []
    [reply] = await post(world, game_link(GAME))
    assert "Turn 5 of 5" in text_of(reply)
    assert await post(world, turn_link(GAME, 2)) == [], (
        "a link with a single turn got a reply, although the bot cannot know the game"
    )
    [reply] = await post(world, f"<@{world.me.id}> {turn_link(GAME, 2)}")
    assert "paste the URL of the whole game" in text_of(reply)


async def test_a_link_with_an_impossible_id_or_turn_is_ignored_in_a_server(world):
    long_id = "g" * 201
    assert await post(world, single_turn_link(long_id, 2, GAME.turns[1])) == []
    assert await post(world, single_turn_link(GAME.game_id, 5000, GAME.turns[1])) == []
    await world.alice.send_dm(single_turn_link(long_id, 2, GAME.turns[1]))
    [reply] = replies(world.alice.user.dm_channel)
    assert "paste the URL of the whole game" in text_of(reply)


async def test_links_that_arrive_at_the_same_time_are_all_stored(world):
    channel_id = world.channel.id

    async def follow(number):
        source = Source(turn_link(GAME, number), requester=Requester(100 + number, None, channel_id))
        return await world.bot.services[PRESENTER].find(source)

    await asyncio.gather(*(follow(number) for number in (3, 1, 5, 4, 2)))
    record = await world.bot.store.live_game(channel_id, "g7")
    assert {turn_url.read(posted.url).value.turn_number for posted in record.urls} == {1, 2, 3, 4, 5}
    assert {posted.author_id for posted in record.urls} == {101, 102, 103, 104, 105}


async def test_the_message_menu_privately_opens_a_game_at_its_start(world):
    message = await world.bob.send(world.channel, game_link(GAME))
    result = await world.alice.context_menu(world.channel, "Open game", message)
    reply = reply_of(result)
    assert reply.ephemeral
    assert "The start of the game; 5 turns follow" in text_of(reply)
    await press(world.alice, reply, "next")
    assert "Turn 1 of 5" in text_of(reply_of(result))


async def test_a_game_is_opened_from_an_option_a_file_or_a_form(world):
    result = await world.alice.slash(world.channel, "game open", game=game_link(GAME))
    assert "The start of the game; 5 turns follow" in text_of(reply_of(result))
    assert reply_of(result).ephemeral
    game = b"#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n"
    result = await world.alice.slash(world.channel, "game open", file=("a.gcg", game))
    assert "The start of the game; 1 turn follows" in text_of(reply_of(result))
    assert control(reply_of(result), "turns")
    form = await world.alice.slash(world.channel, "game open")
    result = await world.alice.submit_modal(form, {"text": game.decode()})
    assert "The start of the game; 1 turn follows" in text_of(reply_of(result))
    result = await world.alice.slash(world.channel, "game open", game="nothing here")
    assert "Kibitz found no position" in text_of(reply_of(result))


async def test_the_id_of_a_finished_game_may_be_used_again(world):
    await post(world, "https://example.org/sw/#gid=g7&v=1&p1n=solo&bag=A-2-1&racksize=2&tn=1&wl=7.7&wh=AA")
    [reply] = replies(world.channel)
    assert "The game is over" in text_of(reply)
    [reply] = await post(world, turn_link(GAME, 1))
    assert "Turn 1 of 1: alice" in text_of(reply)
    assert text_of(reply).count("⚠") == text_of(reply).count("⚠ the seed is missing;") == 1
