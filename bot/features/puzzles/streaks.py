"""The numbering of dailies, and streaks of solved dailies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from bot.storage.puzzles import Streak

FIRST_DAY = date(2026, 1, 1)
"""The day of daily 1."""
_MAX_ZONE_DAYS = 2
"""The numbers of two servers' current dailies can differ by this much, because of time zones and posting hours."""


def daily_number(day: date) -> int:
    return (day - FIRST_DAY).days + 1


def apply_misses(streak: Streak, missed_numbers: Sequence[int]) -> Streak:
    """Return the streak after missed dailies. The first miss in each month is forgiven."""
    forgiven_month = streak.forgiven_month
    for number in missed_numbers if streak.days else ():
        day = FIRST_DAY + timedelta(days=number - 1)
        month = 12 * day.year + day.month
        if month <= forgiven_month:
            return replace(streak, days=0)
        forgiven_month = month
    return replace(streak, forgiven_month=forgiven_month)


def extend_streak(streak: Streak, number: int, missed_numbers: Sequence[int]) -> Streak:
    """Return the streak after the user missed some dailies and then solved daily ``number``.

    If the user has already solved this daily or a later daily, for example on a server in another time zone, the streak stays
    unchanged. If ``streak.last`` is later than any time zone allows, a clock was wrong, so this daily counts.
    """
    if number <= streak.last <= number + _MAX_ZONE_DAYS:
        return streak
    streak_before = apply_misses(streak, missed_numbers)
    days = streak_before.days + 1
    return Streak(days, max(days, streak.best), number, streak_before.forgiven_month)
