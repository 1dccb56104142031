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
"""Minimum time between warnings to the same user or channel."""

MAX_REMEMBERED_KEYS: Final = 10_000

SECONDS_PER_BYTE: Final = 1e-6
"""Estimated CPU seconds for parsing a byte. After parsing, the measured time is charged instead."""


class Verdict(Enum):
    """The decision about a request."""

    GRANTED = "granted"
    REFUSED_WITH_WARNING = "refused_with_warning"
    """Refused, and a warning is due."""
    REFUSED = "refused"
    """Refused shortly after a warning."""


class Allowance:
    """The requests, bytes or CPU seconds that each user or channel may use in ``period`` seconds.

    In the methods, ``key`` is the user's or channel's id. The amount refills evenly, and can be used all at once.
    """

    def __init__(self, limit: int, period: float = 60.0) -> None:
        self._limit = limit
        self._rate = limit / period
        self._remaining_by_key: LRUCache[int, tuple[float, float]] = LRUCache(MAX_REMEMBERED_KEYS)
        """The amount left after the last use, and the monotonic time of that use."""
        self._warned_at_by_key: LRUCache[int, float] = LRUCache(MAX_REMEMBERED_KEYS)
        """The monotonic time of the last warning."""

    def remaining(self, key: int) -> float:
        """Return the amount left for ``key``."""
        now = time.monotonic()
        remaining, updated_at = self._remaining_by_key.get(key, (self._limit, now))
        return min(self._limit, remaining + max(0.0, now - updated_at) * self._rate)

    def spend(self, key: int, amount: float) -> None:
        """Charge ``key`` for an amount, even if less is left. A negative amount is a refund."""
        self._remaining_by_key[key] = min(self._limit, self.remaining(key) - amount), time.monotonic()

    def take(self, key: int) -> Verdict:
        """Decide whether ``key`` may make a request, and count it if so."""
        if self.remaining(key) < 1:
            return self.refuse(key)
        self.spend(key, 1)
        return Verdict.GRANTED

    def covers(self, key: int, amount: float) -> bool:
        """Return whether ``key`` has this amount left. An amount above the limit is covered if the whole limit is left."""
        remaining = self.remaining(key)
        return remaining > 0 and remaining >= min(amount, self._limit)

    def seconds_until(self, key: int, amount: float) -> float:
        """Return the seconds until :meth:`covers` is true."""
        return max(0.0, min(amount, self._limit) - self.remaining(key)) / self._rate

    def refuse(self, key: int) -> Verdict:
        """Refuse a request by ``key``. A warning is due at most once a minute."""
        now = time.monotonic()
        if now - self._warned_at_by_key.get(key, -math.inf) < WARN_AGAIN_SECONDS:
            return Verdict.REFUSED
        self._warned_at_by_key[key] = now
        return Verdict.REFUSED_WITH_WARNING


class LimitedBudget(Budget):
    """Limits the CPU time that each user and each channel may use, and optionally the total size of their requests per minute.

    ``max_seconds`` and ``max_sizes`` contain the limit per user and the limit per channel. A request is charged in advance:
    ``unit_seconds`` seconds of CPU time per unit of its size.
    """

    def __init__(
        self,
        max_seconds: tuple[int, int],
        period: float = 60.0,
        *,
        unit_seconds: float = 1.0,
        max_sizes: tuple[int, ...] = (),
    ) -> None:
        self._unit_seconds = unit_seconds
        self._seconds = tuple(Allowance(limit, period) for limit in max_seconds)
        self._sizes = tuple(map(Allowance, max_sizes))
        self._spent: deque[tuple[Requester, float]] = deque()

    def spend(self, account: Requester, seconds: float) -> None:
        """Charge for CPU seconds. This method is fast and thread-safe."""
        self._spent.append((account, seconds))

    def can_afford(self, account: Requester, size: float = 0) -> bool:
        """Return whether an account can pay for a request of this size."""
        return all(
            allowance.covers(key, amount) for allowance, key, amount in self._settle_and_price(account, size)
        )

    def charge(self, account: Requester, size: float) -> float:
        """Charge for a request of this size, and return the CPU seconds charged.

        Raises:
            OverBudgetError: the account cannot pay for the request.

        """
        prices = self._settle_and_price(account, size)
        if not all(allowance.covers(key, amount) for allowance, key, amount in prices):
            raise OverBudgetError(
                max(allowance.seconds_until(key, amount) for allowance, key, amount in prices)
            )
        for allowance, key, amount in prices:
            allowance.spend(key, amount)
        return size * self._unit_seconds

    def _settle_and_price(self, account: Requester, size: float) -> list[tuple[Allowance, int, float]]:
        """Charge the CPU seconds spent since the last call. Return each allowance that a request uses, with the key and amount."""
        while self._spent:
            spender, seconds = self._spent.popleft()
            for allowance, key in zip(self._seconds, (spender.user_id, spender.channel_id), strict=True):
                allowance.spend(key, seconds)
        return [
            (allowance, key, amount)
            for allowances, amount in ((self._seconds, size * self._unit_seconds), (self._sizes, size))
            for allowance, key in zip(allowances, (account.user_id, account.channel_id), strict=False)
        ]


def work_budget(limits: Limits) -> LimitedBudget:
    """Return the budget for parsing and computing. A request's size is in bytes."""
    return LimitedBudget(
        (limits.user_seconds_per_minute, limits.channel_seconds_per_minute),
        unit_seconds=SECONDS_PER_BYTE,
        max_sizes=(limits.user_bytes_per_minute, limits.channel_bytes_per_minute),
    )


def job_budget(limits: Limits) -> LimitedBudget:
    """Return the budget for jobs. A job's size is its CPU time in seconds."""
    return LimitedBudget((limits.user_job_seconds_per_hour, limits.channel_job_seconds_per_hour), 3_600.0)
