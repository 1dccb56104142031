"""Dividing the shards among processes: each takes its fair share of leases, renews them, and leaves a shard whose lease is gone.

A process may stand still for longer than a lease lasts, and go on as if nothing had happened. So what it hears counts only while
a lease is certain by a clock that goes on meanwhile; else it waits for what the database says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from bot.chat.failures import report
from bot.observe.clock import steady_seconds
from bot.storage.errors import StoreError
from bot.storage.shards import LEASE_LIFE, Share

log = logging.getLogger(__name__)

BEAT_SECONDS: Final = 5.0
"""How often leases are renewed."""

SEEK_SECONDS: Final = 1.0
"""How often more are looked for while there are too few, or the database could not be asked."""


class LeaseStore(Protocol):
    """Where leases are kept; see :class:`bot.storage.parts.shards.ShardStore`."""

    async def renew_leases(self, name: str, application_id: int, count: int) -> Share:
        """Renew what is held, take what is free."""

    async def release_leases(self, name: str, shard_ids: frozenset[int]) -> None:
        """Let others take what is held."""

    async def retire(self, name: str) -> None:
        """Let others take everything."""


class Leases:
    """The shards of one process.

    ``join`` connects a shard and returns once its servers are there, ``leave`` disconnects it. Both may be called again.
    """

    def __init__(
        self,
        store: LeaseStore,
        name: str,
        *,
        join: Callable[[int], Awaitable[None]],
        leave: Callable[[frozenset[int]], Awaitable[None]],
    ) -> None:
        self._store = store
        self._name = name
        self._join = join
        self._leave = leave
        self.held: frozenset[int] = frozenset()
        """The shards that this process has leases of."""
        self.count = 0
        """How many shards there are; 0 before it is known."""
        self._fair = 0
        self._certain_until = 0.0
        self._renewed = asyncio.Event()
        self._surplus = 0
        self._keeping: asyncio.Task[None] | None = None
        self._joining: asyncio.Task[None] | None = None
        self._to_join: list[int] = []
        self._asking = asyncio.Lock()
        self._over = asyncio.Event()

    async def begin(self, application_id: int, count: int) -> None:
        """Look for leases of ``count`` shards, from now on."""
        while not await self._beat(application_id, count):  # noqa: ASYNC110 - the database tells nobody when it is back
            await asyncio.sleep(SEEK_SECONDS)
        self._keeping = asyncio.create_task(self._keep(application_id, count))

    async def holds(self, shard_id: int) -> bool:
        """Tell whether a shard is ours; wait where that is not certain."""
        while shard_id in self.held and not self._over.is_set():
            if steady_seconds() < self._certain_until:
                return True
            renewed = self._renewed
            await renewed.wait()
        return False

    async def give_up(self) -> None:
        """Let others take everything, at once."""
        self._over.set()
        self._renewed.set()
        if self._joining is not None:
            self._joining.cancel()
        # What is asked of the database now would be done after this all the same, and take the leases anew.
        async with self._asking:
            if self.count:
                try:
                    await self._store.retire(self._name)
                except StoreError as error:
                    log.warning("the leases of shards run out by themselves: %s", error)

    async def _keep(self, application_id: int, count: int) -> None:
        while not self._over.is_set():
            try:
                renewed = await self._beat(application_id, count)
                seeks = not renewed or len(self.held) < self._fair
            except Exception as error:  # noqa: BLE001 - the next beat must come
                report(error, "renewing the leases of shards")
                seeks = True
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), SEEK_SECONDS if seeks else BEAT_SECONDS)

    async def _beat(self, application_id: int, count: int) -> bool:
        """Renew the leases, leave what is lost, join what is new; False when the database cannot be asked."""
        async with self._asking:
            if self._over.is_set():
                return True
            begun = steady_seconds()
            try:
                share = await self._store.renew_leases(self._name, application_id, count)
            except StoreError as error:
                log.warning("the leases of shards cannot be renewed now: %s", error)
                return False
            # Counted from before the database was asked: it began to count later.
            self._certain_until = begun + LEASE_LIFE.total_seconds()
            self.count = share.count
            if not self._over.is_set():
                await self._follow(share)
        return True

    async def _follow(self, share: Share) -> None:
        """Leave the shards that are not ours any more, join those that are now."""
        lost, new = self.held - share.held, share.held - self.held
        self.held, self._fair = share.held, share.fair
        renewed, self._renewed = self._renewed, asyncio.Event()
        renewed.set()
        if lost:
            log.warning("lost the leases of shards %s to others", _listed(lost))
        await self._leave(share.held)
        self._to_join = [shard_id for shard_id in self._to_join if shard_id in share.held] + sorted(new)
        if self._to_join and (self._joining is None or self._joining.done()):
            self._joining = asyncio.create_task(self._join_all())
        await self._share_fairly(share)

    async def _share_fairly(self, share: Share) -> None:
        """Leave what is more than a fair share, if it was more at the beat before: who comes may go at once."""
        surplus = max(0, len(share.held) - share.fair)
        shed = min(surplus, self._surplus)
        self._surplus = surplus
        if not shed:
            return
        shed_ids = frozenset(sorted(share.held)[-shed:])
        self._surplus = 0
        log.info("leaving shards %s to others", _listed(shed_ids))
        self.held = share.held - shed_ids
        self._to_join = [shard_id for shard_id in self._to_join if shard_id not in shed_ids]
        await self._leave(self.held)
        try:
            await self._store.release_leases(self._name, shed_ids)
        except StoreError as error:
            # The next beat finds that they are still held, and joins them again.
            log.warning("shards %s cannot be left to others now: %s", _listed(shed_ids), error)

    async def _join_all(self) -> None:
        while self._to_join:
            shard_id = self._to_join.pop(0)
            if shard_id in self.held:
                try:
                    await self._join(shard_id)
                except Exception as error:  # noqa: BLE001 - the other shards want to be joined
                    report(error, f"joining shard {shard_id}")


def _listed(shard_ids: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(shard_ids)))
