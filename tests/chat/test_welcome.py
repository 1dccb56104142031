"""Kibitz joins a server: one short message, once, and a button that makes it quieter."""

from __future__ import annotations

import discord
import pytest

from tests.chat.conftest import make_settings

from .viewer import click, components_of, replies, text_of


@pytest.fixture
def settings(tmp_path):
    plain = make_settings(tmp_path)
    return plain.model_copy(update={"discord": plain.discord.model_copy(update={"welcome": True})})


def server(env):
    """Make a server with a channel that the bot is already in, as it is when Discord announces the join."""
    guild = env.create_guild("Word club")
    return guild, guild.create_text_channel("lounge")


async def join(env, bot, guild):
    """Tell the bot that it was taken into a server."""
    await env.settle()
    await bot.get_cog("About").on_guild_join(bot.get_guild(guild.id))
    await env.settle()


async def test_the_welcome_is_sent_once_with_a_quiet_button(simcord_env, simcord_bot, bots):
    guild, channel = server(simcord_env)
    role = guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    carol = guild.add_member(simcord_env.create_user("carol"), roles=[role])
    alice = guild.add_member(simcord_env.create_user("alice"))
    await join(simcord_env, simcord_bot, guild)
    [hello] = replies(channel)
    assert "Hello! Kibitz" in text_of(hello)
    assert "**Word club**" in text_of(hello)
    assert "</help:" in text_of(hello)
    assert len(text_of(hello)) < 700
    [button] = components_of(hello)
    refused = await click(alice, hello, custom_id=button["custom_id"])
    assert "requires the Manage Server permission" in text_of(refused.followups[-1])
    await click(carol, hello, custom_id=button["custom_id"])
    [hello] = replies(channel)
    assert "Kibitz puts a 🔍 under positions" in text_of(hello)
    assert components_of(hello)[0]["label"] == "Reply to every position"
    # Taken out and in again, and by another process: nothing more is said.
    bot = await bots()
    await simcord_env.restart_bot(bot)
    await join(simcord_env, bot, guild)
    assert len(replies(channel)) == 1


async def test_the_inviter_is_greeted_if_known(simcord_env, simcord_bot):
    guild, channel = server(simcord_env)
    carol = guild.add_member(
        simcord_env.create_user("carol"),
        roles=[guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))],
    )
    me = simcord_bot.user.id
    grant = guild.create_role("auditors", permissions=discord.Permissions(view_audit_log=True))
    simcord_env.backend.guilds[guild.id].members[me].role_ids.append(grant.id)
    simcord_env.backend.record_audit_log(
        guild.id, discord.AuditLogAction.bot_add.value, target_id=me, user_id=carol.id
    )
    await join(simcord_env, simcord_bot, guild)
    assert replies(channel) == []
    hello = carol.user.dm_channel.last_message
    assert "**Word club**" in text_of(hello)
    await click(carol.user, hello, custom_id=components_of(hello)[0]["custom_id"])
    assert (await simcord_bot.preferences.servers.get(guild.id)).mode.value == "on_request"


async def test_a_host_can_turn_off_the_welcome(simcord_env, simcord_bot):
    quiet = simcord_bot.settings.discord.model_copy(update={"welcome": False})
    simcord_bot.settings = simcord_bot.settings.model_copy(update={"discord": quiet})
    guild, channel = server(simcord_env)
    await join(simcord_env, simcord_bot, guild)
    assert replies(channel) == []
