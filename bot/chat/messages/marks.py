"""Our marks under messages: reactions that offer an answer to whoever presses one.

🔍 offers the picture of a position, where the channel wants pictures on request. ❓ offers to say what is wrong with what
is clearly meant as a position or game and cannot be read. Discord lets nobody answer a reaction in private, so the
answer is one reply for everybody, given once: it belongs to the author of the message, who can delete it, as moderators
can; it goes with the message, and follows its edits.
"""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.chat.client import KibitzBot
from bot.chat.messages.notices import tell_missing
from bot.chat.permissions import may

log = logging.getLogger(__name__)

SHOW: Final = "\N{LEFT-POINTING MAGNIFYING GLASS}"
"""The reaction that offers a picture."""

QUESTION: Final = "\N{BLACK QUESTION MARK ORNAMENT}"
"""The reaction that offers to say what is wrong."""

MARKS: Final = (SHOW, QUESTION)


async def offer(bot: KibitzBot, message: discord.Message, mark: str) -> None:
    """Mark a message. Where we may not, the server is told once that its pictures on request need it.

    Raises:
        discord.HTTPException: Discord refused it.

    """
    if mark in marks_under(message):
        return
    if not may(message, "add_reactions", "read_message_history"):
        if mark == SHOW:
            await tell_missing(bot, message, "add_reactions")
        return
    bot.marked.add(message.id)  # before it can be pressed
    await message.add_reaction(mark)


def marks_under(message: discord.Message) -> tuple[str, ...]:
    """Return our marks under a message."""
    return tuple(
        str(reaction.emoji) for reaction in message.reactions if reaction.me and str(reaction.emoji) in MARKS
    )


async def withdraw(bot: KibitzBot, message: discord.Message) -> None:
    """Take our marks away: the answer is there, or there is nothing to say any more."""
    assert bot.user is not None  # we hear messages, so we are logged in
    if not marks_under(message) and bot.marked.holds(message.id):
        # What tells of an edit need not tell of reactions.
        try:
            message = await message.channel.fetch_message(message.id)
        except (discord.NotFound, discord.Forbidden):
            return
    for mark in marks_under(message):
        try:
            await message.remove_reaction(mark, bot.user)
        except discord.HTTPException as error:
            log.info("the mark under message %d stays: %s", message.id, error)


async def reacted_message(bot: KibitzBot, payload: discord.RawReactionActionEvent) -> discord.Message | None:
    """Return the message that somebody reacted to; None when it is gone, or not for us to see.

    Raises:
        discord.HTTPException: Discord does not give the message.

    """
    guild = bot.get_guild(payload.guild_id) if payload.guild_id is not None else None
    channel = guild.get_channel_or_thread(payload.channel_id) if guild is not None else None
    if not isinstance(channel, discord.abc.Messageable):
        return None
    try:
        return await channel.fetch_message(payload.message_id)
    except (discord.NotFound, discord.Forbidden):
        return None
