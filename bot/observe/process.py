"""The process itself: its clock, its heap, and its end when the event loop stands still.

The heap: a full collection scans everything that is not frozen: 0.2 s of processor time with 2,500 servers, during which
nobody is answered. A shard's servers arrive together after it connects, so nothing is collected until all have arrived,
and then they are frozen.

The watchdog: a thread asks the loop for a sign every so often. It counts how often it asked in vain and looks at no clock: a
machine that was suspended, or a process that was stopped and continued, has missed one sign and no more. The thread cannot
ask while other code keeps the interpreter's lock (a regular expression does, however long it takes). So it winds up a timer of
the kernel each time as well, which counts the processor time of this process; when it runs out, a handler that needs no lock
writes the stacks and the process ends. Where systemd watches (``WatchdogSec=``), it hears of every sign, too.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Final, NoReturn

from bot.observe.logs import write_at_once

SIGNS: Final = 30
"""How many signs in a row must be missing before the process ends."""

STALLED: Final = 70
"""The exit code of a process that the thread ended: an internal fault, as in ``sysexits.h``."""

EXIT_SECONDS: Final = 9.5
"""How long a process may take to end after a signal; hosts kill it after ten."""


def steady_seconds() -> float:
    """Return the seconds of a clock that cannot be set back; where the system has one, a clock that counts suspended time, too."""
    boot_clock: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_clock is None else time.clock_gettime(boot_clock)


class Heap:
    """Freezes the servers of each shard once they have arrived."""

    def __init__(self) -> None:
        self._arriving: set[int] = set()
        self._arrived: set[int] = set()

    def shard_connects(self, shard_id: int) -> None:
        """Collect nothing while the servers of a shard arrive."""
        self._arriving.add(shard_id)
        gc.disable()

    def shard_is_ready(self, shard_id: int) -> None:
        """Freeze what has arrived; when a shard's servers arrive again, release those they replace."""
        again = shard_id in self._arrived
        self._arriving.discard(shard_id)
        self._arrived.add(shard_id)
        # A replaced server refers to its channels and they to it: only a collection frees them.
        self._freeze(collect=again)

    def shards_left(self, shard_ids: Iterable[int]) -> None:
        """Free the servers of shards that are left."""
        self._arriving.difference_update(shard_ids)
        self._arrived.difference_update(shard_ids)
        self._freeze(collect=True)

    def _freeze(self, *, collect: bool) -> None:
        if collect:
            gc.unfreeze()
            gc.collect()
        gc.freeze()
        if not self._arriving:
            gc.enable()

    def release(self) -> None:
        """Let the collector handle everything as usual again."""
        self._arriving.clear()
        self._arrived.clear()
        gc.unfreeze()
        gc.enable()


@asynccontextmanager
async def watched_loop(seconds: float) -> AsyncIterator[None]:
    """End this process when its running event loop stands still for so many seconds while inside; 0: never."""
    faulthandler.enable()  # what systemd, or anybody else, aborts or what crashes by itself leaves its stacks
    if not seconds:
        yield
        return
    watchdog = _Watchdog(asyncio.get_running_loop(), seconds)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.stop()


_told_to_end = threading.Event()


def end_soon() -> None:
    """End this process within :data:`EXIT_SECONDS`, whatever it is busy with then; its stacks are written."""
    _told_to_end.set()
    faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True)


def leave(code: int) -> NoReturn:
    """End this process, whose work is done, with an exit code.

    One that was told to end does not take the interpreter apart: that frees every object there is, which on a busy machine
    has taken longer than a host waits.
    """
    if _told_to_end.is_set():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def notify_systemd(state: str) -> None:
    """Send systemd a message of ``sd_notify(3)``, such as ``READY=1``; do nothing where it does not listen."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender, suppress(OSError):
        sender.settimeout(0.0)
        sender.sendto(state.encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)


class _Watchdog(threading.Thread):
    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        super().__init__(name="kibitz-watchdog", daemon=True)
        self._loop = loop
        self._seconds = seconds
        self._pause = min(seconds / SIGNS, _systemd_seconds() / 4)
        self._allowed = max(SIGNS, round(seconds / self._pause))
        self._sign = threading.Event()
        self._ended = threading.Event()

    def run(self) -> None:
        """Ask for a sign, wait, and check whether it came."""
        faulthandler.register(signal.SIGPROF, all_threads=True, chain=True)
        missing = 0
        self._ask()
        while not self._ended.wait(self._pause):
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
            if not self._sign.is_set():
                missing += 1
                if missing >= self._allowed:
                    self._end_process()
                continue
            missing = 0
            notify_systemd("WATCHDOG=1")
            self._ask()

    def stop(self) -> None:
        """Stop watching."""
        self._ended.set()
        self.join()
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.unregister(signal.SIGPROF)

    def _ask(self) -> None:
        self._sign.clear()
        with suppress(RuntimeError):  # closed
            self._loop.call_soon_threadsafe(self._sign.set)

    def _end_process(self) -> None:
        write_at_once(
            f"the event loop has stood for {self._seconds:g} seconds; the process ends, to be started again"
        )
        faulthandler.dump_traceback(all_threads=True)
        os._exit(STALLED)


def _systemd_seconds() -> float:
    """Return the longest pause between two signs that systemd allows; infinite where it does not watch this process."""
    span, process = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    watches = span.isascii() and span.isdigit() and int(span) > 0 and process in {"", str(os.getpid())}
    return int(span) / 1e6 if watches else float("inf")
