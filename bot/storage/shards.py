"""Leases of shards: processes that share a PostgreSQL database divide the shards of a bot among themselves.

Each process renews what it holds. What was not renewed for :data:`LEASE_LIFE`, by the server's clock alone, another one may take.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import gateways, shard_leases

LEASE_LIFE: Final = timedelta(seconds=15)
"""How long a lease holds that is not renewed."""

_LOCK: Final = 0x6B69_7368
"""Whoever looks at the leases holds this lock: of two that take free ones, the second sees what the first took."""

_TAKE: Final = text(
    """
    INSERT INTO shard_leases (application_id, shard_id, holder, until)
    SELECT :application, number, :holder, clock_timestamp() + :life
    FROM generate_series(0, :count - 1) AS number
    WHERE NOT EXISTS (
        SELECT FROM shard_leases AS held
        WHERE held.application_id = :application AND held.shard_id = number AND held.until > clock_timestamp()
    )
    ORDER BY number
    LIMIT :wanted
    ON CONFLICT (application_id, shard_id) DO UPDATE SET holder = excluded.holder, until = excluded.until
    """
)


@dataclass(frozen=True, slots=True)
class Share:
    """What one process has of the shards."""

    count: int
    """How many shards there are, the same for all processes."""
    held: frozenset[int]
    """Those it has leases of for :data:`LEASE_LIFE` from now on."""
    fair: int
    """How many it should have: as many as the others, or one more than some."""


async def renew(
    connection: AsyncConnection, name: str, application_id: int, count: int, life: timedelta
) -> Share:
    """Renew the leases of a process, and take free ones as far as it has fewer than its fair share.

    ``count`` is how many shards there should be; where other processes live, theirs counts.
    """
    check_ids(application_id)
    await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    now, until = func.clock_timestamp(), func.clock_timestamp() + life
    mine = gateways.c.application_id == application_id
    await connection.execute(delete(gateways).where(gateways.c.until < now))
    others = await connection.execute(
        select(gateways.c.shard_count).where(mine, gateways.c.name != name).order_by(gateways.c.name)
    )
    counts = [row.shard_count for row in others]
    count = counts[0] if counts else count
    new = insert(connection, gateways).values(
        name=name, application_id=application_id, shard_count=count, until=until
    )
    await connection.execute(
        new.on_conflict_do_update(
            index_elements=[gateways.c.name], set_={"until": new.excluded.until, "shard_count": count}
        )
    )
    # What has run out is still ours while nobody took it.
    own = (shard_leases.c.application_id == application_id, shard_leases.c.holder == name)
    await connection.execute(update(shard_leases).where(*own).values(until=until))
    held = await _held(connection, name, application_id)
    fair = -(-count // (len(counts) + 1))
    if len(held) < fair:
        values = {"application": application_id, "holder": name, "life": life, "count": count}
        await connection.execute(_TAKE, {**values, "wanted": fair - len(held)})
        held = await _held(connection, name, application_id)
    return Share(count, held, fair)


async def _held(connection: AsyncConnection, name: str, application_id: int) -> frozenset[int]:
    rows = await connection.execute(
        select(shard_leases.c.shard_id).where(
            shard_leases.c.application_id == application_id, shard_leases.c.holder == name
        )
    )
    return frozenset(row.shard_id for row in rows)


async def release(connection: AsyncConnection, name: str, shard_ids: Collection[int]) -> None:
    """Let others take leases that a process holds."""
    await connection.execute(
        delete(shard_leases).where(shard_leases.c.holder == name, shard_leases.c.shard_id.in_(shard_ids))
    )


async def retire(connection: AsyncConnection, name: str) -> None:
    """Let others take all leases of a process, which wants no more."""
    await connection.execute(delete(shard_leases).where(shard_leases.c.holder == name))
    await connection.execute(delete(gateways).where(gateways.c.name == name))
