"""This process's clock, garbage collection and watchdog.

Garbage collection: with 2,500 servers, a full collection takes 0.2 s of CPU time and delays every reply. The servers of a shard
load together after the shard connects. Garbage collection is disabled until all of them have loaded. Then ``gc.freeze``
excludes them from later collections.

Watchdog: a thread requests a heartbeat from the event loop at regular intervals, and counts missed heartbeats. It doesn't read a
clock, so only one heartbeat is missed while the machine is suspended or the process is stopped. The thread cannot run while other
code, such as a regular expression, holds the GIL. So the thread also sets a kernel timer for the CPU time of this process. When the
timer expires, a handler that needs no lock dumps the stack traces and kills the process. If systemd watches the process
(``WatchdogSec=``), the thread notifies systemd of every heartbeat.
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

from bot.observe.logs import write_directly

MIN_MISSED_HEARTBEATS: Final = 30
"""The watchdog's thread never ends the process before this many consecutive heartbeats have been missed."""

STALLED_EXIT_CODE: Final = 70
"""Exit code after a stall: ``EX_SOFTWARE`` from ``sysexits.h``."""

MAX_EXIT_SECONDS: Final = 9.5
"""Seconds that a process may take to shut down. Hosting services kill a process after ten."""


def monotonic_seconds() -> float:
    """Return the time of a monotonic clock, in seconds. On Linux, the clock also runs while the machine is suspended."""
    boot_clock: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_clock is None else time.clock_gettime(boot_clock)


class GarbageCollection:
    """Pauses garbage collection while Discord servers are loading, and then excludes the servers from collections."""

    def __init__(self) -> None:
        self._loading_shards: set[int] = set()
        self._loaded_shards: set[int] = set()

    def begin_loading(self, shard_id: int) -> None:
        self._loading_shards.add(shard_id)
        gc.disable()

    def end_loading(self, shard_id: int) -> None:
        """Freeze a shard's servers after they have loaded. If the shard has reconnected, free the replaced objects."""
        loaded_before = shard_id in self._loaded_shards
        self._loading_shards.discard(shard_id)
        self._loaded_shards.add(shard_id)
        # Replaced servers and their channels refer to each other, so only a collection frees them.
        self._freeze(collect=loaded_before)

    def free_shards(self, shard_ids: Iterable[int]) -> None:
        """Free the servers of shards that this process no longer runs."""
        self._loading_shards.difference_update(shard_ids)
        self._loaded_shards.difference_update(shard_ids)
        self._freeze(collect=True)

    def _freeze(self, *, collect: bool) -> None:
        if collect:
            gc.unfreeze()
            gc.collect()
        gc.freeze()
        if not self._loading_shards:
            gc.enable()

    def reset(self) -> None:
        self._loading_shards.clear()
        self._loaded_shards.clear()
        gc.unfreeze()
        gc.enable()


@asynccontextmanager
async def watch_loop(stall_seconds: float) -> AsyncIterator[None]:
    """End this process if its event loop hangs for ``stall_seconds``; 0 means never.

    On Windows, which lacks the necessary timer, a hung process is not ended.
    """
    faulthandler.enable()  # so that a crash, or an abort by systemd, prints the stacks
    if not stall_seconds or not hasattr(signal, "setitimer"):
        yield
        return
    watchdog = _Watchdog(asyncio.get_running_loop(), stall_seconds)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.stop()


_is_ending = threading.Event()
"""Set once this process has begun to shut down."""


def start_exit_timer() -> None:
    """Start a timer that prints the stacks and ends this process if the process takes more than :data:`MAX_EXIT_SECONDS` to shut down."""
    _is_ending.set()
    faulthandler.dump_traceback_later(MAX_EXIT_SECONDS, exit=True)


def exit_process(code: int) -> NoReturn:
    """End this process.

    After :func:`start_exit_timer`, the interpreter is not finalized, because freeing all objects can take too long on a busy machine.
    """
    if _is_ending.is_set():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def notify_systemd(state: str) -> None:
    """Send systemd an ``sd_notify(3)`` message, such as ``READY=1``. If systemd is not listening, do nothing."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender, suppress(OSError):
        sender.settimeout(0.0)
        sender.sendto(state.encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)


def report_ready() -> None:
    """Notify systemd that this process is ready, and exclude its existing objects from garbage collection.

    These objects live until the process ends. Without the exclusion, each full collection would scan them, and block the event loop
    for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    notify_systemd("READY=1")


class _Watchdog(threading.Thread):
    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        super().__init__(name="kibitz-watchdog", daemon=True)
        self._loop = loop
        self._seconds = seconds
        self._pause_seconds = min(seconds / MIN_MISSED_HEARTBEATS, _max_systemd_pause() / 4)
        self._max_missed_count = max(MIN_MISSED_HEARTBEATS, round(seconds / self._pause_seconds))
        self._heartbeat = threading.Event()
        self._stopped = threading.Event()

    def run(self) -> None:
        faulthandler.register(signal.SIGPROF, all_threads=True, chain=True)
        missed_count = 0
        self._request_heartbeat()
        while not self._stopped.wait(self._pause_seconds):
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
            if self._heartbeat.is_set():
                missed_count = 0
                notify_systemd("WATCHDOG=1")
                self._request_heartbeat()
            else:
                missed_count += 1
                if missed_count >= self._max_missed_count:
                    self._end_process()

    def stop(self) -> None:
        self._stopped.set()
        self.join()
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.unregister(signal.SIGPROF)

    def _request_heartbeat(self) -> None:
        self._heartbeat.clear()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._heartbeat.set)

    def _end_process(self) -> None:
        write_directly(
            f"the event loop has been blocked for {self._seconds:g} seconds; ending the process so that it can be restarted"
        )
        faulthandler.dump_traceback(all_threads=True)
        os._exit(STALLED_EXIT_CODE)


def _max_systemd_pause() -> float:
    """Return the longest pause that systemd allows between heartbeats, or infinity if systemd does not watch this process."""
    microseconds, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    is_watching = (
        microseconds.isascii()
        and microseconds.isdigit()
        and int(microseconds) > 0
        and pid in {"", str(os.getpid())}
    )
    return int(microseconds) / 1e6 if is_watching else float("inf")
