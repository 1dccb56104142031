"""Preferences of users, servers and channels, even if the store is slow, fails, or is changed by another process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bot.chat import preferences as preferences_module
from bot.chat.card import Appearance, ReplyContext
from bot.chat.preferences import Mode, Preferences
from bot.storage.errors import StoreError
from bot.storage.settings import ServerSettings, UserSettings
from render.scene import Layout

GUILD, CHANNEL, THREAD, CATEGORY, ALICE, BOB = range(1, 7)
DEFAULT = Appearance("light", Layout.WIDE)


class Store:
    """An in-memory store that counts reads, and fails or waits if a test requests it."""

    def __init__(self):
        self.servers, self.modes, self.users = {}, {}, {}
        self.reads = 0
        self.fault = None
        self.gate = None

    async def _read(self):
        self.reads += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault

    async def server_settings(self, guild_id):
        await self._read()
        return self.servers.get(guild_id, ServerSettings())

    async def change_server_settings(self, guild_id, change):
        self.servers[guild_id] = change(self.servers.get(guild_id, ServerSettings()))
        return self.servers[guild_id]

    async def channel_modes(self, guild_id):
        return dict(self.modes.get(guild_id, {}))

    async def set_channel_mode(self, guild_id, channel_id, mode):
        self.modes.setdefault(guild_id, {})[channel_id] = mode
        if mode is None:
            del self.modes[guild_id][channel_id]

    async def user_settings(self, user_id):
        settings = self.users.get(user_id, UserSettings())
        await self._read()
        return settings

    async def change_user_settings(self, user_id, change):
        self.users[user_id] = change(self.users.get(user_id, UserSettings()))

    async def forget_user(self, user_id):
        self.users.pop(user_id, None)


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def preferences(store):
    return Preferences(store, DEFAULT)


async def test_the_nearest_place_with_a_mode_decides(preferences):
    channels = (THREAD, CHANNEL, CATEGORY)
    assert await preferences.mode(GUILD, channels) is Mode.AUTO
    await preferences.change_server_settings(GUILD, lambda settings: replace(settings, mode="on_request"))
    assert await preferences.mode(GUILD, channels) is Mode.ON_REQUEST
    await preferences.set_channel_mode(GUILD, CATEGORY, Mode.OFF)
    assert await preferences.mode(GUILD, channels) is Mode.OFF
    await preferences.set_channel_mode(GUILD, THREAD, Mode.AUTO)
    assert await preferences.mode(GUILD, channels) is Mode.AUTO
    assert await preferences.mode(GUILD, (CHANNEL, CATEGORY)) is Mode.OFF
    await preferences.set_channel_mode(GUILD, CATEGORY, None)
    assert await preferences.mode(GUILD, (CHANNEL, CATEGORY)) is Mode.ON_REQUEST


async def test_user_settings_override_the_server_and_the_operator(preferences):
    await preferences.change_server_settings(
        GUILD, lambda settings: replace(settings, theme="dark", layout="tall", lexicon="CSW24", language="de")
    )
    await preferences.change_user_settings(
        ALICE, lambda settings: replace(settings, theme="contrast", coordinates=False)
    )
    public_context = await preferences.public_context(GUILD, "en-US")
    assert (public_context.appearance, public_context.lexicon, public_context.translate.locale) == (
        Appearance("dark", Layout.TALL),
        "CSW24",
        "de",
    )
    private_context = await preferences.private_context(ALICE, GUILD, "fr")
    assert private_context.appearance == Appearance("contrast", Layout.TALL, coordinates=False)
    assert (private_context.lexicon, private_context.translate.locale) == ("CSW24", "fr"), (
        "the server's language replaced the user's"
    )
    assert await preferences.private_context(BOB, None, "en") == ReplyContext(DEFAULT, user_id=BOB)


async def test_settings_are_cached_for_a_short_time(preferences, store, monkeypatch):
    now = 0.0
    monkeypatch.setattr(preferences_module, "time", SimpleNamespace(monotonic=lambda: now))
    for _ in range(3):
        await preferences.public_context(GUILD, "en")
    assert store.reads == 1
    store.servers[GUILD] = ServerSettings(theme="dark")  # by another process
    assert (await preferences.public_context(GUILD, "en")).appearance.theme == "light"
    now = preferences_module.CACHE_SECONDS
    assert (await preferences.public_context(GUILD, "en")).appearance.theme == "dark"


async def test_a_read_overtaken_by_a_change_is_not_cached(preferences, store):
    store.gate = asyncio.Event()
    reading = asyncio.create_task(preferences.users.get(ALICE))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await preferences.forget_user(ALICE)
    store.users[ALICE] = UserSettings(theme="dark")
    store.gate.set()
    assert (await reading).theme is None
    assert (await preferences.users.get(ALICE)).theme == "dark"


async def test_concurrent_readers_share_one_query(preferences, store):
    store.gate = asyncio.Event()
    requests = [asyncio.create_task(preferences.mode(GUILD, (CHANNEL,))) for _ in range(50)]
    await asyncio.sleep(0.01)
    requests[0].cancel()
    await asyncio.sleep(0)
    store.gate.set()
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert results[1:] == [Mode.AUTO] * 49
    assert store.reads == 1
    store.gate, store.fault = None, StoreError("the database is locked")
    preferences.servers.drop(GUILD)
    results = await asyncio.gather(*(preferences.mode(GUILD, ()) for _ in range(9)), return_exceptions=True)
    assert [type(result) for result in results] == [StoreError] * 9
    assert store.reads == 2
    store.fault = None
    assert await preferences.mode(GUILD, ()) is Mode.AUTO, "an error was cached"


@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_failed_query_uses_the_last_known_settings_or_defaults(
    preferences, store, monkeypatch, is_slow
):
    monkeypatch.setattr(preferences_module, "CACHE_SECONDS", 0.0)
    await preferences.change_server_settings(GUILD, lambda settings: replace(settings, theme="dark"))
    await preferences.public_context(GUILD, "en")
    monkeypatch.setattr(preferences_module, "MAX_CONTEXT_SECONDS", 0.01)
    store.fault = None if is_slow else StoreError("the database is locked")
    store.gate = asyncio.Event() if is_slow else None
    assert (await preferences.public_context(GUILD, "en")).appearance.theme == "dark", (
        "the last known theme was not used"
    )
    assert (await preferences.private_context(ALICE, None, "en")).appearance == DEFAULT


async def test_a_mode_that_cannot_be_read_is_not_guessed(preferences, store):
    store.fault = StoreError("the database is locked")
    with pytest.raises(StoreError):
        await preferences.mode(GUILD, (CHANNEL,))


async def test_the_number_of_cached_settings_is_limited(store, monkeypatch):
    monkeypatch.setattr(preferences_module, "MAX_CACHED_SETTINGS", 5)
    preferences = preferences_module.Preferences(store, DEFAULT)
    for user_id in range(20):
        await preferences.users.get(user_id)
    assert len(preferences.users._values) == 5
