"""A clock for stores, which runs as everybody's does and can be set ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """The time now, and so much more as `ahead` says."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead
