"""The part of the store by which processes divide shards among themselves; PostgreSQL only."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from bot.storage import shards
from bot.storage.parts.part import StorePart
from bot.storage.shards import LEASE_LIFE, Share


class ShardStore(StorePart):
    """Leases of shards."""

    async def renew_leases(
        self, name: str, application_id: int, count: int, *, life: timedelta = LEASE_LIFE
    ) -> Share:
        """Renew the leases of a process and take free ones as far as it has fewer than its fair share of ``count``."""
        return await self._database.write(shards.renew, name, application_id, count, life)

    async def release_leases(self, name: str, shard_ids: Collection[int]) -> None:
        """Let others take leases that a process holds."""
        await self._database.write(shards.release, name, shard_ids)

    async def retire(self, name: str) -> None:
        """Let others take all leases of a process, which wants no more."""
        await self._database.write(shards.retire, name)
