"""Jobs: how one is submitted, watched and stopped, wherever it runs."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.jobs.account import Requester
from bot.observe.metrics import Metrics, Refusal
from bot.observe.process import steady_seconds

Request = TypeVar("Request")
Result = TypeVar("Result")
Progress = TypeVar("Progress")


class BusyError(Exception):
    """A job is refused.

    ``reason`` is ``user`` (the user has another job), ``full`` (too many wait; the next one would wait for ``seconds``, 0 if
    unknown) or ``spent`` (the account has too little left; after ``seconds`` it has enough again).
    """

    def __init__(self, reason: Refusal, seconds: float = 0.0) -> None:
        self.reason = reason
        self.seconds = seconds
        super().__init__(f"no job is taken now: {reason}")


class StoppedError(Exception):
    """A job was stopped before it had a result."""


class DetachedError(StoppedError):
    """A user stopped waiting for a job that continues for other users."""


class ClosedError(StoppedError):
    """The queue closed before the job had a result."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job waits; ``ahead`` is the number of jobs before it."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Running(Generic[Progress]):
    """A job runs; ``progress`` is None until the work reports some."""

    progress: Progress | None


class Control(Generic[Progress]):
    """The work's side of a job, on its own thread: it looks here whether to stop, and reports its progress.

    Without ``report``, progress is discarded.
    """

    def __init__(self, report: Callable[[Progress], None] = lambda _: None) -> None:
        self._report = report
        self._stopped = False

    @property
    def is_stopped(self) -> bool:
        """Whether the work should end soon with what it has; check it every few milliseconds."""
        return self._stopped

    def stop(self) -> None:
        """Ask the work to end soon."""
        self._stopped = True

    def report(self, progress: Progress) -> None:
        """Report progress. Cheap: a report replaces an unread one."""
        self._report(progress)


class Ticket(Generic[Progress, Result]):
    """The user's side of a job, on the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.state: Waiting | Running[Progress] = Waiting(0)
        """The current state of the job; :meth:`move` changes it."""
        self._changed = asyncio.Event()
        self._result: asyncio.Future[Result] = self._loop.create_future()
        # No task may be left to receive an error.
        self._result.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.control: Control[Progress] = Control(self._receive)

    def stop(self) -> None:
        """End the job: at once while it waits; while it runs, soon and with the result it has by then."""
        self.control.stop()
        if isinstance(self.state, Waiting):
            self.fail(StoppedError())

    @property
    def is_done(self) -> bool:
        """Whether there is a result or an error."""
        return self._result.done()

    async def result(self) -> Result:
        """Wait for the result.

        Raises:
            StoppedError: the job was stopped before it had one.
            Exception: whatever the work raised.

        """
        return await asyncio.shield(self._result)

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until there is a result or an error, at most for some seconds."""
        await asyncio.wait({self._result}, timeout=seconds)

    async def updates(self) -> AsyncIterator[Waiting | Running[Progress]]:
        """Yield the state now and after each change, until the job is done; a slow reader skips states."""
        while not self.is_done:
            self._changed.clear()
            yield self.state
            await self._changed.wait()

    # The queue's side

    def when_done(self, callback: Callable[[], object]) -> None:
        """Call ``callback`` once there is a result or an error."""
        self._result.add_done_callback(lambda _: callback())

    def move(self, state: Waiting | Running[Progress]) -> None:
        """Set the state of the job."""
        if state != self.state:
            self.state = state
            self._changed.set()

    def finish(self, result: Result) -> None:
        """Hand over the result."""
        if not self._result.done():
            self._result.set_result(result)
            self._changed.set()

    def fail(self, error: BaseException) -> None:
        """Hand over an error."""
        if not self._result.done():
            self._result.set_exception(error)
            self._changed.set()

    def _receive(self, progress: Progress) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.move, Running(progress))


class Jobs(ABC, Generic[Request, Progress, Result]):
    """A queue of jobs, as the services see it. It counts the open tickets of this process.

    :class:`bot.jobs.local.LocalJobs` has threads of this process, :class:`bot.jobs.hosted.gateway.HostedJobs` a database
    and other processes. Nothing above this package knows which of the two it is. Both keep these promises:

    1. A user has one job at a time, a server a few; the others wait in order.
    2. A ticket shows how many jobs are ahead and how far the work is, and stops it.
    3. Closing stops everything, and every ticket ends.
    4. Requests are plain values that can be serialized. A field that takes no part in comparing may get lost.
    5. The ticket of every job ends.
    """

    def __init__(self, metrics: Metrics | None = None) -> None:
        self._metrics = metrics or Metrics()
        self._open: dict[Ticket[Progress, Result], float] = {}

    @property
    def waiting(self) -> int:
        """The number of waiting tickets."""
        return sum(isinstance(ticket.state, Waiting) for ticket in self._open)

    @property
    def running(self) -> int:
        """The number of tickets whose jobs run."""
        return sum(isinstance(ticket.state, Running) for ticket in self._open)

    @property
    def oldest(self) -> float:
        """The seconds that the oldest waiting ticket has waited."""
        since = [when for ticket, when in self._open.items() if isinstance(ticket.state, Waiting)]
        return steady_seconds() - min(since) if since else 0.0

    async def submit(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        """Queue a job.

        Raises:
            BusyError: the user has one already, or too many wait.

        """
        submit_time = steady_seconds()
        try:
            ticket = await self._queue(requester, request)
        except BusyError as busy:
            self._metrics.count("jobs_refused", busy.reason)
            raise
        self._open[ticket] = submit_time
        ticket.when_done(lambda: self._open.pop(ticket, None))
        return ticket

    @abstractmethod
    async def _queue(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        """Queue a job; see :meth:`submit`."""

    @abstractmethod
    def stop(self) -> None:
        """Refuse further jobs, and end every ticket within a few seconds, with what its work has by then.

        Jobs of workers continue, and the tasks that wait for one are cancelled.
        """

    @abstractmethod
    async def close(self) -> None:
        """Stop, and wait until every ticket has ended."""
