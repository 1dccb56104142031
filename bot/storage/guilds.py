"""Which guilds the bot has left, so that their rows can be deleted in time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import live_games, live_seats, own_games, polls, replies, settings, unfinished
from bot.storage.dailies import forgetting as dailies
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.jobs import forgetting as jobs
from bot.storage.tables import guilds, left_guilds


async def leave(connection: AsyncConnection, guild_id: int, when: datetime) -> None:
    """Mark a guild as left; an earlier mark stands."""
    check_ids(guild_id)
    new = insert(connection, left_guilds).values(guild_id=guild_id, left=when)
    await connection.execute(new.on_conflict_do_nothing(index_elements=[left_guilds.c.guild_id]))


async def join(connection: AsyncConnection, guild_id: int) -> None:
    """Remove the mark of a guild."""
    check_ids(guild_id)
    await connection.execute(delete(left_guilds).where(left_guilds.c.guild_id == guild_id))


async def note(connection: AsyncConnection, guild_id: int) -> None:
    """Remember that something is kept of a guild."""
    check_ids(guild_id)
    new = insert(connection, guilds).values(guild_id=guild_id)
    await connection.execute(new.on_conflict_do_nothing(index_elements=[guilds.c.guild_id]))


async def list_kept(connection: AsyncConnection, after: int, limit: int) -> list[int]:
    """Return at most ``limit`` guilds of which something is kept, those with ids above ``after``, in order."""
    query = (
        select(guilds.c.guild_id).where(guilds.c.guild_id > after).order_by(guilds.c.guild_id).limit(limit)
    )
    return list((await connection.execute(query)).scalars())


async def list_left(connection: AsyncConnection) -> set[int]:
    """Return the guilds that are marked as left."""
    return set((await connection.execute(select(left_guilds.c.guild_id))).scalars())


async def list_left_and_kept(connection: AsyncConnection, limit: int) -> tuple[set[int], list[int]]:
    """Return the guilds that are marked as left, and the first ``limit`` of which something is kept."""
    return await list_left(connection), await list_kept(connection, -1, limit)


async def join_all(connection: AsyncConnection, guild_ids: Collection[int]) -> None:
    """Remove the marks of guilds."""
    for guild_id in guild_ids:
        await join(connection, guild_id)


async def leave_all(connection: AsyncConnection, guild_ids: Collection[int], when: datetime) -> None:
    """Mark guilds as left."""
    for guild_id in guild_ids:
        await leave(connection, guild_id, when)


async def forget(connection: AsyncConnection, guild_id: int, let_go: datetime) -> None:
    """Forget everything that is linked to a guild; documents of games that were posted there go at ``let_go``."""
    check_ids(guild_id)
    await connection.execute(delete(guilds).where(guilds.c.guild_id == guild_id))
    await replies.forget_guild(connection, guild_id)
    await settings.forget_guild(connection, guild_id)
    await live_games.forget_guild(connection, guild_id)
    await live_seats.forget_guild(connection, guild_id)
    await unfinished.forget_guild(connection, guild_id)
    await polls.forget_guild(connection, guild_id)
    await jobs.forget_guild(connection, guild_id)
    await dailies.forget_guild(connection, guild_id)
    await own_games.forget_guild(connection, guild_id, let_go)
    await join(connection, guild_id)


async def sweep(connection: AsyncConnection, before: datetime, limit: int, let_go: datetime) -> int:
    """Forget at most ``limit`` guilds that were left before a time and return how many there were."""
    old = select(left_guilds.c.guild_id).where(left_guilds.c.left < before).limit(limit)
    gone = (await connection.execute(old)).scalars().all()
    for guild_id in gone:
        await forget(connection, guild_id, let_go)
    return len(gone)
