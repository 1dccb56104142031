"""Where and when servers get dailies."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies.values import DailyDue, DailySettings
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import daily_settings

FAR: Final = timedelta(hours=49)
"""A next post that is farther away was reckoned by a clock that has been set back since."""


async def find(connection: AsyncConnection, guild_id: int) -> DailySettings | None:
    """Return what a server chose; None for no daily."""
    check_ids(guild_id)
    query = select(*_settings_columns()).where(daily_settings.c.guild_id == guild_id)
    row = (await connection.execute(query)).first()
    return None if row is None else DailySettings(*row)


async def keep(
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
