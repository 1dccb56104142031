"""What people and channels may still have computed, the same for all processes that share a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.tables import job_means

PERIOD: Final = timedelta(hours=1)
"""In this time what was spent comes back, evenly."""


class OverspentError(Exception):
    """Too little is left; after ``seconds`` there is enough again."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"too little is left, for {seconds:.0f} seconds")


@dataclass(frozen=True, slots=True)
class Spending:
    """Seconds of a processor for somebody, asked in a channel."""

    user_id: int
    channel_id: int
    seconds: float
    user_most: float
    """What one person may have in a :data:`PERIOD`."""
    channel_most: float

    def sides(self) -> Iterator[tuple[str, int, float]]:
        """Yield who pays, and what each may have."""
        yield "user", self.user_id, self.user_most
        yield "channel", self.channel_id, self.channel_most


async def charge(connection: AsyncConnection, spending: Spending) -> None:
    """Charge for seconds in advance. What is more than a whole period brings takes all of it.

    Raises:
        OverspentError: too little is left; nothing is charged.

    """
    waits = []
    for kind, id_, most in spending.sides():
        left = await connection.scalar(
            select(func.least(most, job_means.c.left + _passed() * most)).where(
                job_means.c.kind == kind, job_means.c.id == id_
            )
        )
        left = most if left is None else float(left)
        wanted = min(spending.seconds, most)
        if left <= 0 or left < wanted:
            waits.append((wanted - left) / most * PERIOD.total_seconds())
    if waits:
        raise OverspentError(max(0.0, *waits))
    await spend(connection, spending, spending.seconds)


async def spend(connection: AsyncConnection, spending: Spending, seconds: float) -> None:
    """Charge for seconds, also if that is more than is left; negative ones are given back."""
    for kind, id_, most in spending.sides():
        new = insert(connection, job_means).values(
            kind=kind, id=id_, left=min(most, most - seconds), since=func.clock_timestamp()
        )
        refilled = func.least(most, job_means.c.left + _passed() * most)
        await connection.execute(
            new.on_conflict_do_update(
                index_elements=[job_means.c.kind, job_means.c.id],
                set_={"left": func.least(most, refilled - seconds), "since": func.clock_timestamp()},
            )
        )


def _passed() -> Any:  # noqa: ANN401 - SQLAlchemy's type of it says nothing
    """Return the share of a period since a row was right."""
    return func.extract("epoch", func.clock_timestamp() - job_means.c.since) / PERIOD.total_seconds()


async def sweep(connection: AsyncConnection) -> None:
    """Forget who has everything again."""
    old = func.clock_timestamp() - 2 * PERIOD
    await connection.execute(delete(job_means).where(job_means.c.since < old))


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget what a user has spent."""
    await connection.execute(delete(job_means).where(job_means.c.kind == "user", job_means.c.id == user_id))
