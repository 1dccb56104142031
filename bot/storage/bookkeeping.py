"""Key-value pairs, sent notices, and the servers with stored data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.columns import check_ids
from bot.storage.database import BaseStore, has_rows, insert, insert_missing, reads, upsert, writes
from bot.storage.tables import guilds, left_guilds, meta, notices

NOTICE_RETENTION: Final = timedelta(days=30)
"""Time after which the same notice may be sent again."""
SWEEP_PAUSE: Final = timedelta(minutes=55)
"""Minimum time between two deletions of expired data, across all processes."""
GUILD_RETENTION: Final = timedelta(days=30)
"""Time after which the data of a server that the bot has left is deleted."""


class BookkeepingStore(BaseStore):
    """Stores key-value pairs, sent notices, and the bot's servers."""

    @reads
    async def meta(self, connection: AsyncConnection, key: str) -> str | None:
        """Return the value of a key, or None. A key has at most 64 characters."""
        value: str | None = await connection.scalar(select(meta.c.value).where(meta.c.key == key))
        return value

    @writes
    async def set_meta(self, connection: AsyncConnection, key: str, value: str) -> None:
        await upsert(connection, meta, {"key": key, "value": value})

    @writes
    async def claim_notice(
        self, connection: AsyncConnection, key: str, pause: timedelta = NOTICE_RETENTION
    ) -> bool:
        """Claim a notice. For each key, only one caller per ``pause`` gets True.

        ``key`` identifies the notice: for example, ``welcome:123`` is the welcome to the server with the id 123. A key has at
        most 100 characters. A claim dated more than ``pause`` in the future doesn't count: the clock must have been set back.
        """
        now = self._clock()
        claim = (
            insert(connection, notices)
            .values(key=key, claimed_at=now)
            .on_conflict_do_update(
                index_elements=[notices.c.key],
                set_={"claimed_at": now},
                where=(notices.c.claimed_at < now - pause) | (notices.c.claimed_at > now + pause),
            )
            .returning(notices.c.key)
        )
        return await has_rows(connection, claim)

    @writes
    async def mark_guild_left(self, connection: AsyncConnection, guild_id: int) -> None:
        """Record that the bot has left a server. Unless the bot returns, the server's data is deleted :data:`GUILD_RETENTION` later."""
        await insert_missing(connection, left_guilds, guild_id=guild_id, left=self._clock())

    @writes
    async def mark_guild_joined(self, connection: AsyncConnection, guild_id: int) -> None:
        await connection.execute(delete(left_guilds).where(left_guilds.c.guild_id == guild_id))

    @writes
    async def reconcile_guilds(
        self,
        connection: AsyncConnection,
        guild_ids: Collection[int],
        is_on_own_shard: Callable[[int], bool] = lambda _: True,
    ) -> int:
        """Record which stored servers the bot has left or joined. Return how many were newly marked as left.

        ``guild_ids`` are the servers that this process sees. ``is_on_own_shard`` returns whether a server is on one of
        this process's shards.
        """
        check_ids(*guild_ids)
        present_ids = set(guild_ids)
        marked_ids = set(await connection.scalars(select(left_guilds.c.guild_id)))
        stored_ids = set(await connection.scalars(select(guilds.c.guild_id)))
        newly_left_ids = [
            guild_id
            for guild_id in sorted(stored_ids - present_ids - marked_ids)
            if is_on_own_shard(guild_id)
        ]
        await connection.execute(
            delete(left_guilds).where(left_guilds.c.guild_id.in_(marked_ids & present_ids))
        )
        for guild_id in newly_left_ids:
            await insert_missing(connection, left_guilds, guild_id=guild_id, left=self._clock())
        return len(newly_left_ids)


async def record_guild(connection: AsyncConnection, guild_id: int | None) -> None:
    """Record that data for a server is stored."""
    if guild_id is not None:
        await insert_missing(connection, guilds, guild_id=guild_id)
