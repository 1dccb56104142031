"""The interface for submitting, watching and stopping jobs."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bot.jobs.account import Requester
from bot.observe.metrics import Metrics, Refusal

Request = TypeVar("Request")
Result = TypeVar("Result")
Progress = TypeVar("Progress")


class BusyError(Exception):
    """A queue refused a job.

    ``reason`` is one of these:

    - ``user``: the user already has an unfinished job of this kind.
    - ``full``: too many jobs are waiting, or the queue is closed. ``wait_seconds`` is the expected wait, or 0 if it is unknown.
    - ``spent``: the account has too little CPU time left. It will have enough in ``wait_seconds``.
    """

    def __init__(self, reason: Refusal, wait_seconds: float = 0.0) -> None:
        self.reason = reason
        self.wait_seconds = wait_seconds
        super().__init__(f"job refused: {reason}")


class StoppedError(Exception):
    """A job was stopped before it had a result."""


class DetachedError(StoppedError):
    """A user stopped waiting for a job that continues for other users."""


class ClosedError(StoppedError):
    """The queue closed before the job had a result."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job is waiting behind ``jobs_ahead`` other jobs."""

    jobs_ahead: int


@dataclass(frozen=True, slots=True)
class Running(Generic[Progress]):
    """A job is running. ``progress`` is None before the first report."""

    progress: Progress | None


@dataclass(slots=True, eq=False)
class JobControl(Generic[Progress]):
    """Lets a job report its progress and check whether to stop."""

    report: Callable[[Progress], None] = lambda _: None
    """Reports progress, replacing any unread report."""
    must_stop: bool = False
    """Whether the work should end soon with a partial result. Check it every few milliseconds."""

    def stop(self) -> None:
        """Ask the work to end soon."""
        self.must_stop = True


class Ticket(Generic[Progress, Result]):
    """Lets a task on the event loop watch a job, stop it, and wait for its result."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.state: Waiting | Running[Progress] = Waiting(0)
        self._changed = asyncio.Event()
        self._result: asyncio.Future[Result] = self._loop.create_future()
        # Without this callback, asyncio logs an error if no task waits for the result.
        self._result.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.control: JobControl[Progress] = JobControl(self._receive)

    def stop(self) -> None:
        """End a waiting job immediately. Ask a running job to end soon with a partial result."""
        self.control.stop()
        if isinstance(self.state, Waiting):
            self.fail(StoppedError())

    @property
    def is_done(self) -> bool:
        return self._result.done()

    async def result(self) -> Result:
        """Wait for the result.

        Raises:
            StoppedError: the job was stopped before it had a result.
            Exception: an error raised by the work.

        """
        return await asyncio.shield(self._result)

    async def wait(self, seconds: float | None = None) -> None:
        """Wait for a result or an error, for at most ``seconds``."""
        await asyncio.wait({self._result}, timeout=seconds)

    async def updates(self) -> AsyncIterator[Waiting | Running[Progress]]:
        """Yield the state now and after each change, until the job is done. A slow reader skips states."""
        while not self.is_done:
            self._changed.clear()
            yield self.state
            await self._changed.wait()

    # The following methods are for the job queues.

    def when_done(self, callback: Callable[[], object]) -> None:
        self._result.add_done_callback(lambda _: callback())

    def set_state(self, state: Waiting | Running[Progress]) -> None:
        if state != self.state:
            self.state = state
            self._changed.set()

    def finish(self, result: Result) -> None:
        if not self._result.done():
            self._result.set_result(result)
            self._changed.set()

    def fail(self, error: BaseException) -> None:
        if not self._result.done():
            self._result.set_exception(error)
            self._changed.set()

    def _receive(self, progress: Progress) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.set_state, Running(progress))


class JobQueue(ABC, Generic[Request, Progress, Result]):
    """A queue of jobs, which run on threads of this process or in other processes.

    Every queue guarantees:

    1. A user has at most one unfinished job in the queue. Only a few of a Discord server's jobs run at once. The others wait in order.
    2. A ticket shows how many jobs are ahead, shows progress, and can stop the job.
    3. Every ticket ends, even if its worker dies.
    4. Requests are plain values that can be serialized. Fields with ``compare=False`` may be lost.
    """

    def __init__(self, metrics: Metrics | None = None) -> None:
        self._metrics = metrics or Metrics()
        self._submit_times: dict[Ticket[Progress, Result], float] = {}

    def count(self, state: type[Waiting | Running[Any]]) -> int:
        return sum(isinstance(ticket.state, state) for ticket in self._submit_times)

    @property
    def longest_wait(self) -> float:
        """The longest current wait of a job, in seconds."""
        submit_times = [
            when for ticket, when in self._submit_times.items() if isinstance(ticket.state, Waiting)
        ]
        return time.monotonic() - min(submit_times) if submit_times else 0.0

    async def submit(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        """Queue a job.

        Raises:
            BusyError: the queue refused the job.

        """
        submit_time = time.monotonic()
        try:
            ticket = await self._enqueue(requester, request)
        except BusyError as busy:
            self._metrics.count("jobs_refused", busy.reason)
            raise
        self._submit_times[ticket] = submit_time
        ticket.when_done(lambda: self._submit_times.pop(ticket, None))
        return ticket

    @abstractmethod
    async def _enqueue(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        """Queue a job for :meth:`submit`, which documents the errors."""

    @abstractmethod
    def stop(self) -> None:
        """Refuse further jobs, and end every ticket within a few seconds.

        Jobs on threads of this process end early, with a partial result if there is one. Jobs in workers continue, but this process
        no longer waits for them.
        """

    async def close(self) -> None:
        """Stop, and wait until every ticket has ended."""
        self.stop()
