"""The CPU time that users and channels may still use, shared by all processes with the same database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.tables import job_allowances

REFILL_PERIOD: Final = timedelta(hours=1)
"""Time in which an empty allowance is refilled at a constant rate."""

Reason: TypeAlias = Literal["user", "full", "spent"]


class JobRefusedError(Exception):
    """The job store refused a job.

    ``reason`` is one of these:

    - ``user``: the user is already waiting for a job of this kind.
    - ``full``: too many jobs are waiting. Another job would have to wait for about ``seconds``.
    - ``spent``: too little of the allowance is left. There will be enough after ``seconds``.
    """

    def __init__(self, reason: Reason, seconds: float = 0.0) -> None:
        self.reason: Reason = reason
        self.seconds = seconds
        super().__init__(f"job refused: {reason}")


@dataclass(frozen=True, slots=True)
class Spending:
    """CPU time to charge to a user and a channel."""

    user_id: int
    channel_id: int
    seconds: float
    user_allowance: float
    """The user's full allowance, in seconds of CPU time per :data:`REFILL_PERIOD`."""
    channel_allowance: float

    def payers(self) -> tuple[tuple[str, int, float], ...]:
        """Return (kind, id, full allowance) for the user, then for the channel."""
        return (
            ("user", self.user_id, self.user_allowance),
            ("channel", self.channel_id, self.channel_allowance),
        )


async def charge(connection: AsyncConnection, spending: Spending) -> None:
    """Charge for CPU time in advance. A full allowance covers any amount.

    Raises:
        JobRefusedError: too little of the allowance is left. Nothing is charged.

    """
    wait_seconds = []
    for kind, id_, limit in spending.payers():
        remaining = await connection.scalar(
            select(_refilled_amount(limit)).where(job_allowances.c.kind == kind, job_allowances.c.id == id_)
        )
        remaining = limit if remaining is None else float(remaining)
        needed_seconds = min(spending.seconds, limit)
        if remaining <= 0 or remaining < needed_seconds:
            wait_seconds.append((needed_seconds - remaining) / limit * REFILL_PERIOD.total_seconds())
    if wait_seconds:
        raise JobRefusedError("spent", max(0.0, *wait_seconds))
    await spend(connection, spending, spending.seconds)


async def spend(connection: AsyncConnection, spending: Spending, seconds: float) -> None:
    """Charge for CPU time, even if too little of the allowance is left. A negative number is a refund."""
    for kind, id_, limit in spending.payers():
        new = insert(connection, job_allowances).values(
            kind=kind, id=id_, left=min(limit, limit - seconds), since=func.clock_timestamp()
        )
        await connection.execute(
            new.on_conflict_do_update(
                index_elements=[job_allowances.c.kind, job_allowances.c.id],
                set_={
                    "left": func.least(limit, _refilled_amount(limit) - seconds),
                    "since": func.clock_timestamp(),
                },
            )
        )


def _refilled_amount(limit: float) -> Any:  # noqa: ANN401 - SQLAlchemy has no useful type for it
    elapsed_periods = (
        func.extract("epoch", func.clock_timestamp() - job_allowances.c.since) / REFILL_PERIOD.total_seconds()
    )
    return func.least(limit, job_allowances.c.left + elapsed_periods * limit)


async def sweep(connection: AsyncConnection) -> None:
    """Delete the allowances that have not changed for 24 periods. By then, they are full again, even after a large debt."""
    await connection.execute(
        delete(job_allowances).where(job_allowances.c.since < func.clock_timestamp() - 24 * REFILL_PERIOD)
    )
