"""One process claims a daily. If the process dies, another process claims it. Answers are counted, ranked and finally deleted."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

from bot.storage.dailies import CLAIM_DURATION, EDIT_PAUSE, MAX_DUE_AHEAD, NO_SERVER, DailyKey, DailySettings
from bot.storage.puzzles import DailyCounts, Progress, Standing, Streak
from bot.storage.settings import UserSettings
from bot.storage.store import DAILY_RETENTION
from tests.storage.guilds import forget_guild

SETTINGS = DailySettings(9, 7, "Europe/Berlin", "chess", "usual")
KEY = DailyKey(5, 326, "chess")


def extend_streak(before, missed):
    days = 1 if missed else before.days + 1
    return Streak(days, max(days, before.best), 0)


def puzzle_of(key):
    """Return the puzzle of a daily. Each day has a different puzzle."""
    return "0YtJI" if key.number == KEY.number else f"puzzle{key.number}"


async def post(store, key=KEY, message_id=70, puzzle=None):
    assert await store.claim_daily(key, puzzle or puzzle_of(key), 9) == 1
    await store.record_daily_post(key, message_id)


async def answer(store, user_id, key=KEY, *, rule=extend_streak, puzzle=None, **values):
    def change(before, rating):
        return replace(before, **values), rating

    def update_streak(before, missed):
        return replace(rule(before, missed), last=key.number)

    return await store.change_progress(
        user_id, "chess", puzzle or puzzle_of(key), change, (key, update_streak)
    )


async def test_dailies_are_due_at_the_time_that_a_server_chose(store, clock):
    due = clock.now + timedelta(hours=3)
    await store.change_daily_settings(5, lambda _: (SETTINGS, due))
    await store.change_daily_settings(6, lambda _: (replace(SETTINGS, role_id=8), due + timedelta(hours=1)))
    assert await store.daily_settings(5) == SETTINGS
    assert await store.servers_with_due_daily(0, 10) == ()
    clock.advance(hours=3)
    [stored] = await store.servers_with_due_daily(0, 10)
    assert (stored.guild_id, stored.settings, stored.due) == (5, SETTINGS, due)
    assert await store.servers_with_due_daily(5, 10) == ()
    # A daily is not postponed if its server has chosen a new time since the daily was read.
    await store.change_daily_settings(5, lambda _: (SETTINGS, due + timedelta(minutes=1)))
    await store.postpone_daily(stored, due + timedelta(days=1))
    clock.advance(minutes=1)
    [stored] = await store.servers_with_due_daily(0, 10)
    await store.postpone_daily(stored, due + timedelta(days=1))
    assert await store.servers_with_due_daily(0, 10) == ()
    # If the next post is later than any schedule allows, the clock must have been set back, so the daily counts as due.
    clock.now -= MAX_DUE_AHEAD
    assert [item.guild_id for item in await store.servers_with_due_daily(0, 10)] == [5, 6]
    await store.delete_daily_settings(5)
    assert await store.daily_settings(5) is None


async def test_one_of_many_claims_wins_until_expiry(store, clock):
    claims = await asyncio.gather(*(store.claim_daily(KEY, "0YtJI", 9) for _ in range(20)))
    assert sorted(claims) == [0] * 19 + [1]
    assert not await store.is_daily_posted_or_closed(KEY)
    clock.advance(seconds=CLAIM_DURATION.total_seconds())
    claims = await asyncio.gather(*(store.claim_daily(KEY, "0YtJI", 9) for _ in range(20)))
    assert sorted(claims) == [0] * 19 + [2]
    await store.record_daily_post(KEY, 70)
    clock.advance(hours=1)
    assert await store.claim_daily(KEY, "0YtJI", 9) == 0
    assert await store.is_daily_posted_or_closed(KEY)
    assert [open_daily.message_id for open_daily in await store.open_dailies(5)] == [70]
    assert await store.open_daily_puzzles() == {("chess", "0YtJI")}
    closings = await asyncio.gather(*(store.claim_daily_closing(KEY) for _ in range(20)))
    assert sorted(closings) == [0] * 19 + [1]
    await store.close_daily(KEY)
    assert await store.open_daily_puzzles() == frozenset()
    assert await store.claim_daily_closing(KEY) == 0


async def test_a_message_is_edited_at_most_once_every_five_seconds(store, clock):
    await post(store)
    assert await store.stale_dailies() == ()
    await answer(store, 1)  # the user only looked at the puzzle
    assert await store.stale_dailies() == ()
    await asyncio.gather(*(answer(store, user, wrong_answers=1) for user in range(1, 9)))
    await answer(store, 1, solved=True)
    await answer(store, 9, solved=True)
    assert await store.daily_counts(KEY) == DailyCounts(9, 2, 1)
    [stale] = await store.stale_dailies()
    assert sorted(await asyncio.gather(*(store.claim_daily_edit(stale) for _ in range(5)))) == [False] * 4 + [
        True
    ]
    await answer(store, 10, wrong_answers=1)
    await store.record_shown_counts(stale)
    assert await store.stale_dailies() == (), "a daily is due for an edit before the five seconds are over"
    clock.advance(seconds=EDIT_PAUSE.total_seconds())
    [stale] = await store.stale_dailies()
    assert await store.claim_daily_edit(stale)
    await store.record_shown_counts(stale)
    clock.advance(minutes=1)
    assert await store.stale_dailies() == ()


async def test_the_same_daily_in_two_servers_is_answered_once_and_counts_in_both(store):
    other = replace(KEY, guild_id=6)
    await post(store)
    await post(store, other, 71)
    await answer(store, 1, wrong_answers=1)
    (before, _), (after, _) = await answer(store, 1, other, solved=True)
    assert (before, after) == (Progress(wrong_answers=1), Progress(wrong_answers=1, solved=True))
    for key in (KEY, other):
        assert await store.daily_counts(key) == DailyCounts(1, 1, 0)
        assert await store.daily_answer(1, key) == after
    assert (await store.count_user_data(1))["dailies"] == 1
    assert (await store.streak(1, "chess"))[0].days == 1


async def test_an_answer_counts_for_every_daily_with_the_puzzle(store):
    assert await store.daily_key("chess", "0YtJI", None) is None
    await post(store)
    other = DailyKey(6, 330, "chess")  # a server with another level has the same puzzle on another day
    await post(store, other, 71, "0YtJI")
    assert await store.daily_key("chess", "0YtJI", 5) == KEY
    for guild_id in (None, 7):
        assert await store.daily_key("chess", "0YtJI", guild_id) == replace(other, guild_id=NO_SERVER)
    assert await store.daily_key("crossword", "0YtJI", 5) is None
    key_outside_servers = replace(other, guild_id=NO_SERVER)
    await answer(store, 1, key_outside_servers, puzzle="0YtJI", given_up=True)
    assert await store.has_finished_daily(1, "chess", "0YtJI")
    assert await store.daily_counts(KEY) == DailyCounts(0, 0, 0)
    for key in (KEY, other):
        (before, _), (after, _) = await answer(store, 1, key, puzzle="0YtJI")
        assert before == after == Progress(given_up=True)
        assert await store.daily_counts(key) == DailyCounts(1, 0, 0)
    assert (await store.streak(1, "chess"))[0].days == 0


async def test_a_daily_takes_no_answers_once_its_closing_is_claimed(store, clock):
    await post(store)
    await answer(store, 1, solved=True)
    assert await store.claim_daily_closing(KEY)
    assert await store.daily_key("chess", "0YtJI", 5) is None
    clock.advance(seconds=CLAIM_DURATION.total_seconds())
    assert await store.daily_key("chess", "0YtJI", 5) is None
    assert await store.has_finished_daily(1, "chess", "0YtJI")
    await store.close_daily(KEY)
    assert not await store.has_finished_daily(1, "chess", "0YtJI")  # the puzzle may become a daily again


async def test_only_dailies_in_the_users_servers_can_be_missed(store):
    for number in (326, 327, 328):
        await post(store, replace(KEY, number=number), number)
    elsewhere = DailyKey(6, 329, "chess")
    await post(store, elsewhere, 90)
    await answer(store, 1, solved=True)
    assert await store.streak(1, "chess") == (Streak(1, 1, 326), ())  # no daily is closed
    for number in (326, 327):
        await store.close_daily(replace(KEY, number=number))
    assert (await store.streak(1, "chess"))[1] == (327,)
    seen = []

    def record_missed(before, missed):
        seen.append(tuple(missed))
        return extend_streak(before, ())

    await answer(store, 1, replace(KEY, number=328), rule=record_missed, solved=True)
    assert seen == [(327,)]


async def test_leaderboards_rank_by_stars(store):
    await post(store)
    later = replace(KEY, number=327)
    await post(store, later, 71)
    await store.change_user_settings(2, lambda _: UserSettings(named=True))
    await answer(store, 1, solved=True)
    await answer(store, 2, wrong_answers=1, hints=0, solved=True)
    await answer(store, 2, later, wrong_answers=5, hints=3, solved=True)
    await answer(store, 3, wrong_answers=2)
    await answer(store, 4, later, given_up=True)
    assert await store.standings(5, None, 0) == (Standing(1, False, 3, 1, 1), Standing(2, True, 2, 2, 2))
    assert await store.standings(5, "chess", 327) == (Standing(2, True, 0, 1, 1),)
    assert await store.standings(5, "crossword", 0) == ()
    assert await store.standings(6, None, 0) == ()
    assert await store.daily_solvers(KEY, 10) == ((2, 2),)


async def test_forgetting_a_user_changes_the_leaderboard_and_open_dailies(store):
    await post(store)
    for user in (1, 2):
        await answer(store, user, solved=True)
    [stale] = await store.stale_dailies()
    await store.claim_daily_edit(stale)
    await store.record_shown_counts(stale)
    await store.forget_user(1)
    assert await store.standings(5, None, 0) == (Standing(2, False, 3, 1, 1),)
    assert await store.daily_counts(KEY) == DailyCounts(1, 1, 1)
    assert (await store.count_user_data(1))["dailies"] == 0
    assert await store.streak(1, "chess") == (Streak(), ())
    assert [open_daily.change_count > stale.change_count for open_daily in await store.open_dailies(5)] == [
        True
    ]
    # Either the whole answer is stored, or no part of it.
    await asyncio.gather(store.forget_user(2), answer(store, 2, solved=True))
    count = (await store.count_user_data(2))["dailies"]
    assert await store.daily_counts(KEY) == DailyCounts(count, count, count)


async def test_a_forgotten_server_has_no_dailies(store, clock):
    await store.change_daily_settings(5, lambda _: (SETTINGS, clock.now))
    await post(store)
    await answer(store, 1, solved=True)
    await forget_guild(store, 5)
    assert await store.daily_settings(5) is None
    assert await store.open_daily_puzzles() == frozenset()
    assert (await store.count_user_data(1))["dailies"] == 0


async def test_old_dailies_are_deleted_but_solvers_stay_on_the_leaderboards(store, clock):
    await post(store)
    never_sent = replace(KEY, game="crossword")
    assert await store.claim_daily(never_sent, "89d0f1cd", 9) == 1
    await answer(store, 1, solved=True)
    await answer(store, 2, wrong_answers=4)
    await store.close_daily(KEY)
    clock.advance(days=DAILY_RETENTION.days - 1)
    later = replace(KEY, number=KEY.number + 399)
    await post(store, later, 71)
    await answer(store, 3, later, wrong_answers=1)
    await store.close_daily(later)
    assert await store.sweep() == Counter()
    assert await store.streak(1, "chess") == (Streak(1, 1, KEY.number), (later.number,))
    clock.advance(days=1, minutes=2)
    assert await store.sweep() == Counter(dailies=2)
    assert await store.standings(5, None, 0) == (Standing(1, False, 3, 1, 1),)
    # It is unknown which of the deleted dailies were missed, so the streak ends. The longest streak is kept.
    assert await store.streak(1, "chess") == (Streak(0, 1, KEY.number), (later.number,))
    assert [(await store.count_user_data(user))["dailies"] for user in (1, 2, 3)] == [1, 0, 1]
    assert await store.sweep() == Counter()
