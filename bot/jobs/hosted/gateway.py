"""Submits hosted jobs, and updates their tickets."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from procrastinate import App
from procrastinate.exceptions import ProcrastinateException

from bot.jobs.account import ACCOUNT, Requester
from bot.jobs.codec import CodecError
from bot.jobs.hosted import job_engine
from bot.jobs.kinds import JobFailedError, JobKind, Work, decode_error
from bot.jobs.local import JobLimits
from bot.jobs.queue import (
    BusyError,
    DetachedError,
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
from bot.storage.address import PostgresServer
from bot.storage.errors import StoreError
from bot.storage.jobs.allowances import JobRefusedError, Spending
from bot.storage.jobs.store import NOTIFICATION_CHANNEL, OPEN_STATES, JobStore, JobView, NewJob
from bot.storage.postgres import listen

log = logging.getLogger(__name__)

QUERY_SECONDS: Final = 1.0
"""Seconds between queries for changed jobs if no notification arrives."""


class HostedTicket(Ticket[Any, Any]):
    """A ticket for a job in another process.

    ``prepaid`` is the CPU time charged in advance, or None if nothing was charged.
    """

    def __init__(
        self,
        follower: JobFollower,
        kind: JobKind[Any, Any, Any],
        job_id: int,
        user_id: int,
        prepaid: Spending | None,
    ) -> None:
        super().__init__()
        self.kind = kind
        self.job_id = job_id
        self.user_id = user_id
        self.shown_change_count = -1
        """The number of changes that the ticket shows, or -1 before the first update."""
        self._follower = follower
        self._prepaid = prepaid

    def stop(self) -> None:
        """Stop waiting. If no other user is waiting for the job, stop the job."""
        if not self.control.must_stop and not self.is_done:
            self.control.stop()
            self._follower.spawn(self._follower.leave(self))

    def settle(self, seconds: float) -> None:
        """Charge for the CPU seconds that were not prepaid, or refund the unused seconds.

        Without a prepayment, and after the first call, do nothing.
        """
        prepaid, self._prepaid = self._prepaid, None
        if prepaid is not None:
            self._follower.spawn(self._follower.spend(prepaid, seconds - prepaid.seconds))


class JobFollower:
    """Follows the jobs in the database, and updates the tickets of this process."""

    def __init__(self, store: JobStore, app: App) -> None:
        self.store = store
        self.app = app
        self.tickets: list[HostedTicket] = []
        self._notified = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, server: PostgresServer, direct_server: PostgresServer) -> AsyncIterator[JobFollower]:
        """Follow the jobs. ``direct_server`` is the address of the server itself, not of a connection pooler."""
        async with JobStore.open(server) as store, job_engine.open_app(direct_server) as app:
            follower = cls(store, app)
            follower.spawn(listen(direct_server, NOTIFICATION_CHANNEL, follower.receive_notification))
            follower.spawn(follower.follow())
            try:
                yield follower
            finally:
                for task in follower._tasks:
                    task.cancel()
                await asyncio.gather(*follower._tasks, return_exceptions=True)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background until the follower closes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def receive_notification(self, payload: str) -> None:
        """Receive the id of a changed job; an empty ``payload`` means any job."""
        if not payload or any(str(ticket.job_id) == payload for ticket in self.tickets):
            self._notified.set()

    def watch(self, ticket: HostedTicket) -> None:
        self.tickets.append(ticket)
        ticket.when_done(lambda: self.tickets.remove(ticket))
        self._notified.set()

    async def follow(self) -> None:
        """Query the jobs after each notification, and at least every :data:`QUERY_SECONDS` while tickets are open."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(QUERY_SECONDS if self.tickets else None):
                    await self._notified.wait()
            self._notified.clear()
            try:
                await self._update_tickets()
            except StoreError as error:
                log.info("jobs can't be queried: %s", error)
                await asyncio.sleep(QUERY_SECONDS)

    async def _update_tickets(self) -> None:
        tickets = list(self.tickets)
        seen_change_counts: dict[int, int] = {}
        for ticket in tickets:
            seen_change_counts[ticket.job_id] = min(
                ticket.shown_change_count, seen_change_counts.get(ticket.job_id, ticket.shown_change_count)
            )
        if not seen_change_counts:
            return
        views, deleted_ids = await self.store.changed_jobs(seen_change_counts)
        views_by_id = {view.job_id: view for view in views}
        for ticket in tickets:
            if ticket.job_id in deleted_ids:
                ticket.fail(JobFailedError("a job has been deleted"))
            elif (view := views_by_id.get(ticket.job_id)) and not ticket.is_done:
                ticket.shown_change_count = view.change_count
                try:
                    await self._update_ticket(ticket, view)
                except CodecError as error:
                    log.warning("the result of job %d can't be read: %s", view.job_id, error)
                    ticket.fail(JobFailedError("the result of a job can't be read"))

    async def _update_ticket(self, ticket: HostedTicket, view: JobView) -> None:
        """Update a ticket. Progress and results may be long, so they are parsed on another thread."""
        if view.state not in OPEN_STATES:
            ticket.settle(view.seconds)
        if view.state == "waiting":
            ticket.set_state(Waiting(view.jobs_ahead))
        elif view.state == "running":
            progress = None
            if view.progress is not None:
                progress = await asyncio.to_thread(ticket.kind.progress_codec.read, view.progress)
            ticket.set_state(Running(progress))
        elif view.state == "done" and view.result is not None:
            ticket.finish(await asyncio.to_thread(ticket.kind.result_codec.read, view.result))
        elif view.state == "stopped":
            ticket.fail(StoppedError())
        else:
            ticket.fail(decode_error(view.result or ""))

    async def leave(self, ticket: HostedTicket) -> None:
        try:
            has_other_users, task_id = await self.store.leave(ticket.job_id, ticket.user_id)
            if has_other_users:
                ticket.settle(0.0)
                ticket.fail(DetachedError())
            elif task_id is not None:
                # If the task is already running, this asks its worker to stop.
                await asyncio.shield(
                    self.app.job_manager.cancel_job_by_id_async(task_id, abort=True, delete_job=True)
                )
        except (StoreError, ProcrastinateException) as error:
            log.warning("job %d can't be stopped: %s", ticket.job_id, error)
            ticket.fail(StoppedError())

    async def spend(self, spending: Spending, seconds: float) -> None:
        try:
            await self.store.spend(spending, seconds)
        except StoreError as error:
            log.warning("the CPU time of a job was not charged: %s", error)


class HostedJobQueue(JobQueue[Request, Progress, Result]):
    """Hands jobs of one kind to workers.

    Identical requests share one job, even across users and gateways, and later requests get the stored result. The account of the
    first request is charged. At most ``limits.max_waiting`` jobs wait per worker. ``limits.max_running_per_server`` applies to all
    workers together. ``allowances`` are the CPU seconds per hour for each user and for each channel.
    """

    def __init__(
        self,
        follower: JobFollower,
        work: Work[Request, Progress, Result],
        limits: JobLimits,
        allowances: tuple[float, float] | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        super().__init__(metrics)
        self._follower = follower
        self._work = work
        self._limits = limits.max_waiting, limits.max_running_per_server
        self._allowances = allowances
        self._closed = False

    async def _enqueue(self, requester: Requester, request: Request) -> Ticket[Progress, Result]:
        if self._closed:
            raise BusyError("full")
        kind, account, spending = self._work.kind, ACCOUNT.get(), None
        if account is not None and self._allowances is not None:
            spending = Spending(
                account.user_id, account.channel_id, self._work.estimate_seconds(request), *self._allowances
            )

        def prepare_job() -> NewJob:
            request_text = kind.request_codec.write(request)
            parts = (kind.name, self._work.result_version(), request_text)
            digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
            return NewJob(kind.name, digest, request_text, requester.user_id, requester.server_id, spending)

        try:
            job_id, is_new = await self._follower.store.submit(
                await asyncio.to_thread(prepare_job),
                self._limits,
                partial(job_engine.enqueue, self._follower.app),
            )
        except JobRefusedError as error:
            raise BusyError(error.reason, error.seconds) from None
        ticket = HostedTicket(self._follower, kind, job_id, requester.user_id, spending if is_new else None)
        self._follower.watch(ticket)
        return ticket

    def stop(self) -> None:
        """Refuse further jobs, and end all tickets. The jobs continue."""
        self._closed = True
        for ticket in list(self._follower.tickets):
            ticket.fail(asyncio.CancelledError())
