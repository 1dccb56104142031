"""Dailies: what a server chose, what was posted there, who answered, and streaks.

A post is a row that is claimed before it is sent, so that one process sends it, and that holds its claim for a while only, so
that another sends it when that process dies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Column, ColumnElement, Row, Select, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import (
    daily_answers,
    daily_posts,
    daily_settings,
    daily_streaks,
    user_settings,
)

MAX_TRIES: Final = 12
"""How often a post is tried."""
MAX_HOLD: Final = timedelta(minutes=30)
"""Longer is no claim held but by a clock that has been set back since."""
EDIT_PAUSE: Final = timedelta(seconds=5)
"""Between two changes of the counts under a daily."""
FAR: Final = timedelta(hours=49)
"""A next post that is farther away was reckoned by a clock that has been set back since."""
_MISSED: Final = 62
"""So many missed dailies end every streak."""
_MAX_STARS: Final = 3


@dataclass(frozen=True, slots=True)
class DailySettings:
    """Where and when a server gets which dailies; values are words of the program, as in ``ServerSettings``."""

    channel_id: int
    hour: int
    zone: str
    games: str
    """The games, with commas between them."""
    level: str
    role_id: int | None = None
    """Who is told of each."""


@dataclass(frozen=True, slots=True)
class DailyDue:
    """A server whose next daily is due."""

    guild_id: int
    settings: DailySettings
    due: datetime


@dataclass(frozen=True, slots=True)
class DailyKey:
    """The daily of a number and a game in a server."""

    guild_id: int
    number: int
    game: str


@dataclass(frozen=True, slots=True)
class DailyPost:
    """A daily that was posted."""

    key: DailyKey
    puzzle: str
    channel_id: int
    message_id: int
    changes: int
    """How often what its counts tell has changed."""


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """How a daily goes in a server."""

    tried: int
    solved: int
    first: int
    """Solved by the first answer."""


@dataclass(frozen=True, slots=True)
class KeptStreak:
    """Somebody's streak, as :class:`bot.puzzles.daily.Streak` has it."""

    days: int = 0
    best: int = 0
    last: int = 0
    frozen: int = 0


@dataclass(frozen=True, slots=True)
class Leader:
    """Somebody on a board, and what dailies were worth."""

    user_id: int
    named: bool
    """Whether the person wants to be named."""
    stars: int
    solved: int


@dataclass(frozen=True, slots=True)
class Solver:
    """Somebody who solved a daily and wants to be named."""

    user_id: int
    streak: int
    """Days; as it was told last."""


Streaking: TypeAlias = Callable[[KeptStreak, Sequence[int]], KeptStreak]
"""Returns a streak after a daily was solved; the numbers are those missed since the last one."""


# What a server chose


async def settings_of(connection: AsyncConnection, guild_id: int) -> DailySettings | None:
    """Return what a server chose; None for no daily."""
    check_ids(guild_id)
    query = select(*_settings_columns()).where(daily_settings.c.guild_id == guild_id)
    row = (await connection.execute(query)).first()
    return None if row is None else DailySettings(*row)


async def choose(
    connection: AsyncConnection, guild_id: int, chosen: DailySettings | None, due: datetime | None
) -> None:
    """Keep what a server chose and when its next daily is due; None for no daily."""
    check_ids(guild_id)
    table = daily_settings
    if chosen is None or due is None:
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))
        return
    check_ids(chosen.channel_id, chosen.role_id)
    values = {**asdict(chosen), "due": due}
    new = insert(connection, table).values(guild_id=guild_id, **values)
    await connection.execute(new.on_conflict_do_update(index_elements=[table.c.guild_id], set_=values))


async def due(connection: AsyncConnection, now: datetime, after: int, limit: int) -> tuple[DailyDue, ...]:
    """Return servers with ids above ``after`` whose next daily is due."""
    table = daily_settings
    query = (
        select(table.c.guild_id, table.c.due, *_settings_columns())
        .where((table.c.due <= now) | (table.c.due > now + FAR), table.c.guild_id > after)
        .order_by(table.c.guild_id)
        .limit(limit)
    )
    return tuple(
        DailyDue(row.guild_id, DailySettings(*row[2:]), row.due) for row in await connection.execute(query)
    )


async def put_off(connection: AsyncConnection, seen: DailyDue, until: datetime) -> None:
    """Keep when the next daily is due, unless somebody has chosen anew meanwhile."""
    table = daily_settings
    await connection.execute(
        update(table).where(table.c.guild_id == seen.guild_id, table.c.due == seen.due).values(due=until)
    )


def _settings_columns() -> list[Column[Any]]:
    return [daily_settings.c[name] for name in DailySettings.__dataclass_fields__]


# What was posted


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
            _is(key),
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


async def open_posts(connection: AsyncConnection, guild_id: int | None) -> tuple[DailyPost, ...]:
    """Return the dailies of a server, or of all, that can still be answered; older ones first."""
    query = _posts().where(daily_posts.c.message_id.is_not(None), daily_posts.c.closed.is_(None))
    if guild_id is not None:
        check_ids(guild_id)
        query = query.where(daily_posts.c.guild_id == guild_id)
    return _read_posts((await connection.execute(query.order_by(daily_posts.c.number))).all())


async def open_puzzles(connection: AsyncConnection) -> frozenset[tuple[str, str]]:
    """Return the games and puzzles that are the daily of any server now."""
    table = daily_posts
    query = (
        select(table.c.game, table.c.puzzle)
        .distinct()
        .where(table.c.closed.is_(None), table.c.message_id.is_not(None))
    )
    return frozenset((row.game, row.puzzle) for row in await connection.execute(query))


async def is_posted(connection: AsyncConnection, key: DailyKey) -> bool:
    """Tell whether a daily was posted or given up."""
    query = select(daily_posts.c.number).where(
        _is(key), daily_posts.c.message_id.is_not(None) | daily_posts.c.closed.is_not(None)
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
        .where(_is(post.key), _may_be_edited(now))
        .values(edited=now)
        .returning(daily_posts.c.number)
    )
    return (await connection.execute(statement)).first() is not None


async def shown(connection: AsyncConnection, post: DailyPost) -> None:
    """Keep that the counts show all changes that a post tells of."""
    await _change(connection, post.key, shown=post.changes)


def _is(key: DailyKey) -> ColumnElement[bool]:
    table = daily_posts
    return (table.c.guild_id == key.guild_id) & (table.c.number == key.number) & (table.c.game == key.game)


def _is_free(now: datetime) -> ColumnElement[bool]:
    held = daily_posts.c.held_until
    return (held <= now) | (held > now + MAX_HOLD)


def _may_be_edited(now: datetime) -> ColumnElement[bool]:
    edited = daily_posts.c.edited
    return edited.is_(None) | (edited <= now - EDIT_PAUSE) | (edited > now)


async def _change(connection: AsyncConnection, key: DailyKey, **values: object) -> None:
    await connection.execute(update(daily_posts).where(_is(key)).values(**values))


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


# Who answered


async def answers(
    connection: AsyncConnection, user_id: int, key: DailyKey, puzzle: str
) -> tuple[tuple[Any, ...], frozenset[int]]:
    """Return what somebody has done about a daily, wherever, and in which servers; nothing when that is nothing."""
    table = daily_answers
    query = select(
        table.c.guild_id, table.c.tries, table.c.hints, table.c.done, table.c.solved, table.c.given_up
    ).where(
        table.c.user_id == user_id,
        table.c.number == key.number,
        table.c.game == key.game,
        table.c.puzzle == puzzle,
    )
    rows = (await connection.execute(query)).all()
    return (tuple(rows[0][1:]) if rows else ()), frozenset(row.guild_id for row in rows)


async def keep_answer(  # noqa: PLR0917 - what an answer is
    connection: AsyncConnection,
    user_id: int,
    key: DailyKey,
    puzzle: str,
    values: dict[str, object],
    guilds: frozenset[int],
) -> None:
    """Keep what somebody has done about a daily, in every server where the person has a part in it."""
    table = daily_answers
    for guild_id in sorted(guilds | {key.guild_id}):
        new = insert(connection, table).values(
            user_id=user_id, number=key.number, game=key.game, guild_id=guild_id, puzzle=puzzle, **values
        )
        own = [table.c.user_id, table.c.number, table.c.game, table.c.guild_id]
        await connection.execute(
            new.on_conflict_do_update(index_elements=own, set_={**values, "puzzle": puzzle})
        )
        await _count_change(connection, DailyKey(guild_id, key.number, key.game))


async def _count_change(connection: AsyncConnection, key: DailyKey) -> None:
    changed = update(daily_posts).where(_is(key), daily_posts.c.closed.is_(None))
    await connection.execute(changed.values(changes=daily_posts.c.changes + 1))


async def is_over(connection: AsyncConnection, user_id: int, game: str, puzzle: str) -> bool:
    """Tell whether somebody has solved a puzzle as a daily, or given it up."""
    table = daily_answers
    query = select(table.c.number).where(
        table.c.user_id == user_id,
        table.c.game == game,
        table.c.puzzle == puzzle,
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
    ).where(_answered(key))
    return DailyCounts(*map(int, (await connection.execute(query)).one()))


async def solvers(connection: AsyncConnection, key: DailyKey, limit: int) -> tuple[Solver, ...]:
    """Return who solved a daily and wants to be named, the longest streaks first."""
    table, streaks = daily_answers, daily_streaks
    days = func.coalesce(streaks.c.days, 0)
    query = (
        select(table.c.user_id, days.label("days"))
        .join(user_settings, user_settings.c.user_id == table.c.user_id)
        .outerjoin(streaks, (streaks.c.user_id == table.c.user_id) & (streaks.c.game == table.c.game))
        .where(_answered(key), table.c.solved, user_settings.c.named.is_(True))
        .order_by(days.desc(), table.c.user_id)
        .limit(limit)
    )
    return tuple(Solver(row.user_id, row.days) for row in await connection.execute(query))


def _answered(key: DailyKey) -> ColumnElement[bool]:
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


async def streak(connection: AsyncConnection, user_id: int, game: str) -> KeptStreak:
    """Return somebody's streak as it was when the person last solved a daily."""
    check_ids(user_id)
    table = daily_streaks
    query = select(*(table.c[name] for name in asdict(KeptStreak()))).where(
        table.c.user_id == user_id, table.c.game == game
    )
    row = (await connection.execute(query.with_for_update())).first()
    return KeptStreak() if row is None else KeptStreak(*row)


async def missed(
    connection: AsyncConnection, user_id: int, game: str, after: int, before: int | None
) -> tuple[int, ...]:
    """Return the numbers after one, and before another or already over, posted where somebody answers, in order."""
    table = daily_posts
    own = select(daily_answers.c.guild_id).where(
        daily_answers.c.user_id == user_id, daily_answers.c.game == game
    )
    query = (
        select(table.c.number)
        .distinct()
        .where(
            table.c.game == game,
            table.c.number > after,
            table.c.message_id.is_not(None),
            table.c.guild_id.in_(own),
        )
    )
    query = query.where(table.c.closed.is_not(None) if before is None else table.c.number < before)
    return tuple((await connection.execute(query.order_by(table.c.number).limit(_MISSED))).scalars())


async def keep_streak(connection: AsyncConnection, user_id: int, key: DailyKey, work: Streaking) -> None:
    """Keep somebody's streak after a daily was solved."""
    before = await streak(connection, user_id, key.game)
    after = work(before, await missed(connection, user_id, key.game, before.last, key.number))
    table = daily_streaks
    new = insert(connection, table).values(user_id=user_id, game=key.game, **asdict(after))
    await connection.execute(
        new.on_conflict_do_update(index_elements=[table.c.user_id, table.c.game], set_=asdict(after))
    )


# Forgetting


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Return to how many dailies somebody has given an answer."""
    table = daily_answers
    query = select(table.c.number, table.c.game).distinct().where(table.c.user_id == user_id)
    return await connection.scalar(select(func.count()).select_from(query.subquery())) or 0


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget somebody's answers and streaks; open dailies count anew."""
    check_ids(user_id)
    table = daily_answers
    query = select(table.c.guild_id, table.c.number, table.c.game).where(table.c.user_id == user_id)
    for row in (await connection.execute(query.order_by(table.c.guild_id, table.c.number))).all():
        await _count_change(connection, DailyKey(*row))
    for own in (daily_answers, daily_streaks):
        await connection.execute(delete(own).where(own.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget a server's choice, its dailies, and the answers to them."""
    check_ids(guild_id)
    for table in (daily_settings, daily_posts, daily_answers):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))


async def tell_streak(
    connection: AsyncConnection, user_id: int, game: str
) -> tuple[KeptStreak, tuple[int, ...]]:
    """Return somebody's streak as it was last, and the numbers missed since that are over."""
    known = await streak(connection, user_id, game)
    return known, await missed(connection, user_id, game, known.last, None)
