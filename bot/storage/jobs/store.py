"""Jobs that gateways (processes connected to Discord) submit to workers through PostgreSQL.

Users who submit the same digest share one job. Each time a worker begins a job, a new attempt starts. Only the latest attempt
may store progress and results.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import and_, case, delete, exists, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.address import PostgresServer
from bot.storage.database import BaseStore, Database, count, insert_missing, reads, writes
from bot.storage.jobs import allowances
from bot.storage.jobs.allowances import JobRefusedError, Spending
from bot.storage.tables import job_askers, jobs

NOTIFICATION_CHANNEL: Final = "kibitz_jobs"
"""The PostgreSQL notification channel for jobs. Each notification contains the id of a changed job."""
COMPLETE_RESULT_LIFETIME: Final = timedelta(days=1)
"""Lifetime of a complete result, which is also returned for identical requests."""
PARTIAL_RESULT_LIFETIME: Final = timedelta(minutes=20)
"""Lifetime of a partial result or an error."""
OPEN_JOB_LIFETIME: Final = timedelta(minutes=15)
"""Maximum time that a job may spend waiting and running. After that, Discord no longer accepts a response to the interaction."""
OPEN_STATES: Final = ("waiting", "running")

_SUBMIT_LOCK: Final = 0x6B69_6A6F
"""A lock that makes submissions run one after another."""
_SWEEP_LOCK: Final = 0x6B69_6A73
_NOW: Final = func.clock_timestamp()
"""The database server's current time. ``now()`` would return the start of the transaction, which may have waited for a lock."""
_RECENT_JOB_COUNT: Final = 50
"""Number of recent jobs whose mean duration is used to estimate a wait."""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to submit."""

    kind: str
    digest: str
    """The SHA-256 of everything that the result depends on, in hexadecimal."""
    request: str
    user_id: int
    guild_id: int | None
    spending: Spending | None = None
    """The CPU time to charge in advance; None for a free job."""


@dataclass(frozen=True, slots=True)
class JobView:
    """The state of a job."""

    job_id: int
    state: str
    """``waiting``, ``running``, ``done``, ``failed`` or ``stopped``."""
    change_count: int
    """The number of changes so far."""
    jobs_ahead: int
    """The number of open jobs ahead of this job while it waits, otherwise 0."""
    progress: str | None
    result: str | None
    """The result, or the error if the job failed."""
    seconds: float
    """CPU time taken."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A worker's attempt at a job."""

    job_id: int
    number: int
    kind: str
    request: str


Enqueue = Callable[[Any, int, str, int], Awaitable[int]]
"""Hands a job to Procrastinate in the current transaction, and returns the id of Procrastinate's task. The arguments are the
driver's connection, and the job's id, lane and priority. The jobs in a lane run one after another."""


class JobStore(BaseStore):
    """Stores jobs. All times come from the clock of the database server."""

    @classmethod
    @asynccontextmanager
    async def open(cls, server: PostgresServer) -> AsyncIterator[JobStore]:
        """Open the database. Its schema must be up to date."""
        async with Database.open(server) as database:
            yield cls(database)

    # For gateways

    @writes
    async def submit(
        self, connection: AsyncConnection, new: NewJob, queue_limits: tuple[int, int], enqueue: Enqueue
    ) -> tuple[int, bool]:
        """Submit a job, or join an identical job that is open or has a complete result. Return the job's id, and whether it is new.

        ``queue_limits`` are the maximum number of waiting jobs per worker, and the number of lanes per Discord server.

        Raises:
            JobRefusedError: the job is refused.

        """
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _SUBMIT_LOCK})
        is_open = and_(jobs.c.state.in_(OPEN_STATES), ~jobs.c.stopping)
        is_stored = and_(jobs.c.state == "done", jobs.c.whole, jobs.c.expires > _NOW)
        existing_query = (
            select(jobs.c.job_id, jobs.c.state)
            .where(jobs.c.digest == new.digest, jobs.c.kind == new.kind, or_(is_open, is_stored))
            .order_by(jobs.c.job_id.desc())
            .limit(1)
            # The job must not end before the user is stored as waiting for it.
            .with_for_update()
        )
        existing_job = (await connection.execute(existing_query)).one_or_none()
        if existing_job is not None and existing_job.state == "done":
            return existing_job.job_id, False
        user_job_id = await connection.scalar(
            select(job_askers.c.job_id).where(
                job_askers.c.user_id == new.user_id, job_askers.c.kind == new.kind
            )
        )
        if user_job_id is not None and (existing_job is None or existing_job.job_id != user_job_id):
            raise JobRefusedError("user")
        job_id = (
            await _add(connection, new, queue_limits, enqueue)
            if existing_job is None
            else existing_job.job_id
        )
        await insert_missing(connection, job_askers, user_id=new.user_id, kind=new.kind, job_id=job_id)
        return job_id, existing_job is None

    @writes
    async def spend(self, connection: AsyncConnection, spending: Spending, seconds: float) -> None:
        await allowances.spend(connection, spending, seconds)

    @writes
    async def leave(self, connection: AsyncConnection, job_id: int, user_id: int) -> tuple[bool, int | None]:
        """End a user's wait for a job. If no other user is waiting, stop the job.

        Return whether other users are waiting, and the id of Procrastinate's task to cancel, if any.
        """
        # The job is locked first, as in _end: in a different order, two transactions could deadlock.
        row = (
            await connection.execute(
                select(jobs.c.state, jobs.c.task).where(jobs.c.job_id == job_id).with_for_update()
            )
        ).one_or_none()
        await connection.execute(
            delete(job_askers).where(job_askers.c.job_id == job_id, job_askers.c.user_id == user_id)
        )
        if row is None or row.state not in OPEN_STATES:
            return False, None
        if await connection.scalar(select(exists().where(job_askers.c.job_id == job_id))):
            return True, None
        values: dict[str, object] = {"stopping": True}
        if row.state == "waiting":
            values |= {"state": "stopped", "ended": _NOW, "changes": jobs.c.changes + 1}
        await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(values))
        await _notify(connection, job_id)
        return False, row.task

    @reads
    async def changed_jobs(
        self, connection: AsyncConnection, seen_change_counts: Mapping[int, int]
    ) -> tuple[tuple[JobView, ...], frozenset[int]]:
        """Return the given jobs that are waiting or have changed, and the ids of deleted jobs.

        ``seen_change_counts`` maps each job's id to the number of changes that the caller has seen.
        """
        rows = await connection.execute(
            select(jobs.c.job_id, jobs.c.changes).where(jobs.c.job_id.in_(seen_change_counts))
        )
        current_change_counts: dict[int, int] = {row.job_id: row.changes for row in rows}
        changed_ids = [
            job_id
            for job_id, changes in current_change_counts.items()
            if changes > seen_change_counts[job_id]
        ]
        other_jobs = jobs.alias()
        ahead_count = (
            select(func.count())
            .select_from(other_jobs)
            .where(
                other_jobs.c.state.in_(OPEN_STATES),
                or_(other_jobs.c.state == "running", other_jobs.c.job_id < jobs.c.job_id),
            )
            .scalar_subquery()
        )
        views = await connection.execute(
            select(
                jobs.c.job_id,
                jobs.c.state,
                jobs.c.changes.label("change_count"),
                case((jobs.c.state == "waiting", ahead_count), else_=0).label("jobs_ahead"),
                jobs.c.progress,
                jobs.c.result,
                jobs.c.seconds,
            ).where(
                or_(
                    jobs.c.job_id.in_(changed_ids),
                    and_(jobs.c.job_id.in_(current_change_counts), jobs.c.state == "waiting"),
                )
            )
        )
        return tuple(JobView(**row) for row in views.mappings()), frozenset(
            seen_change_counts.keys() - current_change_counts.keys()
        )

    # For workers

    @writes
    async def begin(self, connection: AsyncConnection, job_id: int, max_attempts: int) -> Attempt | None:
        """Begin an attempt at a job. Return None if the job is over.

        A job that is being stopped, or has had ``max_attempts`` attempts, is ended instead.
        """
        row = (
            await connection.execute(
                select(jobs.c.state, jobs.c.stopping, jobs.c.attempt)
                .where(jobs.c.job_id == job_id)
                .with_for_update()
            )
        ).one_or_none()
        if row is None or row.state not in OPEN_STATES:
            return None
        if row.stopping or row.attempt >= max_attempts:
            await _end(
                connection, jobs.c.job_id == job_id, "stopped" if row.stopping else "failed", None, 0.0
            )
            return None
        statement = (
            update(jobs)
            .where(jobs.c.job_id == job_id)
            .values(
                state="running",
                attempt=jobs.c.attempt + 1,
                changes=jobs.c.changes + 1,
                begun=_NOW,
                progress=None,
            )
            .returning(jobs.c.job_id, jobs.c.attempt.label("number"), jobs.c.kind, jobs.c.request)
        )
        attempt = Attempt(**(await connection.execute(statement)).mappings().one())
        await _notify(connection, job_id)
        return attempt

    @writes
    async def report(self, connection: AsyncConnection, attempt: Attempt, progress: str) -> bool:
        """Store the progress of an attempt. Return False if a later attempt has begun, or the job is over."""
        return await _change(connection, attempt, {"progress": progress})

    @writes
    async def finish(
        self,
        connection: AsyncConnection,
        attempt: Attempt,
        state: str,
        result: str | None,
        seconds: float,
        *,
        complete: bool,
    ) -> bool:
        """Store a result, which is partial unless ``complete`` is set. Return False if a later attempt has begun, or the job is over."""
        return await _end(connection, _is_current(attempt), state, result, seconds, complete=complete)

    @writes
    async def hand_back(self, connection: AsyncConnection, attempt: Attempt) -> None:
        """Put a job back into the queue, as if this attempt had not begun."""
        await _change(
            connection, attempt, {"state": "waiting", "attempt": jobs.c.attempt - 1, "progress": None}
        )

    @writes
    async def end_stopping_job(self, connection: AsyncConnection, job_id: int) -> bool:
        """End a job whose worker died before stopping the job. Return False if the job was not being stopped."""
        return await _end(
            connection,
            and_(jobs.c.job_id == job_id, jobs.c.state == "running", jobs.c.stopping),
            "stopped",
            None,
            0.0,
        )

    @writes
    async def sweep(self, connection: AsyncConnection) -> None:
        """End jobs that have been open too long. Delete expired jobs and unused allowances."""
        if not await connection.scalar(
            text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": _SWEEP_LOCK}
        ):
            return  # another process is sweeping
        await _end(
            connection, and_(jobs.c.state.in_(OPEN_STATES), jobs.c.expires < _NOW), "failed", None, 0.0
        )
        await allowances.sweep(connection)
        await connection.execute(delete(jobs).where(jobs.c.state.not_in(OPEN_STATES), jobs.c.expires < _NOW))


async def _add(
    connection: AsyncConnection, new: NewJob, queue_limits: tuple[int, int], enqueue: Enqueue
) -> int:
    waiting_count = await count(connection, jobs.c.state == "waiting")
    worker_count = await connection.scalar(
        text(
            "SELECT count(*) FROM procrastinate.procrastinate_workers WHERE last_heartbeat > now() - interval '10 s'"
        )
    )
    if waiting_count >= queue_limits[0] * max(1, worker_count or 0):
        raise JobRefusedError("full", await _estimate_wait_seconds(connection, waiting_count))
    if new.spending is not None:
        await allowances.charge(connection, new.spending)
    lane, open_count = await _choose_lane(connection, new, queue_limits[1])
    statement = (
        jobs.insert()
        .values(
            kind=new.kind,
            digest=new.digest,
            request=new.request,
            guild_id=new.guild_id,
            lane=lane,
            state="waiting",
            stopping=False,
            whole=False,
            attempt=0,
            changes=0,
            seconds=0.0,
            queued=_NOW,
            expires=_NOW + OPEN_JOB_LIFETIME,
        )
        .returning(jobs.c.job_id)
    )
    job_id: int = (await connection.execute(statement)).scalar_one()
    raw_connection = await connection.get_raw_connection()
    # The more open jobs a server has, the lower the priority of its next job.
    task = await enqueue(raw_connection.driver_connection, job_id, lane, -open_count)
    await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(task=task))
    return job_id


async def _choose_lane(connection: AsyncConnection, new: NewJob, lane_count: int) -> tuple[str, int]:
    """Return the server's lane with the fewest open jobs, and the number of the server's open jobs.

    Outside a server, return the user's lane and 0.
    """
    if new.guild_id is None:
        return f"user:{new.user_id}", 0
    rows = await connection.execute(
        select(jobs.c.lane, func.count())
        .where(jobs.c.state.in_(OPEN_STATES), jobs.c.guild_id == new.guild_id)
        .group_by(jobs.c.lane)
    )
    open_count_by_lane: dict[str, int] = {row.lane: row[1] for row in rows}
    names = [f"server:{new.guild_id}:{number}" for number in range(lane_count)]
    return min(names, key=lambda name: open_count_by_lane.get(name, 0)), sum(open_count_by_lane.values())


async def _estimate_wait_seconds(connection: AsyncConnection, waiting_count: int) -> float:
    """Estimate how long a new job would wait. Jobs wait only while all workers are busy, so the running jobs show the capacity."""
    running_count = await count(connection, jobs.c.state == "running")
    recent_jobs = (
        select(func.extract("epoch", jobs.c.ended - jobs.c.begun).label("took"))
        .where(jobs.c.state == "done", jobs.c.begun.is_not(None))
        .order_by(jobs.c.job_id.desc())
        .limit(_RECENT_JOB_COUNT)
        .subquery()
    )
    mean_seconds = await connection.scalar(select(func.avg(recent_jobs.c.took)))
    return float(mean_seconds or 0.0) * waiting_count / max(1, running_count)


async def _notify(connection: AsyncConnection, job_id: int) -> None:
    await connection.execute(
        text("SELECT pg_notify(:channel, :payload)"),
        {"channel": NOTIFICATION_CHANNEL, "payload": str(job_id)},
    )


def _is_current(attempt: Attempt) -> Any:  # noqa: ANN401 - a condition
    return and_(jobs.c.job_id == attempt.job_id, jobs.c.attempt == attempt.number, jobs.c.state == "running")


async def _change(connection: AsyncConnection, attempt: Attempt, values: Mapping[str, object]) -> bool:
    result = await connection.execute(
        update(jobs).where(_is_current(attempt)).values(changes=jobs.c.changes + 1, **values)
    )
    await _notify(connection, attempt.job_id)
    return result.rowcount == 1


async def _end(
    connection: AsyncConnection,
    condition: Any,  # noqa: ANN401 - which jobs
    state: str,
    result: str | None,
    seconds: float,
    *,
    complete: bool = False,
) -> bool:
    ended_rows = await connection.execute(
        update(jobs)
        .where(condition)
        .values(
            state=state,
            result=result,
            seconds=seconds,
            whole=complete,
            progress=None,
            # A stored result must not reveal the user who requested it first.
            request="",
            lane="",
            guild_id=None,
            changes=jobs.c.changes + 1,
            ended=_NOW,
            expires=_NOW + (COMPLETE_RESULT_LIFETIME if complete else PARTIAL_RESULT_LIFETIME),
        )
        .returning(jobs.c.job_id)
    )
    ended_ids = ended_rows.scalars().all()
    await connection.execute(delete(job_askers).where(job_askers.c.job_id.in_(ended_ids)))
    for job_id in ended_ids:
        await _notify(connection, job_id)
    return bool(ended_ids)
