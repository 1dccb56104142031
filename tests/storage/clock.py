"""Clocks for stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that shows the current time plus `ahead`."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


class FrozenClock:
    """A clock that stands still until a test advances it."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)
