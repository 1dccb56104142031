"""The bot is in many servers: what it knows of them is nothing that the collector of garbage walks again and again."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import discord
import pytest

from .kibitz import kibitz, position

if TYPE_CHECKING:
    from .server import WireServer

SERVERS = 40


def walked() -> int:
    """Count the servers that a full collection looks at."""
    return sum(isinstance(thing, discord.Guild) for thing in gc.get_objects())


@pytest.mark.slow
async def test_arrived_servers_leave_the_garbage_collector(
    wire: WireServer,
) -> None:
    wire.world.more_servers = SERVERS
    gc.collect()
    before = walked()
    async with kibitz(wire) as bot:
        await bot.wait_until_ready()
        await wire.reply(await wire.say(position("FIRST")))
        assert len(bot.guilds) == SERVERS + 1
        assert walked() <= before
        assert gc.isenabled()

        # A session that cannot be resumed announces every server again.
        old = bot.get_guild(wire.world.guild_id)
        again = asyncio.create_task(bot.wait_for("shard_ready", timeout=20))
        await wire.gateway.invalidate(resumable=False)
        await again
        await wire.reply(await wire.say(position("SECOND")))
        assert bot.get_guild(wire.world.guild_id) is not old
        assert walked() <= before
        assert gc.isenabled()
        del old
        bot._heap.release()
        gc.collect()
        assert walked() <= before + SERVERS + 1
    assert gc.isenabled()
