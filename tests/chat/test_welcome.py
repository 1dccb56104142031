"""The welcome message when Kibitz joins a server. It is sent once, and has a button that changes the mode."""

from __future__ import annotations

import discord
import msgspec
import pytest

from .actions import click, controls_of, replies, text_of
from .conftest import add_member, make_settings


@pytest.fixture
def settings(tmp_path):
    defaults = make_settings(tmp_path)
    return msgspec.structs.replace(defaults, discord=msgspec.structs.replace(defaults.discord, welcome=True))


def create_server(env):
    """Create a server with a channel. The bot is already a member, as when Discord announces that it joined."""
    guild = env.create_guild("Word club")
    return guild, guild.create_text_channel("lounge")


async def join(env, bot, guild):
    """Announce to the bot that it joined a server."""
    await env.settle()
    await bot.get_cog("About").on_guild_join(bot.get_guild(guild.id))
    await env.settle()


async def test_the_welcome_is_sent_once_with_a_mode_button(simcord_env, simcord_bot, open_new_bot):
    guild, channel = create_server(simcord_env)
    carol = add_member(simcord_env, guild, "carol", manage_guild=True)
    alice = add_member(simcord_env, guild, "alice")
    await join(simcord_env, simcord_bot, guild)
    [welcome] = replies(channel)
    assert "Hello! Kibitz" in text_of(welcome)
    assert "**Word club**" in text_of(welcome)
    assert "</help:" in text_of(welcome)
    assert len(text_of(welcome)) < 700
    [button] = controls_of(welcome)
    refusal = await click(alice, welcome, custom_id=button["custom_id"])
    assert "requires the Manage Server permission" in text_of(refusal.followups[-1])
    await click(carol, welcome, custom_id=button["custom_id"])
    [welcome] = replies(channel)
    assert "Kibitz puts a 🔍 under positions" in text_of(welcome)
    assert controls_of(welcome)[0]["label"] == "Reply to every position"
    bot = await open_new_bot()
    await simcord_env.restart_bot(bot)
    await join(simcord_env, bot, guild)
    assert len(replies(channel)) == 1


@pytest.mark.parametrize("mode", ["pictures", "off"])
async def test_the_welcome_to_a_server_with_changed_settings_describes_no_mode(
    simcord_env, simcord_bot, mode
):
    guild, channel = create_server(simcord_env)
    carol = add_member(simcord_env, guild, "carol", manage_guild=True)
    await carol.slash(channel, "settings server", mode=mode)
    await join(simcord_env, simcord_bot, guild)
    assert "controls where and when Kibitz replies" in text_of(replies(channel)[-1])


async def test_a_known_inviter_gets_the_welcome(simcord_env, simcord_bot):
    guild, channel = create_server(simcord_env)
    carol = add_member(simcord_env, guild, "carol", manage_guild=True)
    me = simcord_bot.user.id
    auditors = guild.create_role("auditors", permissions=discord.Permissions(view_audit_log=True))
    simcord_env.backend.guilds[guild.id].members[me].role_ids.append(auditors.id)
    simcord_env.backend.record_audit_log(
        guild.id, discord.AuditLogAction.bot_add.value, target_id=me, user_id=carol.id
    )
    await join(simcord_env, simcord_bot, guild)
    assert replies(channel) == []
    welcome = carol.user.dm_channel.last_message
    assert "**Word club**" in text_of(welcome)
    await click(carol.user, welcome, custom_id=controls_of(welcome)[0]["custom_id"])
    assert (await simcord_bot.preferences.servers.get(guild.id)).mode.value == "on_request"


async def test_a_host_can_turn_off_the_welcome(simcord_env, simcord_bot):
    discord_settings = msgspec.structs.replace(simcord_bot.settings.discord, welcome=False)
    simcord_bot.settings = msgspec.structs.replace(simcord_bot.settings, discord=discord_settings)
    guild, channel = create_server(simcord_env)
    await join(simcord_env, simcord_bot, guild)
    assert replies(channel) == []
