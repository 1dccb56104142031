"""Shards divided among processes: who has which, what a process does whose lease is gone, and how fast sessions start."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from bot.app.run import assembled
from bot.chat import leases, starts
from bot.chat.connection import gateway_trouble
from bot.config import load_settings
from bot.storage.shards import Share
from tests.storage.conftest import clean_up, emptied_postgres_url, shared_postgres_url

from .kibitz import position
from .throwaway import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .conftest import Serve
    from .server import WireServer

__all__ = ["clean_up", "emptied_postgres_url", "shared_postgres_url"]


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emptied_postgres_url: str) -> None:
    """Share a database, and look at leases often."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", emptied_postgres_url)
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(leases, "SEEK_SECONDS", 0.05)
    monkeypatch.setattr(starts, "BUCKET_SECONDS", 0.01)


async def process(stack: AsyncExitStack, wire: WireServer, shards: str) -> KibitzBot:
    """Run what the host gives these shards."""
    settings = load_settings().model_copy(update={"shards": shards})
    bot = await stack.enter_async_context(assembled(settings))
    await stack.enter_async_context(running(bot, wire.token))
    return bot


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - what is waited for is no event of ours
            await asyncio.sleep(0.01)


def live(wire: WireServer) -> list[int]:
    """List the shards that somebody hears, twice where two do."""
    return sorted(session.shard for session in wire.gateway.live)


async def answered_once(wire: WireServer, word: str) -> None:
    asked = await wire.say(position(word))
    await wire.reply(asked)
    assert len(wire.world.replies_to(asked)) == 1


async def standing_still(bot: KibitzBot, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Have a bot's leases run out while it cannot renew them until the event is set."""
    going, renew = asyncio.Event(), bot.store.renew_leases

    async def stand_still(name: str, application_id: int, count: int) -> Share:
        await going.wait()
        return await renew(name, application_id, count)

    monkeypatch.setattr(bot.store, "renew_leases", stand_still)
    await asyncio.sleep(0.1)  # the beat that was under way ends
    assert bot.leases is not None
    bot.leases._certain_until = 0.0
    return going


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
        await until(lambda: standby.leases.count)
        assert gateway_trouble(standby) is None, "it is there for when another ends"
        await answered_once(wire, "THREE")

        await asyncio.gather(first.close(), second.close())
        await until(lambda: live(wire) == [0, 1] and standby.is_ready())
        assert set(standby.shards) == {0, 1}
        await answered_once(wire, "LAST")
    assert wire.gateway.hasty == 0
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_who_stood_still_answers_nothing_and_leaves_the_shard(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/1")
        await until(lambda: live(wire) == [0] and bot.is_ready())
        await answered_once(wire, "BEFORE")
        going = await standing_still(bot, monkeypatch)
        asked = await wire.say(position("ASLEEP"))
        waiting = await wire.say(position("SECOND"))
        await until(lambda: bot._in_hand)
        # Somebody else takes the lease.
        await bot.store.retire(bot.instance)
        assert (await type(bot.store).renew_leases(bot.store, "another", bot.application_id, 1)).held == {0}
        going.set()
        await until(lambda: not bot.shards and live(wire) == [] and not bot._in_hand)
        assert [wire.world.replies_to(one) for one in (asked, waiting)] == [[], []]
        assert "lost the leases of shards 0" in caplog.text
        assert not bot.guilds

        await bot.store.retire("another")
        await until(lambda: live(wire) == [0] and bot.guilds)
        await wire.reply(asked)
        await wire.reply(waiting)
        assert [len(wire.world.replies_to(one)) for one in (asked, waiting)] == [1, 1], (
            "looking back finds them"
        )


async def test_while_the_database_cannot_say_whose_a_shard_is_what_is_heard_waits(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/1")
        await until(lambda: live(wire) == [0] and bot.is_ready())
        going = await standing_still(bot, monkeypatch)
        asked = await wire.say(position("WAITS"))
        await until(lambda: bot._in_hand)
        assert not wire.world.replies_to(asked)
        going.set()
        await wire.reply(asked)
        assert set(bot.shards) == {0}


@pytest.mark.parametrize(
    "shards",
    [
        pytest.param(("0-1/4", "2-3/4"), id="given"),
        pytest.param(("auto/4", "auto/4"), id="leased", marks=pytest.mark.long),
    ],
)
async def test_sessions_that_start_at_once_keep_to_the_buckets(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, shards: tuple[str, str]
) -> None:
    wire = await serve()
    wire.gateway.bucket_seconds = 0.1
    wire.gateway.max_concurrency = 2
    monkeypatch.setattr(starts, "BUCKET_SECONDS", 0.25)
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(process(stack, wire, one) for one in shards))
        await until(lambda: live(wire) == [0, 1, 2, 3])
        # A session that cannot be resumed identifies again, in its bucket.
        await wire.gateway.invalidate(resumable=False)
        before = len(wire.gateway.identifies)
        await until(lambda: len(wire.gateway.identifies) >= before + 4 and live(wire) == [0, 1, 2, 3])
    assert wire.gateway.hasty == 0


async def test_the_last_tenth_of_the_starts_of_a_day_is_not_used(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(starts, "_FRESH_SECONDS", 0.05)
    wire = await serve()
    wire.gateway.starts = 101
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/2")
        await until(lambda: bot.starts.trouble)
        assert live(wire) == [0]
        assert gateway_trouble(bot) == "waits until Discord allows more starts"
        assert "DISCORD ALLOWS ONLY 100 OF 1000 MORE STARTS TODAY" in caplog.text
        assert len(wire.gateway.identifies) == 1
        wire.gateway.starts = 1000
        await until(lambda: live(wire) == [0, 1])
        assert gateway_trouble(bot) is None
    assert caplog.text.count("MORE STARTS TODAY") == 1


async def test_who_takes_a_shard_over_answers_what_the_other_one_did_not(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = await serve()
    async with AsyncExitStack() as stack:
        bot = await process(stack, wire, "auto/1")
        await until(lambda: live(wire) == [0] and bot.is_ready())
        second = await process(stack, wire, "auto/1")
        await until(lambda: second.leases.count)
        await answered_once(wire, "BEFORE")
        going = asyncio.Event()

        async def stand_still(name: str, application_id: int, count: int) -> Share:
            await going.wait()
            return Share(count, frozenset(), count)

        monkeypatch.setattr(bot.store, "renew_leases", stand_still)
        await asyncio.sleep(0.1)
        bot.leases._certain_until = 0.0
        asked = [await wire.say(position(word)) for word in ("ASLEEP", "SECOND")]
        await bot.store.retire(bot.instance)
        for message in asked:
            await wire.reply(message)
        going.set()
        await until(lambda: not bot._in_hand)
        assert [len(wire.world.replies_to(message)) for message in asked] == [1, 1]
