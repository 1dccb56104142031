"""The bot as a process that watches itself: ``python -m tests.bench.watched REPORT``.

It runs as ``python -m bot run`` does and writes in the end, as JSON, what kept its event loop busy longest and how
long each message took from the library's hands back into them.
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

WORST = 10
"""Number of the longest pieces of work on the event loop that are listed."""


class Watch:
    """Times every piece of work on the event loops of this process, and the way of every message."""

    def __init__(self) -> None:
        self.worst: list[tuple[float, float, str]] = []
        """Milliseconds, how many of them this process had a processor, and at what, from the first message on,
        longest first. Without a processor it waited for other programs on this machine, which is not its fault."""
        self.longest_own = 0.0
        """Maximum milliseconds that this process needed itself for one piece of work."""
        self.collected: list[float] = []
        """Milliseconds of each full collection of garbage."""
        self.answered: list[tuple[int, float]] = []
        """Message, and milliseconds until its answer was handed over."""
        self._came: dict[int, float] = {}
        self._began = 0.0

    def start(self) -> None:
        """Watch from now on."""
        run = events.Handle._run
        hear = listener.Listener.on_message
        answer = answer_message

        def timed_run(handle):
            before, worked = time.perf_counter(), time.process_time()
            run(handle)
            self._note((time.perf_counter() - before) * 1000, (time.process_time() - worked) * 1000, handle)

        async def timed_hear(cog, message):
            self._came[message.id] = time.perf_counter()
            await hear(cog, message)

        def timed_answer(message, *arguments, **named):
            self.answered.append((message.id, (time.perf_counter() - self._came[message.id]) * 1000))
            return answer(message, *arguments, **named)

        gc.callbacks.append(self._collecting)
        events.Handle._run = timed_run
        listener.Listener.on_message = timed_hear
        vars(listener)["answer_message"] = timed_answer

    def report(self) -> dict[str, object]:
        """Return what was seen."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _collecting(self, phase: str, details: dict[str, int]) -> None:
        if details["generation"] == 2:
            if phase == "start":
                self._began = time.perf_counter()
            elif self._came:
                self.collected.append(round((time.perf_counter() - self._began) * 1000, 2))

    def _note(self, milliseconds: float, worked: float, handle: events.Handle) -> None:
        if not self._came:
            return
        self.longest_own = max(self.longest_own, round(min(milliseconds, worked), 2))
        if len(self.worst) == WORST and milliseconds <= self.worst[-1][0]:
            return
        callback: Any = handle._callback  # type: ignore[attr-defined]
        owner = getattr(callback, "__self__", None)
        # Its name alone: looking into it can change it (a response remembers the headers that were asked for).
        done = owner.get_coro() if isinstance(owner, asyncio.Task) else callback
        what = getattr(done, "__qualname__", type(done).__qualname__)
        self.worst.append((round(milliseconds, 2), round(worked, 2), what))
        self.worst.sort(reverse=True)
        del self.worst[WORST:]


if __name__ == "__main__":
    watch = Watch()
    watch.start()
    code = main(["run"])
    Path(sys.argv[1]).write_text(json.dumps(watch.report()))
    sys.exit(code)
