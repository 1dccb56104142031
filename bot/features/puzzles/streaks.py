"""Numbers of dailies, one for each day, and streaks of solved dailies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from bot.storage.puzzles import Streak

FIRST_DAY = date(2026, 1, 1)
"""The day of daily number 1."""
_MONTHS = 12
_MAX_ZONE_DAYS = 2
"""Maximum difference, in days, between the dailies of two servers with their own time zones and hours of posting."""


def number_of(day: date) -> int:
    """Return the number of the daily of a day; the first day has number 1."""
    return (day - FIRST_DAY).days + 1


def day_of(number: int) -> date:
    """Return the day of the daily with a number."""
    return FIRST_DAY + timedelta(days=number - 1)


def continue_streak(streak: Streak, missed_numbers: Sequence[int]) -> Streak:
    """Return a streak after missed dailies, given by their numbers. The first miss of each month is forgiven."""
    frozen = streak.frozen
    for number in missed_numbers if streak.days else ():
        day = day_of(number)
        month = _MONTHS * day.year + day.month
        if month <= frozen:
            return replace(streak, days=0)
        frozen = month
    return replace(streak, frozen=frozen)


def extend_streak(streak: Streak, number: int, missed_numbers: Sequence[int]) -> Streak:
    """Return a streak after a daily was solved. ``missed`` has the numbers between the last solved daily and this one.

    A number that is not higher than the last one changes nothing, because the user may solve dailies in two time zones. If
    the last number is too high for any time zone, a clock had been set forward, and the streak continues.
    """
    if number <= streak.last <= number + _MAX_ZONE_DAYS:
        return streak
    before = continue_streak(streak, missed_numbers)
    days = before.days + 1
    return Streak(days, max(days, streak.best), number, before.frozen)
