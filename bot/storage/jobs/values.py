"""What the jobs in a database are, and for how long they are kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.jobs.means import Spending

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

OPEN: Final = ("waiting", "running")


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


def now() -> Any:  # noqa: ANN401 - SQLAlchemy's type of it says nothing
    """Return the time by one clock for all processes: the server's."""
    # That of the transaction would have stood still behind the lock.
    return func.clock_timestamp()


async def tell(connection: AsyncConnection, job_id: int) -> None:
    """Tell whoever listens that a job changed."""
    await connection.execute(
        text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": str(job_id)}
    )
