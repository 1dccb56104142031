"""Dailies in chat: chosen by a manager of the server, posted once, answered in private, solved in public the day
after."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.domain.chess.solution import position_at
from bot.features.puzzles import commands, daily
from bot.features.puzzles.controls import PUZZLES
from bot.features.puzzles.selection import Kind, Level
from bot.storage.dailies import DailyKey
from bot.storage.errors import StoreError
from bot.storage.puzzles import Leader
from tests.storage.clock import StandingClock

from .viewer import answer_of, click, components_of, replies, text_of

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
NUMBER = 326


@pytest.fixture
def clock():
    return StandingClock(NOON)


@pytest.fixture
def carol(world):
    """A manager of the server."""
    role = world.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    return world.guild.add_member(world.env.create_user("carol"), roles=[role])


@pytest.fixture
async def posted(world, carol, clock):
    """Have a daily of chess chosen and posted at noon; return its card."""
    clock.now = NOON - timedelta(hours=3)
    chosen = await carol.slash(world.channel, "settings daily", channel=world.channel, hour=12, games="chess")
    assert "12:00, UTC" in text_of(chosen.response)
    clock.now = NOON
    await run_round(world)
    return card(world)


async def run_round(world):
    await world.bot.get_cog("DailyPosts").run_round()


def card(world, number=NUMBER):
    """Return the one card of a daily."""
    [found] = [
        message
        for message in replies(world.channel)
        if text_of(message).startswith(f"**Daily {number}** · lichess")
    ]
    return found


async def puzzle(world, number=NUMBER):
    """Return the puzzle of a day."""
    library = await world.bot.service[PUZZLES].library()
    name = daily.choose_puzzle(library.entries.values(), Kind.CHESS, Level.USUAL, number)
    return SimpleNamespace(name=name, line=library.puzzle(Kind.CHESS, name).line)


def ids_of(message):
    return [component["custom_id"] for component in components_of(message)]


async def answered(person, message, text):
    [button] = [id_ for id_ in ids_of(message) if id_.endswith(":a")]
    form = await person.submit_modal(await click(person, message, custom_id=button), {"answer": text})
    assert form.ephemeral
    return answer_of(form)


async def solved(person, message, line):
    """Answer a whole line; return the last private answer."""
    for move in line.moves[1::2]:
        message = await answered(person, message, move)
    return message


async def test_a_day_of_a_daily(world, carol, posted, clock):
    today = await puzzle(world)
    assert text_of(posted).endswith("\n-# No tries yet. Answers are private until the next daily.")
    assert ids_of(posted) == [
        *(f"kibitz:puzzle:chess:{today.name}:{what}" for what in "am"),
        f"kibitz:daily:chess:{NUMBER}:b",
    ]
    moved = position_at(today.line, 0).known_move
    assert f"from {moved[:2]} to {moved[2:4]}" in posted.attachments[0].description
    await run_round(world)
    assert len(replies(world.channel)) == 1

    refused = await answered(world.bob, posted, "a1a1")
    assert "does not count" in text_of(refused)
    right = await solved(world.alice, posted, today.line)
    assert f"Daily {NUMBER} · streak 1" in text_of(right)
    assert "⭐⭐⭐" in text_of(right)
    assert [id_ for id_ in ids_of(right) if "daily" in id_] == [
        f"kibitz:daily:chess:{NUMBER}:s",
        f"kibitz:daily:chess:{NUMBER}:m",
    ]
    pressed = await click(world.alice, posted, custom_id=ids_of(posted)[0])  # no request is left
    assert "**Solution: " in text_of(answer_of(pressed))
    assert ids_of(answer_of(pressed)) == ids_of(right)
    await run_round(world)
    assert "Tried: 1 · solved: 1 · on the first try: 1 · Answers are private" in text_of(card(world))
    assert card(world).attachments

    # Until five seconds have passed, what is new waits.
    await wrong(world.bob, posted, today)
    await run_round(world)
    assert "Tried: 1" in text_of(card(world))
    clock.advance(seconds=5)
    await run_round(world)
    assert "Tried: 2 · solved: 1" in text_of(card(world))

    # Members who want it are named, and post their result.
    named = await click(world.alice, right, custom_id=f"kibitz:daily:chess:{NUMBER}:m")
    assert "now show your name" in text_of(answer_of(named))
    await click(world.alice, right, custom_id=f"kibitz:daily:chess:{NUMBER}:s")
    shared = text_of(replies(world.channel)[-1])
    assert shared == f"<@{world.alice.id}>: Kibitz daily {NUMBER} ♟ ⭐⭐⭐ · 1 try · streak 1"
    assert not any(move in shared for move in today.line.moves)

    # The day after: the solution, and the next one.
    clock.now = NOON + timedelta(days=1, minutes=2)
    await run_round(world)
    after = replies(world.channel)[-2]
    assert text_of(after).startswith(f"**Daily {NUMBER}** · Tried: 2 · solved: 1")
    assert "**Solution: " in text_of(after)
    assert f"Solved by: <@{world.alice.id}>" in text_of(after)
    over = next(reply for reply in replies(world.channel) if reply.id == posted.id)
    assert text_of(over).startswith(f"Daily {NUMBER} is over")
    assert ids_of(over) == [f"kibitz:daily:chess:{NUMBER}:b"]
    tomorrow = card(world, NUMBER + 1)
    assert (await puzzle(world, NUMBER + 1)).name != today.name
    again = await solved(world.alice, tomorrow, (await puzzle(world, NUMBER + 1)).line)
    assert f"Daily {NUMBER + 1} · streak 2" in text_of(again)

    board = await world.bob.slash(world.channel, "leaderboard", time="all")
    assert "1  alice      6       2" in text_of(answer_of(board))
    assert "bob" not in text_of(answer_of(board))
    board = await click(world.alice, tomorrow, custom_id=f"kibitz:daily:chess:{NUMBER + 1}:b")
    assert "You: rank 1 of 1." in text_of(answer_of(board))
    stats = answer_of(await world.alice.slash(world.channel, "stats"))
    assert "**Chess**: rating 1" in text_of(stats)
    assert "Streak of dailies: 2 (longest: 2)" in text_of(stats)
    assert stats.attachments[0].description.startswith("Rating in chess after each answer: 1500, 1")


async def wrong(person, message, today):
    """Answer something legal that is wrong."""
    best = today.line.moves[1]
    board = position_at(today.line, 0).board()
    move = next(move for move in board.legal_moves if move.uci() != best and not mates(board, move))
    return await answered(person, message, move.uci())


def mates(board, move):
    after = board.copy()
    after.push(move)
    return after.is_checkmate()


async def test_a_user_deletes_all_data_during_a_daily(world, posted, clock):
    today = await puzzle(world)
    await solved(world.alice, posted, today.line)
    await wrong(world.bob, posted, today)
    await run_round(world)
    assert "Tried: 2 · solved: 1" in text_of(card(world))
    response = await world.alice.slash(world.channel, "privacy show")
    assert "1 daily puzzle that you answered" in text_of(response.response)
    result = await world.alice.slash(world.channel, "privacy delete")
    await click(world.alice, result.response, label="Delete everything")
    clock.advance(seconds=5)
    await run_round(world)
    assert "Tried: 1 · solved: 0" in text_of(card(world))
    board = answer_of(await world.bob.slash(world.channel, "leaderboard", time="all"))
    assert "No daily has been solved" in text_of(board)
    again = await solved(world.alice, posted, today.line)
    assert f"Daily {NUMBER} · streak 1" in text_of(again)


async def test_a_post_that_was_sent_and_not_recorded_is_found_again(world, carol, clock, monkeypatch):
    clock.now = NOON - timedelta(hours=3)
    await carol.slash(world.channel, "settings daily", channel=world.channel, hour=12, games="chess")
    clock.now = NOON

    async def killed(key, message_id):
        raise StoreError("the process ends here")

    monkeypatch.setattr(world.bot.store, "record_daily", killed)
    with pytest.raises(StoreError):
        await run_round(world)
    monkeypatch.undo()
    sent = card(world)
    await run_round(world)
    assert not await world.bot.store.open_dailies(world.guild.id)  # the claim still holds
    clock.advance(seconds=91)
    await world.restart()
    await run_round(world)
    [post] = await world.bot.store.open_dailies(world.guild.id)
    assert post.message_id == sent.id == card(world).id


async def test_a_daily_that_discord_refuses_is_posted_later(world, carol, clock):
    clock.now = NOON - timedelta(hours=3)
    await carol.slash(world.channel, "settings daily", channel=world.channel, hour=12, games="chess")
    clock.now = NOON
    world.env.inject_error("POST", "/channels/*/messages", status=500, times=None)
    await run_round(world)
    assert not replies(world.channel)
    world.env.backend.faults.clear()
    clock.advance(seconds=6)
    await run_round(world)
    assert card(world)


async def test_a_channel_without_permissions_is_reported_once(world, carol, clock):
    mute = {world.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
    quiet = world.guild.create_text_channel("quiet", overwrites=mute)
    system = world.guild.create_text_channel("system")
    guild = world.bot.get_guild(world.guild.id)
    guild._system_channel_id = system.id
    clock.now = NOON - timedelta(hours=3)
    chosen = await carol.slash(world.channel, "settings daily", channel=quiet, hour=12, games="chess")
    assert "Kibitz can't send messages in" in text_of(chosen.response)
    for day in range(3):
        clock.now = NOON + timedelta(days=day)
        await run_round(world)
    [reply] = replies(system)
    assert f"I can't post the daily puzzle in <#{quiet.id}>" in text_of(reply)
    assert not replies(quiet)


async def test_a_daily_mentions_a_role_but_never_everyone(world, carol, clock):
    role = world.guild.create_role("solvers")
    clock.now = NOON - timedelta(hours=3)
    refused = await carol.slash(
        world.channel, "settings daily", channel=world.channel, role=world.guild.default_role
    )
    assert "Choose a role that members can give themselves" in text_of(refused.response)
    chosen = await carol.slash(world.channel, "settings daily", channel=world.channel, hour=12, role=role)
    assert f"Each post mentions <@&{role.id}>" in text_of(chosen.response)
    clock.now = NOON
    await run_round(world)
    first, second = replies(world.channel)
    assert text_of(first).startswith(f"<@&{role.id}> **Daily {NUMBER}** · SCOWL80")
    assert text_of(second).startswith(f"**Daily {NUMBER}** · lichess")


async def test_dailies_need_manage_server_and_a_known_time_zone(world, carol, clock):
    refused = await world.bob.slash(world.channel, "settings daily", channel=world.channel)
    assert "requires the Manage Server permission" in text_of(refused.response)
    nowhere = await carol.slash(world.channel, "settings daily", hour=3)
    assert "to choose a channel" in text_of(nowhere.response)
    strange = await carol.slash(world.channel, "settings daily", channel=world.channel, zone="Mars/Olympus")
    assert "There is no time zone" in text_of(strange.response)
    clock.now = NOON
    chosen = await carol.slash(
        world.channel, "settings daily", channel=world.channel, hour=9, zone="Europe/Berlin"
    )
    assert "at 9:00, Europe\\/Berlin" in text_of(chosen.response)
    due = int(datetime(2026, 11, 23, 8, tzinfo=UTC).timestamp())
    assert f"<t:{due}:R>" in text_of(chosen.response)
    panel = await carol.slash(world.channel, "settings server")
    assert "at 9:00, Europe\\/Berlin" in text_of(panel.response)
    stopped = await carol.slash(world.channel, "settings daily", stop=True)
    assert "Daily puzzle: none" in text_of(stopped.response)


async def test_a_known_puzzle_starts_again_as_the_daily(world, posted):
    today, service = await puzzle(world), world.bot.service
    assert await world.bot.store.open_puzzles() == {("chess", today.name)}
    library = await service[PUZZLES].library()
    only = {key: entry for key, entry in library.entries.items() if key == (Kind.CHESS, today.name)}
    every, library.entries = library.entries, only
    response = await world.bob.slash(world.channel, "puzzle", game="chess")
    assert "You have seen all puzzles of this kind" in text_of(response.response)
    library.entries = every
    await world.bot.store.change_puzzle(
        world.bob.id, "chess", today.name, lambda answer, rating: (replace(answer, given_up=True), rating)
    )
    right = await solved(world.bob, posted, today.line)
    assert "⭐⭐⭐" in text_of(right)
    assert "Your rating" not in text_of(right)
    assert await world.bot.store.is_daily_over(world.bob.id, "chess", today.name)
    assert not await world.bot.store.is_daily_over(world.alice.id, "chess", today.name)
    key = DailyKey(world.guild.id, NUMBER, "chess")
    assert (await world.bot.store.daily_answer(world.bob.id, key)).solved


async def test_dailies_missed_while_offline(world, posted, clock):
    """A daily comes late on its day, not when the next one is near; none that was not posted breaks a streak."""
    await solved(world.alice, posted, (await puzzle(world)).line)
    clock.now = NOON + timedelta(days=1, hours=5)
    await run_round(world)
    assert card(world, NUMBER + 1)
    clock.now = NOON + timedelta(days=3, hours=-1)  # a day and 23 hours after the last one
    await run_round(world)
    assert not await world.bot.store.open_dailies(world.guild.id)
    assert not [reply for reply in replies(world.channel) if f"**Daily {NUMBER + 2}**" in text_of(reply)]
    clock.now = NOON + timedelta(days=3)
    await run_round(world)
    later = await solved(world.alice, card(world, NUMBER + 3), (await puzzle(world, NUMBER + 3)).line)
    assert f"Daily {NUMBER + 3} · streak 2" in text_of(later)  # one was missed, one never was there
    # A clock that was a year ahead for a moment takes no daily away.
    clock.now = NOON + timedelta(days=365)
    await run_round(world)
    clock.now = NOON + timedelta(days=4)
    await run_round(world)
    assert card(world, NUMBER + 4)


async def test_time_zones_are_completed(world, carol):
    offered = await carol.autocomplete(world.channel, "settings daily", "zone", "new york")
    assert [choice["value"] for choice in offered] == ["America/New_York"]


async def test_a_name_that_takes_too_long_leaves_the_other_names(monkeypatch):
    async def fetch_member(user_id):
        await asyncio.sleep(60 if user_id == 2 else 0)
        return SimpleNamespace(display_name=f"member {user_id}")

    monkeypatch.setattr(commands, "MAX_NAMING_SECONDS", 0.05)
    guild: Any = SimpleNamespace(id=9_001, get_member=lambda _: None, fetch_member=fetch_member)
    leaders = [Leader(user_id, user_id < 4, 3, 1, 1) for user_id in range(1, 5)]
    assert await commands._names(guild, leaders) == {1: "member 1", 3: "member 3"}
