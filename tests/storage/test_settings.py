"""Stored settings are read back unchanged. A row without any chosen setting is deleted."""

import asyncio
import dataclasses
from datetime import timedelta

import pytest
import sqlalchemy as sa

from bot.storage import settings
from bot.storage.dailies import DailySettings
from bot.storage.settings import ServerSettings, UserSettings
from bot.storage.store import Store

SERVER = ServerSettings("dark", "tall", False, "CSW24", "de", "on_request")
USER = UserSettings("contrast", "wide", True, "NWL23", "es-ES")


async def row_count(store, table):
    async with store._database.reading() as connection:
        return await connection.scalar(sa.text(f"SELECT count(*) FROM {table}"))


async def test_no_setting_is_chosen_at_first(store):
    assert await store.server_settings(1) == ServerSettings() == ServerSettings(*[None] * 6)
    assert await store.user_settings(1) == UserSettings() == UserSettings(*[None] * 5)
    assert await store.channel_modes(1) == {}


async def test_settings_survive_a_restart(store_url):
    async with Store.open(store_url) as store:
        await store.change_server_settings(1, lambda _: SERVER)
        await store.change_user_settings(1, lambda _: USER)
        await store.change_server_settings(2, lambda _: ServerSettings(coordinates=True))
    async with Store.open(store_url) as store:
        assert await store.server_settings(1) == SERVER
        assert await store.user_settings(1) == USER
        assert await store.server_settings(2) == ServerSettings(coordinates=True)
        assert await store.user_settings(2) == UserSettings()


async def test_saved_settings_replace_all_earlier_settings(store):
    await store.change_server_settings(1, lambda _: SERVER)
    changed = dataclasses.replace(SERVER, theme=None, coordinates=True)
    await store.change_server_settings(1, lambda _: changed)
    assert await store.server_settings(1) == changed
    await store.change_user_settings(1, lambda _: USER)
    await store.change_user_settings(1, lambda _: UserSettings(language="pl"))
    assert await store.user_settings(1) == UserSettings(language="pl")


async def test_settings_without_a_choice_have_no_row(store):
    await store.change_server_settings(1, lambda _: SERVER)
    await store.change_server_settings(1, lambda _: ServerSettings())
    await store.change_user_settings(1, lambda _: USER)
    await store.change_user_settings(1, lambda _: UserSettings())
    assert await row_count(store, "server_settings") == await row_count(store, "user_settings") == 0


async def test_simultaneous_choices_of_several_processes_are_all_kept(store_url, clock):
    due = clock.now + timedelta(hours=1)
    daily = DailySettings(11, 9, "UTC", "chess", "usual")

    def change(name, value):
        return lambda before: dataclasses.replace(before, **{name: value})

    def change_daily(name, value):
        return lambda before: (dataclasses.replace(before, **{name: value}), due)

    async with Store.open(store_url, clock=clock) as first, Store.open(store_url, clock=clock) as second:
        await first.change_daily_settings(1, lambda _: (daily, due))
        await asyncio.gather(
            first.change_server_settings(1, change("theme", "dark")),
            second.change_server_settings(1, change("layout", "tall")),
            first.change_user_settings(2, change("theme", "dark")),
            second.change_user_settings(2, change("layout", "tall")),
            first.change_daily_settings(1, change_daily("hour", 10)),
            second.change_daily_settings(1, change_daily("level", "easy")),
        )
        assert await first.server_settings(1) == ServerSettings(theme="dark", layout="tall")
        assert await first.user_settings(2) == UserSettings(theme="dark", layout="tall")
        assert await first.daily_settings(1) == dataclasses.replace(daily, hour=10, level="easy")


async def test_a_choice_during_deletion_restores_no_deleted_settings(store):
    await store.change_user_settings(1, lambda _: USER)
    await asyncio.gather(
        store.forget_user(1),
        store.change_user_settings(1, lambda before: dataclasses.replace(before, games=True)),
    )
    assert await store.user_settings(1) in {UserSettings(), UserSettings(games=True)}


async def test_channel_modes_are_stored_and_deleted_per_guild(store):
    await store.set_channel_mode(1, 11, "off")
    await store.set_channel_mode(1, 12, "auto")
    await store.set_channel_mode(2, 21, "auto")
    assert await store.channel_modes(1) == {11: "off", 12: "auto"}
    await store.set_channel_mode(1, 11, "on_request")
    await store.set_channel_mode(1, 12, None)
    await store.set_channel_mode(2, 11, None)  # another guild's channel
    assert await store.channel_modes(1) == {11: "on_request"}
    assert await store.channel_modes(2) == {21: "auto"}
    await store.change_server_settings(3, lambda _: ServerSettings(mode="auto"))
    assert sorted(await store.guilds_with_mode("auto")) == [2, 3]
    assert await store.guilds_with_mode("pictures") == []


async def test_the_number_of_channel_modes_of_a_guild_is_limited(store, monkeypatch):
    monkeypatch.setattr(settings, "MAX_CHANNEL_MODES", 3)
    for channel_id in range(3):
        await store.set_channel_mode(1, channel_id, "off")
    with pytest.raises(ValueError, match="at most 3 channels"):
        await store.set_channel_mode(1, 3, "off")
    await store.set_channel_mode(1, 2, "auto")
    await store.set_channel_mode(2, 4, "auto")
    assert await store.channel_modes(1) == {0: "off", 1: "off", 2: "auto"}


async def test_obsolete_values_are_still_read(store):
    async with store._database.writing() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO server_settings (guild_id, mode, theme) VALUES (1, 'telepathy', 'glow in the dark')"
        )
        await connection.exec_driver_sql(
            "INSERT INTO channel_modes (channel_id, guild_id, mode) VALUES (11, 1, 'telepathy')"
        )
    assert await store.server_settings(1) == ServerSettings(mode="telepathy", theme="glow in the dark")
    assert await store.channel_modes(1) == {11: "telepathy"}


@pytest.mark.parametrize("invalid_id", [-1, 1 << 63])
async def test_invalid_ids_are_refused(store, invalid_id):
    calls = [
        store.server_settings(invalid_id),
        store.change_server_settings(invalid_id, lambda _: SERVER),
        store.user_settings(invalid_id),
        store.change_user_settings(invalid_id, lambda _: USER),
        store.channel_modes(invalid_id),
        store.set_channel_mode(invalid_id, 1, "off"),
        store.set_channel_mode(1, invalid_id, "off"),
        store.count_user_data(invalid_id),
        store.mark_guild_left(invalid_id),
        store.mark_guild_joined(invalid_id),
        store.reconcile_guilds({invalid_id}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="can't be a Discord id"):
            await call
