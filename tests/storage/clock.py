"""Clocks for stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that is fast by the time `ahead`."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


class StandingClock:
    """A clock that the test sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)
