"""Rate limits for users and channels, and their budgets for parsing and computing."""

from __future__ import annotations

import math
import time
from collections import deque
from enum import Enum
from typing import Final

from cachetools import LRUCache

from bot.config import Limits
from bot.jobs.account import Budget, OverBudgetError, Requester

WARN_AGAIN_SECONDS: Final = 60.0
"""Seconds between two warnings to a user with too many requests."""

MAX_REMEMBERED: Final = 10_000
"""Maximum number of users or channels with a recorded use; the least recently used is dropped."""


SECONDS_A_BYTE: Final = 1e-6
"""Estimated CPU seconds for parsing a byte. The measured time is charged afterwards."""


HOUR: Final = 3_600.0


class Verdict(Enum):
    """The decision about a request."""

    GRANTED = "granted"
    EXPLAINED = "explained"
    """Refused, and a warning is due."""
    REFUSED = "refused"
    """Refused, and the last warning was recent."""


class Allowance:
    """A number of requests, bytes or seconds per minute for each key, or per another ``period`` in seconds.

    The whole allowance can be used at once. It refills evenly.
    """

    def __init__(self, limit: int, period: float = 60.0) -> None:
        self._limit = limit
        self._rate = limit / period
        self._uses: LRUCache[int, tuple[float, float]] = LRUCache(MAX_REMEMBERED)
        """By key: the amount that was left, and the time of that, in seconds of the monotonic clock."""
        self._warned: LRUCache[int, float] = LRUCache(MAX_REMEMBERED)
        """Times of the last warnings."""

    def remaining(self, key: int) -> float:
        """Return the amount that ``key`` has left."""
        now = time.monotonic()
        left, since = self._uses.get(key, (self._limit, now))
        return min(self._limit, left + max(0.0, now - since) * self._rate)

    def spend(self, key: int, amount: float) -> None:
        """Charge ``key`` for an amount, even if less is left; a negative amount is a refund."""
        self._uses[key] = min(self._limit, self.remaining(key) - amount), time.monotonic()

    def take(self, key: int) -> Verdict:
        """Count a request of ``key`` and return the decision."""
        if self.remaining(key) < 1:
            return self.refuse(key)
        self.spend(key, 1)
        return Verdict.GRANTED

    def covers(self, key: int, amount: float) -> bool:
        """Return whether ``key`` has an amount left; an amount above a whole period's needs a full allowance."""
        left = self.remaining(key)
        return left > 0 and left >= min(amount, self._limit)

    def wait(self, key: int, amount: float) -> float:
        """Return the seconds until ``key`` has an amount left."""
        return max(0.0, min(amount, self._limit) - self.remaining(key)) / self._rate

    def refuse(self, key: int) -> Verdict:
        """Refuse ``key``, for its allowance or for another reason; warn at most once a minute."""
        now = time.monotonic()
        if now - self._warned.get(key, -math.inf) < WARN_AGAIN_SECONDS:
            return Verdict.REFUSED
        self._warned[key] = now
        return Verdict.EXPLAINED


class _Seconds(Budget):
    """CPU seconds of users and channels."""

    def __init__(self, user_seconds: int, channel_seconds: int, period: float = 60.0) -> None:
        self._seconds = Allowance(user_seconds, period), Allowance(channel_seconds, period)
        self._spent: deque[tuple[Requester, float]] = deque()

    def spend(self, account: Requester, seconds: float) -> None:
        """Charge for CPU seconds. This is fast, and safe on any thread."""
        self._spent.append((account, seconds))

    def _settle(self) -> None:
        while self._spent:
            account, seconds = self._spent.popleft()
            for allowance, key in zip(self._seconds, (account.user, account.channel), strict=True):
                allowance.spend(key, seconds)


class Means(_Seconds):
    """Budgets of users and channels for parsing and computing."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits.user_seconds_per_minute, limits.channel_seconds_per_minute)
        self._bytes = Allowance(limits.user_bytes_per_minute), Allowance(limits.channel_bytes_per_minute)

    def cover(self, account: Requester, size: float = 0) -> bool:
        """Return whether an account has enough left to read ``size`` bytes."""
        self._settle()
        wanted = ((self._bytes, size), (self._seconds, size * SECONDS_A_BYTE))
        return all(
            allowance.covers(key, amount)
            for allowances, amount in wanted
            for allowance, key in zip(allowances, (account.user, account.channel), strict=True)
        )

    def charge(self, account: Requester, size: float) -> float:
        """Charge for ``size`` bytes, and in advance for the estimated seconds."""
        if not self.cover(account, size):
            raise OverBudgetError
        for allowance, key in zip(self._bytes, (account.user, account.channel), strict=True):
            allowance.spend(key, size)
        seconds = size * SECONDS_A_BYTE
        self.spend(account, seconds)
        return seconds


class JobMeans(_Seconds):
    """Budgets of users and channels for jobs."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits.user_job_seconds_per_hour, limits.channel_job_seconds_per_hour, HOUR)

    def charge(self, account: Requester, size: float) -> float:
        """Charge for the requested seconds: a job uses at least one processor."""
        self._settle()
        keyed = list(zip(self._seconds, (account.user, account.channel), strict=True))
        if not all(allowance.covers(key, size) for allowance, key in keyed):
            raise OverBudgetError(max(allowance.wait(key, size) for allowance, key in keyed))
        self.spend(account, size)
        return size
