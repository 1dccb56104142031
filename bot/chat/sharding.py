"""Decides which shards a process runs, and when their sessions may start.

Processes that share a PostgreSQL database divide the shards with locks (:mod:`bot.storage.locks`). A process that was
suspended or cut off may have lost its locks, so its events wait until the locks are checked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import aiohttp
import discord
from discord.gateway import ReconnectWebSocket

from bot.chat.failures import log_fault
from bot.chat.pacing import RequestPacer
from bot.config import ConfigError
from bot.observe.process import monotonic_seconds
from bot.storage.address import PostgresServer
from bot.storage.errors import StoreError
from bot.storage.locks import IDLE_SECONDS, GatewayLocks, LockHolders, advisory_lock

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0

RETRY_SECONDS: Final = 0.5

BUCKET_SECONDS = 5.0
"""Seconds between Identify requests in one bucket."""

RESERVED_FRACTION: Final = 0.1
"""Fraction of a day's session starts that is held in reserve."""

_REFETCH_SECONDS = 60.0

_MAX_IDENTIFY_WAIT: Final = 40.0
"""Maximum seconds that an open connection waits to identify. discord.py closes it after a minute."""


class ShardsHeldError(ConfigError):
    """Another process holds a shard assigned to this process, or runs the bot with a different number of shards."""

    exit_code = 75
    """``EX_TEMPFAIL`` of ``sysexits.h``: a supervisor may try again."""


class Shards:
    """The shards that this process holds: its assigned shards, or its fair share of all shards.

    ``connect`` connects a shard, and returns once Discord has sent its servers. ``disconnect_others`` disconnects all shards except
    the given ones. ``fail`` ends this process after a :exc:`ShardsHeldError`.
    """

    def __init__(
        self,
        server: PostgresServer,
        gateway_id: int,
        assigned_ids: tuple[int, ...],
        *,
        request_pacer: RequestPacer,
        connect: Callable[[int], Awaitable[None]],
        disconnect_others: Callable[[frozenset[int]], Awaitable[None]],
        fail: Callable[[], Awaitable[None]],
    ) -> None:
        self._server = server
        self._gateway_id = gateway_id
        self._assigned_ids = frozenset(assigned_ids)
        self._request_pacer = request_pacer
        self._connect = connect
        self._disconnect_others = disconnect_others
        self._fail = fail
        self.own_shards: frozenset[int] = frozenset()
        """The shards held at the last check."""
        self.shard_count = 0
        """The bot's number of shards, or 0 while it is unknown."""
        self.gateway_ids: frozenset[int] = frozenset()
        """The ids of the gateway processes running at the last check."""
        self.error: ShardsHeldError | StoreError | None = None
        self._locks_valid_until = 0.0
        """The time until which this process certainly holds its locks."""
        self._is_cut_off = False
        self._renewed_event = asyncio.Event()
        self._last_surplus = 0
        self._ready_event = asyncio.Event()
        self._lock_task: asyncio.Task[None] | None = None
        self._connect_task: asyncio.Task[None] | None = None
        self._waiting_to_connect: list[int] = []
        self._has_ended = False

    async def begin(self, application_id: int, count: int) -> None:
        """Take this process's shards. Return after the first check of the locks.

        Raises:
            ShardsHeldError: another process holds an assigned shard, or uses a different number of shards.
            StoreError: the database cannot be used.

        """
        if self._assigned_ids:
            self.shard_count = count
        self._lock_task = asyncio.create_task(self._run_lock_task(application_id, count))
        await self._ready_event.wait()
        if self.error is not None:
            raise self.error

    async def holds(self, shard_id: int) -> bool:
        """Return whether this process holds a shard. Wait while that is uncertain."""
        while shard_id in self.own_shards and not self._has_ended:
            if monotonic_seconds() < self._locks_valid_until:
                return True
            await self._renewed_event.wait()
        return False

    async def release_all(self) -> None:
        """Stop connecting and holding shards. When the lock task ends, its database connection closes, which releases the locks."""
        self._has_ended = True
        self._renewed_event.set()
        self._ready_event.set()
        tasks = {task for task in (self._connect_task, self._lock_task) if task is not None} - {
            asyncio.current_task()
        }
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _run_lock_task(self, application_id: int, count: int) -> None:
        while not self._has_ended:
            try:
                async with GatewayLocks.open(
                    self._server, application_id, self._gateway_id, self.shard_count or count
                ) as locks:
                    await self._hold_locks(locks)
            except StoreError as error:
                if not self._ready_event.is_set():
                    self.error, self._has_ended = error, True
                elif not self._is_cut_off:
                    log.warning("lost the shard locks; sending no replies until they are restored: %s", error)
                self._locks_valid_until, self._is_cut_off = 0.0, True
            except ShardsHeldError as error:
                self.error = error
                self._has_ended = True
                self._renewed_event.set()
                if self._ready_event.is_set():
                    log.warning("ending this process: %s", error)
                    await self._fail()
            except Exception as error:  # noqa: BLE001 - the shards must be kept
                log_fault(error, "holding the locks of the shards")
            if self._has_ended:
                self._ready_event.set()
            else:
                await asyncio.sleep(RETRY_SECONDS)

    async def _hold_locks(self, locks: GatewayLocks) -> None:
        # After a database outage, let other processes take their earlier shards before this process takes free shards.
        earlier_only_until = monotonic_seconds() + IDLE_SECONDS if self.own_shards else 0.0
        while not self._has_ended:
            started_at = monotonic_seconds()
            holders = await self._take_shards(locks, only_earlier_shards=started_at < earlier_only_until)
            self.gateway_ids = frozenset(holders.gateway_by_connection.values())
            self._request_pacer.set_process_count(len(self.gateway_ids))
            # A broken connection of this process may hold locks until the server ends it, within IDLE_SECONDS.
            stuck_ids = self.own_shards & holders.left_behind_shards
            if not stuck_ids:
                self._locks_valid_until, self._is_cut_off = started_at + IDLE_SECONDS, False
                renewed_event, self._renewed_event = self._renewed_event, asyncio.Event()
                await self._apply_locks(holders.own_shards)
                renewed_event.set()
                self._ready_event.set()
                await self._give_up_surplus(locks)
            await locks.wait(RETRY_SECONDS if stuck_ids else CHECK_SECONDS)

    async def _take_shards(self, locks: GatewayLocks, *, only_earlier_shards: bool) -> LockHolders:
        """Take the free shards that this process should hold, and return all holders."""
        holders = await locks.holders()
        (count, *other_counts) = sorted(holders.shard_totals)
        if other_counts or self.shard_count not in {0, count}:
            raise ShardsHeldError(
                "other processes run this bot with a different number of shards; to change the number, end all of them"
            )
        self.shard_count = count
        if self._assigned_ids:
            wanted_ids = sorted(self._assigned_ids - holders.connection_by_shard.keys())
        else:
            unlocked_ids = self.own_shards - holders.connection_by_shard.keys()
            free_ids = [
                shard_id
                for shard_id in range(count)
                if shard_id not in holders.connection_by_shard and shard_id not in unlocked_ids
            ]
            fair_share = -(-count // len(set(holders.gateway_by_connection.values())))
            free_place_count = (
                0
                if only_earlier_shards
                else fair_share - len(holders.own_shards | holders.left_behind_shards)
            )
            wanted_ids = [*sorted(unlocked_ids), *free_ids][: max(len(unlocked_ids), free_place_count)]
        if wanted_ids:
            await locks.take(wanted_ids)
            holders = await locks.holders()
        if running_elsewhere_ids := self._assigned_ids - holders.own_shards - holders.left_behind_shards:
            raise ShardsHeldError(
                f"another process already runs these shards: {_format_ids(running_elsewhere_ids)}; end it, or give each process its own shards"
            )
        return holders

    async def _apply_locks(self, locked_ids: frozenset[int]) -> None:
        lost_ids, new_ids = self.own_shards - locked_ids, locked_ids - self.own_shards
        self.own_shards = locked_ids
        if lost_ids:
            log.warning("lost shards %s to other processes", _format_ids(lost_ids))
        if self._assigned_ids:
            return  # discord.py connects assigned shards by itself
        await self._disconnect_others(locked_ids)
        self._waiting_to_connect = [
            shard_id for shard_id in self._waiting_to_connect if shard_id in locked_ids
        ] + sorted(new_ids)
        if self._waiting_to_connect and (self._connect_task is None or self._connect_task.done()):
            self._connect_task = asyncio.create_task(self._connect_all())

    async def _give_up_surplus(self, locks: GatewayLocks) -> None:
        """Give up the surplus that two checks in a row found. One check is not enough, because a new process may soon end."""
        surplus = (
            0
            if self._assigned_ids
            else max(0, len(self.own_shards) + (-self.shard_count // len(self.gateway_ids)))
        )
        shed_count = min(surplus, self._last_surplus)
        self._last_surplus = surplus
        if not shed_count:
            return
        shed_ids = frozenset(sorted(self.own_shards)[-shed_count:])
        self._last_surplus = 0
        log.info("leaving shards %s to other processes", _format_ids(shed_ids))
        self.own_shards -= shed_ids
        self._waiting_to_connect = [
            shard_id for shard_id in self._waiting_to_connect if shard_id not in shed_ids
        ]
        await self._disconnect_others(self.own_shards)
        await locks.release(shed_ids)

    async def _connect_all(self) -> None:
        while self._waiting_to_connect:
            shard_id = self._waiting_to_connect.pop(0)
            if shard_id in self.own_shards:
                try:
                    await self._connect(shard_id)
                except Exception as error:  # noqa: BLE001 - an error must not keep the other shards from being connected
                    log_fault(error, f"connecting shard {shard_id}")


class IdentifyLimiter:
    """Lets shards identify within Discord's limits for all processes of a bot.

    Discord accepts ``max_concurrency`` Identify requests every five seconds, one in each bucket, and at least a thousand session
    starts a day. It resets the token of a bot that exceeds the daily limit, so a tenth of the starts is held in reserve.
    """

    def __init__(self, client: discord.AutoShardedClient, shared_server: PostgresServer | None) -> None:
        self._client = client
        self._shared_server = shared_server
        self._limits: discord.SessionStartLimits | None = None
        self._fetched_at = 0.0
        self._starts_since_fetch = 0
        self._buckets: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._bucket_tasks: set[asyncio.Task[None]] = set()
        self._next_warning_at = 0.0
        self.wait_reason: str | None = None
        """Why shards wait, or None if no shard waits."""

    @property
    def remaining_starts(self) -> float:
        """The number of starts that Discord still allows today, or infinity while it is unknown."""
        return float("inf") if self._limits is None else self._limits.remaining - self._starts_since_fetch

    async def wait_to_identify(self, shard_id: int) -> None:
        """Wait until a connected shard may identify.

        Raises:
            ReconnectWebSocket: the connection would wait too long. discord.py opens a new one.

        """
        try:
            async with asyncio.timeout(_MAX_IDENTIFY_WAIT):
                limits = await self.wait_for_start(shard_id)
                bucket_taken = asyncio.Event()
                bucket = shard_id % max(1, limits.max_concurrency if limits is not None else 1)
                # A separate task holds the bucket, because the bucket must stay taken after the shard identifies.
                bucket_task = asyncio.create_task(self._hold_bucket(bucket, bucket_taken))
                self._bucket_tasks.add(bucket_task)
                bucket_task.add_done_callback(self._bucket_tasks.discard)
                try:
                    await bucket_taken.wait()
                except asyncio.CancelledError:
                    bucket_task.cancel()
                    raise
        except TimeoutError:
            raise ReconnectWebSocket(shard_id, resume=False) from None
        self._starts_since_fetch += 1

    def close(self) -> None:
        for task in self._bucket_tasks:
            task.cancel()

    async def _hold_bucket(self, bucket: int, bucket_taken: asyncio.Event) -> None:
        server = self._shared_server
        name = f"identify:{self._client.application_id}:{bucket}"
        idle_timeout = timedelta(seconds=3 * BUCKET_SECONDS)
        while not bucket_taken.is_set():
            try:
                async with (
                    self._buckets[bucket]
                    if server is None
                    else advisory_lock(server, name, idle_timeout=idle_timeout)
                ):
                    bucket_taken.set()
                    await asyncio.sleep(BUCKET_SECONDS)
            except StoreError as error:
                log.warning("a shard is waiting for the database: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def wait_for_start(self, shard_id: int) -> discord.SessionStartLimits | None:
        """Wait until Discord allows a session start. Return Discord's limits, or None if they are unknown."""
        while True:
            now = time.monotonic()
            if self._limits is None or now - self._fetched_at > _REFETCH_SECONDS:
                try:
                    self._limits = await self._client.fetch_session_start_limits()
                    self._fetched_at, self._starts_since_fetch = now, 0
                except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                    log.info("can't find out how many starts Discord allows: %s", error)
            limits = self._limits
            if limits is None or self.remaining_starts > limits.total * RESERVED_FRACTION:
                self.wait_reason = None
                return limits
            self.wait_reason = "waits until Discord allows more starts"
            if now >= self._next_warning_at:
                self._next_warning_at = now + 3_600
                log.error(
                    "DISCORD ALLOWS ONLY %d MORE OF TODAY'S %d STARTS. A bot that uses the last one loses its token, so shard %d waits"
                    " for the next day's starts, in %.1f hours. Find out which process keeps restarting",
                    self.remaining_starts,
                    limits.total,
                    shard_id,
                    limits.reset_after / 3_600_000,
                )
            await asyncio.sleep(min(_REFETCH_SECONDS, limits.reset_after / 1000 + 1))


def _format_ids(shard_ids: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(shard_ids)))
