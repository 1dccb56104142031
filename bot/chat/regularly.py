"""Runs periodic work, and limits edits of messages to the rate that Discord accepts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context

from cachetools import TTLCache

from bot.chat.failures import report


class Regularly:
    """Runs work at once, and again ``seconds`` after the end of each run, until it is cancelled.

    ``discord.ext.tasks`` sleeps until a time of day. If the clock is set back, it oversleeps by as much.
    """

    def __init__(self, work: Callable[[], Awaitable[object]], doing: str, seconds: float) -> None:
        self._work = work
        self._doing = doing
        self.seconds = seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the work."""
        # The offline demo waits for all work that was started in its bot's context, and would wait for every sleep to
        # end.
        context = copy_context()
        self._task = Context().run(lambda: asyncio.create_task(self._go_on(context)))

    def cancel(self) -> None:
        """Cancel the work."""
        if self._task is not None:
            self._task.cancel()

    async def wait_ended(self) -> None:
        """Wait for the cancelled work to end."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _go_on(self, context: Context) -> None:
        while True:
            await context.run(lambda: asyncio.create_task(self._once()))
            await asyncio.sleep(self.seconds)

    async def _once(self) -> None:
        try:
            await self._work()
        except Exception as error:  # noqa: BLE001 - the next time must come
            report(error, self._doing)


MAX_REMEMBERED = 10_000
"""Maximum number of messages with a recorded time."""


class Politely:
    """Runs work for messages, at most once per interval for each message."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._latest: TTLCache[int, float] = TTLCache(MAX_REMEMBERED, seconds)
        self._waiting: dict[int, asyncio.Task[None]] = {}

    def soon(self, message_id: int, work: Callable[[], Awaitable[object]], doing: str) -> None:
        """Run work for a message now or after its interval; requests until then share one run."""
        if message_id not in self._waiting:
            task = asyncio.create_task(self._do(message_id, work, doing))
            self._waiting[message_id] = task

    def cancel(self) -> None:
        """Cancel all waiting work."""
        for task in self._waiting.values():
            task.cancel()

    async def _do(self, message_id: int, work: Callable[[], Awaitable[object]], doing: str) -> None:
        try:
            latest = self._latest.get(message_id)
            if latest is not None:
                await asyncio.sleep(max(0.0, latest + self.seconds - time.monotonic()))
        finally:
            # A later request may have data that the running work does not see.
            del self._waiting[message_id]
        self._latest[message_id] = time.monotonic()
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - no caller awaits it
            report(error, doing)
