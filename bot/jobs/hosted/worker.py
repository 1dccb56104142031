"""Runs hosted jobs on threads, and stores their progress and results."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from procrastinate import App, JobContext
from procrastinate.exceptions import ProcrastinateException
from procrastinate.job_context import AbortReason

from bot.engine.analysis import Meter
from bot.jobs.codec import CodecError
from bot.jobs.hosted import job_engine
from bot.jobs.kinds import Work, encode_error
from bot.jobs.local import run_in_own_thread
from bot.jobs.queue import JobControl, Running, Ticket
from bot.observe.metrics import Metrics
from bot.storage.errors import StoreError
from bot.storage.jobs.store import Attempt, JobStore

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 3
"""Maximum number of attempts at a job, in case the job crashes its worker."""

REPORT_SECONDS: Final = 0.5
"""Minimum seconds between two writes of a job's progress."""

GRACE_SECONDS: Final = 6.0
"""Seconds for which a stopped worker continues its jobs before it hands them back."""

STALLED_JOB_CHECK_SECONDS: Final = 1.0
"""Seconds between checks for jobs of dead workers."""
SWEEP_SECONDS: Final = 60.0

_MAX_STORE_TRIES: Final = 10
_RETRY_SECONDS: Final = 1.0
"""Seconds before a retry if the database does not respond."""


class Worker:
    """Runs jobs, at most ``slots`` at once."""

    def __init__(
        self,
        store: JobStore,
        app: App,
        work_by_kind: Mapping[str, Work[Any, Any, Any]],
        slots: int,
        metrics: Metrics | None = None,
    ) -> None:
        self._store = store
        self._app = app
        self._work_by_kind = work_by_kind
        self._slots = slots
        self._metrics = metrics or Metrics()
        self.running_count = 0
        app.task(
            name=job_engine.TASK_NAME, queue=job_engine.QUEUE_NAME, pass_context=True, retry=job_engine.RETRY
        )(self._run_job)

    async def run(self, stop: asyncio.Event) -> None:
        """Run jobs until ``stop`` is set, then finish them or hand them back within ten seconds."""
        stop_task = asyncio.create_task(stop.wait())
        background_tasks = [
            asyncio.create_task(
                _run_periodically(
                    "the restart of stalled jobs", self._restart_stalled_jobs, STALLED_JOB_CHECK_SECONDS
                )
            ),
            asyncio.create_task(
                _run_periodically("the deletion of old jobs", self._store.sweep, SWEEP_SECONDS)
            ),
        ]
        try:
            while not stop.is_set():
                worker_task = asyncio.create_task(
                    self._app.run_worker_async(
                        queues=[job_engine.QUEUE_NAME],
                        concurrency=self._slots,
                        install_signal_handlers=False,
                        fetch_job_polling_interval=job_engine.FETCH_SECONDS,
                        abort_job_polling_interval=job_engine.HEARTBEAT_SECONDS,
                        update_heartbeat_interval=job_engine.HEARTBEAT_SECONDS,
                        stalled_worker_timeout=job_engine.STALLED_SECONDS,
                        shutdown_graceful_timeout=GRACE_SECONDS,
                        delete_jobs="always",
                    )
                )
                await asyncio.wait({worker_task, stop_task}, return_when=asyncio.FIRST_COMPLETED)
                worker_task.cancel()
                (result,) = await asyncio.gather(worker_task, return_exceptions=True)
                if not stop.is_set():
                    log.warning(
                        "this worker is pausing, because the database doesn't respond: %s",
                        type(result).__name__,
                    )
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), _RETRY_SECONDS)
        finally:
            for task in (stop_task, *background_tasks):
                task.cancel()
            await asyncio.gather(stop_task, *background_tasks, return_exceptions=True)

    async def _restart_stalled_jobs(self) -> None:
        manager = self._app.job_manager
        for job in await manager.get_stalled_jobs(
            queue=job_engine.QUEUE_NAME, seconds_since_heartbeat=job_engine.STALLED_SECONDS
        ):
            job_id = job.task_kwargs.get("job_id")
            if not isinstance(job_id, int) or not await self._store.end_stopping_job(job_id):
                log.warning("restarting job %s of a dead worker", job_id)
            with suppress(ProcrastinateException):  # another worker has already restarted the job
                # If the job was asked to stop, this call ends the job.
                await manager.retry_job(job)

    async def _run_job(self, context: JobContext, job_id: int) -> None:
        try:
            attempt = await self._store.begin(job_id, MAX_ATTEMPTS)
        except StoreError as error:
            log.warning("job %d can't begin: %s", job_id, error)
            raise job_engine.HandedBackError from error
        if attempt is None:
            return
        self.running_count += 1
        try:
            await self._run_attempt(context, attempt)
        finally:
            self.running_count -= 1

    async def _run_attempt(self, context: JobContext, attempt: Attempt) -> None:
        work = self._work_by_kind.get(attempt.kind)
        if work is None:
            log.warning("job %d has the kind %s, which this worker can't run", attempt.job_id, attempt.kind)
            await self._store_outcome(attempt, "failed", "lost", 0.0)
            return
        ticket: Ticket[Any, str] = Ticket()
        control, meter = ticket.control, Meter()
        work_task = asyncio.create_task(
            run_in_own_thread(partial(self._perform, work, attempt.request, control, meter))
        )
        report_task = asyncio.create_task(self._report(work, attempt, ticket))
        try:
            while not work_task.done():
                try:
                    await asyncio.wait({work_task})
                except asyncio.CancelledError:
                    control.stop()
                    # Unless the worker is shutting down, wait for a partial result.
                    if context.abort_reason() is AbortReason.SHUTDOWN:
                        work_task.cancel()
                        await self._store.hand_back(attempt)
                        raise job_engine.HandedBackError from None
        finally:
            report_task.cancel()
        error = work_task.exception()
        if error is None:
            await self._store_outcome(
                attempt, "done", work_task.result(), meter.seconds, complete=not control.must_stop
            )
            return
        reason = encode_error(error)
        if reason == "lost":
            log.error("job %d failed", attempt.job_id, exc_info=error)
        state = "stopped" if reason == "stopped" else "failed"
        await self._store_outcome(attempt, state, reason, meter.seconds)

    def _perform(
        self, work: Work[Any, Any, Any], request: str, control: JobControl[Any], meter: Meter
    ) -> str:
        with meter.measure(), self._metrics.measure_job(work.kind.name):
            return work.kind.result_codec.write(work.perform(work.kind.request_codec.read(request), control))

    async def _store_outcome(
        self, attempt: Attempt, state: str, result: str, seconds: float, *, complete: bool = False
    ) -> None:
        for try_count in range(1, _MAX_STORE_TRIES + 1):
            try:
                if not await self._store.finish(attempt, state, result, seconds, complete=complete):
                    log.info("the outcome of job %d came too late", attempt.job_id)
            except StoreError as error:
                log.warning("the outcome of job %d can't be stored yet: %s", attempt.job_id, error)
                if try_count == _MAX_STORE_TRIES:
                    raise job_engine.HandedBackError from error
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return

    async def _report(self, work: Work[Any, Any, Any], attempt: Attempt, ticket: Ticket[Any, str]) -> None:
        """Store the progress of an attempt. Stop the attempt if a later attempt has begun, or the job is over."""
        async for state in ticket.updates():
            if not isinstance(state, Running):
                continue
            try:
                text = await asyncio.to_thread(work.kind.progress_codec.write, state.progress)
                if not await self._store.report(attempt, text):
                    ticket.control.stop()
            except (StoreError, CodecError) as error:
                log.info("the progress of job %d was not stored: %s", attempt.job_id, error)
            await asyncio.sleep(REPORT_SECONDS)


async def _run_periodically(label: str, work: Callable[[], Awaitable[object]], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except (StoreError, ProcrastinateException) as error:
            log.info("%s is delayed: %s", label, type(error).__name__)
