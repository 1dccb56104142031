"""PostgreSQL locks that a process loses when its connection ends.

The server ends a connection after a few seconds without a statement, so a frozen process also loses its locks. The address
must point to the server itself, because a connection pooler rejects such a time limit.

A gateway is a process that is connected to Discord.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from bot.storage.address import PostgresServer
from bot.storage.database import STATEMENT_TIMEOUT
from bot.storage.errors import translate_driver_errors

if TYPE_CHECKING:
    from bot.storage.postgres import TimeLimitedConnection

IDLE_SECONDS: Final = 10.0
"""Seconds without a statement after which the server ends a gateway's connection."""

_RETRY_SECONDS: Final = 0.25

_HELD_LOCKS: Final = """
SELECT classid::bigint, objid::bigint, pid, pg_backend_pid() FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid::bigint = ANY(%s)
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@dataclass(frozen=True, slots=True)
class LockHolders:
    """The connections that hold locks, each identified by the process id of its backend."""

    own_connection_id: int
    """The connection of this gateway, or 0 if no gateway holds a lock."""
    gateway_by_connection: dict[int, int]
    """The gateway id of each connection. A gateway that has just reconnected may have two connections."""
    connection_by_shard: dict[int, int]
    """The connection that holds each shard, by shard id."""
    shard_totals: frozenset[int]
    """The total number of shards, according to each gateway. The set has several numbers if gateways disagree."""

    @property
    def own_shards(self) -> frozenset[int]:
        return frozenset(
            shard_id
            for shard_id, holder in self.connection_by_shard.items()
            if holder == self.own_connection_id
        )

    @property
    def left_behind_shards(self) -> frozenset[int]:
        """The shards of this gateway's earlier connection, if the server has not ended that connection yet."""
        gateway_id = self.gateway_by_connection[self.own_connection_id]
        return frozenset(
            shard_id
            for shard_id, holder in self.connection_by_shard.items()
            if holder != self.own_connection_id and self.gateway_by_connection.get(holder) == gateway_id
        )


class GatewayLocks:
    """The locks of one gateway: for its id, for the total number of shards, and for its shards."""

    def __init__(self, connection: TimeLimitedConnection, application_id: int) -> None:
        self._connection = connection
        self._gateways, self._totals, self._shards = (
            _key(f"{kind} of {application_id}", 4) for kind in ("gateways", "shard counts", "shards")
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls, server: PostgresServer, application_id: int, gateway_id: int, shard_total: int
    ) -> AsyncIterator[Self]:
        """Connect, lock the gateway's id and the total number of shards, and release all locks on exit.

        ``gateway_id`` is a unique number from 0 to 2³² - 1. If other gateways are connected, their total replaces ``shard_total``.

        Raises:
            StoreError: the database cannot be used.

        """
        async with _session(server, IDLE_SECONDS) as connection:
            locks = cls(connection, application_id)
            # Gateways that start at the same time take turns, so that all use the first gateway's total.
            start_lock = _key(f"start of {application_id}", 8)
            await locks._query("SELECT pg_advisory_lock(%s)", [start_lock])
            shard_total = min((await locks.holders()).shard_totals, default=shard_total)
            await locks._query(
                "SELECT pg_advisory_lock_shared(%s, %s), pg_advisory_lock_shared(%s, %s), pg_advisory_unlock(%s)",
                # PostgreSQL's lock numbers are signed.
                [
                    locks._gateways,
                    gateway_id - 2**32 if gateway_id >= 2**31 else gateway_id,
                    locks._totals,
                    shard_total,
                    start_lock,
                ],
            )
            yield locks

    async def holders(self) -> LockHolders:
        class_ids = [key % 2**32 for key in (self._gateways, self._totals, self._shards)]
        rows = await self._query(_HELD_LOCKS, [class_ids])
        gateways, totals, shards = (
            [(number, holder) for kind, number, holder, _ in rows if kind == class_id]
            for class_id in class_ids
        )
        return LockHolders(
            own_connection_id=rows[0][3] if rows else 0,
            gateway_by_connection={holder: gateway_id for gateway_id, holder in gateways},
            connection_by_shard=dict(shards),
            shard_totals=frozenset(total for total, _ in totals),
        )

    async def take(self, shard_ids: Collection[int]) -> None:
        """Take the given shards that are free. This connection must not hold any of the given shards."""
        await self._query(
            "SELECT pg_try_advisory_lock(%s, id) FROM unnest(%s::int[]) AS id",
            [self._shards, sorted(shard_ids)],
        )

    async def release(self, shard_ids: Collection[int]) -> None:
        await self._query(
            "SELECT pg_advisory_unlock(%s, id) FROM unnest(%s::int[]) AS id",
            [self._shards, sorted(shard_ids)],
        )

    async def wait(self, seconds: float) -> None:
        """Wait for the given time. Raise :exc:`StoreError` as soon as the connection ends."""
        with translate_driver_errors():
            async for _ in self._connection.notifies(timeout=seconds):
                pass

    async def _query(self, statement: str, values: Sequence[object]) -> list[Any]:
        with translate_driver_errors():
            cursor = await self._connection.execute(statement, values, prepare=False)
            return await cursor.fetchall()


@asynccontextmanager
async def advisory_lock(server: PostgresServer, name: str, *, idle_timeout: timedelta) -> AsyncIterator[None]:
    """Wait for the named lock, and hold it while the ``with`` block runs.

    The block must end within ``idle_timeout``. Otherwise, the server ends the idle connection and releases the lock.

    Raises:
        StoreError: the database cannot be used.

    """
    async with _session(server, idle_timeout.total_seconds()) as connection:
        with translate_driver_errors():
            while True:
                cursor = await connection.execute(
                    "SELECT pg_try_advisory_lock(%s)", [_key(name, 8)], prepare=False
                )
                if (await cursor.fetchall())[0][0]:
                    break
                await asyncio.sleep(_RETRY_SECONDS)
        yield


@asynccontextmanager
async def _session(server: PostgresServer, idle_seconds: float) -> AsyncIterator[TimeLimitedConnection]:
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - an SQLite database needs no driver

    from bot.storage.postgres import connector  # noqa: PLC0415 - as above

    milliseconds = round(idle_seconds * 1000)
    with translate_driver_errors():
        connect = connector(server, STATEMENT_TIMEOUT)
        connection = await connect(
            autocommit=True,
            # A connection pooler rejects this option, as it should: locks can't be held through a pooler.
            options=f"{conninfo_to_dict(server.dsn).get('options') or ''} -c idle_session_timeout={milliseconds}",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=2,
            tcp_user_timeout=milliseconds,
        )
    try:
        yield connection
    finally:
        await connection.close()


def _key(text: str, size: int) -> int:
    """Return the ``size``-byte number that identifies a lock."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], signed=True)
