"""What the parts of the store have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import guilds
from bot.storage.database import Database

P = ParamSpec("P")
T = TypeVar("T")


class StorePart:
    """A part of :class:`bot.storage.store.Store`, which says what the methods of all parts have in common."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def _write_in(
        self,
        noted_guild: int | None,
        work: Callable[Concatenate[AsyncConnection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Write something of a guild, and that something is kept of it."""

        async def noted(connection: AsyncConnection) -> T:
            if noted_guild is not None:
                await guilds.note(connection, noted_guild)
            return await work(connection, *args, **kwargs)

        return await self._database.write(noted)
