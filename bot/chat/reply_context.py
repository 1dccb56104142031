"""Finds the context of replies and the mode of channels."""

from __future__ import annotations

from contextlib import suppress

import discord

from bot.chat.card import ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.preferences import Mode
from bot.jobs.account import Requester
from bot.text import Translator


async def interaction_context(interaction: discord.Interaction[KibitzBot], *, private: bool) -> ReplyContext:
    preferences, locale = interaction.client.preferences, interaction.locale.value
    user_id, guild_id = interaction.user.id, interaction.guild_id
    if private or guild_id is None:
        return await preferences.private_context(user_id, guild_id, locale)
    # Everyone sees the message that contains the pressed control, so it keeps the server's look.
    return await preferences.public_context(
        guild_id, locale, user_id, use_user_look=interaction.message is None
    )


async def private_translator(interaction: discord.Interaction[KibitzBot]) -> Translator:
    return (await interaction_context(interaction, private=True)).translate


async def message_context(bot: KibitzBot, message: discord.Message) -> ReplyContext:
    """Return the context of the reply to a message. In direct messages, the user's locale is unknown."""
    author_id = message.author.id
    if message.guild is None:
        return await bot.preferences.private_context(author_id, None, "en-US")
    return await bot.preferences.public_context(
        message.guild.id, message.guild.preferred_locale.value, author_id
    )


async def server_context(bot: KibitzBot, guild_id: int) -> ReplyContext:
    """Return the context of messages that use only the server's choices."""
    guild = bot.get_guild(guild_id)
    return await bot.preferences.public_context(guild_id, guild.preferred_locale.value if guild else "en-US")


async def channel_mode(bot: KibitzBot, message: discord.Message) -> Mode:
    """Return the mode of a message's channel.

    Raises:
        StoreError: the store cannot be read.

    """
    if message.guild is None:
        return Mode.PICTURES
    channel_ids = [message.channel.id, getattr(message.channel, "parent_id", None)]
    with suppress(discord.ClientException):  # the category of a thread with an unknown parent is unknown
        channel_ids.append(getattr(message.channel, "category_id", None))
    return await bot.preferences.mode(message.guild.id, tuple(filter(None, channel_ids)))


def game_channel_id(channel: object, bot_user_id: int) -> int | None:
    """Return the channel id under which a channel's live games are stored.

    Games in a public thread that the bot created belong to its parent channel, which the same users can read.
    """
    if (
        isinstance(channel, discord.Thread)
        and channel.owner_id == bot_user_id
        and channel.type is discord.ChannelType.public_thread
    ):
        return channel.parent_id
    return getattr(channel, "id", None)


def requester_of(interaction: discord.Interaction, *, private: bool = True) -> Requester:
    # In practice, the id is never 0, because positions and games are read only in channels.
    channel_id = interaction.channel_id or 0
    if interaction.guild is not None and interaction.client.user is not None:
        # The cache has more data about a thread than the interaction has.
        channel = interaction.guild.get_channel_or_thread(channel_id) or interaction.channel
        channel_id = game_channel_id(channel, interaction.client.user.id) or channel_id
    user = interaction.user
    return Requester(user.id, interaction.guild_id, channel_id, public=not private, name=user.display_name)
