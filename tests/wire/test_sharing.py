"""Several processes share the work: each runs its own shards, all keep one database."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.app import assembled
from bot.config import Discord, load_settings
from bot.storage.settings import ServerSettings
from bot.storage.store import GUILD_RETENTION

from .kibitz import position
from .throwaway import running

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .conftest import Serve
    from .server import WireServer


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the bots a database of their own, and no settings of the machine's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)


async def sharing(stack: AsyncExitStack, wire: WireServer, shard: int) -> KibitzBot:
    """Run a bot with one of two shards."""
    own = Discord(shard_count=2, shard_ids=(shard,))
    settings = load_settings().model_copy(update={"discord": own})
    bot = await stack.enter_async_context(assembled(settings))
    await stack.enter_async_context(running(bot, wire.token))
    await wire.gateway.ready(shard + 1)
    await bot.wait_until_ready()
    return bot


async def test_each_process_answers_for_its_shards_and_forgets_no_server_of_the_others(serve: Serve) -> None:
    wire = await serve(shards=2)
    guild_id = wire.world.guild_id
    gone = guild_id + (1 << 22)  # the other shard's, and nobody is in it
    async with AsyncExitStack() as stack:
        bots = [await sharing(stack, wire, shard) for shard in (0, 1)]
        await wire.gateway.ready()
        store = bots[0].store
        for one in (guild_id, gone):
            await store.set_server_settings(one, ServerSettings(theme="dark"))
        for bot in bots:
            await bot.on_ready()
        asked = await wire.say(position("SHARE"))
        assert (await wire.reply(asked)).files
        assert len(wire.world.replies_to(asked)) == 1
        store._clock = lambda: datetime.now(UTC) + GUILD_RETENTION + timedelta(days=1)
        await store.sweep()
        assert (await store.server_settings(guild_id)).theme == "dark", "one of the two is in it"
        assert (await store.server_settings(gone)).theme is None
