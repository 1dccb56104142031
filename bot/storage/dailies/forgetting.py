"""What is kept of people and servers, and how it is forgotten."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies import posts
from bot.storage.dailies.values import ELSEWHERE, DailyKey
from bot.storage.ids import check_ids
from bot.storage.tables import daily_answers, daily_posts, daily_settings, daily_streaks


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
        await posts.count_change(connection, DailyKey(*row))
    for own in (daily_answers, daily_streaks):
        await connection.execute(delete(own).where(own.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget a server's choice, its dailies, and the answers to them."""
    check_ids(guild_id)
    for table in (daily_settings, daily_posts, daily_answers):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Forget at most ``limit`` dailies that were over before a time, the oldest first; return how many.

    With them go answers that no board counts, for nothing was solved, and streaks end that nobody could go on with: the
    dailies missed since are not known any more. What was solved stays on the boards.
    """
    table = daily_posts
    # A claim that came to nothing was never closed.
    old = (
        select(table.c.guild_id, table.c.number, table.c.game)
        .where(func.coalesce(table.c.closed, table.c.held_until) < before)
        .order_by(table.c.number)
        .limit(limit)
    )
    keys = [DailyKey(*row) for row in await connection.execute(old)]
    if not keys:
        return 0
    for key in keys:
        await connection.execute(delete(table).where(posts.is_of(key)))
    passed = keys[-1].number
    counted = daily_answers.c.solved & (daily_answers.c.guild_id != ELSEWHERE)
    lost = (daily_answers.c.number <= passed) & ~counted
    await connection.execute(delete(daily_answers).where(lost))
    ended = (daily_streaks.c.last <= passed) & (daily_streaks.c.days > 0)
    await connection.execute(update(daily_streaks).where(ended).values(days=0))
    return len(keys)
