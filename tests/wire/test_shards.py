"""Several processes divide the shards, give up shards whose locks they lose, and respect Discord's limits on session starts."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import msgspec
import pytest

from bot.app.run import open_bot
from bot.chat import sharding
from bot.chat.connection import find_gateway_problem, stay_connected
from bot.chat.sharding import ShardsHeldError
from bot.config import ConfigError, load_settings
from bot.storage.address import PostgresServer, read_address
from bot.storage.errors import StoreError
from bot.storage.locks import GatewayLocks, LockHolders
from tests.storage.conftest import clean_up, emptied_postgres_url, shared_postgres_url
from tests.waiting import until

from .kibitz import position, running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from bot.chat.client import KibitzBot

    from .conftest import Serve
    from .server import WireServer

    OpenLocks = Callable[[KibitzBot, int], AbstractAsyncContextManager[GatewayLocks]]

__all__ = ["clean_up", "emptied_postgres_url", "shared_postgres_url"]


@pytest.fixture(autouse=True)
def _shared_database(_own_folder: None, monkeypatch: pytest.MonkeyPatch, emptied_postgres_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", emptied_postgres_url)
    monkeypatch.setattr(sharding, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(sharding, "BUCKET_SECONDS", 0.01)


async def start_bot(stack: AsyncExitStack, wire: WireServer, shards: str) -> KibitzBot:
    """Run a bot with the setting ``shards``, as a separate process would."""
    settings = msgspec.structs.replace(load_settings(), shards=shards)
    bot = await stack.enter_async_context(open_bot(settings))
    await stack.enter_async_context(running(bot))
    return bot


def live_shards(wire: WireServer) -> list[int]:
    return sorted(session.shard for session in wire.gateway.live_sessions)


async def post_and_check_reply(wire: WireServer, word: str) -> None:
    message = await wire.post(position(word))
    await wire.wait_for_reply(message)
    assert len(wire.world.replies_to(message)) == 1


@pytest.fixture
def open_locks(emptied_postgres_url: str) -> OpenLocks:
    """Return a function that opens a bot's locks as a second process would, without taking any shards."""
    server = read_address(emptied_postgres_url)
    assert isinstance(server, PostgresServer)

    def open_for(bot: KibitzBot, count: int) -> AbstractAsyncContextManager[GatewayLocks]:
        assert bot.application_id is not None
        return GatewayLocks.open(server, bot.application_id, 1, count)

    return open_for


class LockConnection:
    """The connection between a bot and its locks, which a test can interrupt."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_up = asyncio.Event()
        self.is_up.set()
        holders = GatewayLocks.holders

        async def holders_if_up(locks: GatewayLocks) -> LockHolders:
            if not self.is_up.is_set():
                await self.is_up.wait()
                raise StoreError("the connection broke")
            return await holders(locks)

        monkeypatch.setattr(GatewayLocks, "holders", holders_if_up)

    async def interrupt(self, bot: KibitzBot) -> None:
        """Interrupt the connection, and make the bot doubt that it still holds its locks."""
        self.is_up.clear()
        await asyncio.sleep(0.2)  # The bot finishes its current check of the locks.
        assert bot.sharding is not None
        bot.sharding._locks_valid_until = 0.0


async def take_shard(locks: GatewayLocks) -> None:
    """Close all other connections that hold locks, and take the lock on shard 0."""
    await locks._query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
        [],
    )
    await until(lambda: locks._query("SELECT 1 WHERE pg_try_advisory_lock(%s, 0)", [locks._shards]))


async def test_a_disconnected_process_loses_its_shard(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, open_locks: OpenLocks
) -> None:
    wire = await serve()
    connection_to_locks = LockConnection(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await start_bot(stack, wire, "auto/1")
        await until(lambda: live_shards(wire) == [0] and bot.is_ready())
        await post_and_check_reply(wire, "BEFORE")
        other_locks = await stack.enter_async_context(open_locks(bot, 1))
        await connection_to_locks.interrupt(bot)
        message = await wire.post(position("ASLEEP"))
        waiting = await wire.post(position("SECOND"))
        await until(lambda: bot._running_tasks)
        await take_shard(other_locks)
        connection_to_locks.is_up.set()
        await until(lambda: not bot.shards and live_shards(wire) == [] and not bot._running_tasks)
        assert [wire.world.replies_to(posted) for posted in (message, waiting)] == [[], []]
        assert "sending no replies until they are restored" in caplog.text
        assert "lost shards 0 to other processes" in caplog.text
        assert not bot.guilds

        await other_locks.release([0])
        await until(lambda: live_shards(wire) == [0] and bot.guilds)
        await wire.wait_for_reply(message)
        await wire.wait_for_reply(waiting)
        assert [len(wire.world.replies_to(posted)) for posted in (message, waiting)] == [1, 1]


async def test_a_disconnected_process_keeps_a_shard_that_is_still_free(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = await serve()
    connection_to_locks = LockConnection(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await start_bot(stack, wire, "auto/1")
        await until(lambda: live_shards(wire) == [0] and bot.is_ready())
        await connection_to_locks.interrupt(bot)
        message = await wire.post(position("WAITS"))
        await until(lambda: bot._running_tasks)
        assert not wire.world.replies_to(message)
        connection_to_locks.is_up.set()
        await wire.wait_for_reply(message)
        assert set(bot.shards) == {0}
        assert len(wire.gateway.identifies) == 1, "the session was not resumed"


async def test_a_process_ends_if_a_configured_shard_is_in_use(serve: Serve) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        first = await start_bot(stack, wire, "0-1/2")
        await until(lambda: live_shards(wire) == [0, 1] and first.is_ready())
        for shards, sentence in (
            ("0/2", "another process already runs these shards: 0"),
            ("1/3", "a different number of shards"),
        ):
            settings = msgspec.structs.replace(load_settings(), shards=shards)
            async with open_bot(settings) as second:
                with pytest.raises(ShardsHeldError, match=sentence) as refused:
                    await stay_connected(asyncio.Event(), second, wire.token)
                assert refused.value.exit_code == 75
        assert live_shards(wire) == [0, 1]
        assert len(wire.gateway.identifies) == 2
        await post_and_check_reply(wire, "STILL")


async def test_a_connection_pooler_is_reported_at_start(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def refuse(*_: object) -> AsyncIterator[GatewayLocks]:
        raise StoreError("the database can't be used: the address points to a connection pooler")
        yield

    wire = await serve()
    monkeypatch.setattr(GatewayLocks, "open", refuse)
    async with open_bot(msgspec.structs.replace(load_settings(), shards="auto")) as bot:
        with pytest.raises(ConfigError, match="the address points to a connection pooler"):
            await stay_connected(asyncio.Event(), bot, wire.token)
    assert live_shards(wire) == []


async def test_a_process_ends_if_an_assigned_shard_is_lost(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, open_locks: OpenLocks
) -> None:
    wire = await serve()
    connection_to_locks = LockConnection(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await stack.enter_async_context(
            open_bot(msgspec.structs.replace(load_settings(), shards="0/1"))
        )
        connection = asyncio.create_task(stay_connected(asyncio.Event(), bot, wire.token))
        await until(lambda: live_shards(wire) == [0] and bot.is_ready())
        other_locks = await stack.enter_async_context(open_locks(bot, 1))
        await connection_to_locks.interrupt(bot)
        await take_shard(other_locks)
        connection_to_locks.is_up.set()
        with pytest.raises(ShardsHeldError, match="another process already runs these shards: 0"):
            await connection
        await until(lambda: live_shards(wire) == [])


async def test_processes_share_the_shards_and_each_message_gets_one_reply(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        first = await start_bot(stack, wire, "auto/2")
        await until(lambda: live_shards(wire) == [0, 1] and first.is_ready())
        assert set(first.shards) == {0, 1}
        await post_and_check_reply(wire, "ONE")

        second = await start_bot(stack, wire, "auto/2")
        await until(lambda: live_shards(wire) == [0, 1] and len(second.shards) == 1 and second.is_ready())
        assert [set(bot.shards) for bot in (first, second)] == [{0}, {1}]
        assert sorted(len(bot.guilds) for bot in (first, second)) == [0, 1], (
            "both processes know the server, or neither does"
        )
        await post_and_check_reply(wire, "TWO")

        standby = await start_bot(stack, wire, "auto/2")
        assert standby.sharding is not None
        await until(lambda: standby.sharding.shard_count)
        assert await find_gateway_problem(standby) is None, "a standby process reports a problem"
        await post_and_check_reply(wire, "THREE")

        await asyncio.gather(first.close(), second.close())
        await until(lambda: live_shards(wire) == [0, 1] and standby.is_ready())
        assert set(standby.shards) == {0, 1}
        await post_and_check_reply(wire, "LAST")
    assert wire.gateway.early_identify_count == 0
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    "shards",
    [
        pytest.param(("0-1/4", "2-3/4"), id="configured"),
        pytest.param(("auto/4", "auto/4"), id="automatic", marks=pytest.mark.long),
    ],
)
async def test_processes_that_start_together_respect_the_identify_buckets(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, shards: tuple[str, str]
) -> None:
    wire = await serve()
    wire.gateway.bucket_seconds = 0.1
    wire.gateway.max_concurrency = 2
    monkeypatch.setattr(sharding, "BUCKET_SECONDS", 0.25)
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(start_bot(stack, wire, shard) for shard in shards))
        await until(lambda: live_shards(wire) == [0, 1, 2, 3])
        # Sessions that cannot be resumed are replaced. The new sessions also respect the identify buckets.
        await wire.gateway.invalidate(resumable=False)
        before = len(wire.gateway.identifies)
        await until(lambda: len(wire.gateway.identifies) >= before + 4 and live_shards(wire) == [0, 1, 2, 3])
    assert wire.gateway.early_identify_count == 0


async def test_a_tenth_of_the_daily_session_starts_is_kept_in_reserve(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sharding, "_REFETCH_SECONDS", 0.05)
    wire = await serve()
    wire.gateway.max_session_starts = 101
    async with AsyncExitStack() as stack:
        bot = await start_bot(stack, wire, "auto/2")
        await until(lambda: bot.identify_limiter.wait_reason)
        assert live_shards(wire) == [0]
        assert await find_gateway_problem(bot) == "waits until Discord allows more starts"
        assert "DISCORD ALLOWS ONLY 100 MORE OF TODAY'S 1000 STARTS" in caplog.text
        assert len(wire.gateway.identifies) == 1
        wire.gateway.max_session_starts = 1000
        await until(lambda: live_shards(wire) == [0, 1])
        assert await find_gateway_problem(bot) is None
    assert caplog.text.count("MORE OF TODAY'S") == 1
