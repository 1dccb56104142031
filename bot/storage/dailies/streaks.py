"""Dailies that people solved in a row."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies.values import DailyKey, KeptStreak, Streaking
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import daily_answers, daily_posts, daily_streaks

_MISSED: Final = 62
"""So many missed dailies end every streak."""


async def find(connection: AsyncConnection, user_id: int, game: str) -> KeptStreak:
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


async def keep(connection: AsyncConnection, user_id: int, key: DailyKey, work: Streaking) -> None:
    """Keep somebody's streak after a daily was solved."""
    before = await find(connection, user_id, key.game)
    after = work(before, await missed(connection, user_id, key.game, before.last, key.number))
    table = daily_streaks
    new = insert(connection, table).values(user_id=user_id, game=key.game, **asdict(after))
    await connection.execute(
        new.on_conflict_do_update(index_elements=[table.c.user_id, table.c.game], set_=asdict(after))
    )


async def tell(connection: AsyncConnection, user_id: int, game: str) -> tuple[KeptStreak, tuple[int, ...]]:
    """Return somebody's streak as it was last, and the numbers missed since that are over."""
    known = await find(connection, user_id, game)
    return known, await missed(connection, user_id, game, known.last, None)
