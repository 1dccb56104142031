"""Limits how many requests of a channel or host run at once. The others wait in a fair order."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


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
                self.pass_turn()  # it received the turn at the same moment
            raise

    def pass_turn(self) -> None:
        """Pass the turn of a finished request to the next person, and move that person to the end of the queue."""
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
    """Limits the simultaneous requests of each channel or host, so that a busy one does not delay others.

    The workers that read and draw serve requests in order. With at most ``at_once`` requests per channel, a request of a quiet
    channel waits for a few others at most. Within a channel people take turns: a single request waits for at most one request
    of each other person.
    """

    at_once: int
    waiting: int
    """Maximum number of waiting requests of a channel or host."""
    each: int | None = None
    """Maximum number of waiting requests per person; None for no limit."""
    _lanes: dict[Hashable, _Lane] = field(default_factory=dict)

    def is_full(self, key: Hashable, person: int | None = None) -> bool:
        """Return whether ``key``, or the share of ``person`` in it, has no room for another waiting request."""
        lane = self._lanes.get(key)
        if lane is None:
            return False
        own = len(lane.waiting.get(person, ()))
        return lane.present >= self.at_once + self.waiting or (self.each is not None and own >= self.each)

    @property
    def present(self) -> int:
        """Running and waiting requests of all channels or hosts."""
        return sum(lane.present for lane in self._lanes.values())

    @asynccontextmanager
    async def turn(self, key: Hashable, person: int | None) -> AsyncIterator[None]:
        """Wait for a turn of ``key``, and hold it inside this context.

        ``person`` is None for all unknown people, who count as one person.
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
                lane.pass_turn()
        finally:
            if not lane.present and self._lanes.get(key) is lane:
                del self._lanes[key]
