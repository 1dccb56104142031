"""Environment variables alone redirect a Python subprocess to the local server."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from .server import SITE

if TYPE_CHECKING:
    from .server import WireServer

LOG_IN = """
import asyncio, discord, os

async def main():
    async with discord.AutoShardedClient(intents=discord.Intents(guilds=True)) as client:
        @client.event
        async def on_ready():
            await client.guilds[0].text_channels[0].send("from a subprocess")
            await client.close()
        await client.start(os.environ["TEST_TOKEN"])

asyncio.run(main())
"""


async def run(source: str, environment: dict[str, str]) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        source,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(30):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, output.decode()


async def test_a_subprocess_logs_in_to_the_local_server(wire: WireServer) -> None:
    code, output = await run(LOG_IN, wire.environment(TEST_TOKEN=wire.token))
    assert code == 0, output
    assert [message.content for message in wire.world.bot_messages()] == ["from a subprocess"]
    assert wire.gateway.connections[0].client_close_code == 1000


async def test_discord_is_not_imported_before_the_program_imports_it(wire: WireServer) -> None:
    code, output = await run("import sys; print('discord' in sys.modules)", wire.environment())
    assert (code, output.strip()) == (0, "False")


async def test_nothing_is_patched_without_the_variable() -> None:
    source = "import discord.http; print(discord.http.Route.BASE)"
    variables = {name: value for name, value in os.environ.items() if name != "WIRE_DISCORD_API"}
    code, output = await run(source, {**variables, "PYTHONPATH": str(SITE), "PYTHONWARNINGS": "ignore"})
    assert (code, output.strip()) == (0, "https://discord.com/api/v10")
