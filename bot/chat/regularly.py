"""Doing something again and again, by a clock that nobody can set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context

from bot.chat.failures import report


class Regularly:
    """Does something while it is started: at once, and so many seconds after each time.

    The library's loop for tasks sleeps until a time of day: when that is set back, it sleeps for as long.
    """

    def __init__(self, work: Callable[[], Awaitable[object]], doing: str, seconds: float) -> None:
        self._work = work
        self._doing = doing
        self.seconds = seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        # An offline Discord waits for what was begun in its bot's context, and would wait for every sleep to end.
        context = copy_context()
        self._task = Context().run(lambda: asyncio.create_task(self._go_on(context)))

    def cancel(self) -> None:
        """Stop, also in the middle."""
        if self._task is not None:
            self._task.cancel()

    async def wait_ended(self) -> None:
        """Wait for the end of what was cancelled."""
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
