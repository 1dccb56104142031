"""Showing positions on request: a mark under the message, and the picture when somebody presses it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import discord

from bot.chat.messages.notices import tell_missing
from bot.chat.permissions import may

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

log = logging.getLogger(__name__)

MARK = "\N{LEFT-POINTING MAGNIFYING GLASS}"
"""The reaction that offers a picture."""


async def offer(bot: KibitzBot, message: discord.Message) -> None:
    """Mark a message that holds a position.

    Raises:
        discord.HTTPException: Discord refused it.

    """
    if not may(message, "add_reactions", "read_message_history"):
        await tell_missing(bot, message, "add_reactions")
        return
    bot.marked.add(message.id)  # before it can be pressed
    await message.add_reaction(MARK)


def is_marked(message: discord.Message) -> bool:
    """Tell whether our mark is under a message."""
    return any(reaction.me and str(reaction.emoji) == MARK for reaction in message.reactions)


async def withdraw(bot: KibitzBot, message: discord.Message) -> None:
    """Take our mark away: the picture is there, or there is nothing to show any more."""
    assert bot.user is not None  # we hear messages, so we are logged in
    try:
        await message.remove_reaction(MARK, bot.user)
    except discord.HTTPException as error:
        log.info("the mark under message %d stays: %s", message.id, error)


async def pressed_message(bot: KibitzBot, payload: discord.RawReactionActionEvent) -> discord.Message | None:
    """Return the message whose mark somebody pressed; None when it is not marked by us, or gone.

    Raises:
        discord.HTTPException: Discord does not give the message.

    """
    guild = bot.get_guild(payload.guild_id) if payload.guild_id is not None else None
    channel = guild.get_channel_or_thread(payload.channel_id) if guild is not None else None
    if not isinstance(channel, discord.abc.Messageable):
        return None
    try:
        message = await channel.fetch_message(payload.message_id)
    except (discord.NotFound, discord.Forbidden):
        return None
    return message if is_marked(message) else None
