"""Runs each piece of work in a separate process, which is killed if it exceeds its limits.

The process is forked in a few milliseconds from a fork server, which has imported only the modules that the work needs. The
operating system enforces the limits on CPU time and memory.
"""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import math
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection, wait as process_wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Literal, cast

from bot.jobs.account import ACCOUNT, Budget
from bot.jobs.fair import FairExecutor, Parameters, Value

try:
    import resource
except ImportError:  # on Windows, where time is the only limit
    resource = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

Cause = Literal["time", "memory", "lost"]
"""The reason that a process ended without a result."""

_NICE = 5
"""Lowers the priority of a process below the bot's."""
_EXIT_SECONDS = 5.0
"""Maximum seconds to wait for a finished process to exit."""
_RETRY_PAUSE_SECONDS = 0.25
_MAX_READ_WITHOUT_PAUSE = 1_000
"""Maximum bytes of a pickle to read without a pause for other threads."""
_THREAD_PAUSE_SECONDS = 0.0005
"""Length of a pause for other threads. A pause of 0 would end before a waiting thread wakes up."""
_CPU_LIMIT_SIGNAL = getattr(signal, "SIGXCPU", 0)
"""The signal that ends a process at its CPU time limit; 0 on systems without this signal."""


class LimitError(Exception):
    """Work reached a limit.

    If ``cause`` is ``lost``, the process died for an unknown reason, and died again when the work was repeated.
    """

    def __init__(self, cause: Cause) -> None:
        self.cause: Cause = cause
        super().__init__(cause)


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: object = None
    error: BaseException | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits for a piece of work."""

    seconds: float = 10.0
    """Maximum seconds of CPU time."""
    wall_seconds: float = 60.0
    """Maximum seconds of elapsed time, far more than the CPU time, because the machine may be busy."""
    memory_bytes: int = 768 * 2**20
    """Maximum address space."""


class Processes:
    """Runs work in at most ``max_processes`` processes at once, and in only one per user.

    Users take turns and are charged for the CPU time. The fork server imports ``modules`` in advance.
    """

    def __init__(
        self,
        max_processes: int,
        modules: Sequence[str] = (),
        process_limits: ProcessLimits | None = None,
        *,
        budget: Budget | None = None,
    ) -> None:
        self._budget = budget or Budget()
        self._limits = process_limits or ProcessLimits()
        self._threads = FairExecutor(max_processes, max_per_user=1, name="kibitz-process", budget=budget)
        self._context = _create_context(modules)
        self._lock = threading.Lock()
        self._running: set[BaseProcess] = set()
        self._closed = False

    async def run(
        self, work: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Value:
        """Run work when it is the account's turn. The function, its arguments and its result must be picklable.

        Raises:
            LimitError: the work reached a limit, or its process died twice.
            CancelledError: :meth:`close` was called before the work ended.
            RuntimeError: :meth:`close` was called before this method.

        """
        account = ACCOUNT.get()
        outcome = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._run_with_retry, partial(work, *args, **kwargs)
        )
        if account is not None:
            self._budget.spend(account, outcome.seconds)
        if outcome.error is not None:
            if self._closed and isinstance(outcome.error, LimitError):
                raise asyncio.CancelledError
            raise outcome.error
        return cast("Value", outcome.value)

    @property
    def waiting_count(self) -> int:
        return self._threads.waiting_count

    def close(self) -> None:
        """Refuse further work, kill running work, and cancel the tasks that wait for it."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _run_with_retry(self, work: Callable[[], object]) -> _Outcome:
        outcome = self._run_once(work)
        if isinstance(outcome.error, LimitError) and outcome.error.cause == "lost" and not self._closed:
            log.warning("a process died; repeating its work")
            time.sleep(_RETRY_PAUSE_SECONDS)  # the cause may be temporary
            second_outcome = self._run_once(work)
            return replace(second_outcome, seconds=outcome.seconds + second_outcome.seconds)
        return outcome

    def _run_once(self, work: Callable[[], object]) -> _Outcome:
        start = time.monotonic()
        receiver, sender = self._context.Pipe(duplex=False)
        with receiver:
            data = None
            try:
                with sender:
                    process = self._start_process(sender, work)
            except (EOFError, OSError):
                # The fork server died. The next call restarts it.
                return _Outcome(error=LimitError("lost"))
            try:
                ended_in_time = receiver.poll(self._limits.wall_seconds)
                if ended_in_time:
                    data = receiver.recv_bytes()
            except (EOFError, OSError):  # the process died
                ended_in_time = True
            exit_code = self._end_process(process, kill=not ended_in_time)
        if data is not None:
            return cast("_Outcome", unpickle_result(data))
        cause: Cause = "time" if not ended_in_time or exit_code == -_CPU_LIMIT_SIGNAL else "lost"
        # The CPU time of the dead process is unknown, so the elapsed time is charged instead.
        seconds = min(time.monotonic() - start, self._limits.seconds)
        return _Outcome(error=LimitError(cause), seconds=seconds)

    def _start_process(self, sender: Connection, work: Callable[[], object]) -> BaseProcess:
        process: BaseProcess = self._context.Process(
            target=_run_and_send, args=(sender, self._limits, work), daemon=True
        )
        # Start one process at a time, because multiprocessing updates its list of processes without a lock.
        with self._lock:
            with _safe_path():
                process.start()
            self._running.add(process)
            if self._closed:
                process.kill()
        return process

    def _end_process(self, process: BaseProcess, *, kill: bool) -> int | None:
        if kill:
            process.kill()
        process_wait([process.sentinel], _EXIT_SECONDS)
        with self._lock:
            self._running.discard(process)
            process.kill()
            process.join()
            exit_code = process.exitcode
            process.close()
        return exit_code


def unpickle_result(data: bytes) -> object:
    """Unpickle a value from a child process.

    Unpickling blocks all other threads, so the stream pauses before each frame of the pickle. A frame is 64 KiB long and takes a
    few milliseconds.
    """
    return pickle.Unpickler(_PausingStream(data)).load()  # noqa: S301 - only our own child can write it


class _PausingStream:
    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)

    def read(self, size: int) -> bytes:
        if size > _MAX_READ_WITHOUT_PAUSE:
            time.sleep(_THREAD_PAUSE_SECONDS)
        return self._stream.read(size)

    def readline(self) -> bytes:
        return self._stream.readline()


def _create_context(modules: Sequence[str]) -> ForkServerContext | SpawnContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():  # on Windows
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep the working directory out of ``sys.path`` in child processes, because its files may be untrusted."""
    earlier_value = os.environ.get("PYTHONSAFEPATH", "")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ["PYTHONSAFEPATH"] = earlier_value  # an empty value has no effect


def _run_and_send(connection: Connection, limits: ProcessLimits, work: Callable[[], object]) -> None:
    _confine(limits)
    try:
        try:
            outcome = _Outcome(work())
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - passed to the waiting caller
            error.add_note("In a child process:\n" + "".join(traceback.format_exception(error)))
            outcome = _Outcome(error=error)
        data = pickle.dumps(replace(outcome, seconds=time.process_time()))
    except MemoryError:
        data = pickle.dumps(_Outcome(error=LimitError("memory"), seconds=time.process_time()))
    with suppress(OSError):  # the parent process has ended
        connection.send_bytes(data)


def _confine(limits: ProcessLimits) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the bot, which ends this process
    gc.freeze()  # keeps the memory of imported modules shared between processes
    if resource is None:
        return
    os.nice(_NICE)
    for resource_id, limit in (
        (resource.RLIMIT_CPU, math.ceil(limits.seconds)),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard_limit = resource.getrlimit(resource_id)
        with suppress(ValueError, OSError):  # the system has a stricter limit, or does not support this limit
            resource.setrlimit(resource_id, (limit, hard_limit))
