"""Daily puzzles (*dailies*): each server's settings and posts.

A process claims a post's row before it sends the post. If the process dies, the claim expires.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Table, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.database import (
    BaseStore,
    columns_of,
    find,
    has_rows,
    insert,
    is_expired,
    lock_id,
    reads,
    upsert,
    writes,
)
from bot.storage.tables import daily_posts, daily_settings

MAX_DUE_AHEAD: Final = timedelta(hours=49)
"""Maximum time until the next post is due. A post due later counts as due now: see :func:`bot.storage.database.is_expired`."""
CLAIM_DURATION: Final = timedelta(seconds=90)
MAX_CLAIM_REMAINING: Final = timedelta(minutes=30)
"""Maximum remaining duration of a claim, including a pause after a failed attempt. See :func:`bot.storage.database.is_expired`."""
MAX_ATTEMPTS: Final = 12
EDIT_PAUSE: Final = timedelta(seconds=5)
"""Minimum time between two edits of the counts under a daily puzzle."""
NO_SERVER: Final = 0
"""The ``guild_id`` of answers that were given outside the servers that posted the puzzle."""


@dataclass(frozen=True, slots=True)
class DailySettings:
    """A server's settings for daily puzzles."""

    channel_id: int
    hour: int
    zone: str
    games: str
    """The games, separated by commas."""
    level: str
    role_id: int | None = None
    """The role that each post mentions."""


@dataclass(frozen=True, slots=True)
class DueServer:
    """A server whose next daily puzzle is due."""

    guild_id: int
    settings: DailySettings
    due: datetime


@dataclass(frozen=True, slots=True)
class DailyKey:
    """Identifies a daily puzzle."""

    guild_id: int
    """The server, or :data:`NO_SERVER`."""
    number: int
    """The number of the puzzle's day, counted from the first day with daily puzzles."""
    game: str


@dataclass(frozen=True, slots=True)
class DailyPost:
    """A posted daily puzzle."""

    key: DailyKey
    puzzle: str
    channel_id: int
    message_id: int
    change_count: int
    """Number of changes to the puzzle's answer counts."""


class DailyStore(BaseStore):
    """Stores servers' daily puzzles."""

    @reads
    async def daily_settings(self, connection: AsyncConnection, guild_id: int) -> DailySettings | None:
        return await find(connection, daily_settings, DailySettings, daily_settings.c.guild_id == guild_id)

    @writes
    async def change_daily_settings(
        self,
        connection: AsyncConnection,
        guild_id: int,
        change: Callable[[DailySettings | None], tuple[DailySettings, datetime]],
    ) -> tuple[DailySettings, datetime]:
        """Change a server's settings. Return the new settings and the due time of the next daily, as ``change`` returns them.

        ``change`` is called with the current settings, or None if the server gets no dailies.
        """
        await record_guild(connection, guild_id)
        await lock_id(connection, guild_id)
        settings, due = change(
            await find(connection, daily_settings, DailySettings, daily_settings.c.guild_id == guild_id)
        )
        await upsert(connection, daily_settings, {"guild_id": guild_id, **asdict(settings), "due": due})
        return settings, due

    @writes
    async def delete_daily_settings(self, connection: AsyncConnection, guild_id: int) -> None:
        await connection.execute(delete(daily_settings).where(daily_settings.c.guild_id == guild_id))

    @reads
    async def servers_with_due_daily(
        self, connection: AsyncConnection, after: int, limit: int
    ) -> tuple[DueServer, ...]:
        """Return the servers with an id above ``after`` whose next daily is due, sorted by id."""
        table = daily_settings
        query = (
            select(table.c.guild_id, table.c.due, *columns_of(table, DailySettings))
            .where(is_expired(table.c.due, self._clock(), MAX_DUE_AHEAD), table.c.guild_id > after)
            .order_by(table.c.guild_id)
            .limit(limit)
        )
        return tuple(
            DueServer(row.guild_id, DailySettings(*row[2:]), row.due)
            for row in await connection.execute(query)
        )

    @writes
    async def postpone_daily(
        self, connection: AsyncConnection, due_server: DueServer, until: datetime
    ) -> None:
        """Postpone a server's next daily, unless its due time has changed since ``due_server`` was read."""
        await connection.execute(
            update(daily_settings)
            .where(daily_settings.c.guild_id == due_server.guild_id, daily_settings.c.due == due_server.due)
            .values(due=until)
        )

    @writes
    async def claim_daily(
        self, connection: AsyncConnection, key: DailyKey, puzzle: str, channel_id: int
    ) -> int:
        """Claim a daily for :data:`CLAIM_DURATION`, so that no other process posts it.

        Return the number of the attempt. Return 0 if the daily has already been posted, claimed or closed, or has had
        :data:`MAX_ATTEMPTS` attempts. If the number is 2 or more, an earlier attempt may have posted the daily without recording it.
        """
        await record_guild(connection, key.guild_id)
        table, now = daily_posts, self._clock()
        statement = (
            insert(connection, table)
            .values(
                **asdict(key),
                puzzle=puzzle,
                channel_id=channel_id,
                held_until=now + CLAIM_DURATION,
                tries=1,
                changes=0,
                shown=0,
            )
            .on_conflict_do_update(
                index_elements=[table.c.guild_id, table.c.number, table.c.game],
                set_={
                    "held_until": now + CLAIM_DURATION,
                    "channel_id": channel_id,
                    "tries": table.c.tries + 1,
                },
                where=table.c.message_id.is_(None)
                & table.c.closed.is_(None)
                & is_expired(table.c.held_until, now, MAX_CLAIM_REMAINING)
                & (table.c.tries < MAX_ATTEMPTS),
            )
            .returning(table.c.tries)
        )
        return await connection.scalar(statement) or 0

    @writes
    async def record_daily_post(self, connection: AsyncConnection, key: DailyKey, message_id: int) -> None:
        await _change(connection, key, message_id=message_id, posted=self._clock(), held_until=None, tries=0)

    @writes
    async def set_daily_claim_duration(
        self, connection: AsyncConnection, key: DailyKey, duration: timedelta
    ) -> None:
        """Let the claim on a daily expire after ``duration``."""
        await _change(connection, key, held_until=self._clock() + duration)

    @reads
    async def is_daily_posted_or_closed(self, connection: AsyncConnection, key: DailyKey) -> bool:
        return await has_rows(
            connection,
            select(daily_posts.c.number).where(
                is_daily(key), daily_posts.c.message_id.is_not(None) | daily_posts.c.closed.is_not(None)
            ),
        )

    @writes
    async def claim_daily_closing(self, connection: AsyncConnection, key: DailyKey) -> int:
        """Claim a posted daily in order to post its solution.

        The claim works as in :meth:`claim_daily`, but this method does not limit the number of attempts. After the first claim, new
        answers to the daily no longer count.
        """
        table, now = daily_posts, self._clock()
        statement = (
            update(table)
            .where(
                is_daily(key),
                is_open(),
                table.c.held_until.is_(None) | is_expired(table.c.held_until, now, MAX_CLAIM_REMAINING),
            )
            .values(held_until=now + CLAIM_DURATION, tries=table.c.tries + 1)
            .returning(table.c.tries)
        )
        return await connection.scalar(statement) or 0

    @writes
    async def close_daily(self, connection: AsyncConnection, key: DailyKey) -> None:
        """Record that a daily is over, or cannot be posted."""
        await _change(connection, key, closed=self._clock(), held_until=None)

    @reads
    async def open_dailies(self, connection: AsyncConnection, guild_id: int) -> tuple[DailyPost, ...]:
        """Return a server's open dailies, oldest first."""
        return await _find_posts(
            connection, is_open() & (daily_posts.c.guild_id == guild_id), daily_posts.c.number
        )

    @reads
    async def open_daily_puzzles(self, connection: AsyncConnection) -> frozenset[tuple[str, str]]:
        """Return (game, puzzle id) pairs of the open dailies in all servers."""
        query = select(daily_posts.c.game, daily_posts.c.puzzle).distinct().where(is_open())
        return frozenset((row.game, row.puzzle) for row in await connection.execute(query))

    @reads
    async def daily_key(
        self, connection: AsyncConnection, game: str, puzzle: str, guild_id: int | None
    ) -> DailyKey | None:
        """Return the key of the open daily with this puzzle, or None.

        The server's own daily takes precedence. If only other servers have this daily, the key contains :data:`NO_SERVER`.
        """
        is_own_server = daily_posts.c.guild_id == (guild_id or NO_SERVER)
        query = (
            select(daily_posts.c.guild_id, daily_posts.c.number)
            .where(
                is_open(),
                daily_posts.c.tries == 0,  # not yet claimed for closing
                daily_posts.c.game == game,
                daily_posts.c.puzzle == puzzle,
            )
            .order_by(is_own_server.desc(), daily_posts.c.number.desc())
            .limit(1)
        )
        row = (await connection.execute(query)).first()
        if row is None:
            return None
        return DailyKey(row.guild_id if row.guild_id == guild_id else NO_SERVER, row.number, game)

    @reads
    async def stale_dailies(self, connection: AsyncConnection) -> tuple[DailyPost, ...]:
        """Return the open dailies whose message shows outdated counts and may be edited now."""
        is_stale = daily_posts.c.changes != daily_posts.c.shown
        return await _find_posts(
            connection, is_stale & is_open() & _may_be_edited(self._clock()), daily_posts.c.edited
        )

    @writes
    async def claim_daily_edit(self, connection: AsyncConnection, post: DailyPost) -> bool:
        """Claim the next edit of a daily's message. Return True to only one caller per :data:`EDIT_PAUSE`."""
        now = self._clock()
        return await has_rows(
            connection,
            update(daily_posts)
            .where(is_daily(post.key), _may_be_edited(now))
            .values(edited=now)
            .returning(daily_posts.c.number),
        )

    @writes
    async def record_shown_counts(self, connection: AsyncConnection, post: DailyPost) -> None:
        await _change(connection, post.key, shown=post.change_count)


def is_open() -> ColumnElement[bool]:
    """Return the condition that a daily is posted and not over."""
    return daily_posts.c.message_id.is_not(None) & daily_posts.c.closed.is_(None)


async def record_count_change(connection: AsyncConnection, key: DailyKey) -> None:
    """Mark the counts of a daily's answers as changed, unless the daily is over."""
    await connection.execute(
        update(daily_posts)
        .where(is_daily(key), daily_posts.c.closed.is_(None))
        .values(changes=daily_posts.c.changes + 1)
    )


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> tuple[int, ...]:
    """Delete at most ``limit`` daily puzzles that ended before a given time, oldest first. Return their numbers in order."""
    # A daily that was claimed but never posted has no closing time. The end of its claim counts instead.
    oldest_keys = (
        select(*daily_posts.primary_key)
        .where(func.coalesce(daily_posts.c.closed, daily_posts.c.held_until) < before)
        .order_by(daily_posts.c.number)
        .limit(limit)
    )
    numbers = await connection.scalars(
        delete(daily_posts)
        .where(tuple_(*daily_posts.primary_key).in_(oldest_keys))
        .returning(daily_posts.c.number)
    )
    return tuple(sorted(numbers))


def is_daily(key: DailyKey, table: Table = daily_posts) -> ColumnElement[bool]:
    return (table.c.guild_id == key.guild_id) & (table.c.number == key.number) & (table.c.game == key.game)


def _may_be_edited(now: datetime) -> ColumnElement[bool]:
    edited = daily_posts.c.edited
    return edited.is_(None) | is_expired(edited, now - EDIT_PAUSE, EDIT_PAUSE)


async def _change(connection: AsyncConnection, key: DailyKey, **values: object) -> None:
    await connection.execute(update(daily_posts).where(is_daily(key)).values(**values))


async def _find_posts(
    connection: AsyncConnection, condition: ColumnElement[bool], order: Column[Any]
) -> tuple[DailyPost, ...]:
    c = daily_posts.c
    query = (
        select(*columns_of(daily_posts, DailyKey), c.puzzle, c.channel_id, c.message_id, c.changes)
        .where(condition)
        .order_by(order)
    )
    return tuple(
        DailyPost(DailyKey(*row[:3]), row.puzzle, row.channel_id, row.message_id, row.changes)
        for row in await connection.execute(query)
    )
