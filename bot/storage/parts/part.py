"""What the parts of the store have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import Database, Stored, insert
from bot.storage.ids import check_ids
from bot.storage.tables import guilds

P = ParamSpec("P")
T = TypeVar("T")


class StorePart(Stored):
    """A part of :class:`bot.storage.store.Store`, which says what the methods of all parts have in common."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        super().__init__(database)
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
            await note_guild(connection, noted_guild)
            return await work(connection, *args, **kwargs)

        return await self._database.write(noted)


async def note_guild(connection: AsyncConnection, guild_id: int | None) -> None:
    """Remember that something is kept of a guild."""
    if guild_id is not None:
        check_ids(guild_id)
        new = insert(connection, guilds).values(guild_id=guild_id)
        await connection.execute(new.on_conflict_do_nothing(index_elements=[guilds.c.guild_id]))
