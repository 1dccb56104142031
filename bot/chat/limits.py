"""Rate limits per person and channel, and turns that keep a busy channel from delaying others."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from cachetools import LRUCache

from bot.config import Limits
from bot.jobs.account import Account, OverBudgetError

TELL_AGAIN_SECONDS: Final = 60.0
"""Seconds between two warnings to a person with too many requests."""

MAX_REMEMBERED: Final = 10_000
"""Maximum number of people or channels with a recorded use; the least recent one is dropped."""


SECONDS_A_BYTE: Final = 1e-6
"""Estimated processor seconds for reading a byte; the measured time is charged afterwards."""


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
    said: float | None = None


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
        if use.said is not None and now - use.said < TELL_AGAIN_SECONDS:
            return Verdict.REFUSED
        use.said = now
        return Verdict.EXPLAINED


class _Seconds:
    """Processor seconds of people and channels."""

    def __init__(self, user_seconds: int, channel_seconds: int, period: float = 60.0) -> None:
        self._seconds = Allowance(user_seconds, period), Allowance(channel_seconds, period)
        self._spent: deque[tuple[Account, float]] = deque()

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for processor seconds. Fast, and safe on any thread."""
        self._spent.append((account, seconds))

    def _settle(self) -> None:
        while self._spent:
            account, seconds = self._spent.popleft()
            for allowance, key in zip(self._seconds, _keys(account), strict=True):
                allowance.spend(key, seconds)


class Means(_Seconds):
    """Budgets of people and channels for reading and computing; a :class:`bot.jobs.account.Budget`."""

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
    """Budgets of people and channels for jobs; a :class:`bot.jobs.account.Budget`."""

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


@dataclass(slots=True)
class _Lane:
    working: int = 0
    waiting: OrderedDict[int | None, deque[asyncio.Future[None]]] = field(default_factory=OrderedDict)
    """Waiting requests by person; people in the order of service, requests in the order of arrival."""

    @property
    def present(self) -> int:
        """Running and waiting requests."""
        return self.working + sum(map(len, self.waiting.values()))

    async def wait(self, person: int | None) -> None:
        """Wait until a finished request passes its turn to this one."""
        turn = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(person, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(person, turn)
            else:
                self.hand_on()  # it received the turn in the same moment
            raise

    def hand_on(self) -> None:
        """Pass the turn of a finished request to the next person, who then goes to the end of the queue."""
        while self.waiting:
            person, turns = next(iter(self.waiting.items()))
            turn = turns[0]
            if not turn.cancelled():
                self.waiting.move_to_end(person)
            self._forget(person, turn)
            if not turn.cancelled():
                turn.set_result(None)
                return
        self.working -= 1

    def _forget(self, person: int | None, turn: asyncio.Future[None]) -> None:
        if turn in (turns := self.waiting.get(person, deque())):
            turns.remove(turn)
            if not turns:
                del self.waiting[person]


@dataclass(slots=True)
class Turns:
    """Limits the simultaneous requests of each channel, so that a busy channel does not delay others.

    The workers that read and draw serve requests in order. With at most ``at_once`` requests per channel, a request of a quiet
    channel waits for a few others, never for a crowd. Within a channel people take turns: a single request waits for one of
    each other person, never for everything that one person posted before.
    """

    at_once: int
    waiting: int
    """Maximum number of waiting requests of a channel."""
    _lanes: dict[int, _Lane] = field(default_factory=dict)

    def is_full(self, key: int) -> bool:
        """Return whether ``key`` has no room for another waiting request."""
        lane = self._lanes.get(key)
        return lane is not None and lane.present >= self.at_once + self.waiting

    @property
    def present(self) -> int:
        """Running and waiting requests of all channels."""
        return sum(lane.present for lane in self._lanes.values())

    @asynccontextmanager
    async def turn(self, key: int, person: int | None) -> AsyncIterator[None]:
        """Wait for a turn of ``key``, and hold it inside this context.

        Unknown people are None and count as one person.
        """
        lane = self._lanes.setdefault(key, _Lane())
        try:
            if lane.working < self.at_once:
                lane.working += 1
            else:
                await lane.wait(person)
            try:
                yield
            finally:
                lane.hand_on()
        finally:
            if not lane.present and self._lanes.get(key) is lane:
                del self._lanes[key]
