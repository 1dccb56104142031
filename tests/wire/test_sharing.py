"""Several processes use one database. Each runs its own shards, or two run the same shard."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import discord
import msgspec
import pytest

from bot.app.run import open_bot
from bot.chat.failures import should_log
from bot.config import load_settings
from bot.storage.bookkeeping import GUILD_RETENTION
from bot.storage.settings import ServerSettings
from tests.storage.clock import Clock

from .kibitz import bot_process, position, running, uses_programs
from .test_presses import GAME, press, wait_for_text

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .conftest import Serve
    from .server import WireServer

pytestmark = uses_programs


async def start_bot(
    stack: AsyncExitStack,
    wire: WireServer,
    shard: int,
    *,
    shard_count: int = 2,
    session_count: int | None = None,
    clock: Clock | None = None,
) -> KibitzBot:
    """Run a bot with one of several shards. By default, wait for ``shard`` + 1 live sessions."""
    settings = msgspec.structs.replace(load_settings(), shards=f"{shard}/{shard_count}")
    bot = await stack.enter_async_context(open_bot(settings, clock=clock or Clock()))
    await stack.enter_async_context(running(bot))
    await wire.gateway.wait_until_ready(session_count or shard + 1)
    await bot.wait_until_ready()
    return bot


async def test_a_process_replies_and_deletes_only_for_its_own_shards(serve: Serve) -> None:
    wire = await serve(shard_count=2)
    guild_id = wire.world.guild_id
    left_guild_id = guild_id + (1 << 22)  # a server on the other shard that the bot has left
    async with AsyncExitStack() as stack:
        clock = Clock()
        bots = [await start_bot(stack, wire, shard, clock=clock) for shard in (0, 1)]
        await wire.gateway.wait_until_ready()
        store = bots[0].store
        for stored_guild_id in (guild_id, left_guild_id):
            await store.change_server_settings(stored_guild_id, lambda _: ServerSettings(theme="dark"))
        for bot in bots:
            await bot.on_ready()
        message = await wire.post(position("SHARE"))
        assert (await wire.wait_for_reply(message)).files
        assert len(wire.world.replies_to(message)) == 1
        clock.ahead = GUILD_RETENTION + timedelta(days=1)
        await store.sweep()
        assert (await store.server_settings(guild_id)).theme == "dark", (
            "the settings of a server with a bot were deleted"
        )
        assert (await store.server_settings(left_guild_id)).theme is None


async def test_two_processes_with_the_same_shard_log_no_errors(
    wire: WireServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with bot_process(wire, tmp_path) as other, AsyncExitStack() as stack:
        bot = await start_bot(stack, wire, 0, shard_count=1, session_count=2)
        message = await wire.post(GAME)
        reply = await wire.wait_for_reply(message)
        for target, words in (("f", "The start"), ("n", "Turn 1 of 3"), ("n", "Turn 2 of 3")):
            await press(wire, reply, target)
            await wait_for_text(wire, reply, words)
        command = await wire.interactions.command("show", position=position("TWICE"))
        await wire.interactions.until_replied(command)
        # Closing waits until this bot has noticed the other process's reply.
        await bot.close()
        await other.stop()
    callbacks = [request for request in wire.requests if request.path.endswith("/callback")]
    assert sorted(request.status for request in callbacks) == [200] * 4 + [400] * 4
    assert len(wire.world.replies_to(message)) == 1
    assert reply.edit_count == 3
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_an_interaction_acknowledged_by_another_process_is_not_logged() -> None:
    class Response:
        status, reason = 400, "Bad Request"

    def record(code: int) -> logging.LogRecord:
        response: Any = Response()
        error = discord.HTTPException(response, {"code": code, "message": "no"})
        return logging.LogRecord("discord", logging.ERROR, "", 0, "", (), (type(error), error, None))

    assert not should_log(record(40060))
    assert should_log(record(50035))
    assert should_log(logging.LogRecord("discord", logging.ERROR, "", 0, "", (), None))
