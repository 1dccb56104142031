"""Limits how many requests of a channel or host run at once. The others wait in a fair order."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


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
    _working: Counter[Hashable] = field(default_factory=Counter)
    """Running requests by channel or host."""
    _waiting: dict[Hashable, OrderedDict[int | None, deque[asyncio.Future[None]]]] = field(
        default_factory=dict
    )
    """Waiting requests by channel or host, then by person; people in the order of service, requests in that of arrival."""

    def is_full(self, key: Hashable, person: int | None = None) -> bool:
        """Return whether ``key``, or the share of ``person`` in it, has no room for another waiting request."""
        line = self._waiting.get(key, OrderedDict())
        present = self._working[key] + sum(map(len, line.values()))
        is_own_full = self.each is not None and len(line.get(person, ())) >= self.each
        return present >= self.at_once + self.waiting or is_own_full

    @property
    def present(self) -> int:
        """Running and waiting requests of all channels or hosts."""
        lines = self._waiting.values()
        return self._working.total() + sum(len(turns) for line in lines for turns in line.values())

    @asynccontextmanager
    async def turn(self, key: Hashable, person: int | None) -> AsyncIterator[None]:
        """Wait for a turn of ``key``, and hold it inside this context.

        ``person`` is None for all unknown people, who count as one person.
        """
        if self._working[key] < self.at_once:
            self._working[key] += 1
        else:
            await self._wait(key, person)
        try:
            yield
        finally:
            self._pass_turn(key)

    async def _wait(self, key: Hashable, person: int | None) -> None:
        """Wait until a finished request passes its turn to this one."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, OrderedDict()).setdefault(person, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(key, person, turn)
            else:
                self._pass_turn(key)  # it received the turn at the same moment
            raise

    def _pass_turn(self, key: Hashable) -> None:
        """Pass the turn of a finished request to the next person, and move that person to the end of the queue."""
        while line := self._waiting.get(key):
            person, turns = next(iter(line.items()))
            turn = turns[0]
            if not turn.cancelled():
                line.move_to_end(person)
            self._forget(key, person, turn)
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._working[key] -= 1
        if not self._working[key]:
            del self._working[key]

    def _forget(self, key: Hashable, person: int | None, turn: asyncio.Future[None]) -> None:
        line = self._waiting.get(key, OrderedDict())
        if turn in (turns := line.get(person, deque())):
            turns.remove(turn)
            if not turns:
                del line[person]
            if not line:
                del self._waiting[key]
