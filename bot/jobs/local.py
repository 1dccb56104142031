"""Jobs on threads of this process."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic

from bot.engine.analysis import Meter
from bot.jobs.account import ACCOUNT, Budget, OverBudgetError, Requester
from bot.jobs.queue import (
    BusyError,
    ClosedError,
    JobControl,
    JobQueue,
    Progress,
    Request,
    Result,
    Running,
    StoppedError,
    Ticket,
    Waiting,
)
from bot.observe.metrics import Metrics

STOP_SECONDS: Final = 3.0
"""Maximum seconds to wait for stopped work. Some work, such as compiling, cannot be interrupted."""


@dataclass(frozen=True, slots=True)
class JobLimits:
    """Limits on the number of jobs."""

    max_running: int = 1
    """Each running job may use several threads."""
    max_running_per_server: int = 2
    max_waiting: int = 50


@dataclass(frozen=True, slots=True, eq=False)
class _Job(Generic[Request, Progress, Result]):
    requester: Requester
    request: Request
    ticket: Ticket[Progress, Result]
    account: Requester | None
    """The account that pays for the job, or None if the job is free."""
    prepaid: float
    """Seconds of CPU time charged in advance."""


class LocalJobQueue(JobQueue[Request, Progress, Result]):
    """Runs jobs on threads of this process. ``perform`` should check its :class:`JobControl` often.

    ``name`` labels the jobs in the metrics. The estimated CPU time of a job is charged in advance. When the job ends, the
    difference from the actual CPU time is charged or refunded.
    """

    def __init__(
        self,
        perform: Callable[[Request, JobControl[Progress]], Result],
        limits: JobLimits | None = None,
        *,
        name: str = "",
        budget: Budget | None = None,
        estimate_seconds: Callable[[Request], float] = lambda _: 0.0,
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(metrics)
        self._perform = perform
        self._name = name
        self._limits = limits or JobLimits()
        self._budget = budget or Budget()
        self._estimate_seconds = estimate_seconds
        self._waiting: list[_Job[Request, Progress, Result]] = []
        self._running: dict[_Job[Request, Progress, Result], asyncio.Task[None]] = {}
        self._closed = False

    async def _enqueue(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        open_jobs = (*self._waiting, *self._running)
        if any(job.requester.user_id == requester.user_id and not job.ticket.is_done for job in open_jobs):
            raise BusyError("user")
        if self._closed or len(self._waiting) >= self._limits.max_waiting:
            raise BusyError("full")
        account, prepaid = ACCOUNT.get(), 0.0
        if account is not None:
            try:
                prepaid = self._budget.charge(account, self._estimate_seconds(request))
            except OverBudgetError as error:
                raise BusyError("spent", error.wait_seconds) from None
        job = _Job(requester, request, Ticket[Progress, Result](), account, prepaid)
        job.ticket.when_done(lambda: self._remove_waiting(job))
        self._waiting.append(job)
        self._start_next_jobs()
        return job.ticket

    def stop(self) -> None:
        if self._closed:
            return
        self._closed = True
        for job in list(self._waiting):
            job.ticket.fail(ClosedError())
        for job in self._running:
            job.ticket.stop()
        if self._running:
            asyncio.get_running_loop().call_later(STOP_SECONDS, self._fail_running)

    async def close(self) -> None:
        self.stop()
        for job, task in list(self._running.items()):
            await job.ticket.wait()
            task.cancel()

    def _fail_running(self) -> None:
        for job in self._running:
            job.ticket.fail(ClosedError())

    def _start_next_jobs(self) -> None:
        """Start jobs in order. Skip jobs whose server has reached its limit."""
        running_by_server = Counter(job.requester.server_id for job in self._running)
        for job in list(self._waiting):
            if len(self._running) >= self._limits.max_running:
                break
            server = job.requester.server_id
            if server is not None and running_by_server[server] >= self._limits.max_running_per_server:
                continue
            running_by_server[server] += 1
            self._waiting.remove(job)
            job.ticket.set_state(Running(None))
            self._running[job] = asyncio.create_task(self._run(job))
        for ahead, job in enumerate(self._waiting):
            job.ticket.set_state(Waiting(ahead + len(self._running)))

    def _remove_waiting(self, job: _Job[Request, Progress, Result]) -> None:
        if job in self._waiting:
            self._waiting.remove(job)
            self._settle(job, 0.0)
            if not self._closed:
                self._start_next_jobs()

    def _settle(self, job: _Job[Request, Progress, Result], seconds: float) -> None:
        """Charge or refund the difference from the prepaid time. Any thread may call this method."""
        if job.account is not None:
            self._budget.spend(job.account, seconds - job.prepaid)

    def _work(self, job: _Job[Request, Progress, Result]) -> Result:
        meter = Meter()
        try:
            with meter.measure(), self._metrics.measure_job(self._name):
                return self._perform(job.request, job.ticket.control)
        finally:
            self._settle(job, meter.seconds)

    async def _run(self, job: _Job[Request, Progress, Result]) -> None:
        ticket = job.ticket
        try:
            result = await run_in_own_thread(partial(self._work, job))
        except asyncio.CancelledError:
            ticket.fail(StoppedError())
            raise
        except Exception as error:  # noqa: BLE001 - passed to the waiting caller
            ticket.fail(error)
        else:
            ticket.finish(result)
        finally:
            del self._running[job]
            if not self._closed:
                self._start_next_jobs()


CHECK_SECONDS: Final = 1.0
"""Seconds between checks that a thread is still alive."""


class ThreadDiedError(Exception):
    """A job's thread ended without a result."""


async def run_in_own_thread(work: Callable[[], Result]) -> Result:
    """Run work on a new daemon thread.

    Raises:
        ThreadDiedError: the thread ended without a result, for example because of :exc:`SystemExit`. Ordinary
            exceptions of the work are raised unchanged.

    """
    loop = asyncio.get_running_loop()
    future: Future[Result] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - passed to the waiting caller
            failure = error
            if not isinstance(error, Exception) or isinstance(error, StopIteration):
                # Raise a different error, because SystemExit would end the event loop, and asyncio rejects a StopIteration.
                failure = ThreadDiedError()
                failure.__cause__ = error
            if not loop.is_closed():
                future.set_exception(failure)
        else:
            if not loop.is_closed():
                future.set_result(result)

    thread = threading.Thread(target=run, name="kibitz-job", daemon=True)
    thread.start()
    loop_future = asyncio.wrap_future(future)
    while not loop_future.done():
        await asyncio.wait({loop_future}, timeout=CHECK_SECONDS)
        if not thread.is_alive() and not future.done():
            future.set_exception(ThreadDiedError())
    return loop_future.result()
