"""The puzzle of the day: its number, when a server gets it, which puzzle it is, and how long somebody's streak is.

Nothing here looks at a clock: a day is a date of the server's own zone, and its number is the same everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.features.puzzles.library import Entry
from bot.features.puzzles.wanted import Kind, Level

FIRST_DAY = date(2026, 1, 1)
"""The day of daily number 1."""
LATE = timedelta(hours=20)
"""A daily that could not be posted in time is posted up to so much later; then the next is near."""
_MONTHS = 12
_ZONES = 2
"""By so many days two places on Earth differ at most, with an hour of posting each."""


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, 1 on the first day."""
    return (day - FIRST_DAY).days + 1


def day_of(number: int) -> date:
    """Return the day of a number."""
    return FIRST_DAY + timedelta(days=number - 1)


def week_of(number: int) -> int:
    """Return the number of the Monday of its week."""
    return number - day_of(number).weekday()


def month_of(number: int) -> int:
    """Return the number of the first day of its month."""
    return number - day_of(number).day + 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a server gets its daily."""

    hour: int
    """0 to 23, by the clock on the wall."""
    zone: ZoneInfo

    def moment(self, day: date) -> datetime:
        """Return the moment of a day's post, in UTC.

        An hour that a day has twice is its first; one that it lacks is as long after midnight as on other days.
        """
        return datetime.combine(day, time(self.hour), self.zone).astimezone(UTC)

    def latest(self, now: datetime) -> date:
        """Return the day whose post was due last."""
        day = now.astimezone(self.zone).date()
        while self.moment(day) > now:
            day -= timedelta(days=1)
        return day

    def next_after(self, day: date) -> datetime:
        """Return the moment of the post after a day's."""
        return self.moment(day + timedelta(days=1))


def choose(entries: Iterable[Entry], kind: Kind, level: Level, number: int) -> str | None:
    """Return the id of the puzzle of a number; None when there is none of the kind.

    Only puzzles that come along are chosen from: all of a game, or of those the easier or the harder half. Their order is
    shuffled by their ids alone, so it is the same everywhere, and none comes again before all have been.
    """
    every = [entry for entry in entries if entry.kind is kind and entry.comes_along]
    if not every:
        return None
    by_rating = sorted(every, key=lambda entry: (entry.rating, entry.id))
    half = (len(by_rating) + 1) // 2
    chosen = {
        Level.EASY: by_rating[:half],
        Level.USUAL: by_rating,
        Level.HARD: by_rating[len(by_rating) - half :],
    }[level]
    shuffled = sorted(chosen, key=lambda entry: hashlib.sha256(f"{kind}:{entry.id}".encode()).digest())
    return shuffled[number % len(shuffled)].id


@dataclass(frozen=True, slots=True)
class Streak:
    """Dailies of a game that somebody solved without missing one."""

    days: int = 0
    best: int = 0
    """The longest so far."""
    last: int = 0
    """The number of the last one solved."""
    frozen: int = 0
    """The month of the last freeze: twelve times its year, and its place in the year."""


def continued(streak: Streak, missed: Sequence[int]) -> Streak:
    """Return a streak after numbers that were posted and not solved: one of each month is forgiven."""
    frozen = streak.frozen
    for number in missed if streak.days else ():
        day = day_of(number)
        month = _MONTHS * day.year + day.month
        if month <= frozen:
            return replace(streak, days=0)
        frozen = month
    return replace(streak, frozen=frozen)


def solved(streak: Streak, number: int, missed: Sequence[int]) -> Streak:
    """Return a streak after a number was solved; ``missed`` are those between the last one and this.

    One that is not later than the last changes nothing: it was solved in two zones. Was the last one in a future that
    no zone can have reached, a clock had been set forward, and the streak goes on.
    """
    if number <= streak.last <= number + _ZONES:
        return streak
    before = continued(streak, missed)
    days = before.days + 1
    return Streak(days, max(days, streak.best), number, before.frozen)
