"""Starting sessions of shards within what Discord allows a bot, over all its processes.

Discord takes ``max_concurrency`` identifies in five seconds, one of each bucket, and a thousand a day or a few: whoever
needs more gets a new token for the bot by force. So a bucket has one identify at a time, and the last tenth of a day's is not touched.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Final

import aiohttp
import discord
from discord.gateway import ReconnectWebSocket

from bot.storage.address import PostgresServer
from bot.storage.errors import StoreError
from bot.storage.exclusion import advisory_lock

log = logging.getLogger(__name__)

BUCKET_SECONDS: Final = 5.0
"""After an identify Discord takes the next one of its bucket so much later."""

KEPT: Final = 0.1
"""The share of a day's starts that is left alone."""

_FRESH_SECONDS: Final = 60.0
"""How long what Discord said of the limits is good for."""

_CONNECT_SECONDS: Final = 10.0
"""How long a bucket is kept for a shard that connects before it identifies."""

_HOOK_SECONDS: Final = 40.0
"""How long a connection that is open waits for its bucket: the library gives it up after a minute."""

_RETRY_SECONDS: Final = 1.0


class Starts:
    """Lets shards identify one after another."""

    def __init__(self, client: discord.AutoShardedClient, shared: PostgresServer | None) -> None:
        self._client = client
        self._shared = shared
        self._limits: discord.SessionStartLimits | None = None
        self._asked = 0.0
        self._since = 0
        self._buckets: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._reserved: dict[int, _Reservation] = {}
        self._told = 0.0
        self.trouble: str | None = None
        """Why shards wait, in a few words; None when they do not."""

    @property
    def left(self) -> float:
        """How many starts Discord allows today, as far as is known; infinite before it was asked."""
        return float("inf") if self._limits is None else self._limits.remaining - self._since

    async def reserve(self, shard_id: int) -> None:
        """Wait until a shard may connect and identify, however long that is."""
        if shard_id in self._reserved:
            return
        await self._wait_for_allowance(shard_id)
        concurrency = self._limits.max_concurrency if self._limits is not None else 1
        reservation = _Reservation(self._bucket(shard_id % max(1, concurrency)))
        await reservation.taken()
        self._reserved[shard_id] = reservation
        reservation.when_over(lambda: self._forget(shard_id, reservation))

    async def identify(self, shard_id: int) -> None:
        """Let a shard that is connected identify, now or when its bucket is free.

        Raises:
            ReconnectWebSocket: that takes too long for the connection; the library makes another one.

        """
        if shard_id not in self._reserved:
            try:
                async with asyncio.timeout(_HOOK_SECONDS):
                    await self.reserve(shard_id)
            except TimeoutError:
                raise ReconnectWebSocket(shard_id, resume=False) from None
        self._since += 1
        self._reserved.pop(shard_id).identified()

    def withdraw(self, shard_id: int) -> None:
        """Give back what was reserved for a shard that does not identify."""
        if shard_id in self._reserved:
            self._reserved.pop(shard_id).cancel()

    def close(self) -> None:
        """Give everything back."""
        for shard_id in list(self._reserved):
            self.withdraw(shard_id)

    async def _wait_for_allowance(self, shard_id: int) -> None:
        while True:
            limits = await self._known_limits()
            if limits is None or self.left > limits.total * KEPT:
                self.trouble = None
                return
            hours = limits.reset_after / 3_600_000
            self.trouble = "waits until Discord allows more starts"
            now = time.monotonic()
            if now >= self._told:
                self._told = now + 3_600
                log.error(
                    "DISCORD ALLOWS ONLY %d OF %d MORE STARTS TODAY, and whoever uses the last one loses the token: shard %d waits"
                    " until there are more, in %.1f hours. Something restarts again and again: look for it",
                    self.left,
                    limits.total,
                    shard_id,
                    hours,
                )
            await asyncio.sleep(min(_FRESH_SECONDS, limits.reset_after / 1000 + 1))

    def _forget(self, shard_id: int, reservation: _Reservation) -> None:
        if self._reserved.get(shard_id) is reservation:
            del self._reserved[shard_id]

    async def _known_limits(self) -> discord.SessionStartLimits | None:
        """Return what Discord allows; None when it cannot be asked now."""
        now = time.monotonic()
        if self._limits is None or now - self._asked > _FRESH_SECONDS:
            try:
                self._limits = await self._client.fetch_session_start_limits()
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                log.info("how many starts Discord allows is not known: %s", error)
                return self._limits
            self._asked, self._since = now, 0
        return self._limits

    def _bucket(self, bucket: int) -> AbstractAsyncContextManager[object]:
        if self._shared is None:
            return self._buckets[bucket]
        return self._shared_bucket(self._shared, f"identify:{self._client.application_id}:{bucket}")

    @asynccontextmanager
    async def _shared_bucket(self, server: PostgresServer, name: str) -> AsyncIterator[None]:
        life = timedelta(seconds=_CONNECT_SECONDS + 2 * BUCKET_SECONDS)
        async with AsyncExitStack() as taken:
            while True:
                try:
                    await taken.enter_async_context(advisory_lock(server, name, life=life))
                    break
                except StoreError as error:
                    log.warning("a shard waits for the database: %s", error)
                    await asyncio.sleep(_RETRY_SECONDS)
            yield


class _Reservation:
    """A bucket that is kept for a shard until some time after it has identified."""

    def __init__(self, bucket: AbstractAsyncContextManager[object]) -> None:
        loop = asyncio.get_running_loop()
        self._taken: asyncio.Future[None] = loop.create_future()
        self._identified = asyncio.Event()
        # A lock is given back by the task that took it, and whoever waits for it may be cancelled.
        self._task = asyncio.create_task(self._keep(bucket))

    async def taken(self) -> None:
        """Wait until the bucket is ours."""
        try:
            await asyncio.shield(self._taken)
        except asyncio.CancelledError:
            self._task.cancel()
            raise

    def when_over(self, call: Callable[[], object]) -> None:
        """Call something when the bucket is given back."""
        self._task.add_done_callback(lambda _: call())

    def identified(self) -> None:
        """Give the bucket back when the next shard may identify."""
        self._identified.set()

    def cancel(self) -> None:
        """Give the bucket back now."""
        self._task.cancel()

    async def _keep(self, bucket: AbstractAsyncContextManager[object]) -> None:
        async with bucket:
            self._taken.set_result(None)
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    await self._identified.wait()
            except TimeoutError:
                return
            await asyncio.sleep(BUCKET_SECONDS)
