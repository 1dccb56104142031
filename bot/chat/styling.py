"""The style of answers on Discord, by server or by reader, and the mode of channels."""

from __future__ import annotations

from contextlib import suppress

import discord

from bot.chat.card import Style
from bot.chat.client import KibitzBot
from bot.chat.preferences import Mode
from bot.jobs.account import Requester
from bot.text import Speaker


async def style_of(interaction: discord.Interaction[KibitzBot], *, private: bool) -> Style:
    """Return the style of the answer to an interaction.

    Outside servers, the user's choices apply. A press on a public message keeps the server's look; otherwise the look
    would change with each user.
    """
    preferences, locale = interaction.client.preferences, interaction.locale.value
    user_id, guild_id = interaction.user.id, interaction.guild_id
    if private or guild_id is None:
        return await preferences.private(user_id, guild_id, locale)
    follows = interaction.message is None
    return await preferences.public(guild_id, locale, user_id, follows_look=follows)


async def speaker_to(interaction: discord.Interaction[KibitzBot]) -> Speaker:
    """Return the speaker for private answers to an interaction."""
    return (await style_of(interaction, private=True)).say


async def style_for(bot: KibitzBot, message: discord.Message) -> Style:
    """Return the style of the answer to a message: in the language of its server, or English in direct messages."""
    author_id = message.author.id
    if message.guild is None:
        return await bot.preferences.private(author_id, None, "en-US")
    return await bot.preferences.public(message.guild.id, message.guild.preferred_locale.value, author_id)


async def style_in(bot: KibitzBot, guild_id: int) -> Style:
    """Return the style of messages in a server that no user requested."""
    guild = bot.get_guild(guild_id)
    return await bot.preferences.public(guild_id, guild.preferred_locale.value if guild else "en-US")


async def mode_for(bot: KibitzBot, message: discord.Message) -> Mode:
    """Return the mode of the channel of a message. In direct messages, every picture is read.

    Raises:
        StoreError: the store cannot be read.

    """
    if message.guild is None:
        return Mode.PICTURES
    # The thread, its channel and its category, nearest first.
    channel_ids = [message.channel.id, getattr(message.channel, "parent_id", None)]
    with suppress(discord.ClientException):  # the category of a thread with an unknown parent is unknown
        channel_ids.append(getattr(message.channel, "category_id", None))
    return await bot.preferences.mode(message.guild.id, tuple(filter(None, channel_ids)))


def game_channel_id(channel: object, me_id: int) -> int | None:
    """Return the id of the channel that holds a channel's live games: the parent of a public thread of the bot.

    Readers of such a thread also see the parent.
    """
    if (
        isinstance(channel, discord.Thread)
        and channel.owner_id == me_id
        and channel.type is discord.ChannelType.public_thread
    ):
        return channel.parent_id
    return getattr(channel, "id", None)


def requester_of(interaction: discord.Interaction, *, private: bool = True) -> Requester:
    """Return who gave a command or pressed a control, and where."""
    # Interactions that show something always come from a channel.
    channel_id = interaction.channel_id or 0
    if interaction.guild is not None and interaction.client.user is not None:
        # The cache has more data about a thread than the interaction.
        channel = interaction.guild.get_channel_or_thread(channel_id) or interaction.channel
        channel_id = game_channel_id(channel, interaction.client.user.id) or channel_id
    name = interaction.user.display_name
    return Requester(interaction.user.id, interaction.guild_id, channel_id, public=not private, name=name)
