"""Jobs that one process hands to others, on PostgreSQL: who waits for them, how far they are, what came of them.

A job is open while it waits or runs. Equal ones, by the digest of all that their result depends on, are one job for
several askers. Whoever works on it has an attempt, and writes as long as no later attempt has begun.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from bot.storage.address import PostgresServer
from bot.storage.database import Database
from bot.storage.ids import check_ids
from bot.storage.jobs import attempts, means, queue
from bot.storage.jobs.means import Spending
from bot.storage.jobs.values import PATIENCE, Attempt, Enqueue, JobView, NewJob, QueueLimits


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
        return await self._database.write(queue.submit, new, limits, enqueue)

    async def spend(self, spending: Spending, seconds: float) -> None:
        """Charge for seconds beside those that were paid in advance; negative ones are given back."""
        await self._database.write(means.spend, spending, seconds)

    async def leave(self, job_id: int, user_id: int) -> tuple[bool, int | None]:
        """Let a person wait for a job no longer. Nobody else does: it is stopped, at once while it waits.

        Return whether somebody else waits, and the engine's task that is to be cancelled if there is one.
        """
        return await self._database.write(queue.leave, job_id, user_id)

    async def look(self, known: Mapping[int, int]) -> tuple[tuple[JobView, ...], frozenset[int]]:
        """Return those of some jobs, given with how often they had changed, that changed since or wait; and which are gone."""
        return await self._database.read(queue.look, known)

    async def begin(self, job_id: int, most: int) -> Attempt | None:
        """Begin another attempt at a job; None when it is over or was given up, also after so many attempts."""
        return await self._database.write(attempts.begin, job_id, most)

    async def report(self, attempt: Attempt, progress: str) -> bool:
        """Keep how far an attempt is; False when the job is no longer its own."""
        return await self._database.write(attempts.change, attempt, {"progress": progress})

    async def finish(
        self, attempt: Attempt, state: str, result: str | None, seconds: float, *, stopped: bool = False
    ) -> bool:
        """Keep what came of an attempt; ``stopped`` cut the result short. False when the job is no longer its own."""
        return await self._database.write(attempts.finish, attempt, state, result, seconds, stopped=stopped)

    async def hand_back(self, attempt: Attempt) -> bool:
        """Let another process begin anew, as if this one had not begun."""
        return await self._database.write(attempts.hand_back, attempt)

    async def end_stopped(self, job_id: int) -> bool:
        """End a job that was to stop, and whose worker died before it did."""
        return await self._database.write(attempts.end_stopped, job_id)

    async def counts(self) -> Mapping[str, float]:
        """Return how many jobs wait and run, and for how many seconds the oldest has been waiting."""
        return await self._database.read(queue.counts)

    async def sweep(self) -> int:
        """Give up what has been open for too long, delete what has expired, and return how much."""
        return await self._database.write(attempts.sweep)
