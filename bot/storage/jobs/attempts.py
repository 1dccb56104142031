"""The workers' side of jobs: attempts at them, each of which writes as long as no later one has begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import and_, delete, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import Stored, writes
from bot.storage.jobs import means
from bot.storage.jobs.values import OPEN, PARTIAL_LIFE, WHOLE_LIFE, Attempt, now, tell
from bot.storage.tables import job_askers, jobs

_SWEEP_LOCK: Final = 0x6B69_6A73


class WorkerSide(Stored):
    """Attempts at jobs, each of which writes as long as no later one has begun."""

    @writes
    async def begin(self, connection: AsyncConnection, job_id: int, most: int) -> Attempt | None:
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
        if row.stopping or row.attempt >= most:
            await _end(
                connection, jobs.c.job_id == job_id, "stopped" if row.stopping else "failed", None, 0.0
            )
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

    @writes
    async def report(self, connection: AsyncConnection, attempt: Attempt, progress: str) -> bool:
        """Keep how far an attempt is; False when the job is no longer its own."""
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
        stopped: bool = False,
    ) -> bool:
        """Keep what came of an attempt; ``stopped`` cut the result short. False when the job is no longer its own."""
        whole = state == "done" and not stopped
        return await _end(connection, _own(attempt), state, result, seconds, whole=whole)

    @writes
    async def hand_back(self, connection: AsyncConnection, attempt: Attempt) -> bool:
        """Let another process begin anew, as if this one had not begun."""
        return await _change(
            connection, attempt, {"state": "waiting", "attempt": jobs.c.attempt - 1, "progress": None}
        )

    @writes
    async def end_stopped(self, connection: AsyncConnection, job_id: int) -> bool:
        """End a job that was to stop, and whose worker died before it did."""
        condition = and_(jobs.c.job_id == job_id, jobs.c.state == "running", jobs.c.stopping)
        return await _end(connection, condition, "stopped", None, 0.0)

    @writes
    async def sweep(self, connection: AsyncConnection) -> int:
        """Give up what has been open for too long, delete what has expired, and return how much."""
        if not await connection.scalar(
            text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": _SWEEP_LOCK}
        ):
            return 0  # another process does it
        late = and_(jobs.c.state.in_(OPEN), jobs.c.expires < now())
        await _end(connection, late, "failed", None, 0.0)
        await means.sweep(connection)
        gone = await connection.execute(delete(jobs).where(jobs.c.state.not_in(OPEN), jobs.c.expires < now()))
        return gone.rowcount


def _own(attempt: Attempt) -> Any:  # noqa: ANN401 - a condition
    return and_(jobs.c.job_id == attempt.job_id, jobs.c.attempt == attempt.number, jobs.c.state == "running")


async def _change(connection: AsyncConnection, attempt: Attempt, values: Mapping[str, object]) -> bool:
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


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget which jobs a user waits for, and what they took."""
    await connection.execute(delete(job_askers).where(job_askers.c.user_id == user_id))
    await means.forget_user(connection, user_id)


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget for which guild jobs were."""
    await connection.execute(update(jobs).where(jobs.c.guild_id == guild_id).values(guild_id=None))
