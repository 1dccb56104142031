"""The gateway's side of hosted jobs: it submits them, and tells its tickets what becomes of them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

from procrastinate import App
from procrastinate.exceptions import ProcrastinateException

from bot.jobs.account import current_account
from bot.jobs.codec import CodecError
from bot.jobs.hosted import engine
from bot.jobs.kinds import JobKind, LostError, Work, read_error
from bot.jobs.local import JobLimits
from bot.jobs.queue import Asker, BusyError, DetachedError, Running, StoppedError, Ticket, Waiting
from bot.storage.address import PostgresServer
from bot.storage.errors import StoreError
from bot.storage.jobs.means import RefusedError, Spending
from bot.storage.jobs.store import CHANNEL, OPEN, JobStore, JobView, NewJob
from bot.storage.postgres import listen

log = logging.getLogger(__name__)

Request = TypeVar("Request")
Progress = TypeVar("Progress")
Result = TypeVar("Result")

LOOK_SECONDS: Final = 1.0
"""How often jobs are looked at that nothing was told of."""


class HostedTicket(Ticket[Progress, Result]):
    """The ticket of a job in another process."""

    def __init__(self, leave: Callable[[], object]) -> None:
        super().__init__()
        self._leave = leave

    def stop(self) -> None:
        """Wait no longer for the job; it is stopped if nobody else waits for it."""
        if not self.control.is_stopped and not self.is_done:
            self.control.stop()
            self._leave()


@dataclass(slots=True, eq=False)
class _Waiter:
    """Somebody waits for a job."""

    kind: JobKind[Any, Any, Any]
    job_id: int
    user: int
    settle: Callable[[float], None]
    """Told the seconds that it took."""
    ticket: HostedTicket[Any, Any] = None  # type: ignore[assignment]  # it needs this one first
    changes: int = -1


class Feed:
    """Keeps the tickets of this process up to date."""

    def __init__(self, store: JobStore, app: App) -> None:
        self.store = store
        self.app = app
        self._waiters: list[_Waiter] = []
        self._told = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def opened(cls, server: PostgresServer, direct: PostgresServer) -> AsyncIterator[Feed]:
        """Follow the jobs in a database while inside; ``direct`` leads to the server itself, past any pool."""
        async with JobStore.open(server) as store, engine.opened(direct) as app:
            feed = cls(store, app)
            following = [
                asyncio.create_task(listen(direct, CHANNEL, feed.hear)),
                asyncio.create_task(feed.follow()),
            ]
            try:
                yield feed
            finally:
                for task in (*following, *feed._tasks):
                    task.cancel()
                await asyncio.gather(*following, *feed._tasks, return_exceptions=True)

    def hear(self, payload: str) -> None:
        """Hear that a job changed; an empty text: that any may have."""
        if not payload or any(str(waiter.job_id) == payload for waiter in self._waiters):
            self._told.set()

    def watch(
        self, kind: JobKind[Any, Any, Any], job_id: int, user: int, settle: Callable[[float], None]
    ) -> HostedTicket[Any, Any]:
        """Return a ticket for a job."""
        waiter = _Waiter(kind, job_id, user, settle)
        waiter.ticket = HostedTicket(lambda: self._start(self._leave(waiter)))
        self._waiters.append(waiter)
        waiter.ticket.when_done(lambda: self._waiters.remove(waiter))
        self._told.set()
        return waiter.ticket

    async def follow(self) -> None:
        """Look at the jobs whenever something is told of them, and now and then, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS if self._waiters else None):
                    await self._told.wait()
            self._told.clear()
            try:
                await self._look()
            except StoreError as error:
                log.info("jobs cannot be looked at: %s", error)
                await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        waiters = list(self._waiters)
        known: dict[int, int] = {}
        for waiter in waiters:
            known[waiter.job_id] = min(waiter.changes, known.get(waiter.job_id, waiter.changes))
        if not known:
            return
        views, gone = await self.store.look(known)
        by_id = {view.job_id: view for view in views}
        for waiter in waiters:
            if waiter.job_id in gone:
                waiter.ticket.fail(LostError("a job is gone"))
            elif (view := by_id.get(waiter.job_id)) and not waiter.ticket.is_done:
                waiter.changes = view.changes
                try:
                    await self._show(waiter, view)
                except CodecError as error:
                    log.warning("what came of job %d cannot be read: %s", view.job_id, error)
                    waiter.ticket.fail(LostError("what came of a job cannot be read"))

    async def _show(self, waiter: _Waiter, view: JobView) -> None:
        """Tell a ticket how its job stands. Long results are read on threads."""
        ticket, kind = waiter.ticket, waiter.kind
        if view.state not in OPEN:
            waiter.settle(view.seconds)
        if view.state == "waiting":
            ticket.move(Waiting(view.ahead))
        elif view.state == "running":
            progress = None
            if view.progress is not None:
                progress = await asyncio.to_thread(kind.progress.read, view.progress)
            ticket.move(Running(progress))
        elif view.state == "done" and view.result is not None:
            ticket.finish(await asyncio.to_thread(kind.result.read, view.result))
        elif view.state == "stopped":
            ticket.fail(StoppedError())
        else:
            ticket.fail(read_error(view.result or ""))

    def _start(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _leave(self, waiter: _Waiter) -> None:
        try:
            others, task = await self.store.leave(waiter.job_id, waiter.user)
            if others:
                waiter.settle(0.0)
                waiter.ticket.fail(DetachedError())
            elif task is not None:
                await engine.cancel(self.app, task)
        except (StoreError, ProcrastinateException) as error:
            log.warning("job %d cannot be stopped: %s", waiter.job_id, error)
            waiter.ticket.fail(StoppedError())

    def spend(self, spending: Spending, seconds: float) -> None:
        """Charge for seconds that were not paid in advance, or give some back."""
        self._start(self._spend(spending, seconds))

    async def _spend(self, spending: Spending, seconds: float) -> None:
        try:
            await self.store.spend(spending, seconds)
        except StoreError as error:
            log.warning("what a job took is not charged: %s", error)

    def hand_over(self) -> None:
        """End every ticket as if its task were cancelled: the jobs go on, and another process tells what comes of them."""
        for waiter in list(self._waiters):
            waiter.ticket.fail(asyncio.CancelledError())


class HostedJobs(Generic[Request, Progress, Result]):
    """Hands jobs of one kind to workers; see :class:`bot.jobs.queue.Jobs`.

    Equal requests are one job, also of different people and gateways, and results are stored for later requests. Processor
    time is charged in the database, to the account of the job's first request. ``limits`` hold for each worker. ``means`` are the
    seconds of a processor that the jobs of one person, and of one channel, may take in an hour.
    """

    def __init__(
        self,
        feed: Feed,
        work: Work[Request, Progress, Result],
        limits: JobLimits,
        means: tuple[float, float] | None = None,
    ) -> None:
        self._feed = feed
        self._work = work
        self._most = limits.waiting, limits.a_server
        self._means = means
        self._closed = False

    async def submit(self, asker: Asker, request: Request) -> Ticket[Progress, Result]:
        """Queue a job; see :class:`bot.jobs.queue.Jobs`."""
        if self._closed:
            raise BusyError("full")
        spending = self._spending(request)
        try:
            new = await asyncio.to_thread(self._new, asker, request, spending)
            job_id, made = await self._feed.store.submit(
                new, self._most, partial(engine.enqueue, self._feed.app)
            )
        except RefusedError as no:
            raise BusyError(no.reason, no.seconds) from None
        settle = _once(partial(self._settle, spending if made else None))
        return self._feed.watch(self._work.kind, job_id, asker.user, settle)

    def stop(self) -> None:
        """Refuse further jobs; those under way go on, and another process tells what comes of them."""
        self._closed = True
        self._feed.hand_over()

    async def close(self) -> None:
        """Do the same; every ticket has ended then."""
        self.stop()

    def _spending(self, request: Request) -> Spending | None:
        """Return what is to be paid for a request by the account of this task."""
        account = current_account()
        if account is None or self._means is None:
            return None
        seconds = self._work.seconds_of(request)
        return Spending(account.user, account.channel, seconds, *self._means)

    def _new(self, asker: Asker, request: Request, spending: Spending | None) -> NewJob:
        kind = self._work.kind
        written = kind.request.write(request)
        parts = (kind.name, self._work.identity(), written)
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return NewJob(kind.name, digest, written, asker.user, asker.server, spending)

    def _settle(self, spending: Spending | None, seconds: float) -> None:
        if spending is not None:
            self._feed.spend(spending, seconds - spending.seconds)


def _once(work: Callable[[float], None]) -> Callable[[float], None]:
    """Return what does something the first time it is called, and nothing afterwards."""
    left = [work]

    def call(value: float) -> None:
        if left:
            left.pop()(value)

    return call
