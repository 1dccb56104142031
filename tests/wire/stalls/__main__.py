"""Runs the bot, and measures what blocks its event loop: ``python -m tests.wire.stalls REPORT``.

It works like ``python -m bot run``. At exit, it writes a JSON report of the callbacks that blocked the event loop longest, of the
longest garbage collection, and of the time from each message until its reply was ready. The first two are CPU times of one
thread, so other threads and programs don't count.
"""

from __future__ import annotations

import asyncio
import gc
import heapq
import json
import sys
import time
from asyncio import events
from pathlib import Path
from typing import Any

from bot.__main__ import main
from bot.chat.sending import reply_to_message
from bot.features.showing.listening import listener
from bot.observe.process import exit_process

MAX_CALLBACKS = 10
"""Maximum number of callbacks in the report."""


class LoopTimer:
    """Measures every callback on the event loop, starting with the first message."""

    def __init__(self) -> None:
        self.longest_callbacks: list[tuple[float, str]] = []
        """The longest callbacks: CPU time in milliseconds (without garbage collections) and name."""
        self.longest_collection = 0.0
        """CPU time of the longest garbage collection, in milliseconds."""
        self.reply_times: list[tuple[int, float]] = []
        """The id of each message with a reply, and the milliseconds until the bot began to send the reply."""
        self._received: dict[int, float] = {}
        """The time at which each message was received."""
        self._collection_start = 0.0
        self._collection_seconds = 0.0

    def start(self) -> None:
        run, on_message = events.Handle._run, listener.Listener.on_message

        def timed_run(handle):
            self._collection_seconds, before = 0.0, time.thread_time()
            run(handle)
            self._record((time.thread_time() - before - self._collection_seconds) * 1000, handle)

        async def timed_on_message(cog, message):
            self._received[message.id] = time.perf_counter()
            await on_message(cog, message)

        def timed_reply(message, *arguments, **named):
            self.reply_times.append((message.id, (time.perf_counter() - self._received[message.id]) * 1000))
            return reply_to_message(message, *arguments, **named)

        gc.callbacks.append(self._time_collection)
        events.Handle._run = timed_run
        listener.Listener.on_message = timed_on_message
        vars(listener)["reply_to_message"] = timed_reply

    def report(self) -> dict[str, object]:
        return {
            "longest_callbacks": sorted(self.longest_callbacks, reverse=True),
            "longest_collection": self.longest_collection,
            "reply_times": self.reply_times,
        }

    def _time_collection(self, phase: str, details: dict[str, int]) -> None:
        if phase == "start":
            self._collection_start = time.thread_time()
        else:
            # A collection begins and ends in the same thread.
            seconds = time.thread_time() - self._collection_start
            self._collection_seconds += seconds
            if self._received:
                self.longest_collection = max(self.longest_collection, round(seconds * 1000, 2))

    def _record(self, milliseconds: float, handle: events.Handle) -> None:
        if not self._received or (
            len(self.longest_callbacks) == MAX_CALLBACKS and milliseconds <= self.longest_callbacks[0][0]
        ):
            return
        callback: Any = handle._callback  # type: ignore[attr-defined]
        owner = getattr(callback, "__self__", None)
        function = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
        name = getattr(function, "__qualname__", type(function).__qualname__)
        push = heapq.heappushpop if len(self.longest_callbacks) == MAX_CALLBACKS else heapq.heappush
        push(self.longest_callbacks, (round(milliseconds, 2), name))


if __name__ == "__main__":
    timer = LoopTimer()
    timer.start()
    code = main(["run"])
    Path(sys.argv[1]).write_text(json.dumps(timer.report()))
    exit_process(code)
