"""Doing something about a message soon, and at most once in so many seconds: the last wish is always met."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from cachetools import TTLCache

from bot.chat.failures import report

MAX_REMEMBERED = 10_000
"""Messages of which it is known when something was last done about them."""


class Politely:
    """Does things about messages, each at most once in so many seconds however often it is wished."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._latest: TTLCache[int, float] = TTLCache(MAX_REMEMBERED, seconds)
        self._waiting: dict[int, asyncio.Task[None]] = {}

    def soon(self, message_id: int, work: Callable[[], Awaitable[object]], doing: str) -> None:
        """Do something about a message: now, or as soon as it is time again, once for all who wish it until then."""
        if message_id not in self._waiting:
            task = asyncio.create_task(self._do(message_id, work, doing))
            self._waiting[message_id] = task

    def cancel(self) -> None:
        """Leave undone what waits."""
        for task in self._waiting.values():
            task.cancel()

    async def _do(self, message_id: int, work: Callable[[], Awaitable[object]], doing: str) -> None:
        try:
            latest = self._latest.get(message_id)
            if latest is not None:
                await asyncio.sleep(max(0.0, latest + self.seconds - time.monotonic()))
        finally:
            # Whoever wishes it from now on may know more than the work sees.
            del self._waiting[message_id]
        self._latest[message_id] = time.monotonic()
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - nobody waits for it
            report(error, doing)
