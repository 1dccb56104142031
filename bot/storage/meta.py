"""Small facts about the bot itself, such as the digest of the commands it last registered with Discord."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.tables import meta

_KEY: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


async def get(connection: AsyncConnection, key: str) -> str | None:
    """Return the value kept under ``key``, or None."""
    _check_key(key)
    value: str | None = await connection.scalar(select(meta.c.value).where(meta.c.key == key))
    return value


async def put(connection: AsyncConnection, key: str, value: str) -> None:
    """Keep ``value`` under ``key``, in place of what was there."""
    _check_key(key)
    new = insert(connection, meta).values(key=key, value=value)
    await connection.execute(
        new.on_conflict_do_update(index_elements=[meta.c.key], set_={"value": new.excluded.value})
    )


def _check_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} cannot be a key: it needs 1 to 64 letters, digits and _.:-")
