"""Locks over all processes that share a PostgreSQL server."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from bot.storage.address import PostgresServer
from bot.storage.errors import driver_errors_translated

_PATIENCE: Final = timedelta(seconds=5)
_LOOK_SECONDS: Final = 0.25


@asynccontextmanager
async def advisory_lock(server: PostgresServer, name: str, *, life: timedelta) -> AsyncIterator[None]:
    """Hold the lock of a name while inside; wait as long as somebody else holds it.

    The lock belongs to a connection of its own, so the address must lead to the server itself, not to a pool that lends
    connections by the transaction. After ``life`` the server takes it back: a process that stands still stops nobody else.

    Raises:
        StoreError: the database cannot be used.

    """
    from bot.storage.postgres import connector  # noqa: PLC0415 - who is alone needs no driver

    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    with driver_errors_translated():
        connection = await connector(server, _PATIENCE)(autocommit=True)
    try:
        with driver_errors_translated():
            milliseconds = str(round(life.total_seconds() * 1000))
            await connection.execute(
                "SELECT set_config('idle_session_timeout', %s, false)", [milliseconds], prepare=False
            )
            while True:
                taken = await connection.execute("SELECT pg_try_advisory_lock(%s)", [key], prepare=False)
                row = await taken.fetchone()
                if row is not None and row[0]:
                    break
                await asyncio.sleep(_LOOK_SECONDS)
        yield
    finally:
        await connection.close()
