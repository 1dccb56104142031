"""Shards divided among processes: who has which, what a process does whose lock is gone, and how fast sessions start."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from bot.app.run import open_bot
from bot.chat import sharding
from bot.chat.connection import gateway_problem, stay_connected
from bot.chat.sharding import ShardsHeldError
from bot.config import ConfigError, load_settings
from bot.storage.address import PostgresServer, read_address
from bot.storage.errors import StoreError
from bot.storage.locks import GatewayLocks, Holders
from tests.storage.conftest import clean_up, emptied_postgres_url, shared_postgres_url

from .kibitz import position
from .throwaway import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .conftest import Serve
    from .server import WireServer

    Other = Callable[[KibitzBot, int], AbstractAsyncContextManager[GatewayLocks]]

__all__ = ["clean_up", "emptied_postgres_url", "shared_postgres_url"]


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emptied_postgres_url: str) -> None:
    """Share a database, and look at the locks often."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", emptied_postgres_url)
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sharding, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(sharding, "BUCKET_SECONDS", 0.01)


async def process(stack: AsyncExitStack, wire: WireServer, shards: str) -> KibitzBot:
    """Run what the host gives these shards."""
    settings = load_settings().model_copy(update={"shards": shards})
    bot = await stack.enter_async_context(open_bot(settings))
    await stack.enter_async_context(running(bot, wire.token))
    return bot


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - waits for an event outside this process
            await asyncio.sleep(0.01)


def live(wire: WireServer) -> list[int]:
    """List the heard shards, each once for every listener."""
    return sorted(session.shard for session in wire.gateway.live)


async def answered_once(wire: WireServer, word: str) -> None:
    message = await wire.say(position(word))
    await wire.reply(message)
    assert len(wire.world.replies_to(message)) == 1


@pytest.fixture
def other(emptied_postgres_url: str) -> Other:
    """Give another gateway of a bot, which only holds what it takes."""
    server = read_address(emptied_postgres_url)
    assert isinstance(server, PostgresServer)

    def opened(bot: KibitzBot, count: int) -> AbstractAsyncContextManager[GatewayLocks]:
        assert bot.application_id is not None
        return GatewayLocks.open(server, bot.application_id, 1, count)

    return opened


class Cut:
    """A network that can be cut between a bot and its locks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mended = asyncio.Event()
        self.mended.set()
        original = GatewayLocks.holders

        async def cut(locks: GatewayLocks) -> Holders:
            if not self.mended.is_set():
                await self.mended.wait()
                raise StoreError("the connection broke")
            return await original(locks)

        self.original = original
        monkeypatch.setattr(GatewayLocks, "holders", cut)

    async def off(self, bot: KibitzBot) -> None:
        """Cut it for longer than the server keeps the locks of a silent client."""
        self.mended.clear()
        await asyncio.sleep(0.2)  # the running look ends
        assert bot.sharding is not None
        bot.sharding._valid_until = 0.0


async def end_and_take(locks: GatewayLocks) -> None:
    """Have the server end what the others hold, and take it."""
    await locks._ask(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
        [],
    )
    async with asyncio.timeout(20):
        while not await locks._ask("SELECT 1 WHERE pg_try_advisory_lock(%s, 0)", [locks._shards]):  # noqa: ASYNC110 - the server sends no event
            await asyncio.sleep(0.01)


async def test_a_disconnected_process_loses_its_shard(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, other: Other
) -> None:
    wire = await serve()
    cut = Cut(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/1")
        await until(lambda: live(wire) == [0] and bot.is_ready())
        await answered_once(wire, "BEFORE")
        another = await stack.enter_async_context(other(bot, 1))
        await cut.off(bot)
        message = await wire.say(position("ASLEEP"))
        waiting = await wire.say(position("SECOND"))
        await until(lambda: bot._running_tasks)
        await end_and_take(another)
        cut.mended.set()
        await until(lambda: not bot.shards and live(wire) == [] and not bot._running_tasks)
        assert [wire.world.replies_to(item) for item in (message, waiting)] == [[], []]
        assert "nothing is answered until they are back" in caplog.text
        assert "lost shards 0 to others" in caplog.text
        assert not bot.guilds

        await another.release([0])
        await until(lambda: live(wire) == [0] and bot.guilds)
        await wire.reply(message)
        await wire.reply(waiting)
        assert [len(wire.world.replies_to(item)) for item in (message, waiting)] == [1, 1], (
            "looking back finds them"
        )


async def test_a_disconnected_process_continues_on_a_free_shard(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = await serve()
    cut = Cut(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/1")
        await until(lambda: live(wire) == [0] and bot.is_ready())
        await cut.off(bot)
        message = await wire.say(position("WAITS"))
        await until(lambda: bot._running_tasks)
        assert not wire.world.replies_to(message)
        cut.mended.set()
        await wire.reply(message)
        assert set(bot.shards) == {0}
        assert len(wire.gateway.identifies) == 1, "the session lived on"


async def test_a_configured_shard_in_use_ends_the_process(serve: Serve) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        first = await process(stack, wire, "0-1/2")
        await until(lambda: live(wire) == [0, 1] and first.is_ready())
        for shards, sentence in (
            ("0/2", "another process runs shard 0"),
            ("1/3", "another number of shards"),
        ):
            settings = load_settings().model_copy(update={"shards": shards})
            async with open_bot(settings) as second:
                with pytest.raises(ShardsHeldError, match=sentence) as refused:
                    await stay_connected(asyncio.Event(), second, wire.token)
                assert refused.value.exit_code == 75
        assert live(wire) == [0, 1]
        assert len(wire.gateway.identifies) == 2
        await answered_once(wire, "STILL")


async def test_a_database_without_locks_is_reported_at_start(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def refused(*_: object) -> AsyncIterator[GatewayLocks]:
        raise StoreError("the database cannot be used: the address leads to a pool")
        yield

    wire = await serve()
    monkeypatch.setattr(GatewayLocks, "open", refused)
    async with open_bot(load_settings().model_copy(update={"shards": "auto"})) as bot:
        with pytest.raises(ConfigError, match="the address leads to a pool"):
            await stay_connected(asyncio.Event(), bot, wire.token)
    assert live(wire) == []


async def test_a_process_ends_when_an_assigned_shard_is_lost(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, other: Other
) -> None:
    wire = await serve()
    cut = Cut(monkeypatch)
    async with AsyncExitStack() as stack:
        bot = await stack.enter_async_context(open_bot(load_settings().model_copy(update={"shards": "0/1"})))
        connection = asyncio.create_task(stay_connected(asyncio.Event(), bot, wire.token))
        await until(lambda: live(wire) == [0] and bot.is_ready())
        another = await stack.enter_async_context(other(bot, 1))
        await cut.off(bot)
        await end_and_take(another)
        cut.mended.set()
        with pytest.raises(ShardsHeldError, match="another process runs shard 0"):
            await connection
        await until(lambda: live(wire) == [])


async def test_processes_share_the_shards_and_each_message_is_answered_once(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        first = await process(stack, wire, "auto/2")
        await until(lambda: live(wire) == [0, 1] and first.is_ready())
        assert set(first.shards) == {0, 1}
        await answered_once(wire, "ONE")

        second = await process(stack, wire, "auto/2")
        await until(lambda: live(wire) == [0, 1] and len(second.shards) == 1 and second.is_ready())
        assert [set(bot.shards) for bot in (first, second)] == [{0}, {1}]
        assert sorted(len(bot.guilds) for bot in (first, second)) == [0, 1], "each knows its own servers"
        await answered_once(wire, "TWO")

        standby = await process(stack, wire, "auto/2")
        assert standby.sharding is not None
        await until(lambda: standby.sharding.count)
        assert gateway_problem(standby) is None, "it is there for when another ends"
        await answered_once(wire, "THREE")

        await asyncio.gather(first.close(), second.close())
        await until(lambda: live(wire) == [0, 1] and standby.is_ready())
        assert set(standby.shards) == {0, 1}
        await answered_once(wire, "LAST")
    assert wire.gateway.hasty == 0
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    "shards",
    [
        pytest.param(("0-1/4", "2-3/4"), id="given"),
        pytest.param(("auto/4", "auto/4"), id="divided", marks=pytest.mark.long),
    ],
)
async def test_sessions_that_start_at_once_keep_to_the_buckets(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, shards: tuple[str, str]
) -> None:
    wire = await serve()
    wire.gateway.bucket_seconds = 0.1
    wire.gateway.max_concurrency = 2
    monkeypatch.setattr(sharding, "BUCKET_SECONDS", 0.25)
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(process(stack, wire, shard) for shard in shards))
        await until(lambda: live(wire) == [0, 1, 2, 3])
        # A session that cannot be resumed identifies again, in its bucket.
        await wire.gateway.invalidate(resumable=False)
        before = len(wire.gateway.identifies)
        await until(lambda: len(wire.gateway.identifies) >= before + 4 and live(wire) == [0, 1, 2, 3])
    assert wire.gateway.hasty == 0


async def test_the_last_tenth_of_the_starts_of_a_day_is_not_used(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sharding, "_FRESH_SECONDS", 0.05)
    wire = await serve()
    wire.gateway.starts = 101
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/2")
        await until(lambda: bot.session_starts.wait_reason)
        assert live(wire) == [0]
        assert gateway_problem(bot) == "waits until Discord allows more starts"
        assert "DISCORD ALLOWS ONLY 100 OF 1000 MORE STARTS TODAY" in caplog.text
        assert len(wire.gateway.identifies) == 1
        wire.gateway.starts = 1000
        await until(lambda: live(wire) == [0, 1])
        assert gateway_problem(bot) is None
    assert caplog.text.count("MORE STARTS TODAY") == 1
