"""Jobs that one process hands to others, on PostgreSQL: who waits for them, how far they are, what came of them.

A job is open while it waits or runs. Equal ones, by the digest of all that their result depends on, are one job for
several askers. Whoever works on it has an attempt, and writes as long as no later attempt has begun.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.storage.address import PostgresServer
from bot.storage.database import Database
from bot.storage.jobs.askers import AskerSide
from bot.storage.jobs.attempts import WorkerSide
from bot.storage.jobs.values import PATIENCE


class JobStore(AskerSide, WorkerSide):
    """The jobs in a database. Every method is one transaction and raises ``StoreError`` when the database cannot do it."""

    @classmethod
    @asynccontextmanager
    async def open(cls, server: PostgresServer) -> AsyncIterator[JobStore]:
        """Open the database, whose schema is up to date."""
        async with Database.opened(server, patience=PATIENCE) as database:
            yield cls(database)
