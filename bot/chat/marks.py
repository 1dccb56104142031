"""Marks: reactions with which the bot offers a reply.

🔍 offers the picture of a position, ❓ the reason why a position or game cannot be read. The reply is public, because Discord has
no private replies to reactions.
"""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.chat.client import KibitzBot
from bot.chat.notices import report_missing_permission
from bot.chat.sending import bot_may

log = logging.getLogger(__name__)

SHOW_EMOJI: Final = "\N{LEFT-POINTING MAGNIFYING GLASS}"

QUESTION_EMOJI: Final = "\N{BLACK QUESTION MARK ORNAMENT}"

MARKS: Final = (SHOW_EMOJI, QUESTION_EMOJI)


async def offer_mark(bot: KibitzBot, message: discord.Message, mark: str) -> None:
    """Add a mark to a message, or report once that 🔍 cannot be added.

    Raises:
        discord.HTTPException: Discord rejected the reaction.

    """
    if mark in marks_under(message):
        return
    if not bot_may(message, "add_reactions", "read_message_history"):
        if mark == SHOW_EMOJI:
            await report_missing_permission(bot, message, "add_reactions")
        return
    bot.marked_messages.add(message.id)  # before a user can press the reaction
    await message.add_reaction(mark)


def marks_under(message: discord.Message) -> tuple[str, ...]:
    return tuple(
        str(reaction.emoji) for reaction in message.reactions if reaction.me and str(reaction.emoji) in MARKS
    )


async def fetch_message(
    bot: KibitzBot, place: discord.RawReactionActionEvent | discord.MessageReference
) -> discord.Message | None:
    """Return a message in a server, or None if the bot cannot see it.

    Raises:
        discord.HTTPException: Discord rejected the request.

    """
    guild = bot.get_guild(place.guild_id) if place.guild_id is not None else None
    channel = guild.get_channel_or_thread(place.channel_id) if guild is not None else None
    if not isinstance(channel, discord.abc.Messageable) or place.message_id is None:
        return None
    try:
        return await channel.fetch_message(place.message_id)
    except (discord.NotFound, discord.Forbidden):
        return None


async def withdraw_marks(bot: KibitzBot, message: discord.Message) -> None:
    assert bot.user is not None  # messages arrive only after login
    if not marks_under(message) and bot.marked_messages.holds(message.id):
        # An edit event may lack the message's reactions.
        try:
            message = await message.channel.fetch_message(message.id)
        except (discord.NotFound, discord.Forbidden):
            return
    for mark in marks_under(message):
        try:
            await message.remove_reaction(mark, bot.user)
        except discord.HTTPException as error:
            log.info("the reaction under message %d could not be removed: %s", message.id, error)
