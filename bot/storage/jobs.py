"""Jobs that one process hands to others, on PostgreSQL: who waits for them, how far they are, what came of them.

A job is open while it waits or runs. Equal ones, by the digest of all that their result depends on, are one job for
several askers. Whoever works on it has an attempt, and writes as long as no later attempt has begun.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import and_, case, delete, exists, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import job_means
from bot.storage.address import PostgresServer
from bot.storage.database import Database, insert
from bot.storage.ids import check_ids
from bot.storage.job_means import Spending
from bot.storage.tables import job_askers, jobs

PATIENCE: Final = timedelta(seconds=5)
"""How long one call waits for a lock or the server."""

CHANNEL: Final = "kibitz_jobs"
"""Where changes of jobs are told; what is told is the job's number."""

WHOLE_LIFE: Final = timedelta(days=1)
"""How long a result is kept for whoever asks the same."""
PARTIAL_LIFE: Final = timedelta(minutes=20)
"""How long a result that was cut short or an error is kept for who waited: longer than an interaction can be answered."""
OPEN_LIFE: Final = timedelta(minutes=15)
"""How long a job may be open: nobody could be told of it afterwards."""

_LOCK: Final = 0x6B69_6A6F
"""Whoever submits holds this lock: of two that look at the queue, the second sees what the first did."""

_SWEEP_LOCK: Final = 0x6B69_6A73

OPEN: Final = ("waiting", "running")
_RECENT: Final = 50


class AskerBusyError(Exception):
    """The person has another job of this kind."""


class QueueFullError(Exception):
    """Too many jobs wait; ``seconds`` is how long the last of them waits, as far as that can be told."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the last job waits for {seconds:.0f} seconds")


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to submit."""

    kind: str
    digest: str
    """The SHA-256 of everything that its result depends on, in hexadecimal."""
    request: str
    user_id: int
    guild_id: int | None
    spending: Spending | None = None
    """What is paid for it in advance; None: nothing."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many jobs there may be."""

    waiting: int
    """Waiting in all for each worker; further ones are refused."""
    a_server: int
    """Running at once for one server."""


@dataclass(frozen=True, slots=True)
class JobView:
    """How a job stands."""

    job_id: int
    state: str
    """``waiting``, ``running``, ``done``, ``failed`` or ``stopped``."""
    changes: int
    """How often it has changed."""
    ahead: int = 0
    """While it waits: how many open jobs come before it."""
    progress: str | None = None
    result: str | None = None
    """The result, or for ``failed`` the error."""
    seconds: float = 0.0
    """Seconds of a processor it has taken."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The right to work on a job."""

    job_id: int
    number: int
    """Counts from 1."""
    kind: str
    request: str


Enqueue = Callable[[Any, int, str, int], Awaitable[int]]
"""Hands a job to the engine in the same transaction: the driver's connection, the job's number, the lane in which jobs run
one after another, the priority. Returns the number of the engine's task."""


class JobStore:
    """The jobs in a database. Every method is one transaction and raises ``StoreError`` when the database cannot do it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    @asynccontextmanager
    async def open(cls, server: PostgresServer) -> AsyncIterator[JobStore]:
        """Open the database, whose schema is up to date."""
        async with Database.opened(server, patience=PATIENCE) as database:
            yield cls(database)

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections to the database are in use, and how many there may be."""
        return self._database.connections

    async def submit(self, new: NewJob, limits: QueueLimits, enqueue: Enqueue) -> tuple[int, bool]:
        """Return the number of the job whose result was or will be the requested one, and whether it was made for this.

        Raises:
            AskerBusyError: the person waits for another job of this kind.
            QueueFullError: it would have to wait behind too many.
            OverspentError: too little is left to pay for it.

        """
        check_ids(new.user_id)
        return await self._database.write(_submit, new, limits, enqueue)

    async def spend(self, spending: Spending, seconds: float) -> None:
        """Charge for seconds beside those that were paid in advance; negative ones are given back."""
        await self._database.write(job_means.spend, spending, seconds)

    async def leave(self, job_id: int, user_id: int) -> tuple[bool, int | None]:
        """Let a person wait for a job no longer. Nobody else does: it is stopped, at once while it waits.

        Return whether somebody else waits, and the engine's task that is to be cancelled if there is one.
        """
        return await self._database.write(_leave, job_id, user_id)

    async def look(self, known: Mapping[int, int]) -> tuple[tuple[JobView, ...], frozenset[int]]:
        """Return those of some jobs, given with how often they had changed, that changed since or wait; and which are gone."""
        return await self._database.read(_look, known)

    async def begin(self, job_id: int, attempts: int) -> Attempt | None:
        """Begin another attempt at a job; None when it is over or was given up, also after so many attempts."""
        return await self._database.write(_begin, job_id, attempts)

    async def report(self, attempt: Attempt, progress: str) -> bool:
        """Keep how far an attempt is; False when the job is no longer its own."""
        return await self._database.write(_change, attempt, {"progress": progress})

    async def finish(
        self, attempt: Attempt, state: str, result: str | None, seconds: float, *, stopped: bool = False
    ) -> bool:
        """Keep what came of an attempt; ``stopped`` cut the result short. False when the job is no longer its own."""
        whole = state == "done" and not stopped
        return await self._database.write(_end, _own(attempt), state, result, seconds, whole=whole)

    async def hand_back(self, attempt: Attempt) -> bool:
        """Let another process begin anew, as if this one had not begun."""
        return await self._database.write(_hand_back, attempt)

    async def end_stopped(self, job_id: int) -> bool:
        """End a job that was to stop, and whose worker died before it did."""
        condition = and_(jobs.c.job_id == job_id, jobs.c.state == "running", jobs.c.stopping)
        return await self._database.write(_end, condition, "stopped", None, 0.0)

    async def counts(self) -> Mapping[str, float]:
        """Return how many jobs wait and run, and for how many seconds the oldest has been waiting."""
        return await self._database.read(_counts)

    async def sweep(self) -> int:
        """Give up what has been open for too long, delete what has expired, and return how much."""
        return await self._database.write(_sweep)


def _now() -> Any:  # noqa: ANN401 - SQLAlchemy's type of it says nothing
    # One clock for all processes: the server's. That of the transaction would have stood still behind the lock.
    return func.clock_timestamp()


async def _submit(
    connection: AsyncConnection, new: NewJob, limits: QueueLimits, enqueue: Enqueue
) -> tuple[int, bool]:
    await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    known = await _equal_job(connection, new)
    if known is not None and known.state == "done":
        return known.job_id, False
    mine = await connection.scalar(
        select(job_askers.c.job_id).where(job_askers.c.user_id == new.user_id, job_askers.c.kind == new.kind)
    )
    if mine is not None and (known is None or known.job_id != mine):
        raise AskerBusyError
    job_id, made = (
        (known.job_id, False) if known is not None else (await _add(connection, new, limits, enqueue), True)
    )
    await connection.execute(
        insert(connection, job_askers)
        .values(user_id=new.user_id, kind=new.kind, job_id=job_id)
        .on_conflict_do_nothing()
    )
    return job_id, made


async def _equal_job(connection: AsyncConnection, new: NewJob) -> Any:  # noqa: ANN401 - a row
    is_open = and_(jobs.c.state.in_(OPEN), ~jobs.c.stopping)
    is_kept = and_(jobs.c.state == "done", jobs.c.whole, jobs.c.expires > _now())
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
        await job_means.charge(connection, new.spending)
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
            queued=_now(),
            expires=_now() + OPEN_LIFE,
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


async def _leave(connection: AsyncConnection, job_id: int, user_id: int) -> tuple[bool, int | None]:
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
        values |= {"state": "stopped", "ended": _now(), "changes": jobs.c.changes + 1}
    await connection.execute(update(jobs).where(jobs.c.job_id == job_id).values(values))
    await _tell(connection, job_id)
    return False, row.task


async def _look(
    connection: AsyncConnection, known: Mapping[int, int]
) -> tuple[tuple[JobView, ...], frozenset[int]]:
    rows = await connection.execute(select(jobs.c.job_id, jobs.c.changes).where(jobs.c.job_id.in_(known)))
    present: dict[int, int] = {row.job_id: row.changes for row in rows}
    changed = [job_id for job_id, changes in present.items() if changes > known[job_id]]
    others = jobs.alias()
    ahead = (
        select(func.count())
        .select_from(others)
        .where(others.c.state.in_(OPEN), or_(others.c.state == "running", others.c.job_id < jobs.c.job_id))
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
        ).where(or_(jobs.c.job_id.in_(changed), and_(jobs.c.job_id.in_(present), jobs.c.state == "waiting")))
    )
    return tuple(JobView(**row) for row in found.mappings()), frozenset(known.keys() - present.keys())


async def _begin(connection: AsyncConnection, job_id: int, attempts: int) -> Attempt | None:
    row = (
        await connection.execute(
            select(jobs.c.state, jobs.c.stopping, jobs.c.attempt)
            .where(jobs.c.job_id == job_id)
            .with_for_update()
        )
    ).one_or_none()
    if row is None or row.state not in OPEN:
        return None
    if row.stopping or row.attempt >= attempts:
        await _end(connection, jobs.c.job_id == job_id, "stopped" if row.stopping else "failed", None, 0.0)
        return None
    begun = (
        update(jobs)
        .where(jobs.c.job_id == job_id)
        .values(
            state="running",
            attempt=jobs.c.attempt + 1,
            changes=jobs.c.changes + 1,
            begun=_now(),
            progress=None,
        )
        .returning(jobs.c.job_id, jobs.c.attempt.label("number"), jobs.c.kind, jobs.c.request)
    )
    attempt = Attempt(**(await connection.execute(begun)).mappings().one())
    await _tell(connection, job_id)
    return attempt


def _own(attempt: Attempt) -> Any:  # noqa: ANN401 - a condition
    return and_(jobs.c.job_id == attempt.job_id, jobs.c.attempt == attempt.number, jobs.c.state == "running")


async def _change(connection: AsyncConnection, attempt: Attempt, values: Mapping[str, object]) -> bool:
    changed = await connection.execute(
        update(jobs).where(_own(attempt)).values(changes=jobs.c.changes + 1, **values)
    )
    await _tell(connection, attempt.job_id)
    return changed.rowcount == 1


async def _end(
    connection: AsyncConnection,
    condition: Any,  # noqa: ANN401 - which jobs
    state: str,
    result: str | None,
    seconds: float,
    *,
    whole: bool = False,
) -> bool:
    ended = await connection.execute(
        update(jobs)
        .where(condition)
        .values(
            state=state,
            result=result,
            seconds=seconds,
            whole=whole,
            progress=None,
            # Nothing leads from a result to whoever asked first.
            request="",
            lane="",
            guild_id=None,
            changes=jobs.c.changes + 1,
            ended=_now(),
            expires=_now() + (WHOLE_LIFE if whole else PARTIAL_LIFE),
        )
        .returning(jobs.c.job_id)
    )
    ids = ended.scalars().all()
    await connection.execute(delete(job_askers).where(job_askers.c.job_id.in_(ids)))
    for job_id in ids:
        await _tell(connection, job_id)
    return bool(ids)


async def _hand_back(connection: AsyncConnection, attempt: Attempt) -> bool:
    return await _change(
        connection, attempt, {"state": "waiting", "attempt": jobs.c.attempt - 1, "progress": None}
    )


async def _tell(connection: AsyncConnection, job_id: int) -> None:
    await connection.execute(
        text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": str(job_id)}
    )


async def _counts(connection: AsyncConnection) -> Mapping[str, float]:
    row = (
        await connection.execute(
            select(
                func.count().filter(jobs.c.state == "waiting"),
                func.count().filter(jobs.c.state == "running"),
                func.coalesce(
                    func.extract("epoch", _now() - func.min(jobs.c.queued).filter(jobs.c.state == "waiting")),
                    0,
                ),
            ).where(jobs.c.state.in_(OPEN))
        )
    ).one()
    return {"waiting": row[0], "running": row[1], "oldest": max(0.0, float(row[2]))}


async def _sweep(connection: AsyncConnection) -> int:
    if not await connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": _SWEEP_LOCK}):
        return 0  # another process does it
    late = and_(jobs.c.state.in_(OPEN), jobs.c.expires < _now())
    await _end(connection, late, "failed", None, 0.0)
    await job_means.sweep(connection)
    gone = await connection.execute(delete(jobs).where(jobs.c.state.not_in(OPEN), jobs.c.expires < _now()))
    return gone.rowcount


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget which jobs a user waits for, and what they took."""
    await connection.execute(delete(job_askers).where(job_askers.c.user_id == user_id))
    await job_means.forget_user(connection, user_id)


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget for which guild jobs were."""
    await connection.execute(update(jobs).where(jobs.c.guild_id == guild_id).values(guild_id=None))
