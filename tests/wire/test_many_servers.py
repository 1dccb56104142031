"""A bot in many servers: garbage collections skip what discord.py stores about known servers."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import discord
import pytest

from .kibitz import kibitz, position

if TYPE_CHECKING:
    from .server import WireServer

SERVER_COUNT = 40


def count_visited_servers() -> int:
    return sum(isinstance(item, discord.Guild) for item in gc.get_objects())


@pytest.mark.slow
async def test_garbage_collections_skip_known_servers(wire: WireServer) -> None:
    wire.world.extra_guild_count = SERVER_COUNT
    gc.collect()
    before = count_visited_servers()
    async with kibitz(wire) as bot:
        await bot.wait_until_ready()
        await wire.wait_for_reply(await wire.post(position("FIRST")))
        assert len(bot.guilds) == SERVER_COUNT + 1
        assert count_visited_servers() <= before
        assert gc.isenabled()

        # A session that cannot be resumed announces every server again.
        old = bot.get_guild(wire.world.guild_id)
        ready = asyncio.create_task(bot.wait_for("shard_ready", timeout=20))
        await wire.gateway.invalidate(resumable=False)
        await ready
        await wire.wait_for_reply(await wire.post(position("SECOND")))
        assert bot.get_guild(wire.world.guild_id) is not old
        assert count_visited_servers() <= before
        assert gc.isenabled()
        del old
        bot._garbage_collection.reset()
        gc.collect()
        assert count_visited_servers() <= before + SERVER_COUNT + 1
    assert gc.isenabled()
