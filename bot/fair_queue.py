"""A queue in which the users of a channel or site take turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class FairQueue:
    """Runs at most ``max_running`` requests per channel or site at the same time, so that a busy channel does not delay others.

    Users take turns: while a user's first request waits, each of the other users gets at most one turn.
    """

    max_running: int
    max_waiting: int
    """Maximum number of waiting requests per channel or site."""
    max_waiting_per_user: int | None = None
    """Maximum number of a user's waiting requests per channel or site, or None for no limit."""
    _running: Counter[Hashable] = field(default_factory=Counter)
    """Running requests by channel or site."""
    _waiting: dict[Hashable, list[tuple[int | None, asyncio.Future[None]]]] = field(default_factory=dict)
    """For each channel or site: the user and turn of each waiting request, next request first."""

    def is_full(self, key: Hashable, user_id: int | None = None) -> bool:
        """Return whether ``key`` (a channel or site) or the user already has the maximum number of requests."""
        waiting_user_ids = [waiting_user_id for waiting_user_id, _ in self._waiting.get(key, ())]
        user_limit_reached = (
            self.max_waiting_per_user is not None
            and waiting_user_ids.count(user_id) >= self.max_waiting_per_user
        )
        return (
            self._running[key] + len(waiting_user_ids) >= self.max_running + self.max_waiting
            or user_limit_reached
        )

    @property
    def waiting_count(self) -> int:
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, key: Hashable, user_id: int | None) -> AsyncIterator[None]:
        """Wait for the user's turn on ``key``, then run the ``with`` block. All unknown users (None) count as one user."""
        if self._running[key] < self.max_running:
            self._running[key] += 1
        else:
            await self._wait(key, user_id)
        try:
            yield
        finally:
            self._pass_on(key)

    async def _wait(self, key: Hashable, user_id: int | None) -> None:
        turn = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(key, [])
        waiting.append((user_id, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                waiting.remove((user_id, turn))
            else:
                self._pass_on(key)  # the turn came just before the cancellation
            raise

    def _pass_on(self, key: Hashable) -> None:
        """Pass a finished request's turn to the next request. Move the next user's other requests to the back."""
        waiting = self._waiting.get(key, [])
        for index, (user_id, turn) in enumerate(waiting):
            if not turn.cancelled():
                del waiting[index]
                waiting.sort(key=lambda request: request[0] == user_id)
                turn.set_result(None)
                return
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]
            self._waiting.pop(key, None)
