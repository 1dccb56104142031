"""Who answered."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies import posts
from bot.storage.dailies.values import DailyCounts, DailyKey, Leader, Solver
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import daily_answers, daily_posts, daily_streaks, user_settings

_MAX_STARS = 3


def _now(user_id: int, game: str, puzzle: str, number: int = 0) -> ColumnElement[bool]:
    """Select a user's answers to a puzzle in every place where it is the daily now, or is that of a number."""
    table, posted = daily_answers, daily_posts
    numbers = select(posted.c.number).where(posts.is_open(), posted.c.game == game, posted.c.puzzle == puzzle)
    return (
        (table.c.user_id == user_id)
        & (table.c.game == game)
        & (table.c.puzzle == puzzle)
        & (table.c.number.in_(numbers) | (table.c.number == number))
    )


async def find(
    connection: AsyncConnection, user_id: int, key: DailyKey, puzzle: str
) -> tuple[tuple[Any, ...], frozenset[DailyKey]]:
    """Return a user's answer to a puzzle that is a daily now, wherever it was given, and the dailies it counts for."""
    table = daily_answers
    query = (
        select(
            table.c.guild_id,
            table.c.number,
            table.c.tries,
            table.c.hints,
            table.c.done,
            table.c.solved,
            table.c.given_up,
        )
        .where(_now(user_id, key.game, puzzle, key.number))
        .order_by(table.c.given_up.desc(), table.c.solved.desc(), table.c.tries.desc())
    )
    rows = (await connection.execute(query)).all()
    keys = frozenset(DailyKey(row.guild_id, row.number, key.game) for row in rows)
    return (tuple(rows[0][2:]) if rows else ()), keys


async def keep(  # noqa: PLR0917 - what an answer is
    connection: AsyncConnection,
    user_id: int,
    key: DailyKey,
    puzzle: str,
    values: dict[str, object],
    others: frozenset[DailyKey],
) -> None:
    """Keep a user's answer to a daily and to all ``others`` that ask the same puzzle."""
    table = daily_answers
    for one in sorted(others | {key}, key=lambda one: (one.guild_id, one.number)):
        new = insert(connection, table).values(user_id=user_id, **asdict(one), puzzle=puzzle, **values)
        own = [table.c.user_id, table.c.number, table.c.game, table.c.guild_id]
        await connection.execute(
            new.on_conflict_do_update(index_elements=own, set_={**values, "puzzle": puzzle})
        )
        await posts.count_change(connection, one)


async def is_over(connection: AsyncConnection, user_id: int, game: str, puzzle: str) -> bool:
    """Return whether a user has solved a puzzle that is a daily now, or given it up."""
    table = daily_answers
    query = select(table.c.number).where(
        _now(user_id, game, puzzle),
        table.c.solved | table.c.given_up,
    )
    return (await connection.execute(query.limit(1))).first() is not None


async def counts(connection: AsyncConnection, key: DailyKey) -> DailyCounts:
    """Return how a daily goes."""
    table = daily_answers
    query = select(
        func.count(),
        func.coalesce(func.sum(case((table.c.solved, 1), else_=0)), 0),
        func.coalesce(func.sum(case((table.c.solved & (table.c.tries == 0), 1), else_=0)), 0),
    ).where(_is(key))
    return DailyCounts(*map(int, (await connection.execute(query)).one()))


async def solvers(connection: AsyncConnection, key: DailyKey, limit: int) -> tuple[Solver, ...]:
    """Return who solved a daily and wants to be named, the longest streaks first."""
    table, streaks = daily_answers, daily_streaks
    days = func.coalesce(streaks.c.days, 0)
    query = (
        select(table.c.user_id, days.label("days"))
        .join(user_settings, user_settings.c.user_id == table.c.user_id)
        .outerjoin(streaks, (streaks.c.user_id == table.c.user_id) & (streaks.c.game == table.c.game))
        .where(_is(key), table.c.solved, user_settings.c.named.is_(True))
        .order_by(days.desc(), table.c.user_id)
        .limit(limit)
    )
    return tuple(Solver(row.user_id, row.days) for row in await connection.execute(query))


def _is(key: DailyKey) -> ColumnElement[bool]:
    table = daily_answers
    return (table.c.guild_id == key.guild_id) & (table.c.number == key.number) & (table.c.game == key.game)


async def leaders(
    connection: AsyncConnection, guild_id: int, game: str | None, since: int
) -> tuple[Leader, ...]:
    """Return everybody with a star in a server, since the daily of a number; most stars first."""
    check_ids(guild_id)
    table = daily_answers
    whole = case((table.c.tries >= _MAX_STARS - 1, 1), else_=_MAX_STARS - table.c.tries) - table.c.hints
    stars = func.sum(case((table.c.solved & (whole > 0), whole), else_=0))
    solved = func.sum(case((table.c.solved, 1), else_=0))
    query = (
        select(
            table.c.user_id,
            func.coalesce(user_settings.c.named, False).label("named"),
            stars.label("stars"),
            solved.label("solved"),
        )
        .outerjoin(user_settings, user_settings.c.user_id == table.c.user_id)
        .where(table.c.guild_id == guild_id, table.c.number >= since)
        .group_by(table.c.user_id, user_settings.c.named)
        .having(solved > 0)
        .order_by(stars.desc(), solved.desc(), table.c.user_id)
    )
    if game is not None:
        query = query.where(table.c.game == game)
    return tuple(
        Leader(row.user_id, bool(row.named), int(row.stars), int(row.solved))
        for row in await connection.execute(query)
    )
