"""The bot as a process that notes what holds its event loop up: ``python -m tests.wire.stalls REPORT``.

It runs as ``python -m bot run`` does and writes in the end, as JSON, the pieces of work that kept the loop's own thread busy
longest, by the processor time of that thread: what the machine does for others, and what other threads do, is not in it.
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
from bot.features.showing.listening import listener
from bot.observe.process import exit_process

WORST = 10


class Watch:
    """Times every piece of work on the event loop, from the first message on."""

    def __init__(self) -> None:
        self.worst: list[tuple[float, str]] = []
        """Milliseconds and names of the longest pieces of work, without the collection of garbage."""
        self.longest_collection = 0.0
        """Milliseconds of the loop's thread in one collection of garbage."""
        self._began = 0.0
        self._collecting = 0.0
        self._listening = False

    def start(self) -> None:
        """Watch from now on."""
        run, hear = events.Handle._run, listener.Listener.on_message

        def timed_run(handle):
            self._collecting, before = 0.0, time.thread_time()
            run(handle)
            self._note((time.thread_time() - before - self._collecting) * 1000, handle)

        async def timed_hear(cog, message):
            self._listening = True
            await hear(cog, message)

        gc.callbacks.append(self._collect)
        events.Handle._run = timed_run
        listener.Listener.on_message = timed_hear

    def report(self) -> dict[str, object]:
        """Return what was seen, the longest first."""
        return {"worst": sorted(self.worst, reverse=True), "longest_collection": self.longest_collection}

    def _collect(self, phase: str, details: dict[str, int]) -> None:
        # A collection in another thread has another clock; it cannot be the loop's.
        if phase == "start":
            self._began = time.thread_time()
        else:
            took = max(0.0, time.thread_time() - self._began)
            self._collecting += took
            self.longest_collection = max(self.longest_collection, round(took * 1000, 2))

    def _note(self, milliseconds: float, handle: events.Handle) -> None:
        if not self._listening or (len(self.worst) == WORST and milliseconds <= self.worst[0][0]):
            return
        callback: Any = handle._callback  # type: ignore[attr-defined]
        owner = getattr(callback, "__self__", None)
        done = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
        what = getattr(done, "__qualname__", type(done).__qualname__)
        push = heapq.heappushpop if len(self.worst) == WORST else heapq.heappush
        push(self.worst, (round(milliseconds, 2), what))


if __name__ == "__main__":
    watch = Watch()
    watch.start()
    code = main(["run"])
    Path(sys.argv[1]).write_text(json.dumps(watch.report()))
    exit_process(code)
