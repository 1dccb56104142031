"""Work in processes of its own: what passes its limits is killed, and all it used is given back.

Every piece of work gets a fresh process, forked in a few milliseconds from a server that has imported what the work
needs and nothing else. So the limits are the system's own, each counts from zero, memory is given back, and no piece
of work can harm the next. The first piece starts the server.
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as process_wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, cast

from bot.jobs.account import ACCOUNT, Budget
from bot.jobs.fair import FairExecutor

try:
    import resource
except ImportError:  # on Windows, where time is the only limit
    resource = None  # type: ignore[assignment]

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

log = logging.getLogger(__name__)

Cause = Literal["time", "memory", "lost"]

_NICE = 5
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.25
_MAX_INSTANT_BYTES = 1_000
"""Bytes that are built in no time."""
_LET_OTHERS_SECONDS = 0.0005
"""A pause of none would be over before a waiting thread wakes up."""
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)


class LimitError(Exception):
    """Work was killed. ``cause`` is ``time``, ``memory``, or ``lost``: its process died twice for an unknown reason."""

    def __init__(self, cause: Cause) -> None:
        self.cause: Cause = cause
        super().__init__(cause)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The end of a piece of work: a value or an error, and the seconds of CPU time it took."""

    value: object = None
    error: BaseException | None = None
    seconds: float = 0.0


_Work: TypeAlias = "tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]"


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of a piece of work."""

    seconds: float = 10.0
    """Seconds of a processor."""
    wall_seconds: float = 60.0
    """Seconds by the clock; far more, since the machine may be busy."""
    memory: int = 768 * 2**20
    """Bytes of address space."""


class Processes:
    """Does work in processes, for accounts in turn: ``limit`` at once, and one at a time for each person.

    ``modules`` are imported beforehand, once for all. Processor time is charged to the account.
    """

    def __init__(
        self,
        limit: int,
        modules: Sequence[str] = (),
        *,
        limits: ProcessLimits | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._budget = budget or Budget()
        self._limits = limits or ProcessLimits()
        self._threads = FairExecutor(limit, each=1, name="kibitz-process", budget=budget)
        self._context = _context(modules)
        self._lock = threading.Lock()
        self._running: set[BaseProcess] = set()
        self._closed = False

    async def run(
        self, work: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Value:
        """Do work when it is its turn. The work, its arguments and its result must be picklable.

        Raises:
            LimitError: it was killed.
            CancelledError: it was killed by :meth:`close`.
            Exception: whatever the work raised.

        """
        account = ACCOUNT.get()
        outcome = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._outcome_of, (work, args, kwargs)
        )
        if account is not None:
            self._budget.spend(account, outcome.seconds)
        if outcome.error is not None:
            if self._closed and isinstance(outcome.error, LimitError):
                raise asyncio.CancelledError
            raise outcome.error
        return cast("Value", outcome.value)

    @property
    def waiting(self) -> int:
        """Pieces of work that no process has taken yet."""
        return self._threads.waiting

    def close(self) -> None:
        """Refuse further work and kill the running work; its waiting tasks are cancelled."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _outcome_of(self, work: _Work) -> _Outcome:
        """Do work in a process, and a second time if the process died."""
        outcome = self._try(work)
        if isinstance(outcome.error, LimitError) and outcome.error.cause == "lost" and not self._closed:
            log.warning("a process died at its work, which is repeated")
            time.sleep(_PAUSE_SECONDS)  # the cause may still be there
            again = self._try(work)
            return replace(again, seconds=outcome.seconds + again.seconds)
        return outcome

    def _try(self, work: _Work) -> _Outcome:
        begun = time.monotonic()
        receiver, sender = self._context.Pipe(duplex=False)
        with receiver:
            data = None
            try:
                with sender:
                    process = self._start(sender, work)
            except (EOFError, OSError):
                # The server that starts processes has died; the next start restarts it.
                return _Outcome(error=LimitError("lost"))
            try:
                in_time = receiver.poll(self._limits.wall_seconds)
                if in_time:
                    data = receiver.recv_bytes()
            except (EOFError, OSError):  # it died
                in_time = True
            code = self._end(process, kill=not in_time)
        if data is not None:
            return cast("_Outcome", unpickle_result(data))
        cause: Cause = "time" if not in_time or code == -_OUT_OF_TIME else "lost"
        # The processor time of the dead process is unknown.
        seconds = min(time.monotonic() - begun, self._limits.seconds)
        return _Outcome(error=LimitError(cause), seconds=seconds)

    def _start(self, sender: Connection, work: _Work) -> BaseProcess:
        process: BaseProcess = self._context.Process(
            target=_serve, args=(sender, self._limits, work), daemon=True
        )
        # The library keeps its list of processes, and looks at their ends, without any lock.
        with self._lock:
            process.start()
            self._running.add(process)
            if self._closed:
                process.kill()
        return process

    def _end(self, process: BaseProcess, *, kill: bool) -> int | None:
        """Wait until a process that has nothing more to do ends, and return its exit code."""
        if kill:
            process.kill()
        process_wait([process.sentinel], _END_SECONDS)
        with self._lock:
            self._running.discard(process)
            process.kill()
            process.join()
            code = process.exitcode
            process.close()
        return code


def unpickle_result(data: bytes) -> object:
    """Return the value that a child process has pickled.

    While the interpreter builds a value, no other thread runs, not even the event loop's. The interpreter reads each frame of the
    pickle (64 KiB, some milliseconds of work) from the stream, which lets other threads run in between.
    """
    return pickle.Unpickler(_Frames(data)).load()  # noqa: S301 - only our own child can write it


class _Frames:
    """A stream that lets other threads run before it gives anything long away."""

    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        if size > _MAX_INSTANT_BYTES:
            time.sleep(_LET_OTHERS_SECONDS)
        return self._stream.read(size)

    def readline(self) -> bytes:
        """Return the next line, as older pickles have them."""
        return self._stream.readline()


def _context(modules: Sequence[str]) -> ForkServerContext | SpawnContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():  # on Windows
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


def _serve(connection: Connection, limits: ProcessLimits, work: _Work) -> None:
    """Do one piece of work in this process, and send its outcome to the parent."""
    _confine(limits)
    function, args, kwargs = work
    try:
        try:
            outcome = _Outcome(function(*args, **kwargs))
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - it belongs to the waiting caller
            error.add_note("In a process of its own:\n" + "".join(traceback.format_exception(error)))
            outcome = _Outcome(error=error)
        data = pickle.dumps(replace(outcome, seconds=time.process_time()))
    except MemoryError:
        outcome = _Outcome(error=LimitError("memory"), seconds=time.process_time())
        data = pickle.dumps(outcome)
    with suppress(OSError):  # the parent has ended
        connection.send_bytes(data)


def _confine(limits: ProcessLimits) -> None:
    """Limit this process, and lower its priority."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the bot, which ends this process when it ends
    gc.freeze()  # imported modules stay shared while they are not changed
    if resource is None:
        return
    os.nice(_NICE)
    for what, limit in (
        (resource.RLIMIT_CPU, math.ceil(limits.seconds)),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        with suppress(ValueError, OSError):  # the system has a stricter one, or none of that kind
            resource.setrlimit(what, (limit, hard))
