"""The bot as a process that measures itself: ``python -m tests.bench.watched REPORT``.

At exit, it writes a JSON report with the longest callbacks on the event loop, and the time from each message to its reply.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from asyncio import events
from pathlib import Path
from typing import Any

from bot.__main__ import main
from bot.chat.sending import answer_message
from bot.features.showing.listening import listener

MAX_CALLBACKS = 10


class Measurements:
    def __init__(self) -> None:
        self.longest_callbacks: list[tuple[float, float, str]] = []
        """(elapsed milliseconds, CPU milliseconds, name), longest first"""
        self.max_callback_cpu = 0.0
        """In milliseconds."""
        self.gc_pauses: list[float] = []
        """Milliseconds of each full collection."""
        self.answer_times: list[tuple[int, float]] = []
        """(message id, milliseconds until the reply was sent)"""
        self._received: dict[int, float] = {}
        self._began = 0.0

    def start(self) -> None:
        run = events.Handle._run
        on_message = listener.Listener.on_message
        answer = answer_message

        def timed_run(handle):
            before, cpu_time = time.perf_counter(), time.process_time()
            run(handle)
            self._record(
                (time.perf_counter() - before) * 1000, (time.process_time() - cpu_time) * 1000, handle
            )

        async def timed_on_message(cog, message):
            self._received[message.id] = time.perf_counter()
            await on_message(cog, message)

        def timed_answer(message, *arguments, **named):
            self.answer_times.append((message.id, (time.perf_counter() - self._received[message.id]) * 1000))
            return answer(message, *arguments, **named)

        gc.callbacks.append(self._time_collection)
        events.Handle._run = timed_run
        listener.Listener.on_message = timed_on_message
        vars(listener)["answer_message"] = timed_answer

    def report(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _time_collection(self, phase: str, details: dict[str, int]) -> None:
        if details["generation"] == 2:
            if phase == "start":
                self._began = time.perf_counter()
            elif self._received:
                self.gc_pauses.append(round((time.perf_counter() - self._began) * 1000, 2))

    def _record(self, milliseconds: float, cpu_time: float, handle: events.Handle) -> None:
        if not self._received:
            return
        self.max_callback_cpu = max(self.max_callback_cpu, round(min(milliseconds, cpu_time), 2))
        if len(self.longest_callbacks) == MAX_CALLBACKS and milliseconds <= self.longest_callbacks[-1][0]:
            return
        callback: Any = handle._callback  # type: ignore[attr-defined]
        owner = getattr(callback, "__self__", None)
        # Reading more could change the object: a response remembers the headers that were read.
        work = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
        what = getattr(work, "__qualname__", type(work).__qualname__)
        self.longest_callbacks.append((round(milliseconds, 2), round(cpu_time, 2), what))
        self.longest_callbacks.sort(reverse=True)
        del self.longest_callbacks[MAX_CALLBACKS:]


if __name__ == "__main__":
    measurements = Measurements()
    measurements.start()
    code = main(["run"])
    Path(sys.argv[1]).write_text(json.dumps(measurements.report()))
    sys.exit(code)
