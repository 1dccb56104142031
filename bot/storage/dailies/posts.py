"""What was posted.

A post is a row that is claimed before it is sent, so that one process sends it, and that holds its claim for a while only, so
that another sends it when that process dies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Row, Select, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies.values import ELSEWHERE, DailyKey, DailyPost
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import daily_posts

MAX_TRIES: Final = 12
"""How often a post is tried."""
MAX_HOLD: Final = timedelta(minutes=30)
"""Longer is no claim held but by a clock that has been set back since."""
EDIT_PAUSE: Final = timedelta(seconds=5)
"""Between two changes of the counts under a daily."""


async def claim(  # noqa: PLR0917 - what a post is
    connection: AsyncConnection,
    key: DailyKey,
    puzzle: str,
    channel_id: int,
    now: datetime,
    until: datetime,
) -> int:
    """Claim the post of a daily until a time; return 0 when it is posted, held or given up, else the number of the try."""
    check_ids(key.guild_id, channel_id)
    table = daily_posts
    new = insert(connection, table).values(
        **asdict(key), puzzle=puzzle, channel_id=channel_id, held_until=until, tries=1, changes=0, shown=0
    )
    statement = new.on_conflict_do_update(
        index_elements=[table.c.guild_id, table.c.number, table.c.game],
        set_={"held_until": until, "channel_id": channel_id, "tries": table.c.tries + 1},
        where=table.c.message_id.is_(None)
        & table.c.closed.is_(None)
        & _is_free(now)
        & (table.c.tries < MAX_TRIES),
    ).returning(table.c.tries)
    return await connection.scalar(statement) or 0


async def record(connection: AsyncConnection, key: DailyKey, message_id: int, now: datetime) -> None:
    """Keep that a daily was posted."""
    check_ids(message_id)
    await _change(connection, key, message_id=message_id, posted=now, held_until=None, tries=0)


async def hold(connection: AsyncConnection, key: DailyKey, until: datetime) -> None:
    """Let a claim that came to nothing be taken again at a time."""
    await _change(connection, key, held_until=until)


async def claim_closing(connection: AsyncConnection, key: DailyKey, now: datetime, until: datetime) -> int:
    """Claim the solution of a posted daily, as :func:`claim`."""
    table = daily_posts
    statement = (
        update(table)
        .where(
            is_of(key),
            table.c.message_id.is_not(None),
            table.c.closed.is_(None),
            table.c.held_until.is_(None) | _is_free(now),
        )
        .values(held_until=until, tries=table.c.tries + 1)
        .returning(table.c.tries)
    )
    return await connection.scalar(statement) or 0


async def close(connection: AsyncConnection, key: DailyKey, now: datetime) -> None:
    """Keep that a daily is over, or cannot be posted."""
    await _change(connection, key, closed=now, held_until=None)


async def find_open(connection: AsyncConnection, guild_id: int | None) -> tuple[DailyPost, ...]:
    """Return the dailies of a server, or of all, that can still be answered; older ones first."""
    query = _posts().where(is_open())
    if guild_id is not None:
        check_ids(guild_id)
        query = query.where(daily_posts.c.guild_id == guild_id)
    return _read_posts((await connection.execute(query.order_by(daily_posts.c.number))).all())


async def open_puzzles(connection: AsyncConnection) -> frozenset[tuple[str, str]]:
    """Return the games and puzzles that are the daily of any server now."""
    table = daily_posts
    query = select(table.c.game, table.c.puzzle).distinct().where(is_open())
    return frozenset((row.game, row.puzzle) for row in await connection.execute(query))


def is_open() -> ColumnElement[bool]:
    """Select dailies that are posted and not over."""
    return daily_posts.c.message_id.is_not(None) & daily_posts.c.closed.is_(None)


async def key_of(
    connection: AsyncConnection, game: str, puzzle: str, guild_id: int | None
) -> DailyKey | None:
    """Return the daily that a puzzle is now, in a guild or else :data:`ELSEWHERE`; None when it is no guild's daily.

    A daily takes no answers from the moment on in which its solution is claimed to be posted.
    """
    table = daily_posts
    is_here = table.c.guild_id == (guild_id or ELSEWHERE)
    query = (
        select(table.c.guild_id, table.c.number)
        .where(is_open(), table.c.tries == 0, table.c.game == game, table.c.puzzle == puzzle)
        .order_by(is_here.desc(), table.c.number.desc())
        .limit(1)
    )
    row = (await connection.execute(query)).first()
    if row is None:
        return None
    return DailyKey(row.guild_id if row.guild_id == guild_id else ELSEWHERE, row.number, game)


async def is_posted(connection: AsyncConnection, key: DailyKey) -> bool:
    """Tell whether a daily was posted or given up."""
    query = select(daily_posts.c.number).where(
        is_of(key), daily_posts.c.message_id.is_not(None) | daily_posts.c.closed.is_not(None)
    )
    return (await connection.execute(query)).first() is not None


async def stale(connection: AsyncConnection, now: datetime, limit: int) -> tuple[DailyPost, ...]:
    """Return posted dailies whose counts are not shown yet and may be shown now."""
    query = _posts().where(
        daily_posts.c.changes != daily_posts.c.shown,
        daily_posts.c.message_id.is_not(None),
        daily_posts.c.closed.is_(None),
        _may_be_edited(now),
    )
    return _read_posts((await connection.execute(query.order_by(daily_posts.c.edited).limit(limit))).all())


async def claim_edit(connection: AsyncConnection, post: DailyPost, now: datetime) -> bool:
    """Claim the next change of a daily's counts: for one caller in every :data:`EDIT_PAUSE`."""
    statement = (
        update(daily_posts)
        .where(is_of(post.key), _may_be_edited(now))
        .values(edited=now)
        .returning(daily_posts.c.number)
    )
    return (await connection.execute(statement)).first() is not None


async def shown(connection: AsyncConnection, post: DailyPost) -> None:
    """Keep that the counts show all changes that a post tells of."""
    await _change(connection, post.key, shown=post.changes)


async def count_change(connection: AsyncConnection, key: DailyKey) -> None:
    """Note that the counts of a daily have changed, if it is open."""
    changed = update(daily_posts).where(is_of(key), daily_posts.c.closed.is_(None))
    await connection.execute(changed.values(changes=daily_posts.c.changes + 1))


def is_of(key: DailyKey) -> ColumnElement[bool]:
    """Return what is true of the row of a daily."""
    table = daily_posts
    return (table.c.guild_id == key.guild_id) & (table.c.number == key.number) & (table.c.game == key.game)


def _is_free(now: datetime) -> ColumnElement[bool]:
    held = daily_posts.c.held_until
    return (held <= now) | (held > now + MAX_HOLD)


def _may_be_edited(now: datetime) -> ColumnElement[bool]:
    edited = daily_posts.c.edited
    return edited.is_(None) | (edited <= now - EDIT_PAUSE) | (edited > now)


async def _change(connection: AsyncConnection, key: DailyKey, **values: object) -> None:
    await connection.execute(update(daily_posts).where(is_of(key)).values(**values))


def _posts() -> Select[tuple[object, ...]]:
    table = daily_posts
    return select(
        table.c.guild_id,
        table.c.number,
        table.c.game,
        table.c.puzzle,
        table.c.channel_id,
        table.c.message_id,
        table.c.changes,
    )


def _read_posts(rows: Sequence[Row[tuple[object, ...]]]) -> tuple[DailyPost, ...]:
    return tuple(
        DailyPost(
            DailyKey(row.guild_id, row.number, row.game),
            row.puzzle,
            row.channel_id,
            row.message_id,
            row.changes,
        )
        for row in rows
    )
