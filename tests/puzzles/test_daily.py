"""Daily puzzles: when they are due in each time zone, which puzzle is chosen, and how streaks are counted."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot.chat.card import ReplyContext
from bot.features.puzzles.daily import (
    DailyService,
    Period,
    choose_puzzle,
    daily_card,
    latest_due_day,
    post_time,
)
from bot.features.puzzles.selection import LibraryEntry, PuzzleKind, PuzzleLevel, load
from bot.features.puzzles.streaks import FIRST_DAY, apply_misses, daily_number, extend_streak
from bot.storage.dailies import DailyKey, DailyPost, DailySettings
from bot.storage.puzzles import DailyCounts, Streak

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Pacific/Auckland",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
)
"""Time zones with and without daylight saving time, and with offsets that are not whole hours."""


def test_dailies_are_numbered_by_day():
    assert daily_number(date(2026, 1, 1)) == 1
    assert daily_number(date(2026, 11, 8)) == 312


class StandingsStore:
    async def daily_settings(self, guild: int) -> None:
        return None

    async def standings(self, guild: int, kind: PuzzleKind | None, since: int) -> date | None:
        return FIRST_DAY + timedelta(days=since - 1) if since else None


async def test_a_leaderboard_begins_on_a_monday_or_on_the_first_day_of_a_month():
    store: Any = StandingsStore()
    dailies = DailyService(None, store, None, lambda: datetime(2026, 11, 8, 12, tzinfo=UTC))
    assert await dailies.standings(5, None, Period.WEEK) == date(2026, 11, 2)  # a Monday
    assert await dailies.standings(5, None, Period.MONTH) == date(2026, 11, 1)
    assert await dailies.standings(5, None, Period.ALL) is None


def test_a_closed_card_without_its_puzzle_promises_no_solution():
    post = DailyPost(DailyKey(5, 312, "chess"), "gone", 6, 7, 0)
    card = daily_card(post, None, DailyCounts(0, 0, 0), ReplyContext(), is_closed=True)
    assert card.text == "Daily 312 is over."


def settings_of(hour, zone):
    return DailySettings(1, hour, zone, "chess", "usual")


@given(
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.datetimes(datetime(2026, 1, 2), datetime(2031, 1, 1)),  # noqa: DTZ001 - made aware below
)
def test_an_advancing_clock_reaches_every_day_once(zone, hour, start):
    """The next post is due on the next day, even when clocks change."""
    settings = settings_of(hour, zone)
    now = start.replace(tzinfo=UTC)
    day = latest_due_day(settings, now)
    next_day = day + timedelta(days=1)
    next_time = post_time(settings, next_day)
    assert post_time(settings, day) <= now < next_time
    assert latest_due_day(settings, next_time) == next_day
    assert latest_due_day(settings, next_time - timedelta(seconds=1)) == day


@pytest.mark.parametrize(
    ("hour", "day", "due"),
    [
        (2, date(2026, 3, 28), datetime(2026, 3, 28, 1, tzinfo=UTC)),
        (2, date(2026, 3, 29), datetime(2026, 3, 29, 1, tzinfo=UTC)),  # 2:00 does not exist: due at 3:00
        (2, date(2026, 10, 25), datetime(2026, 10, 25, 0, tzinfo=UTC)),  # 2:00 occurs twice: the first counts
        (9, date(2026, 10, 25), datetime(2026, 10, 25, 8, tzinfo=UTC)),
        (9, date(2026, 10, 24), datetime(2026, 10, 24, 7, tzinfo=UTC)),
    ],
)
def test_posts_are_due_once_on_days_when_clocks_change(hour, day, due):
    assert post_time(settings_of(hour, "Europe/Berlin"), day) == due


def test_each_server_has_the_date_of_its_time_zone():
    now = datetime(2026, 11, 22, 10, 30, tzinfo=UTC)
    assert latest_due_day(settings_of(0, "Pacific/Auckland"), now) == date(2026, 11, 22)
    assert latest_due_day(settings_of(0, "Pacific/Kiritimati"), now) == date(2026, 11, 23)
    assert latest_due_day(settings_of(9, "America/New_York"), now) == date(2026, 11, 21)


@pytest.fixture(scope="module")
def entries():
    return tuple(load().entries.values())


@pytest.mark.parametrize("level", list(PuzzleLevel))
def test_no_puzzle_repeats_before_all_have_been_used(entries, level):
    chess_entries = [entry for entry in entries if entry.kind is PuzzleKind.CHESS][:60]
    count = 60 if level is PuzzleLevel.NORMAL else 30
    chosen_ids = [choose_puzzle(chess_entries, PuzzleKind.CHESS, level, day) for day in range(1, count + 1)]
    assert len(set(chosen_ids)) == count
    assert choose_puzzle(chess_entries, PuzzleKind.CHESS, level, count + 1) == chosen_ids[0]


def test_the_daily_does_not_depend_on_the_hosts_own_puzzles(entries):
    own_entry = LibraryEntry(PuzzleKind.CHESS, "own01", 1500, frozenset(), "")
    todays_puzzle_id = choose_puzzle(entries, PuzzleKind.CHESS, PuzzleLevel.NORMAL, 326)
    assert (
        choose_puzzle((own_entry, *reversed(entries)), PuzzleKind.CHESS, PuzzleLevel.NORMAL, 326)
        == todays_puzzle_id
    )
    assert choose_puzzle((own_entry,), PuzzleKind.CHESS, PuzzleLevel.NORMAL, 326) is None


def test_no_easy_daily_is_rated_above_a_hard_daily(entries):
    rating_by_id = {entry.id: entry.rating for entry in entries if entry.kind is PuzzleKind.CROSSWORD}
    easy_ratings, hard_ratings = (
        [rating_by_id[choose_puzzle(entries, PuzzleKind.CROSSWORD, level, day)] for day in range(1, 40)]
        for level in (PuzzleLevel.EASY, PuzzleLevel.HARD)
    )
    assert max(easy_ratings) <= min(hard_ratings)


def streak_after(*numbers, posted_numbers=range(1, 400)):
    """Return the streak of a user who solved the dailies ``numbers``, out of ``posted_numbers``."""
    streak = Streak()
    for number in numbers:
        streak = extend_streak(
            streak, number, [posted for posted in posted_numbers if streak.last < posted < number]
        )
    return streak


def test_a_streak_survives_one_miss_per_month():
    assert streak_after(1, 2, 3).days == 3
    assert streak_after(1, 2, 4).days == 3  # the 3rd of January is forgiven
    assert streak_after(1, 2, 4, 6).days == 1  # the 5th is not
    assert streak_after(1, 2, 4, 6).best == 3
    assert streak_after(*range(1, 31), 32, 33).days == 32  # the 31st of January …
    assert streak_after(*range(1, 31), 33).days == 31  # … and the 1st of February are each forgiven
    assert streak_after(*range(1, 31), 34).days == 1  # but not also the 2nd of February
    assert streak_after(40).days == 1


def test_days_without_a_post_do_not_end_a_streak():
    assert streak_after(1, 2, 9, posted_numbers=(1, 2, 9)).days == 3
    assert streak_after(1, 2, 9, posted_numbers=(1, 2, 5, 9)).days == 3
    assert streak_after(1, 2, 9, posted_numbers=(1, 2, 5, 6, 9)).days == 1


def test_a_streak_survives_two_time_zones_and_a_wrong_clock():
    assert streak_after(1, 2, 3, 2).days == 3  # yesterday's daily, in a time zone farther west
    assert streak_after(1, 2, 3, 3).days == 3
    fast_clock_streak = streak_after(1, 2, 365)  # the clock was a year ahead when daily 365 was solved
    assert fast_clock_streak.days == 1
    assert extend_streak(fast_clock_streak, 3, []).days == 2
    assert extend_streak(extend_streak(fast_clock_streak, 3, []), 4, []).days == 3


def test_a_streak_is_shown_as_ended_after_two_misses_in_a_month():
    streak = streak_after(1, 2, 3)
    assert apply_misses(streak, []).days == 3
    assert apply_misses(streak, [4]).days == 3
    assert apply_misses(streak, [4, 5]).days == 0
    assert apply_misses(streak, [4, 5]).forgiven_month == streak.forgiven_month


@given(st.lists(st.integers(1, 120), unique=True).map(sorted))
def test_a_streak_never_has_more_days_than_were_solved(numbers):
    streak = streak_after(*numbers, posted_numbers=range(1, 130))
    assert streak.days <= streak.best <= len(numbers)
    assert (streak.days > 0) == bool(numbers)
