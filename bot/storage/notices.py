"""Notices that people were given lately, so that nobody gets one twice."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.tables import notices

_KEY: Final = re.compile(r"[A-Za-z0-9_.:-]{1,100}")


async def claim(connection: AsyncConnection, key: str, now: datetime, before: datetime) -> bool:
    """Claim the notice ``key``; return False when it was claimed at or after ``before``.

    What was claimed in a time that comes only after such a period was claimed by a clock that has been set back since.
    """
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} cannot be a key: it needs 1 to 100 letters, digits and _.:-")
    new = insert(connection, notices).values(key=key, told=now)
    statement = new.on_conflict_do_update(
        index_elements=[notices.c.key],
        set_={"told": new.excluded.told},
        where=(notices.c.told < before) | (notices.c.told > now + (now - before)),
    ).returning(notices.c.key)
    return (await connection.execute(statement)).first() is not None


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` notices given before a time and return how many there were."""
    old = select(notices.c.key).where(notices.c.told < before).limit(limit)
    return (await connection.execute(delete(notices).where(notices.c.key.in_(old)))).rowcount
