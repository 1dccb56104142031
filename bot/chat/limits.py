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
"""Minimum time between two warnings to a user or channel."""

MAX_REMEMBERED_KEYS: Final = 10_000

SECONDS_PER_BYTE: Final = 1e-6
"""Estimated CPU seconds for parsing a byte. After parsing, the measured time replaces the estimate."""


class LimitDecision(Enum):
    """The decision about a request."""

    GRANTED = "granted"
    REFUSED_WITH_WARNING = "refused_with_warning"
    REFUSED = "refused"
    """No warning, because the last warning was recent."""


class Allowance:
    """The requests, bytes or CPU seconds that each user or channel may use in ``period_seconds``.

    A ``key`` is the id of a user or channel. The amount refills evenly, and can be used all at once.
    """

    def __init__(self, limit: int, period_seconds: float = 60.0) -> None:
        self._limit = limit
        self._rate = limit / period_seconds
        self._remaining_by_key: LRUCache[int, tuple[float, float]] = LRUCache(MAX_REMEMBERED_KEYS)
        """(amount left after the last use, monotonic time of that use)"""
        self._warned_at_by_key: LRUCache[int, float] = LRUCache(MAX_REMEMBERED_KEYS)

    def remaining(self, key: int) -> float:
        now = time.monotonic()
        remaining, updated_at = self._remaining_by_key.get(key, (self._limit, now))
        return min(self._limit, remaining + max(0.0, now - updated_at) * self._rate)

    def spend(self, key: int, amount: float) -> None:
        """Charge an amount, even if less is left. A negative amount is a refund."""
        self._remaining_by_key[key] = min(self._limit, self.remaining(key) - amount), time.monotonic()

    def try_to_spend(self, key: int) -> LimitDecision:
        if self.remaining(key) < 1:
            return self.refuse(key)
        self.spend(key, 1)
        return LimitDecision.GRANTED

    def covers(self, key: int, amount: float) -> bool:
        """Return whether this amount is left. An amount above the limit needs the whole limit."""
        remaining = self.remaining(key)
        return remaining > 0 and remaining >= min(amount, self._limit)

    def seconds_until(self, key: int, amount: float) -> float:
        return max(0.0, min(amount, self._limit) - self.remaining(key)) / self._rate

    def refuse(self, key: int) -> LimitDecision:
        now = time.monotonic()
        if now - self._warned_at_by_key.get(key, -math.inf) < WARN_AGAIN_SECONDS:
            return LimitDecision.REFUSED
        self._warned_at_by_key[key] = now
        return LimitDecision.REFUSED_WITH_WARNING


class LimitedBudget(Budget):
    """Limits the CPU time of each user and channel per period. Optionally, also limits the total size of their requests per minute.

    ``max_seconds`` and ``max_sizes`` contain the limit per user and the limit per channel. Each request is charged in
    advance: ``unit_seconds`` CPU seconds per unit of its size.
    """

    def __init__(
        self,
        max_seconds: tuple[int, int],
        period_seconds: float = 60.0,
        *,
        unit_seconds: float = 1.0,
        max_sizes: tuple[int, ...] = (),
    ) -> None:
        self._unit_seconds = unit_seconds
        self._time_allowances = tuple(Allowance(limit, period_seconds) for limit in max_seconds)
        self._size_allowances = tuple(map(Allowance, max_sizes))
        self._unsettled_costs: deque[tuple[Requester, float]] = deque()

    def spend(self, account: Requester, seconds: float) -> None:
        """Charge CPU seconds. This method is thread-safe."""
        self._unsettled_costs.append((account, seconds))

    def can_afford(self, account: Requester, size: float = 0) -> bool:
        return all(
            allowance.covers(key, amount) for allowance, key, amount in self._settle_and_price(account, size)
        )

    def charge(self, account: Requester, size: float) -> float:
        """Charge for a request, and return the CPU seconds charged.

        Raises:
            OverBudgetError: the account cannot pay for the request.

        """
        charges = self._settle_and_price(account, size)
        if not all(allowance.covers(key, amount) for allowance, key, amount in charges):
            raise OverBudgetError(
                max(allowance.seconds_until(key, amount) for allowance, key, amount in charges)
            )
        for allowance, key, amount in charges:
            allowance.spend(key, amount)
        return size * self._unit_seconds

    def _settle_and_price(self, account: Requester, size: float) -> list[tuple[Allowance, int, float]]:
        """Charge the CPU seconds spent since the last call. Return the (allowance, key, amount) charges for a request."""
        while self._unsettled_costs:
            spender, seconds = self._unsettled_costs.popleft()
            for allowance, key in zip(
                self._time_allowances, (spender.user_id, spender.channel_id), strict=True
            ):
                allowance.spend(key, seconds)
        return [
            (allowance, key, amount)
            for allowances, amount in (
                (self._time_allowances, size * self._unit_seconds),
                (self._size_allowances, size),
            )
            for allowance, key in zip(allowances, (account.user_id, account.channel_id), strict=False)
        ]


def work_budget(limits: Limits) -> LimitedBudget:
    """Return the budget for parsing and computing. Sizes are in bytes."""
    return LimitedBudget(
        (limits.user_seconds_per_minute, limits.channel_seconds_per_minute),
        unit_seconds=SECONDS_PER_BYTE,
        max_sizes=(limits.user_bytes_per_minute, limits.channel_bytes_per_minute),
    )


def job_budget(limits: Limits) -> LimitedBudget:
    """Return the budget for jobs. Sizes are in CPU seconds."""
    return LimitedBudget((limits.user_job_seconds_per_hour, limits.channel_job_seconds_per_hour), 3_600.0)
