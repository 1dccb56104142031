"""The workers' side of jobs: attempts at them, each of which writes as long as no later one has begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import and_, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.jobs import means
from bot.storage.jobs.values import CHANNEL, OPEN, PARTIAL_LIFE, WHOLE_LIFE, Attempt
from bot.storage.tables import job_askers, jobs

_SWEEP_LOCK: Final = 0x6B69_6A73


def now() -> Any:  # noqa: ANN401 - SQLAlchemy's type of it says nothing
    """Return the time by one clock for all processes: the server's."""
    # That of the transaction would have stood still behind the lock.
    return func.clock_timestamp()


async def begin(connection: AsyncConnection, job_id: int, attempts: int) -> Attempt | None:
    """Begin another attempt at a job; None when it is over or was given up, also after so many attempts."""
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
            begun=now(),
            progress=None,
        )
        .returning(jobs.c.job_id, jobs.c.attempt.label("number"), jobs.c.kind, jobs.c.request)
    )
    attempt = Attempt(**(await connection.execute(begun)).mappings().one())
    await tell(connection, job_id)
    return attempt


def _own(attempt: Attempt) -> Any:  # noqa: ANN401 - a condition
    return and_(jobs.c.job_id == attempt.job_id, jobs.c.attempt == attempt.number, jobs.c.state == "running")


async def change(connection: AsyncConnection, attempt: Attempt, values: Mapping[str, object]) -> bool:
    """Change a job; False when it is no longer the attempt's own."""
    changed = await connection.execute(
        update(jobs).where(_own(attempt)).values(changes=jobs.c.changes + 1, **values)
    )
    await tell(connection, attempt.job_id)
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
            ended=now(),
            expires=now() + (WHOLE_LIFE if whole else PARTIAL_LIFE),
        )
        .returning(jobs.c.job_id)
    )
    ids = ended.scalars().all()
    await connection.execute(delete(job_askers).where(job_askers.c.job_id.in_(ids)))
    for job_id in ids:
        await tell(connection, job_id)
    return bool(ids)


async def finish(
    connection: AsyncConnection,
    attempt: Attempt,
    state: str,
    result: str | None,
    seconds: float,
    *,
    stopped: bool,
) -> bool:
    """Keep what came of an attempt; False when the job is no longer its own."""
    whole = state == "done" and not stopped
    return await _end(connection, _own(attempt), state, result, seconds, whole=whole)


async def end_stopped(connection: AsyncConnection, job_id: int) -> bool:
    """End a job that was to stop, and whose worker died before it did."""
    condition = and_(jobs.c.job_id == job_id, jobs.c.state == "running", jobs.c.stopping)
    return await _end(connection, condition, "stopped", None, 0.0)


async def hand_back(connection: AsyncConnection, attempt: Attempt) -> bool:
    """Let another process begin anew, as if this one had not begun."""
    return await change(
        connection, attempt, {"state": "waiting", "attempt": jobs.c.attempt - 1, "progress": None}
    )


async def tell(connection: AsyncConnection, job_id: int) -> None:
    """Tell whoever listens that a job changed."""
    await connection.execute(
        text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": str(job_id)}
    )


async def sweep(connection: AsyncConnection) -> int:
    """Give up what has been open for too long, delete what has expired, and return how much."""
    if not await connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": _SWEEP_LOCK}):
        return 0  # another process does it
    late = and_(jobs.c.state.in_(OPEN), jobs.c.expires < now())
    await _end(connection, late, "failed", None, 0.0)
    await means.sweep(connection)
    gone = await connection.execute(delete(jobs).where(jobs.c.state.not_in(OPEN), jobs.c.expires < now()))
    return gone.rowcount
