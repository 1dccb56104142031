"""Keeping one person or channel from holding up the others: allowances by the minute, and turns by channel and person."""

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
"""Seconds after which somebody whose requests are still too many is warned again."""

MAX_REMEMBERED: Final = 10_000
"""People or channels whose use is kept in mind; who has not been seen for longest is forgotten."""


SECONDS_A_BYTE: Final = 1e-6
"""What reading a byte is expected to take of a processor; what it took is counted afterwards."""


HOUR: Final = 3_600.0


class Verdict(Enum):
    """What becomes of a request."""

    GRANTED = "granted"
    EXPLAINED = "explained"
    """Too many, and it is time to say so."""
    REFUSED = "refused"
    """Too many, and that was said a moment ago."""


@dataclass(slots=True)
class _Use:
    left: float
    """Requests that are granted at once."""
    since: float
    """When ``left`` was right, in seconds of the monotonic clock."""
    said: float | None = None


class Allowance:
    """So many requests, bytes or seconds a minute for each key, or in another ``period``.

    That many may be used at once; they are refilled evenly.
    """

    def __init__(self, most: int, period: float = 60.0) -> None:
        self._most = most
        self._rate = most / period
        self._uses: LRUCache[int, _Use] = LRUCache(MAX_REMEMBERED)

    def take(self, key: int) -> Verdict:
        """Count a request of ``key`` and say what becomes of it."""
        use = self._use(key)
        if use.left >= 1:
            use.left -= 1
            return Verdict.GRANTED
        return self._refuse(use, use.since)

    def covers(self, key: int, amount: float) -> bool:
        """Tell whether so much is left to ``key``. What is more than a whole period brings takes all of it."""
        left = self._use(key).left
        return left > 0 and left >= min(amount, self._most)

    def wait(self, key: int, amount: float) -> float:
        """Return in how many seconds so much is left to ``key``."""
        return max(0.0, min(amount, self._most) - self._use(key).left) / self._rate

    def spend(self, key: int, amount: float) -> None:
        """Count so much for ``key``, even if it is more than was left; a negative amount is given back."""
        use = self._use(key)
        use.left = min(self._most, use.left - amount)

    def _use(self, key: int) -> _Use:
        """Return the use of ``key`` as it is now."""
        now = time.monotonic()
        use = self._uses.setdefault(key, _Use(self._most, now))
        use.left = min(self._most, use.left + max(0.0, now - use.since) * self._rate)
        use.since = now
        return use

    def refuse(self, key: int) -> Verdict:
        """Refuse ``key`` for another reason than its allowance; say whether it is time to say so."""
        now = time.monotonic()
        return self._refuse(self._uses.setdefault(key, _Use(self._most, now)), now)

    def _refuse(self, use: _Use, now: float) -> Verdict:
        if use.said is not None and now - use.said < TELL_AGAIN_SECONDS:
            return Verdict.REFUSED
        use.said = now
        return Verdict.EXPLAINED


class Means:
    """What people and channels may have read and computed; a :class:`bot.jobs.account.Budget`."""

    def __init__(self, limits: Limits) -> None:
        self._bytes = Allowance(limits.user_bytes_per_minute), Allowance(limits.channel_bytes_per_minute)
        self._seconds = (
            Allowance(limits.user_seconds_per_minute),
            Allowance(limits.channel_seconds_per_minute),
        )
        self._spent: deque[tuple[Account, float]] = deque()

    def cover(self, account: Account, size: float = 0) -> bool:
        """Tell whether an account has something left, enough to read so many bytes if it is to."""
        self._settle()
        wanted = ((self._bytes, size), (self._seconds, size * SECONDS_A_BYTE))
        return all(
            allowance.covers(key, amount)
            for allowances, amount in wanted
            for allowance, key in zip(allowances, _keys(account), strict=True)
        )

    def charge(self, account: Account, size: float) -> float:
        """Charge for so many bytes, and in advance for the seconds that they may take."""
        if not self.cover(account, size):
            raise OverBudgetError
        for allowance, key in zip(self._bytes, _keys(account), strict=True):
            allowance.spend(key, size)
        seconds = size * SECONDS_A_BYTE
        self.spend(account, seconds)
        return seconds

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for seconds of a processor. Takes no more than a moment, on any thread."""
        self._spent.append((account, seconds))

    def _settle(self) -> None:
        while self._spent:
            account, seconds = self._spent.popleft()
            for allowance, key in zip(self._seconds, _keys(account), strict=True):
                allowance.spend(key, seconds)


class JobMeans:
    """What the jobs of people and channels may take of the processors; a :class:`bot.jobs.account.Budget`."""

    def __init__(self, limits: Limits) -> None:
        self._seconds = (
            Allowance(limits.user_job_seconds_per_hour, HOUR),
            Allowance(limits.channel_job_seconds_per_hour, HOUR),
        )
        self._spent: deque[tuple[Account, float]] = deque()

    def charge(self, account: Account, size: float) -> float:
        """Charge for the seconds that are asked for: a job takes them on one processor at least."""
        while self._spent:
            self._count(*self._spent.popleft())
        keyed = list(zip(self._seconds, _keys(account), strict=True))
        if not all(allowance.covers(key, size) for allowance, key in keyed):
            raise OverBudgetError(max(allowance.wait(key, size) for allowance, key in keyed))
        self._count(account, size)
        return size

    def spend(self, account: Account, seconds: float) -> None:
        """Charge for seconds of a processor. Takes no more than a moment, on any thread."""
        self._spent.append((account, seconds))

    def _count(self, account: Account, seconds: float) -> None:
        for allowance, key in zip(self._seconds, _keys(account), strict=True):
            allowance.spend(key, seconds)


def _keys(account: Account) -> tuple[int, int]:
    return account.user, account.channel


@dataclass(slots=True)
class _Lane:
    working: int = 0
    waiting: OrderedDict[int | None, deque[asyncio.Future[None]]] = field(default_factory=OrderedDict)
    """Who waits, in the order in which people are served; each with their requests in the order of asking."""

    @property
    def present(self) -> int:
        """Requests that work or wait."""
        return self.working + sum(map(len, self.waiting.values()))

    async def wait(self, person: int | None) -> None:
        """Wait until a request that ends hands its turn on to this one of a person."""
        turn = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(person, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(person, turn)
            else:
                self.hand_on()  # It was given the turn in the same moment.
            raise

    def hand_on(self) -> None:
        """Give the turn of a request that ends to the next person, who goes behind all others that wait."""
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
    """Lets each channel have little in hand at once, so that a full channel does not hold up another.

    The workers that read and draw take what comes first. With at most ``at_once`` requests of any channel among
    them, a request of a quiet channel waits for a few others, never for a whole crowd. Within a channel people take
    turns: whoever asks one thing waits for one of everybody else's, never for all that somebody posted before.
    """

    at_once: int
    waiting: int
    """Requests of one channel that may wait for their turn."""
    _lanes: dict[int, _Lane] = field(default_factory=dict)

    def is_full(self, key: int) -> bool:
        """Tell whether nobody else can wait for a turn of ``key``."""
        lane = self._lanes.get(key)
        return lane is not None and lane.present >= self.at_once + self.waiting

    @property
    def present(self) -> int:
        """Requests that work or wait, in all channels."""
        return sum(lane.present for lane in self._lanes.values())

    @asynccontextmanager
    async def turn(self, key: int, person: int | None) -> AsyncIterator[None]:
        """Wait for a turn of ``key``, person after person, and have it inside this context.

        Who is not known is None; they are one person among the others.
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
