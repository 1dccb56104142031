"""Which guilds the bot has left, so that what is known of them can be let go in time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, union

from bot.storage import live_games, replies, settings, tables
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import left_guilds

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def leave(connection: AsyncConnection, guild_id: int, when: datetime) -> None:
    """Mark a guild as left; marked already, the earlier time stands."""
    check_ids(guild_id)
    new = insert(connection, left_guilds).values(guild_id=guild_id, left=when)
    await connection.execute(new.on_conflict_do_nothing(index_elements=[left_guilds.c.guild_id]))


async def join(connection: AsyncConnection, guild_id: int) -> None:
    """Take the mark of a guild back."""
    check_ids(guild_id)
    await connection.execute(delete(left_guilds).where(left_guilds.c.guild_id == guild_id))


async def reconcile(
    connection: AsyncConnection, present: Collection[int], is_known: Callable[[int], bool], now: datetime
) -> int:
    """Mark every remembered guild that is not among those present, take back the marks of those that are.

    `is_known` tells whether a guild's absence means anything: other processes may be in other guilds. Returns how many are newly marked.
    """
    check_ids(*present)
    kept = union(
        *(
            select(table.c.guild_id)
            for table in (tables.replies, tables.server_settings, tables.channel_modes, tables.live_games)
        )
    )
    known = {id_ for id_ in (await connection.execute(kept)).scalars() if id_ is not None}
    marked = set((await connection.execute(select(left_guilds.c.guild_id))).scalars())
    here = set(present)
    for guild_id in marked & here:
        await join(connection, guild_id)
    gone = {id_ for id_ in known - here - marked if is_known(id_)}
    for guild_id in gone:
        await leave(connection, guild_id, now)
    return len(gone)


async def forget(connection: AsyncConnection, guild_id: int) -> None:
    """Forget everything that is linked to a guild."""
    await replies.forget_guild(connection, guild_id)
    await settings.forget_guild(connection, guild_id)
    await live_games.forget_guild(connection, guild_id)
    await join(connection, guild_id)


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Forget at most `limit` guilds that were left before a time and return how many there were."""
    old = select(left_guilds.c.guild_id).where(left_guilds.c.left < before).limit(limit)
    gone = (await connection.execute(old)).scalars().all()
    for guild_id in gone:
        await forget(connection, guild_id)
    return len(gone)
