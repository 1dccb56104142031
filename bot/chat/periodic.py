"""Repeats work at intervals, and limits how often a message is edited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context

from cachetools import TTLCache

from bot.chat.failures import log_fault


class PeriodicTask:
    """Runs ``work`` immediately, and again ``seconds`` seconds after each run ends.

    Unlike ``discord.ext.tasks``, it does not depend on the wall clock, which may be set back.
    """

    def __init__(self, work: Callable[[], Awaitable[object]], activity: str, seconds: float) -> None:
        self._work = work
        self._activity = activity
        self.seconds = seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        # The offline demo waits for all tasks that start in the bot's context, but must not wait for the pauses.
        context = copy_context()
        self._task = Context().run(lambda: asyncio.create_task(self._repeat(context)))

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def wait_until_ended(self) -> None:
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _repeat(self, context: Context) -> None:
        while True:
            await context.run(lambda: asyncio.create_task(self._run_once()))
            await asyncio.sleep(self.seconds)

    async def _run_once(self) -> None:
        try:
            await self._work()
        except Exception as error:  # noqa: BLE001 - an error must not stop the task
            log_fault(error, self._activity)


MAX_REMEMBERED_EDITS = 10_000


class EditLimiter:
    """Runs work for each message at most once per interval."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._last_run_at: TTLCache[int, float] = TTLCache(MAX_REMEMBERED_EDITS, seconds)
        self._waiting_tasks: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        """Tasks that wait or run. The event loop has only weak references to tasks."""

    def schedule(self, message_id: int, work: Callable[[], Awaitable[object]], activity: str) -> None:
        """Run work as soon as the message's interval is over. Requests made until then share this run."""
        if message_id not in self._waiting_tasks:
            task = asyncio.create_task(self._run(message_id, work, activity))
            self._waiting_tasks[message_id] = task
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        for task in self._waiting_tasks.values():
            task.cancel()

    async def _run(self, message_id: int, work: Callable[[], Awaitable[object]], activity: str) -> None:
        try:
            last_run_at = self._last_run_at.get(message_id)
            if last_run_at is not None:
                await asyncio.sleep(max(0.0, last_run_at + self.seconds - time.monotonic()))
        finally:
            # This run may not see the data of later requests, so they start another run.
            del self._waiting_tasks[message_id]
        self._last_run_at[message_id] = time.monotonic()
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - no caller awaits this task
            log_fault(error, activity)
