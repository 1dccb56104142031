"""Connections to a PostgreSQL server, none of which waits for ever."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bot.storage.address import PostgresServer
from bot.storage.errors import AddressError

if TYPE_CHECKING:
    from psycopg.abc import PQGen

T = TypeVar("T")

_CANCEL_SECONDS: Final = 1.0
"""How long the server may take to cancel a statement before its connection is given up."""


class PatientConnection(psycopg.AsyncConnection[Any]):
    """A connection whose every exchange with the server ends in time: the driver itself has no such limit."""

    patience = 0.0
    """Seconds that one exchange may take; 0: as long as it will."""

    async def wait(self, gen: PQGen[T], *args: Any, **kwargs: Any) -> T:  # noqa: ANN401 - the driver's own
        """Do one exchange.

        Raises:
            TimeoutError: the server did not answer in time. The statement was cancelled, or the connection closed.

        """
        if not self.patience:
            return await super().wait(gen, *args, **kwargs)
        # Interrupted once, the driver asks the server to cancel the statement; interrupted twice, it closes the connection.
        async with asyncio.timeout(self.patience + _CANCEL_SECONDS), asyncio.timeout(self.patience):
            return await super().wait(gen, *args, **kwargs)


def connector(server: PostgresServer, patience: timedelta) -> Callable[..., Awaitable[PatientConnection]]:
    """Return what makes connections to a server, as SQLAlchemy's ``async_creator_fn``.

    Raises:
        AddressError: an option of the address is unknown.

    """
    try:
        conninfo_to_dict(server.dsn)
    except psycopg.ProgrammingError:
        # What it says may repeat a part of the password.
        raise AddressError("the PostgreSQL address has an option that is unknown, or no value") from None
    seconds = patience.total_seconds()

    async def connect(_conninfo: str = "", **options: Any) -> PatientConnection:  # noqa: ANN401 - the driver's own
        connection = await PatientConnection.connect(
            server.dsn,
            connect_timeout=math.ceil(seconds),
            # Statements are no quicker for it here, and PgBouncer would have to know of it.
            prepare_threshold=None,
            **options,
        )
        connection.patience = seconds
        return connection

    return connect
