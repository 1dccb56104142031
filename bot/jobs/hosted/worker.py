"""The worker's side of hosted jobs: it takes them, does them on threads, and tells how far they are and what came of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from procrastinate import App, JobContext
from procrastinate.exceptions import ProcrastinateException
from procrastinate.job_context import AbortReason

from bot.engine.analysis import Meter
from bot.jobs.codec import CodecError
from bot.jobs.hosted import engine
from bot.jobs.kinds import Work, write_error
from bot.jobs.local import in_own_thread
from bot.jobs.queue import Control
from bot.observe.metrics import Metrics
from bot.storage.errors import StoreError
from bot.storage.jobs.store import Attempt, JobStore

log = logging.getLogger(__name__)

ATTEMPTS: Final = 3
"""A job that so many workers died of is given up."""

REPORT_SECONDS: Final = 0.5
"""How often progress is written at most."""

GRACE_SECONDS: Final = 6.0
"""How long a worker that is told to end goes on with its jobs, before it hands them back."""

RESCUE_SECONDS: Final = 1.0
"""How often workers look for jobs of those that died."""
SWEEP_SECONDS: Final = 60.0

_KEEP_TRIES: Final = 10
_KEEP_PAUSE: Final = 1.0
_PAUSE: Final = 1.0


@dataclass(slots=True)
class _Watch:
    """The latest progress of a job."""

    loop: asyncio.AbstractEventLoop
    progress: object = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def report(self, progress: object) -> None:
        """Take note of progress, on any thread."""
        self.progress = progress
        with suppress(RuntimeError):  # closed: nobody asks any more
            self.loop.call_soon_threadsafe(self.changed.set)


class Worker:
    """Does jobs, ``slots`` at once."""

    def __init__(
        self,
        store: JobStore,
        app: App,
        works: Mapping[str, Work[Any, Any, Any]],
        slots: int,
        metrics: Metrics | None = None,
    ) -> None:
        self._store = store
        self._app = app
        self._works = works
        self._slots = slots
        self._metrics = metrics or Metrics()
        self.running = 0
        """How many jobs it does now."""
        app.task(name=engine.TASK, queue=engine.QUEUE, pass_context=True, retry=engine.RETRY)(self._do)

    async def run(self, stop: asyncio.Event) -> None:
        """Do jobs until ``stop`` is set; then finish them, or hand them back within ten seconds."""
        stopping = asyncio.create_task(stop.wait())
        helping = [
            asyncio.create_task(_again_and_again(self._rescue, RESCUE_SECONDS)),
            asyncio.create_task(_again_and_again(self._store.sweep, SWEEP_SECONDS)),
        ]
        try:
            while not stop.is_set():
                working = asyncio.create_task(self._work_on())
                await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
                working.cancel()
                (ended,) = await asyncio.gather(working, return_exceptions=True)
                if not stop.is_set():
                    log.warning(
                        "out of work for a moment, the database does not answer: %s", type(ended).__name__
                    )
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), _PAUSE)
        finally:
            for task in (stopping, *helping):
                task.cancel()
            await asyncio.gather(stopping, *helping, return_exceptions=True)

    async def _work_on(self) -> None:
        await self._app.run_worker_async(
            queues=[engine.QUEUE],
            concurrency=self._slots,
            install_signal_handlers=False,
            fetch_job_polling_interval=engine.FETCH_SECONDS,
            abort_job_polling_interval=engine.HEARTBEAT_SECONDS,
            update_heartbeat_interval=engine.HEARTBEAT_SECONDS,
            stalled_worker_timeout=engine.STALLED_SECONDS,
            shutdown_graceful_timeout=GRACE_SECONDS,
            delete_jobs="always",
        )

    async def _rescue(self) -> None:
        """Let the jobs of workers that died begin again."""
        manager = self._app.job_manager
        for job in await manager.get_stalled_jobs(
            queue=engine.QUEUE, seconds_since_heartbeat=engine.STALLED_SECONDS
        ):
            job_id = job.task_kwargs.get("job_id")
            if not isinstance(job_id, int) or not await self._store.end_stopped(job_id):
                log.warning("job %s of a worker that died begins again", job_id)
            with suppress(ProcrastinateException):  # another worker was quicker
                # Of what was to be stopped the engine makes an end.
                await manager.retry_job(job)

    async def _do(self, context: JobContext, job_id: int) -> None:
        """Do one job, as the engine hands it out."""
        try:
            attempt = await self._store.begin(job_id, ATTEMPTS)
        except StoreError as error:
            log.warning("job %d cannot be begun: %s", job_id, error)
            raise engine.HandedBackError from error
        if attempt is None:
            return
        self.running += 1
        try:
            await self._attempt(context, attempt)
        finally:
            self.running -= 1

    async def _attempt(self, context: JobContext, attempt: Attempt) -> None:
        work = self._works.get(attempt.kind)
        if work is None:
            log.warning("job %d is a %s, which is not done here", attempt.job_id, attempt.kind)
            await self._keep(attempt, "failed", "lost", 0.0)
            return
        watch = _Watch(asyncio.get_running_loop())
        control: Control[Any] = Control(watch.report)
        meter = Meter()
        doing = asyncio.create_task(
            in_own_thread("kibitz-job", partial(self._perform, work, attempt.request, control, meter))
        )
        reporting = asyncio.create_task(self._report(work, attempt, watch, control))
        try:
            while not doing.done():
                try:
                    await asyncio.wait({doing})
                except asyncio.CancelledError:
                    control.stop()
                    if context.abort_reason() is AbortReason.SHUTDOWN:
                        doing.cancel()
                        await self._store.hand_back(attempt)
                        raise engine.HandedBackError from None
        finally:
            reporting.cancel()
        error = doing.exception()
        if error is None:
            await self._keep(attempt, "done", doing.result(), meter.seconds, stopped=control.is_stopped)
            return
        reason = write_error(error)
        if reason == "lost":
            log.error("job %d failed", attempt.job_id, exc_info=error)
        state = "stopped" if reason == "stopped" else "failed"
        await self._keep(attempt, state, reason, meter.seconds)

    def _perform(self, work: Work[Any, Any, Any], request: str, control: Control[Any], meter: Meter) -> str:
        """Do a job from its written request to its written result, on its thread."""
        with meter.running(), self._metrics.job(work.kind.name):
            return work.kind.result.write(work.perform(work.kind.request.read(request), control))

    async def _keep(
        self, attempt: Attempt, state: str, result: str, seconds: float, *, stopped: bool = False
    ) -> None:
        """Keep what came of a job, also when the database is away for a moment."""
        for tries in range(1, _KEEP_TRIES + 1):
            try:
                if not await self._store.finish(attempt, state, result, seconds, stopped=stopped):
                    log.info("job %d was begun anew elsewhere", attempt.job_id)
            except StoreError as error:
                log.warning("what came of job %d cannot be kept yet: %s", attempt.job_id, error)
                if tries == _KEEP_TRIES:
                    raise engine.HandedBackError from error
                await asyncio.sleep(_KEEP_PAUSE)
            else:
                return

    async def _report(
        self, work: Work[Any, Any, Any], attempt: Attempt, watch: _Watch, control: Control[Any]
    ) -> None:
        """Tell how far a job is; stop it when it is no longer ours."""
        while True:
            await watch.changed.wait()
            watch.changed.clear()
            try:
                text = await asyncio.to_thread(work.kind.progress.write, watch.progress)
                if not await self._store.report(attempt, text):
                    control.stop()
            except (StoreError, CodecError) as error:
                log.info("how far job %d is was not told: %s", attempt.job_id, error)
            await asyncio.sleep(REPORT_SECONDS)


async def _again_and_again(work: Callable[[], Awaitable[object]], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except (StoreError, ProcrastinateException) as error:
            log.info("%s has to wait: %s", getattr(work, "__name__", "housekeeping"), type(error).__name__)
