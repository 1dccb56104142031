"""A bot in an offline Discord: the real discord.py with SimCord, which simulates Discord."""

from __future__ import annotations

import json
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import msgspec
import pytest
import simcord
from discord import app_commands

from bot.app.run import open_bot
from bot.chat import client, notices
from bot.chat.client import KibitzBot, commands_payload
from bot.config import Chess, Secret, Settings
from bot.engine import analysis
from bot.engine.endgame import search
from bot.engine.simulation.result import Ending
from bot.engine.uci import find_engine
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.review.values import Depth
from tests.storage.clock import Clock
from tests.storage.migrated import put_database

from .actions import GAME, post_and_get_reply

SETTLE_SECONDS = 300.0
"""Maximum seconds that SimCord waits for the bot to finish an action. No test comes near this limit.

SimCord also waits for work that the bot postpones by less than this limit.
"""


ANALYSIS_SECONDS = 0.3
"""Time limit of analyses in tests that use :func:`short_analyses`: just long enough for a result."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give every test here the same SimCord options, unless the test's own marker sets them."""
    own_marker = item.get_closest_marker("simcord")
    own_options = own_marker.kwargs if own_marker else {}
    options = {"shard_count": 1, "settle_timeout": SETTLE_SECONDS, **own_options}
    item.add_marker(pytest.mark.simcord(**options), append=False)


@cache
def default_settings() -> Settings:
    return Settings()


def make_settings(folder: Path, **changes: object) -> Settings:
    """Create a database in a folder. Return settings for this folder."""
    put_database(folder, swept=True)
    defaults = default_settings()
    test_defaults = {
        "discord_token": None,
        "database_url": Secret(f"sqlite:///{folder}/kibitz.sqlite3"),
        "port": None,
        "discord": msgspec.structs.replace(defaults.discord, welcome=False),
        # Don't use an engine that is installed on the machine.
        "chess": Chess(engine=""),
        "analysis": msgspec.structs.replace(defaults.analysis, lexica=folder / "lexica"),
    }
    return msgspec.structs.replace(defaults, **{**test_defaults, **changes})


class ConstantList(list[dict[str, Any]]):
    """A list that never changes, so its deep copy can be the list itself."""

    def __deepcopy__(self, memo: object) -> ConstantList:
        return self


@pytest.fixture(scope="session", autouse=True)
def _frequent_settle_checks() -> Iterator[None]:
    """Check more often whether the bot has settled. SimCord's 50 ms between checks would lengthen each start by half."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(simcord.Env._settle_internal.__kwdefaults__, "idle", 0.01)
        yield


@pytest.fixture(scope="session", autouse=True)
def _cached_translations() -> Iterator[None]:
    """Translate the commands once, because this takes a quarter of a bot's startup time."""
    payloads: dict[str, ConstantList] = {}

    async def cached_payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
        key = json.dumps([command.to_dict(tree) for command in tree.get_commands()])
        if key not in payloads:
            payloads[key] = ConstantList(await commands_payload(tree))
        return payloads[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "commands_payload", cached_payload)
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)


@pytest.mark.skipif(find_engine("stockfish") is None, reason="the Debian package stockfish is not installed")
class WithStockfish:
    """Base class for tests in which the bot uses Stockfish."""

    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        return make_settings(tmp_path, chess=Chess(engine="stockfish"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _lasting_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the bot's notices from being deleted while a test waits."""
    monkeypatch.setattr(notices, "OVERLOAD_NOTICE_SECONDS", 2 * SETTLE_SECONDS)


@pytest.fixture(autouse=True)
def _cpu_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure time limits in CPU time. Otherwise, analyses would time out on a busy machine."""
    monkeypatch.setattr("bot.features.review.crossword.judging.MAX_WALL_TIME_FACTOR", math.inf)
    clock = SimpleNamespace(
        perf_counter=time.process_time, thread_time=time.thread_time, monotonic=time.monotonic
    )
    monkeypatch.setattr(search, "time", clock)
    monkeypatch.setattr(analysis, "time", clock)


@pytest.fixture
def short_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limits for simulating and solving, and the pauses between edits."""
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.05)
    monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", ANALYSIS_SECONDS)
    monkeypatch.setattr("bot.features.analysis.service.MORE_SIMULATION_SECONDS", ANALYSIS_SECONDS)


@pytest.fixture
def short_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten reviews, and the pauses between edits."""
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.05)
    seconds = {Depth.QUICK: 0.4, Depth.DEEP: 0.6}
    monkeypatch.setattr("bot.features.review.crossword.values.USUAL_SECONDS", seconds)


@pytest.fixture
def computed_simulations(monkeypatch: pytest.MonkeyPatch, short_analyses: None) -> list[tuple[float, int]]:
    """Return a list that collects the time limit and the number of reused iterations whenever a position is simulated or solved."""
    simulations = []

    def analyze_and_record(request, lexica, control, engine):
        earlier_samples = (
            request.earlier_simulation.candidates[0].samples if request.earlier_simulation else ()
        )
        simulations.append((request.options.seconds, len(earlier_samples)))
        result = analyze_position(request, lexica, control, engine)
        if result.simulation is None:
            return result
        # On a fast machine, a simulation may be decided before its time limit. The bot would not continue it then.
        return replace(result, simulation=replace(result.simulation, ending=Ending.TIME))

    monkeypatch.setattr("bot.app.queues.analyze_position", analyze_and_record)
    return simulations


@pytest.fixture
async def open_new_bot(settings: Settings, clock: Clock) -> AsyncIterator[Callable[[], Awaitable[KibitzBot]]]:
    """Return a function that opens a bot with the test's settings. Each bot acts like another process."""
    async with AsyncExitStack() as stack:

        async def open_another_bot() -> KibitzBot:
            return await stack.enter_async_context(open_bot(settings, clock=clock))

        yield open_another_bot


@pytest.fixture
async def simcord_bot(open_new_bot: Callable[[], Awaitable[KibitzBot]]) -> KibitzBot:
    return await open_new_bot()


def add_member(
    env: simcord.Env, guild: simcord.GuildHandle, name: str, **permissions: bool
) -> simcord.MemberActor:
    """Add a user to a server. If permissions are given, the user gets a role with them."""
    roles = [guild.create_role("role", permissions=discord.Permissions(**permissions))] if permissions else []
    return guild.add_member(env.create_user(name), roles=roles)


@dataclass
class World:
    env: simcord.Env
    guild: simcord.GuildHandle
    channel: simcord.ChannelHandle
    alice: simcord.MemberActor
    bob: simcord.MemberActor
    bot: KibitzBot
    clock: Clock
    open_new_bot: Callable[[], Awaitable[KibitzBot]]

    @property
    def me(self) -> discord.ClientUser:
        user = self.bot.user
        assert user is not None
        return user

    def add_member(self, name: str, **permissions: bool) -> simcord.MemberActor:
        return add_member(self.env, self.guild, name, **permissions)

    def create_channel_with_permissions(
        self, member: simcord.MemberActor | None = None, **permissions: bool
    ) -> simcord.ChannelHandle:
        """Create a channel that grants or denies permissions to a member or, by default, to everyone including the bot."""
        overwrites: dict[Any, discord.PermissionOverwrite] = {
            member or self.guild.default_role: discord.PermissionOverwrite(**permissions)
        }
        return self.guild.create_text_channel("quiet", overwrites=overwrites)

    async def restart(self) -> None:
        """Replace the bot with a new bot that uses the same store."""
        self.bot = await self.open_new_bot()
        await self.env.restart_bot(self.bot)


@pytest.fixture
def world(
    simcord_env: simcord.Env,
    simcord_bot: KibitzBot,
    clock: Clock,
    open_new_bot: Callable[[], Awaitable[KibitzBot]],
) -> World:
    guild = simcord_env.create_guild("Crossword club")
    channel = guild.create_text_channel("positions")
    alice, bob = (add_member(simcord_env, guild, name) for name in ("alice", "bob"))
    return World(simcord_env, guild, channel, alice, bob, simcord_bot, clock, open_new_bot)


@pytest.fixture
def carol(world: World) -> simcord.MemberActor:
    """Return a member with the Manage Server permission."""
    return world.add_member("carol", manage_guild=True)


@pytest.fixture
def system_channel(world: World) -> simcord.ChannelHandle:
    """Create a channel and make it the server's system channel."""
    channel = world.guild.create_text_channel("system")
    guild: Any = world.bot.get_guild(world.guild.id)
    guild._system_channel_id = channel.id
    return channel


@pytest.fixture
async def game_reply(world: World) -> Any:
    return await post_and_get_reply(world, GAME)
