"""Connections to a PostgreSQL server, with a time limit for every wait."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Final, TypeVar

import psycopg
import psycopg.sql
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict

from bot.storage.address import PostgresServer
from bot.storage.errors import AddressError

log = logging.getLogger(__name__)

T = TypeVar("T")

_CANCEL_SECONDS: Final = 1.0
"""Time limit in seconds for the server to cancel a statement. After that, the connection is closed."""
_LISTEN_SECONDS: Final = 5.0
"""Seconds without notifications after which a query checks the connection. Also the time limit for this query, and for
connecting."""
_RETRY_SECONDS: Final = 0.5


class TimeLimitedConnection(psycopg.AsyncConnection[Any]):
    """A connection with a time limit for every exchange with the server. The driver has no such limit."""

    time_limit = 0.0
    """Seconds that an exchange may take, or 0 for no limit."""

    async def wait(self, gen: PQGen[T], *args: Any, **kwargs: Any) -> T:  # noqa: ANN401 - the driver's signature uses Any
        """Perform one exchange with the server.

        Raises:
            TimeoutError: the server did not answer in time. The statement was cancelled, or the connection closed.

        """
        if not self.time_limit:
            return await super().wait(gen, *args, **kwargs)
        # At the first timeout, the driver asks the server to cancel the statement. At the second, it closes the connection.
        async with asyncio.timeout(self.time_limit + _CANCEL_SECONDS), asyncio.timeout(self.time_limit):
            return await super().wait(gen, *args, **kwargs)


def connector(
    server: PostgresServer, statement_timeout: timedelta
) -> Callable[..., Awaitable[TimeLimitedConnection]]:
    """Return a function that connects to a server, for SQLAlchemy's ``async_creator_fn``.

    Raises:
        AddressError: an option in the address is unknown or has no value.

    """
    try:
        conninfo_to_dict(server.dsn)
    except psycopg.ProgrammingError:
        # The original message may contain part of the password.
        raise AddressError(
            "the PostgreSQL address contains an option that is unknown or has no value"
        ) from None
    seconds = statement_timeout.total_seconds()

    async def connect(_conninfo: str = "", **options: Any) -> TimeLimitedConnection:  # noqa: ANN401 - the driver's signature uses Any
        connection = await TimeLimitedConnection.connect(
            server.dsn,
            connect_timeout=math.ceil(seconds),
            # Prepared statements are no faster here, and PgBouncer supports them only with an extra setting.
            prepare_threshold=None,
            **options,
        )
        connection.time_limit = seconds
        return connection

    return connect


async def listen(server: PostgresServer, channel: str, on_notification: Callable[[str], None]) -> None:
    """Call ``on_notification`` with the payload of every notification on a channel, until cancelled.

    Also call ``on_notification("")`` whenever a connection is made, because notifications may have been missed before. The
    address must point to the server itself, not to a connection pooler.
    """
    connect = connector(server, timedelta(seconds=_LISTEN_SECONDS))
    while True:
        try:
            connection = await connect(autocommit=True)
            async with connection:
                # Notifications may be rare, so waiting for them has no time limit.
                connection.time_limit = 0.0
                await connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                on_notification("")
                while True:
                    async for notification in connection.notifies(timeout=_LISTEN_SECONDS):
                        on_notification(notification.payload)
                    async with asyncio.timeout(_LISTEN_SECONDS):
                        await connection.execute("SELECT 1")
        except (psycopg.Error, OSError) as error:
            log.info(
                "notifications on %s may be late, because the connection failed: %s",
                channel,
                type(error).__name__,
            )
            await asyncio.sleep(_RETRY_SECONDS)
