"""Numbers of dailies, one for each day, and streaks of solved ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from bot.storage.puzzles import Streak

FIRST_DAY = date(2026, 1, 1)
"""The day of daily number 1."""
_MONTHS = 12
_ZONES = 2
"""Days by which two places on Earth differ at most, each with its own hour of posting."""


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, 1 on the first day."""
    return (day - FIRST_DAY).days + 1


def day_of(number: int) -> date:
    """Return the day of a number."""
    return FIRST_DAY + timedelta(days=number - 1)


def continue_streak(streak: Streak, missed: Sequence[int]) -> Streak:
    """Return a streak after numbers that were posted and not solved: the first of each month does not count."""
    frozen = streak.frozen
    for number in missed if streak.days else ():
        day = day_of(number)
        month = _MONTHS * day.year + day.month
        if month <= frozen:
            return replace(streak, days=0)
        frozen = month
    return replace(streak, frozen=frozen)


def extend_streak(streak: Streak, number: int, missed: Sequence[int]) -> Streak:
    """Return a streak after a number was solved; ``missed`` are the numbers between the last one and this.

    A number that is not later than the last changes nothing: it was solved in two zones. If the last one lies in a future
    that no zone can have reached, a clock had been set forward, and the streak continues.
    """
    if number <= streak.last <= number + _ZONES:
        return streak
    before = continue_streak(streak, missed)
    days = before.days + 1
    return Streak(days, max(days, streak.best), number, before.frozen)
