"""The askers' side of jobs: what they ask for, how it stands, and that they wait no longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import and_, case, delete, exists, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import Stored, insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.jobs import means
from bot.storage.jobs.means import Spending
from bot.storage.jobs.values import (
    OPEN,
    OPEN_LIFE,
    AskerBusyError,
    Enqueue,
    JobView,
    NewJob,
    QueueFullError,
    QueueLimits,
    now,
    tell,
)
from bot.storage.tables import job_askers, jobs

_LOCK: Final = 0x6B69_6A6F
"""Whoever submits holds this lock: of two that look at the queue, the second sees what the first did."""

_RECENT: Final = 50


class AskerSide(Stored):
    """What people ask for, how it stands, and that they wait no longer."""

    @writes
    async def submit(
        self, connection: AsyncConnection, new: NewJob, limits: QueueLimits, enqueue: Enqueue
    ) -> tuple[int, bool]:
        """Return the number of the job whose result was or will be the requested one, and whether it was made for this.

        Raises:
            AskerBusyError: the person waits for another job of this kind.
            QueueFullError: it would have to wait behind too many.
            OverspentError: too little is left to pay for it.

        """
        check_ids(new.user_id)
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        known = await _equal_job(connection, new)
        if known is not None and known.state == "done":
            return known.job_id, False
        mine = await connection.scalar(
            select(job_askers.c.job_id).where(
                job_askers.c.user_id == new.user_id, job_askers.c.kind == new.kind
            )
        )
        if mine is not None and (known is None or known.job_id != mine):
            raise AskerBusyError
        job_id, made = (
            (known.job_id, False)
            if known is not None
            else (await _add(connection, new, limits, enqueue), True)
        )
        await connection.execute(
            insert(connection, job_askers)
            .values(user_id=new.user_id, kind=new.kind, job_id=job_id)
            .on_conflict_do_nothing()
        )
        return job_id, made

    @writes
    async def spend(self, connection: AsyncConnection, spending: Spending, seconds: float) -> None:
        """Charge for seconds beside those that were paid in advance; negative ones are given back."""
        await means.spend(connection, spending, seconds)

    @writes
    async def leave(self, connection: AsyncConnection, job_id: int, user_id: int) -> tuple[bool, int | None]:
        """Let a person wait for a job no longer. Nobody else does: it is stopped, at once while it waits.

        Return whether somebody else waits, and the engine's task that is to be cancelled if there is one.
        """
        # The job first, as whoever ends it: two that want both rows in another order would wait for each other.
        row = (
            await connection.execute(
                select(jobs.c.state, jobs.c.task).where(jobs.c.job_id == job_id).with_for_update()
            )
        ).one_or_none()
        await connection.execute(
            delete(job_askers).where(job_askers.c.job_id == job_id, job_askers.c.user_id == user_id)
        )
        if row is None or row.state not in OPEN:
            return False, None
        if await connection.scalar(select(exists().where(job_askers.c.job_id == job_id))):
            return True, None
        values: dict[str, object] = {"stopping": True}
        if row.state == "waiting":
            values |= {"state": "stopped", "ended": now(), "changes": jobs.c.changes + 1}
        await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(values))
        await tell(connection, job_id)
        return False, row.task

    @reads
    async def look(
        self, connection: AsyncConnection, known: Mapping[int, int]
    ) -> tuple[tuple[JobView, ...], frozenset[int]]:
        """Return those of some jobs, given with how often they had changed, that changed since or wait; and which are gone."""
        rows = await connection.execute(select(jobs.c.job_id, jobs.c.changes).where(jobs.c.job_id.in_(known)))
        present: dict[int, int] = {row.job_id: row.changes for row in rows}
        changed = [job_id for job_id, changes in present.items() if changes > known[job_id]]
        others = jobs.alias()
        ahead = (
            select(func.count())
            .select_from(others)
            .where(
                others.c.state.in_(OPEN), or_(others.c.state == "running", others.c.job_id < jobs.c.job_id)
            )
            .scalar_subquery()
        )
        found = await connection.execute(
            select(
                jobs.c.job_id,
                jobs.c.state,
                jobs.c.changes,
                case((jobs.c.state == "waiting", ahead), else_=0).label("ahead"),
                jobs.c.progress,
                jobs.c.result,
                jobs.c.seconds,
            ).where(
                or_(jobs.c.job_id.in_(changed), and_(jobs.c.job_id.in_(present), jobs.c.state == "waiting"))
            )
        )
        return tuple(JobView(**row) for row in found.mappings()), frozenset(known.keys() - present.keys())

    @reads
    async def counts(self, connection: AsyncConnection) -> Mapping[str, float]:
        """Return how many jobs wait and run, and for how many seconds the oldest has been waiting."""
        row = (
            await connection.execute(
                select(
                    func.count().filter(jobs.c.state == "waiting"),
                    func.count().filter(jobs.c.state == "running"),
                    func.coalesce(
                        func.extract(
                            "epoch", now() - func.min(jobs.c.queued).filter(jobs.c.state == "waiting")
                        ),
                        0,
                    ),
                ).where(jobs.c.state.in_(OPEN))
            )
        ).one()
        return {"waiting": row[0], "running": row[1], "oldest": max(0.0, float(row[2]))}


async def _equal_job(connection: AsyncConnection, new: NewJob) -> Any:  # noqa: ANN401 - a row
    is_open = and_(jobs.c.state.in_(OPEN), ~jobs.c.stopping)
    is_kept = and_(jobs.c.state == "done", jobs.c.whole, jobs.c.expires > now())
    equal = (
        select(jobs.c.job_id, jobs.c.state)
        .where(jobs.c.digest == new.digest, jobs.c.kind == new.kind, or_(is_open, is_kept))
        .order_by(jobs.c.job_id.desc())
        .limit(1)
        # It must not end before it is known who waits for it.
        .with_for_update()
    )
    return (await connection.execute(equal)).one_or_none()


async def _add(connection: AsyncConnection, new: NewJob, limits: QueueLimits, enqueue: Enqueue) -> int:
    waiting = await _count(connection, jobs.c.state == "waiting")
    workers = await connection.scalar(
        text(
            "SELECT count(*) FROM procrastinate.procrastinate_workers WHERE last_heartbeat > now() - interval '10 s'"
        )
    )
    if waiting >= limits.waiting * max(1, workers or 0):
        raise QueueFullError(await _seconds_to_wait(connection, waiting))
    if new.spending is not None:
        await means.charge(connection, new.spending)
    lane, load = await _lane(connection, new, limits.a_server)
    added = (
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
            queued=now(),
            expires=now() + OPEN_LIFE,
        )
        .returning(jobs.c.job_id)
    )
    job_id: int = (await connection.execute(added)).scalar_one()
    raw = await connection.get_raw_connection()
    # The more of a server's jobs are open, the later comes its next one.
    task = await enqueue(raw.driver_connection, job_id, lane, -load)
    await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(task=task))
    return job_id


async def _lane(connection: AsyncConnection, new: NewJob, lanes: int) -> tuple[str, int]:
    """Return the emptiest of a server's lanes, and how many of its jobs are open; outside servers everybody has one."""
    if new.guild_id is None:
        return f"user:{new.user_id}", 0
    found = await connection.execute(
        select(jobs.c.lane, func.count())
        .where(jobs.c.state.in_(OPEN), jobs.c.guild_id == new.guild_id)
        .group_by(jobs.c.lane)
    )
    loads: dict[str, int] = {row.lane: row[1] for row in found}
    names = [f"server:{new.guild_id}:{number}" for number in range(lanes)]
    return min(names, key=lambda name: loads.get(name, 0)), sum(loads.values())


async def _count(connection: AsyncConnection, condition: Any) -> int:  # noqa: ANN401 - any condition
    return await connection.scalar(select(func.count()).select_from(jobs).where(condition)) or 0


async def _seconds_to_wait(connection: AsyncConnection, waiting: int) -> float:
    """Return how long a further job would wait: when jobs wait, as many run as can."""
    running = await _count(connection, jobs.c.state == "running")
    took = func.extract("epoch", jobs.c.ended - jobs.c.begun).label("took")
    recent = (
        select(took)
        .where(jobs.c.state == "done", jobs.c.begun.is_not(None))
        .order_by(jobs.c.job_id.desc())
        .limit(_RECENT)
        .subquery()
    )
    usual = await connection.scalar(select(func.avg(recent.c.took)))
    return float(usual or 0.0) * waiting / max(1, running)
