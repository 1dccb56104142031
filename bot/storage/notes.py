"""Small facts about the bot itself, and notices that people were given lately."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.part import StorePart
from bot.storage.tables import meta, notices

NOTICE_RETENTION: Final = timedelta(days=30)
"""After how long a notice may be given once more."""

SWEEP_PAUSE: Final = timedelta(minutes=55)
"""After how long another process may sweep again."""

_KEY: Final = re.compile(r"[A-Za-z0-9_.:-]+")


class NoteStore(StorePart):
    """Facts by their keys, and notices that nobody gets twice."""

    @reads
    async def meta(self, connection: AsyncConnection, key: str) -> str | None:
        """Return the value kept under ``key`` (1 to 64 letters, digits and ``_.:-``), or None."""
        _check_key(key, 64)
        value: str | None = await connection.scalar(select(meta.c.value).where(meta.c.key == key))
        return value

    @writes
    async def set_meta(self, connection: AsyncConnection, key: str, value: str) -> None:
        """Keep ``value`` under ``key``, in place of what was there."""
        _check_key(key, 64)
        new = insert(connection, meta).values(key=key, value=value)
        await connection.execute(
            new.on_conflict_do_update(index_elements=[meta.c.key], set_={"value": new.excluded.value})
        )

    @writes
    async def claim_notice(self, connection: AsyncConnection, key: str) -> bool:
        """Claim a notice that people get once: True for one caller, and again after :data:`NOTICE_RETENTION`.

        ``key`` names its subject (1 to 100 letters, digits and ``_.:-``), such as ``attach_files:`` and a channel's id.
        """
        return await _claim(connection, key, self._clock(), NOTICE_RETENTION)

    @writes
    async def claim_sweep(self, connection: AsyncConnection) -> bool:
        """Claim the next sweep: True for one process, and again after :data:`SWEEP_PAUSE`."""
        return await _claim(connection, "sweep", self._clock(), SWEEP_PAUSE)


async def _claim(connection: AsyncConnection, key: str, now: datetime, pause: timedelta) -> bool:
    """Claim the notice ``key``; return False when it was claimed less than a pause ago.

    A claim from more than a pause ahead was made by a clock that has been set back since.
    """
    _check_key(key, 100)
    new = insert(connection, notices).values(key=key, told=now)
    statement = new.on_conflict_do_update(
        index_elements=[notices.c.key],
        set_={"told": new.excluded.told},
        where=(notices.c.told < now - pause) | (notices.c.told > now + pause),
    ).returning(notices.c.key)
    return (await connection.execute(statement)).first() is not None


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` notices given before a time and return how many there were."""
    old = select(notices.c.key).where(notices.c.told < before).limit(limit)
    return (await connection.execute(delete(notices).where(notices.c.key.in_(old)))).rowcount


def _check_key(key: str, most: int) -> None:
    if len(key) > most or not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} cannot be a key: it needs 1 to {most} letters, digits and _.:-")
