"""Users can see and delete their stored data."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from simcord.backend.errors import SetupError

from bot.storage.settings import ServerSettings, UserSettings
from tests.positions import MAVEN

from .actions import click, controls_of, text_of


async def test_only_the_user_sees_how_much_is_stored(world):
    await world.alice.send(world.channel, MAVEN)
    await world.alice.slash(world.channel, "settings me", theme="dark", layout="tall")
    result = await world.alice.slash(world.channel, "privacy show")
    assert result.ephemeral
    assert "1 message that Kibitz replied to" in text_of(result.response)
    assert "1 position or game that you posted" in text_of(result.response)
    assert "2 settings" in text_of(result.response)
    assert "- 0 " not in text_of(result.response)
    assert "KLMTZ" not in text_of(result.response)


async def test_positions_shown_by_commands_are_counted(world):
    await world.alice.slash(world.channel, "show", position=MAVEN)
    result = await world.alice.slash(world.channel, "privacy show")
    assert "1 position or game that you posted" in text_of(result.response)


async def test_an_unknown_user_has_no_stored_data(world):
    result = await world.bob.slash(world.channel, "privacy show")
    assert text_of(result.response).startswith("Nothing is stored about you.")


async def test_confirming_deletes_all_data_of_the_user(world):
    await world.alice.send(world.channel, MAVEN)
    await world.bob.send(world.channel, MAVEN.replace("0/0 0", "1/0 0"))
    await world.alice.slash(world.channel, "settings me", theme="dark")
    result = await world.alice.slash(world.channel, "privacy delete")
    assert result.ephemeral
    assert "can't be undone" in text_of(result.response)
    assert (await world.bot.store.count_user_data(world.alice.id))["replies"] == 1, (
        "data was deleted without confirmation"
    )
    await click(world.alice, result.response, label="Delete everything")
    assert "all your stored data is deleted" in text_of(result.response)
    assert controls_of(result.response) == []
    data = await world.bot.store.count_user_data(world.alice.id)
    assert (data["replies"], data["documents"], data["live_texts"]) == (0, 0, 0)
    assert (await world.bot.preferences.users.get(world.alice.id)).theme is None
    assert (await world.bot.store.count_user_data(world.bob.id))["replies"] == 1, (
        "data of another user was deleted"
    )


async def test_other_users_do_not_see_the_delete_button(world):
    result = await world.alice.slash(world.channel, "privacy delete")
    with pytest.raises(SetupError):
        await click(world.bob, result.response, label="Delete everything")


async def test_settings_of_a_server_are_deleted_a_month_after_the_bot_left(world):
    store = world.bot.store
    await store.change_server_settings(world.guild.id, lambda _: ServerSettings(theme="dark"))
    await world.alice.send(world.channel, MAVEN)
    guild = world.bot.get_guild(world.guild.id)
    await world.bot.on_guild_remove(guild)
    world.clock.ahead = timedelta(days=29)
    await store.sweep()
    assert (await store.server_settings(world.guild.id)).theme == "dark"
    await world.bot.on_guild_join(guild)
    world.clock.ahead = timedelta(days=32)
    await store.sweep()
    assert (await store.server_settings(world.guild.id)).theme == "dark", (
        "the settings were deleted, although the bot had come back within a month"
    )
    world.clock.ahead = timedelta()
    await world.bot.on_guild_remove(guild)
    world.clock.ahead = timedelta(days=31)
    await store.sweep()
    assert (await store.server_settings(world.guild.id)).theme is None


async def test_settings_of_a_server_left_while_offline_are_deleted(world):
    store = world.bot.store
    await store.change_server_settings(4711, lambda _: ServerSettings(theme="dark"))
    await store.change_server_settings(world.guild.id, lambda _: ServerSettings(theme="dark"))
    await world.bot.on_ready()
    world.clock.ahead = timedelta(days=31)
    await store.sweep()
    assert (await store.server_settings(4711)).theme is None
    assert (await store.server_settings(world.guild.id)).theme == "dark"


async def test_deleted_settings_are_not_restored_by_concurrent_requests(world, monkeypatch):
    store, preferences, alice = world.bot.store, world.bot.preferences, world.alice.id
    await world.alice.slash(world.channel, "settings me", theme="dark", layout="tall")
    assert (await preferences.users.get(alice)).theme == "dark"
    result = await world.alice.slash(world.channel, "privacy delete")
    load, has_read, may_return = store.user_settings, asyncio.Event(), asyncio.Event()

    async def load_slowly(user_id):
        settings = await load(user_id)
        has_read.set()
        await may_return.wait()
        return settings

    # The cache has expired. One request has read Alice's settings from the store, and another request changes a setting.
    preferences.users.drop(alice)
    monkeypatch.setattr(preferences.users, "_load", load_slowly)
    read_task = asyncio.create_task(preferences.users.get(alice))
    await has_read.wait()
    monkeypatch.setattr(preferences.users, "_load", load)
    forget = store.forget_user

    async def forget_before_the_read_returns(user_id):
        await forget(user_id)
        may_return.set()

    monkeypatch.setattr(store, "forget_user", forget_before_the_read_returns)
    monkeypatch.setattr("bot.chat.preferences.MAX_CONTEXT_SECONDS", 0.0)
    change_task = asyncio.create_task(
        preferences.change_user_settings(alice, lambda settings: replace(settings, coordinates=True))
    )
    await click(world.alice, result.response, label="Delete everything")
    assert "all your stored data is deleted" in text_of(result.response)
    assert (await read_task).theme == "dark", (
        "a request from before the deletion did not get the settings of that time"
    )
    await change_task
    assert await preferences.users.get_or_last_known(alice) in {
        None,
        UserSettings(),
        UserSettings(coordinates=True),
    }
    for settings in (await preferences.users.get(alice), await store.user_settings(alice)):
        assert (settings.theme, settings.layout) == (None, None)
