"""The processes that share the database: each adds to its beats while it lives."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import instances


@dataclass(frozen=True, slots=True)
class Instance:
    """One process and what it answers for."""

    name: str
    """At most 32 characters, different for every start of a process."""
    application_id: int
    shard_count: int
    shard_ids: tuple[int, ...]
    beats: int = 0
    """How many beats it has added."""

    def shares_shards(self, other: Instance) -> bool:
        """Return whether both receive the same events."""
        if self.application_id != other.application_id:
            return False
        return self.shard_count != other.shard_count or not set(self.shard_ids).isdisjoint(other.shard_ids)


async def beat(connection: AsyncConnection, instance: Instance) -> tuple[Instance, ...]:
    """Count one beat more for a process and return all of them."""
    check_ids(instance.application_id)
    shards = {
        "shard_count": instance.shard_count,
        "shard_ids": ",".join(map(str, instance.shard_ids)),
    }
    new = insert(connection, instances).values(
        name=instance.name, application_id=instance.application_id, beats=1, **shards
    )
    await connection.execute(
        new.on_conflict_do_update(
            index_elements=[instances.c.name], set_={"beats": instances.c.beats + 1, **shards}
        )
    )
    return tuple(
        Instance(
            row.name,
            row.application_id,
            row.shard_count,
            tuple(map(int, filter(None, row.shard_ids.split(",")))),
            row.beats,
        )
        for row in await connection.execute(select(instances))
    )


async def leave(connection: AsyncConnection, name: str) -> None:
    """Forget a process."""
    await connection.execute(delete(instances).where(instances.c.name == name))
