"""How an answer on Discord looks and speaks: the server's way for everybody, a person's way for that person."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import discord

from bot.chat.client import KibitzBot
from bot.chat.preferences import Mode
from bot.chat.style import Audience, Style
from bot.text import Speaker


async def style_of(interaction: discord.Interaction[KibitzBot], *, private: bool) -> Style:
    """Return how the answer to an interaction looks and speaks.

    Outside servers there is no "everybody" that could have chosen, so the asker's way counts. A press on what
    everybody sees leaves its look to the server: it would change with everybody who presses.
    """
    preferences, locale = interaction.client.preferences, interaction.locale.value
    user_id, guild_id = interaction.user.id, interaction.guild_id
    if private or guild_id is None:
        style = await preferences.private(user_id, guild_id, locale)
        return replace(style, audience=Audience(user_id, guild_id))
    asker_id = user_id if interaction.message is None else None
    style = await preferences.public(guild_id, locale, asker_id)
    return replace(style, audience=Audience(user_id, guild_id, public=True))


async def speaker_to(interaction: discord.Interaction[KibitzBot]) -> Speaker:
    """Return the speaker for answers to the asker alone."""
    return (await style_of(interaction, private=True)).say


async def style_for(bot: KibitzBot, message: discord.Message) -> Style:
    """Return how the answer to a message looks and speaks."""
    locale, author_id = message_locale(message), message.author.id
    if message.guild is None:
        style = await bot.preferences.private(author_id, None, locale)
        return replace(style, audience=Audience(author_id))
    style = await bot.preferences.public(message.guild.id, locale, author_id)
    return replace(style, audience=Audience(author_id, message.guild.id, public=True))


async def style_in(bot: KibitzBot, guild_id: int) -> Style:
    """Return how what nobody in a server asked for just now looks and speaks."""
    guild = bot.get_guild(guild_id)
    return await bot.preferences.public(guild_id, guild.preferred_locale.value if guild else "en-US")


def message_locale(message: discord.Message) -> str:
    """Return the language of the server, or English in direct messages."""
    return message.guild.preferred_locale.value if message.guild else "en-US"


async def mode_for(bot: KibitzBot, message: discord.Message) -> Mode:
    """Return how messages are met where this one stands."""
    if message.guild is None:
        return Mode.AUTO
    return await bot.preferences.mode(message.guild.id, places_of(message.channel))


def game_place(channel: object, me_id: int) -> int | None:
    """Return the id of the channel whose live games a channel goes on with: a public thread of ours is part of its parent.

    Whoever sees such a thread sees the parent, too.
    """
    if (
        isinstance(channel, discord.Thread)
        and channel.owner_id == me_id
        and channel.type is discord.ChannelType.public_thread
    ):
        return channel.parent_id
    return getattr(channel, "id", None)


def places_of(channel: object) -> tuple[int, ...]:
    """Return the ids of a channel and of what it inherits from, nearest first: thread, channel, category."""
    places = [getattr(channel, "id", None), getattr(channel, "parent_id", None)]
    with suppress(discord.ClientException):  # a thread whose parent is not known cannot name the category
        places.append(getattr(channel, "category_id", None))
    return tuple(place for place in places if place is not None)
