"""Daily puzzles in chat: each is posted once and answered in private. The solution follows with the next daily."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.chess.solution import position_to_solve
from bot.features.puzzles import commands, daily, daily_posts
from bot.features.puzzles.controls import PUZZLES
from bot.features.puzzles.daily import choose_puzzle
from bot.features.puzzles.selection import PuzzleKind, PuzzleLevel
from bot.storage.dailies import DailyKey
from bot.storage.errors import StoreError
from bot.storage.puzzles import Standing
from tests.storage.clock import FrozenClock

from .actions import click, ids_of, last_reply, replies, reply_of, text_of
from .test_puzzles import answer_puzzle, puzzle_name_in_family

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
DAILY_NUMBER = 326
"""The number of the daily that is posted at ``NOON``."""


@pytest.fixture
def clock():
    return FrozenClock(NOON)


@pytest.fixture
async def posted_daily(world, carol, clock):
    assert "12:00, UTC" in text_of(await schedule_daily(world, carol, games="chess"))
    await update_dailies(world)
    return daily_card(world)


async def schedule_daily(world, carol, **options):
    """At nine o'clock, schedule a daily for noon, then set the clock to noon. Return the reply."""
    world.clock.now = NOON - timedelta(hours=3)
    options = {"channel": world.channel, "hour": 12, **options}
    result = await carol.slash(world.channel, "settings daily", **options)
    world.clock.now = NOON
    return result.response


async def post_crossword_daily(world, carol, monkeypatch, *families):
    """Post a crossword daily. ``families`` are the families of today's puzzle and the next days' puzzles."""
    families_by_day = itertools.chain(families, itertools.repeat(families[-1]))
    monkeypatch.setattr(daily, "choose_puzzle", lambda *_: puzzle_name_in_family(next(families_by_day)))
    await schedule_daily(world, carol, games="crossword")
    await update_dailies(world)


async def update_dailies(world):
    """Have the bot post the dailies that are due, close the old dailies and update the counts."""
    await world.bot.get_cog("DailyPosts").update_dailies()


def daily_card(world, number=DAILY_NUMBER):
    [card] = [
        message
        for message in replies(world.channel)
        if text_of(message).startswith(f"**Daily {number}** · lichess")
    ]
    return card


async def daily_puzzle(world, number=DAILY_NUMBER):
    """Return the name and the moves of a day's chess puzzle."""
    library = await world.bot.services[PUZZLES].load_library()
    name = daily.choose_puzzle(library.entries.values(), PuzzleKind.CHESS, PuzzleLevel.NORMAL, number)
    return SimpleNamespace(name=name, line=library.puzzle(PuzzleKind.CHESS, name).line)


async def solve_daily(person, message, line):
    """Enter all of the solver's moves. Return the last private reply."""
    for move in line.moves[1::2]:
        message = await answer_puzzle(person, message, move)
    return message


async def answer_wrongly(person, message, puzzle):
    """Enter a legal move that doesn't solve the puzzle. Return the private reply."""
    best = puzzle.line.moves[1]
    board = position_to_solve(puzzle.line, 0).board()
    move = next(move for move in board.legal_moves if move.uci() != best and not is_mate(board, move))
    return await answer_puzzle(person, message, move.uci())


def is_mate(board, move):
    after = board.copy()
    after.push(move)
    return after.is_checkmate()


async def test_a_daily_is_posted_answered_counted_and_closed_the_next_day(world, posted_daily, clock):
    todays_puzzle = await daily_puzzle(world)
    assert text_of(posted_daily).endswith("\n-# No tries yet. Answers are private until the next daily.")
    assert ids_of(posted_daily) == [
        f"kibitz:puzzle:chess:{todays_puzzle.name}:a",  # Answer
        f"kibitz:puzzle:chess:{todays_puzzle.name}:m",  # Choose a move
        f"kibitz:daily:chess:{DAILY_NUMBER}:b",  # Leaderboard
    ]
    last_move = position_to_solve(todays_puzzle.line, 0).known_last_move
    assert f"from {last_move[:2]} to {last_move[2:4]}" in posted_daily.attachments[0].description
    await update_dailies(world)
    assert len(replies(world.channel)) == 1

    refusal = await answer_puzzle(world.bob, posted_daily, "a1a1")
    assert "doesn't count" in text_of(refusal)
    right_reply = await solve_daily(world.alice, posted_daily, todays_puzzle.line)
    assert f"Daily {DAILY_NUMBER} · streak 1" in text_of(right_reply)
    assert "⭐⭐⭐" in text_of(right_reply)
    assert [id_ for id_ in ids_of(right_reply) if "daily" in id_] == [
        f"kibitz:daily:chess:{DAILY_NUMBER}:s",  # Share
        f"kibitz:daily:chess:{DAILY_NUMBER}:m",  # Show my name
    ]
    # *Answer* now shows the solution instead of the form.
    result = await click(world.alice, posted_daily, custom_id=ids_of(posted_daily)[0])
    assert "**Solution: " in text_of(reply_of(result))
    assert ids_of(reply_of(result)) == ids_of(right_reply)
    await update_dailies(world)
    assert "Tried: 1 · solved: 1 · on the first try: 1 · Answers are private" in text_of(daily_card(world))
    assert daily_card(world).attachments

    # The card changes at most once every five seconds, so new counts wait.
    await answer_wrongly(world.bob, posted_daily, todays_puzzle)
    await update_dailies(world)
    assert "Tried: 1" in text_of(daily_card(world))
    clock.advance(seconds=5)
    await update_dailies(world)
    assert "Tried: 2 · solved: 1" in text_of(daily_card(world))

    # Members can choose to be named, and can post their result.
    consent = await click(world.alice, right_reply, custom_id=f"kibitz:daily:chess:{DAILY_NUMBER}:m")
    assert "now show your name" in text_of(reply_of(consent))
    await click(world.alice, right_reply, custom_id=f"kibitz:daily:chess:{DAILY_NUMBER}:s")
    shared_text = text_of(last_reply(world))
    assert shared_text == f"<@{world.alice.id}>: Kibitz daily {DAILY_NUMBER} ♟ ⭐⭐⭐ · 1 try · streak 1"
    assert not any(move in shared_text for move in todays_puzzle.line.moves)

    clock.now = NOON + timedelta(days=1, minutes=2)
    await update_dailies(world)
    solution_post = replies(world.channel)[-2]
    assert text_of(solution_post).startswith(f"**Daily {DAILY_NUMBER}** · Tried: 2 · solved: 1")
    assert "**Solution: " in text_of(solution_post)
    assert f"Solved by: <@{world.alice.id}>" in text_of(solution_post)
    closed_card = next(reply for reply in replies(world.channel) if reply.id == posted_daily.id)
    assert text_of(closed_card).startswith(f"Daily {DAILY_NUMBER} is over")
    assert ids_of(closed_card) == [f"kibitz:daily:chess:{DAILY_NUMBER}:b"]
    next_card = daily_card(world, DAILY_NUMBER + 1)
    assert (await daily_puzzle(world, DAILY_NUMBER + 1)).name != todays_puzzle.name
    next_right_reply = await solve_daily(
        world.alice, next_card, (await daily_puzzle(world, DAILY_NUMBER + 1)).line
    )
    assert f"Daily {DAILY_NUMBER + 1} · streak 2" in text_of(next_right_reply)

    board = await world.bob.slash(world.channel, "leaderboard", time="all")
    assert "1  alice      6       2" in text_of(reply_of(board))
    assert "bob" not in text_of(reply_of(board))
    board = await click(world.alice, next_card, custom_id=f"kibitz:daily:chess:{DAILY_NUMBER + 1}:b")
    assert "Your rank: 1 of 1." in text_of(reply_of(board))
    stats = reply_of(await world.alice.slash(world.channel, "stats"))
    assert "**Chess**: rating 1" in text_of(stats)
    assert "Daily puzzle streak: 2 (longest: 2)" in text_of(stats)
    assert stats.attachments[0].description.startswith("Ratings in chess, oldest first: 1500, 1")


@pytest.mark.parametrize(
    ("method", "status", "ending"), [("POST", 403, "."), ("PATCH", 500, "; its solution is below.")]
)
async def test_a_closed_card_mentions_the_solution_only_if_it_was_posted(
    world, posted_daily, clock, method, status, ending
):
    world.env.inject_error(method, f"/channels/{world.channel.id}/messages*", status=status, times=None)
    clock.now = NOON + timedelta(days=1, minutes=2)
    await update_dailies(world)
    world.env.backend.faults.clear()
    clock.advance(seconds=91)
    await update_dailies(world)
    [card] = [reply for reply in replies(world.channel) if reply.id == posted_daily.id]
    assert text_of(card).startswith(f"Daily {DAILY_NUMBER} is over{ending}\n")
    solutions = [reply for reply in replies(world.channel) if "**Solution: " in text_of(reply)]
    assert len(solutions) == (method == "PATCH")


async def test_stale_dailies_of_other_processes_do_not_delay_the_counts(
    world, posted_daily, clock, monkeypatch
):
    monkeypatch.setattr(daily_posts, "MAX_EDITS", 1)
    todays_puzzle, store = await daily_puzzle(world), world.bot.store
    await answer_wrongly(world.bob, posted_daily, todays_puzzle)
    await update_dailies(world)
    # The other server's process is down, so the other daily's counts stay out of date.
    other_key = DailyKey(world.guild.id + 1, DAILY_NUMBER, "chess")
    monkeypatch.setattr(world.bot, "receives_events_of", lambda guild_id: guild_id == world.guild.id)
    await store.claim_daily(other_key, todays_puzzle.name, 1)
    await store.record_daily_post(other_key, 2)
    await store.change_progress(
        9,
        "chess",
        todays_puzzle.name,
        lambda progress, rating: (replace(progress, wrong_answers=1), rating),
        (other_key, lambda streak, _: streak),
    )
    await answer_wrongly(world.alice, posted_daily, todays_puzzle)
    clock.advance(seconds=5)
    assert [post.key.guild_id for post in await store.stale_dailies()] == [other_key.guild_id, world.guild.id]
    await update_dailies(world)
    assert "Tried: 2" in text_of(daily_card(world))


async def test_deleting_all_data_removes_the_user_from_an_open_daily(world, posted_daily, clock):
    todays_puzzle = await daily_puzzle(world)
    await solve_daily(world.alice, posted_daily, todays_puzzle.line)
    await answer_wrongly(world.bob, posted_daily, todays_puzzle)
    await update_dailies(world)
    assert "Tried: 2 · solved: 1" in text_of(daily_card(world))
    result = await world.alice.slash(world.channel, "privacy show")
    assert "1 daily puzzle that you answered" in text_of(result.response)
    result = await world.alice.slash(world.channel, "privacy delete")
    await click(world.alice, result.response, label="Delete everything")
    clock.advance(seconds=5)
    await update_dailies(world)
    assert "Tried: 1 · solved: 0" in text_of(daily_card(world))
    board = reply_of(await world.bob.slash(world.channel, "leaderboard", time="all"))
    assert "No one has solved a daily" in text_of(board)
    right_reply = await solve_daily(world.alice, posted_daily, todays_puzzle.line)
    assert f"Daily {DAILY_NUMBER} · streak 1" in text_of(right_reply)


async def test_a_post_that_was_sent_but_not_recorded_is_found_again(world, carol, clock, monkeypatch):
    await schedule_daily(world, carol, games="chess")

    async def fail_to_record(key, message_id):
        raise StoreError("the process ends here")

    monkeypatch.setattr(world.bot.store, "record_daily_post", fail_to_record)
    with pytest.raises(StoreError):
        await update_dailies(world)
    monkeypatch.undo()
    sent_card = daily_card(world)
    await update_dailies(world)
    assert not await world.bot.store.open_dailies(world.guild.id)  # the failed attempt's claim hasn't expired
    clock.advance(seconds=91)
    await world.restart()
    await update_dailies(world)
    [post] = await world.bot.store.open_dailies(world.guild.id)
    assert post.message_id == sent_card.id == daily_card(world).id


async def test_a_daily_where_files_are_forbidden_causes_no_rejected_request(world, carol, clock):
    """Discord blocks bots that send thousands of requests without permission."""
    channel = world.create_channel_with_permissions(attach_files=False)
    await schedule_daily(world, carol, games="chess", channel=channel)
    await update_dailies(world)
    [card] = replies(channel)
    assert not card.attachments
    await answer_wrongly(world.bob, card, await daily_puzzle(world))
    clock.advance(seconds=5)
    await update_dailies(world)
    assert "Tried: 1" in text_of(replies(channel)[0])
    requests = [
        (request.method, request.path)
        for request in world.env.http_requests
        if f"/channels/{channel.id}/messages" in request.path
    ]
    assert [method for method, _ in requests] == ["POST", "PATCH"]


async def test_a_daily_is_retried_after_a_server_error(world, carol, clock):
    await schedule_daily(world, carol, games="chess")
    world.env.inject_error("POST", "/channels/*/messages", status=500, times=None)
    await update_dailies(world)
    assert not replies(world.channel)
    world.env.backend.faults.clear()
    clock.advance(seconds=6)
    await update_dailies(world)
    assert daily_card(world)


@pytest.mark.parametrize("is_notice_refused", [False, True])
async def test_a_channel_without_permissions_is_reported_once(
    world, carol, clock, system_channel, is_notice_refused
):
    office = world.guild.create_text_channel("office")
    if is_notice_refused:
        world.bot.get_guild(world.guild.id)._public_updates_channel_id = office.id
        world.env.inject_error("POST", f"/channels/{office.id}/messages", status=403, code=50013)
    channel = world.create_channel_with_permissions(send_messages=False)
    schedule_reply = await schedule_daily(world, carol, channel=channel, games="chess")
    assert "Kibitz can't send messages in" in text_of(schedule_reply)
    for day in range(3):
        clock.now = NOON + timedelta(days=day)
        await update_dailies(world)
    [reply] = replies(system_channel)
    assert f"Kibitz can't post the daily puzzle in <#{channel.id}>" in text_of(reply)
    assert not replies(channel)


async def test_a_daily_mentions_a_role_but_never_everyone(world, carol):
    role = world.guild.create_role("solvers")
    refusal = await schedule_daily(world, carol, role=world.guild.default_role)
    assert "Choose a role that members can give themselves" in text_of(refusal)
    schedule_reply = await schedule_daily(world, carol, role=role)
    assert f"Each post mentions <@&{role.id}>" in text_of(schedule_reply)
    await update_dailies(world)
    first, second = replies(world.channel)
    assert text_of(first).startswith(f"<@&{role.id}> **Daily {DAILY_NUMBER}** · SCOWL80")
    assert text_of(second).startswith(f"**Daily {DAILY_NUMBER}** · lichess")


@pytest.mark.parametrize("is_first_post_rejected", [False, True])
async def test_only_the_first_post_that_is_sent_mentions_the_role(
    world, carol, clock, monkeypatch, is_first_post_rejected
):
    if is_first_post_rejected:
        world.env.inject_error("POST", "/channels/*/messages", status=500, times=1)
    else:
        monkeypatch.setattr(
            daily,
            "choose_puzzle",
            lambda entries, kind, *options: (
                None if kind is PuzzleKind.CROSSWORD else choose_puzzle(entries, kind, *options)
            ),
        )
    role = world.guild.create_role("solvers")
    await schedule_daily(world, carol, role=role)
    await update_dailies(world)
    clock.advance(seconds=6)
    await update_dailies(world)
    first, *later = replies(world.channel)
    assert text_of(first).startswith(f"<@&{role.id}> **Daily {DAILY_NUMBER}** · lichess")
    assert [f"<@&{role.id}>" in text_of(post) for post in later] == [False] * is_first_post_rejected


async def test_dailies_need_manage_server_and_a_known_time_zone(world, carol, clock):
    refusal = await world.bob.slash(world.channel, "settings daily", channel=world.channel)
    assert "requires the Manage Server permission" in text_of(refusal.response)
    without_channel = await carol.slash(world.channel, "settings daily", hour=3)
    assert "to choose a channel" in text_of(without_channel.response)
    unknown_zone = await carol.slash(
        world.channel, "settings daily", channel=world.channel, zone="Mars/Olympus"
    )
    assert "There is no time zone" in text_of(unknown_zone.response)
    clock.now = NOON
    schedule_reply = await carol.slash(
        world.channel, "settings daily", channel=world.channel, hour=9, zone="Europe/Berlin"
    )
    assert "at 9:00, Europe\\/Berlin" in text_of(schedule_reply.response)
    due_timestamp = int(datetime(2026, 11, 23, 8, tzinfo=UTC).timestamp())
    assert f"<t:{due_timestamp}:R>" in text_of(schedule_reply.response)
    panel = await carol.slash(world.channel, "settings server")
    assert "at 9:00, Europe\\/Berlin" in text_of(panel.response)
    stop_reply = await carol.slash(world.channel, "settings daily", stop=True)
    assert "Daily puzzle: none" in text_of(stop_reply.response)


async def test_the_open_daily_is_not_offered_as_a_puzzle(world, posted_daily):
    todays_puzzle = await daily_puzzle(world)
    assert await world.bot.store.open_daily_puzzles() == {("chess", todays_puzzle.name)}
    library = await world.bot.services[PUZZLES].load_library()
    daily_key = (PuzzleKind.CHESS, todays_puzzle.name)
    library.entries = {daily_key: library.entries[daily_key]}
    result = await world.bob.slash(world.channel, "puzzle", game="chess")
    assert "You have seen all puzzles of this kind" in text_of(result.response)


async def test_a_puzzle_given_up_earlier_can_be_solved_as_the_daily(world, posted_daily):
    todays_puzzle = await daily_puzzle(world)
    await world.bot.store.change_progress(
        world.bob.id,
        "chess",
        todays_puzzle.name,
        lambda progress, rating: (replace(progress, given_up=True), rating),
    )
    right_reply = await solve_daily(world.bob, posted_daily, todays_puzzle.line)
    assert "⭐⭐⭐" in text_of(right_reply)
    assert "Your rating" not in text_of(right_reply)
    assert await world.bot.store.has_finished_daily(world.bob.id, "chess", todays_puzzle.name)
    assert not await world.bot.store.has_finished_daily(world.alice.id, "chess", todays_puzzle.name)
    key = DailyKey(world.guild.id, DAILY_NUMBER, "chess")
    assert (await world.bot.store.daily_answer(world.bob.id, key)).solved


async def test_a_daily_missed_while_offline_is_posted_late_on_its_day(world, posted_daily, clock):
    """A daily that is 23 hours late is left out. A daily that was never posted doesn't break a streak."""
    await solve_daily(world.alice, posted_daily, (await daily_puzzle(world)).line)
    clock.now = NOON + timedelta(days=1, hours=5)
    await update_dailies(world)
    assert daily_card(world, DAILY_NUMBER + 1)
    clock.now = NOON + timedelta(days=3, hours=-1)  # one day and 23 hours after the last daily
    await update_dailies(world)
    assert not await world.bot.store.open_dailies(world.guild.id)
    assert not [
        reply for reply in replies(world.channel) if f"**Daily {DAILY_NUMBER + 2}**" in text_of(reply)
    ]
    clock.now = NOON + timedelta(days=3)
    await update_dailies(world)
    later = await solve_daily(
        world.alice, daily_card(world, DAILY_NUMBER + 3), (await daily_puzzle(world, DAILY_NUMBER + 3)).line
    )
    # One missed daily is forgiven each month. The other daily was never posted.
    assert f"Daily {DAILY_NUMBER + 3} · streak 2" in text_of(later)
    # No daily is lost if the clock is briefly a year ahead.
    clock.now = NOON + timedelta(days=365)
    await update_dailies(world)
    clock.now = NOON + timedelta(days=4)
    await update_dailies(world)
    assert daily_card(world, DAILY_NUMBER + 4)


async def test_time_zones_are_suggested(world, carol):
    zones = await carol.autocomplete(world.channel, "settings daily", "zone", "new york")
    assert [choice["value"] for choice in zones] == ["America/New_York"]


async def test_a_slow_fetch_of_one_member_does_not_hide_other_names(monkeypatch):
    async def fetch_member(user_id):
        await asyncio.sleep(60 if user_id == 2 else 0)
        return SimpleNamespace(display_name=f"member {user_id}")

    monkeypatch.setattr(commands, "MAX_NAME_FETCH_SECONDS", 0.05)
    guild: Any = SimpleNamespace(id=9_001, get_member=lambda _: None, fetch_member=fetch_member)
    standings = [Standing(user_id, user_id < 4, 3, 1, 1) for user_id in range(1, 5)]
    assert await commands._fetch_names(guild, standings) == {1: "member 1", 3: "member 3"}
