"""Which guilds the bot has left, so that their rows can be deleted in time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import live_games, live_seats, own_games, polls, puzzles, replies, settings, unfinished
from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.jobs import attempts as jobs
from bot.storage.part import StorePart
from bot.storage.tables import guilds, left_guilds

GUILD_RETENTION: Final = timedelta(days=30)
"""How long the rows of a guild are kept after the bot has left it."""

_PAGE: Final = 5000
"""Guilds looked through in one transaction."""


class GuildStore(StorePart):
    """Where the bot is."""

    @writes
    async def mark_guild_left(
        self, connection: AsyncConnection, guild_id: int, when: datetime | None = None
    ) -> None:
        """Note that the bot left a guild, at ``when`` or now; an earlier mark stands.

        Everything of the guild is deleted :data:`GUILD_RETENTION` later, unless the bot comes back.
        """
        check_ids(guild_id)
        await _leave(connection, [guild_id], when or self._clock())

    @writes
    async def mark_guild_joined(self, connection: AsyncConnection, guild_id: int) -> None:
        """Note that the bot is in a guild again: what is known of it stays."""
        check_ids(guild_id)
        await _join(connection, [guild_id])

    async def compare_guilds(
        self, guild_ids: Collection[int], is_known: Callable[[int], bool] = lambda _: True
    ) -> int:
        """Compare what is known with the guilds the bot is in: those left or joined meanwhile count from now.

        ``guild_ids`` are all of them; where several processes share the work, all for which ``is_known`` is true.
        Returns how many remembered guilds the bot has left.
        """
        check_ids(*guild_ids)
        here = set(guild_ids)
        marked, page = await self._left_and_kept()
        if back := marked & here:
            await self._database.write(_join, back)
        gone = 0
        while True:
            left = [id_ for id_ in page if id_ not in here and id_ not in marked and is_known(id_)]
            if left:
                await self._database.write(_leave, left, self._clock())
            gone += len(left)
            if len(page) < _PAGE:
                return gone
            page = await self._database.read(_list_kept, page[-1])

    @reads
    async def _left_and_kept(self, connection: AsyncConnection) -> tuple[set[int], list[int]]:
        """Return the guilds that are marked as left, and the first page of those of which something is kept."""
        marked = set((await connection.execute(select(left_guilds.c.guild_id))).scalars())
        return marked, await _list_kept(connection, -1)


async def _leave(connection: AsyncConnection, guild_ids: Collection[int], when: datetime) -> None:
    for guild_id in guild_ids:
        new = insert(connection, left_guilds).values(guild_id=guild_id, left=when)
        await connection.execute(new.on_conflict_do_nothing(index_elements=[left_guilds.c.guild_id]))


async def _join(connection: AsyncConnection, guild_ids: Collection[int]) -> None:
    for guild_id in guild_ids:
        await connection.execute(delete(left_guilds).where(left_guilds.c.guild_id == guild_id))


async def _list_kept(connection: AsyncConnection, after: int) -> list[int]:
    """Return a page of guilds of which something is kept, those with ids above ``after``, in order."""
    kept = select(guilds.c.guild_id).where(guilds.c.guild_id > after)
    return list((await connection.execute(kept.order_by(guilds.c.guild_id).limit(_PAGE))).scalars())


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
    await puzzles.forget_guild(connection, guild_id)
    await own_games.forget_guild(connection, guild_id, let_go)
    await connection.execute(delete(left_guilds).where(left_guilds.c.guild_id == guild_id))


async def sweep(connection: AsyncConnection, before: datetime, limit: int, let_go: datetime) -> int:
    """Forget at most ``limit`` guilds that were left before a time and return how many there were."""
    old = select(left_guilds.c.guild_id).where(left_guilds.c.left < before).limit(limit)
    gone = (await connection.execute(old)).scalars().all()
    for guild_id in gone:
        await forget(connection, guild_id, let_go)
    return len(gone)
