"""A bot in an offline Discord: real discord.py against SimCord."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
import simcord
from discord import app_commands
from pydantic import SecretStr

from bot.app.run import open_bot
from bot.chat import client, notices
from bot.chat.client import KibitzBot
from bot.chat.set_up import payload_of
from bot.config import Chess, Settings
from bot.engine.endgame import search
from bot.engine.simulation import simulate
from tests.storage.clock import Clock
from tests.storage.migrated import put_database

PATIENCE = 300.0
"""Seconds after which a bot that still works counts as endless: far from any that a test takes.

Tests wait for work that the bot postpones by less, and leave the rest for later.
"""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let every test here have the same Discord, but for what it wants to have otherwise."""
    own = item.get_closest_marker("simcord")
    options = {"shard_count": 1, "settle_timeout": PATIENCE, **(own.kwargs if own else {})}
    item.add_marker(pytest.mark.simcord(**options), append=False)


@cache
def usual_settings() -> Settings:
    """Return the settings of a bot that nothing was set for."""
    return Settings()


def make_settings(folder: Path, **changes: object) -> Settings:
    """Return settings with a database and lexica in a folder."""
    put_database(folder, swept=True)
    fresh = usual_settings()
    own = {
        "discord_token": None,
        "database_url": SecretStr(f"sqlite:///{folder}/kibitz.sqlite3"),
        "port": None,
        "discord": fresh.discord.model_copy(update={"welcome": False}),
        # Never the engine that the machine happens to have.
        "chess": Chess(engine=""),
        "analysis": fresh.analysis.model_copy(update={"lexica": folder / "lexica"}),
    }
    return fresh.model_copy(update={**own, **changes})


class Unchanged(list[dict[str, Any]]):
    """A constant list: it is its own copy."""

    def __deepcopy__(self, memo: object) -> Unchanged:
        return self


@pytest.fixture(scope="session", autouse=True)
def _translated_once() -> Iterator[None]:
    """Translate commands that are the same once for all bots: it is a fourth of a bot's start."""
    known: dict[str, Unchanged] = {}

    async def payload_once(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
        key = json.dumps([command.to_dict(tree) for command in tree.get_commands()])
        if key not in known:
            known[key] = Unchanged(await payload_of(tree))
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "payload_of", payload_once)
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def words_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep messages from expiring while a test waits for the bot."""
    monkeypatch.setattr(notices, "PATIENCE_SECONDS", 2 * PATIENCE)


@pytest.fixture(autouse=True)
def seconds_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the seconds that an analysis is given as work of this process, however little the machine lets it do."""
    clock = SimpleNamespace(perf_counter=time.process_time)
    monkeypatch.setattr(search, "time", clock)
    monkeypatch.setattr(simulate, "time", clock)


@pytest.fixture
async def bots(settings: Settings, clock: Clock) -> AsyncIterator[Callable[[], Awaitable[KibitzBot]]]:
    """Give what starts a bot on the test's settings, as often as it is called: a process after another."""
    async with AsyncExitStack() as stack:

        async def another() -> KibitzBot:
            return await stack.enter_async_context(open_bot(settings, clock=clock))

        yield another


@pytest.fixture
async def simcord_bot(bots: Callable[[], Awaitable[KibitzBot]]) -> KibitzBot:
    return await bots()


@dataclass
class World:
    """A server with a channel and two people in it."""

    env: simcord.Env
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    alice: simcord.MemberActor
    bob: simcord.MemberActor
    bot: KibitzBot
    clock: Clock
    bots: Callable[[], Awaitable[KibitzBot]]

    @property
    def me(self) -> discord.ClientUser:
        user = self.bot.user
        assert user is not None
        return user

    async def restart(self) -> None:
        """Replace the bot with another that shares only the store."""
        self.bot = await self.bots()
        await self.env.restart_bot(self.bot)


@pytest.fixture
def world(
    simcord_env: simcord.Env,
    simcord_bot: KibitzBot,
    clock: Clock,
    bots: Callable[[], Awaitable[KibitzBot]],
) -> World:
    guild = simcord_env.create_guild("Crossword club")
    channel = guild.create_text_channel("positions")
    alice = guild.add_member(simcord_env.create_user("alice"))
    bob = guild.add_member(simcord_env.create_user("bob"))
    return World(simcord_env, guild, channel, alice, bob, simcord_bot, clock, bots)
