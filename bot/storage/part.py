"""What the parts of the store have in common."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import Database, Stored, insert
from bot.storage.ids import check_ids
from bot.storage.tables import guilds


class StorePart(Stored):
    """A part of :class:`bot.storage.store.Store`, which says what the methods of all parts have in common."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        super().__init__(database)
        self._clock = clock


async def note_guild(connection: AsyncConnection, guild_id: int | None) -> None:
    """Remember that something is kept of a guild."""
    if guild_id is not None:
        check_ids(guild_id)
        new = insert(connection, guilds).values(guild_id=guild_id)
        await connection.execute(new.on_conflict_do_nothing(index_elements=[guilds.c.guild_id]))
