"""Rate limits per person and channel, and budgets for reading and computing."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Final

from cachetools import LRUCache

from bot.config import Limits
from bot.jobs.account import Account, Budget, OverBudgetError

TELL_AGAIN_SECONDS: Final = 60.0
"""Seconds between two warnings to a person with too many requests."""

MAX_REMEMBERED: Final = 10_000
"""Maximum number of people or channels with a recorded use; the least recent one is dropped."""


SECONDS_A_BYTE: Final = 1e-6
"""Estimated CPU seconds for reading a byte; the measured time is charged afterwards."""


HOUR: Final = 3_600.0


class Verdict(Enum):
    """The decision about a request."""

    GRANTED = "granted"
    EXPLAINED = "explained"
    """Refused, and a warning is due."""
    REFUSED = "refused"
    """Refused, and the last warning was recent."""


@dataclass(slots=True)
class _Use:
    left: float
    """Requests left at the time ``since``."""
    since: float
    """Seconds of the monotonic clock."""
    warned_at: float | None = None


class Allowance:
    """A number of requests, bytes or seconds per minute for each key, or per another ``period`` in seconds.

    All of it may be used at once; it refills evenly.
    """

    def __init__(self, most: int, period: float = 60.0) -> None:
        self._most = most
        self._rate = most / period
        self._uses: LRUCache[int, _Use] = LRUCache(MAX_REMEMBERED)

    def take(self, key: int) -> Verdict:
        """Count a request of ``key`` and return the decision."""
        use = self._use(key)
        if use.left >= 1:
            use.left -= 1
            return Verdict.GRANTED
        return self._refuse(use, use.since)

    def covers(self, key: int, amount: float) -> bool:
        """Return whether ``key`` has an amount left; an amount above a whole period's needs a full allowance."""
        left = self._use(key).left
        return left > 0 and left >= min(amount, self._most)

    def wait(self, key: int, amount: float) -> float:
        """Return the seconds until ``key`` has an amount left."""
        return max(0.0, min(amount, self._most) - self._use(key).left) / self._rate

    def spend(self, key: int, amount: float) -> None:
        """Charge ``key`` for an amount, even if less is left; a negative amount is a refund."""
        use = self._use(key)
        use.left = min(self._most, use.left - amount)

    def _use(self, key: int) -> _Use:
        """Return the present use of ``key``."""
        now = time.monotonic()
        use = self._uses.setdefault(key, _Use(self._most, now))
        use.left = min(self._most, use.left + max(0.0, now - use.since) * self._rate)
        use.since = now
        return use

    def refuse(self, key: int) -> Verdict:
        """Refuse ``key`` for another reason than its allowance."""
        now = time.monotonic()
        return self._refuse(self._uses.setdefault(key, _Use(self._most, now)), now)

    def _refuse(self, use: _Use, now: float) -> Verdict:
        if use.warned_at is not None and now - use.warned_at < TELL_AGAIN_SECONDS:
            return Verdict.REFUSED
        use.warned_at = now
        return Verdict.EXPLAINED


class _Seconds(Budget):
    """Processor seconds of people and channels."""

    def __init__(self, user_seconds: int, channel_seconds: int, period: float = 60.0) -> None:
        self._seconds = Allowance(user_seconds, period), Allowance(channel_seconds, period)
        self._spent: deque[tuple[Account, float]] = deque()

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for CPU seconds. Fast, and safe on any thread."""
        self._spent.append((account, seconds))

    def _settle(self) -> None:
        while self._spent:
            account, seconds = self._spent.popleft()
            for allowance, key in zip(self._seconds, _keys(account), strict=True):
                allowance.spend(key, seconds)


class Means(_Seconds):
    """Budgets of people and channels for reading and computing."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits.user_seconds_per_minute, limits.channel_seconds_per_minute)
        self._bytes = Allowance(limits.user_bytes_per_minute), Allowance(limits.channel_bytes_per_minute)

    def cover(self, account: Account, size: float = 0) -> bool:
        """Return whether an account has enough left to read ``size`` bytes."""
        self._settle()
        wanted = ((self._bytes, size), (self._seconds, size * SECONDS_A_BYTE))
        return all(
            allowance.covers(key, amount)
            for allowances, amount in wanted
            for allowance, key in zip(allowances, _keys(account), strict=True)
        )

    def charge(self, account: Account, size: float) -> float:
        """Charge for ``size`` bytes, and in advance for the estimated seconds."""
        if not self.cover(account, size):
            raise OverBudgetError
        for allowance, key in zip(self._bytes, _keys(account), strict=True):
            allowance.spend(key, size)
        seconds = size * SECONDS_A_BYTE
        self.spend(account, seconds)
        return seconds


class JobMeans(_Seconds):
    """Budgets of people and channels for jobs."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits.user_job_seconds_per_hour, limits.channel_job_seconds_per_hour, HOUR)

    def charge(self, account: Account, size: float) -> float:
        """Charge for the requested seconds: a job uses at least one processor."""
        self._settle()
        keyed = list(zip(self._seconds, _keys(account), strict=True))
        if not all(allowance.covers(key, size) for allowance, key in keyed):
            raise OverBudgetError(max(allowance.wait(key, size) for allowance, key in keyed))
        self.spend(account, size)
        return size


def _keys(account: Account) -> tuple[int, int]:
    return account.user, account.channel
