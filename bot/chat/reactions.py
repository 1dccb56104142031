"""Reactions with which the bot offers a reply.

🔍 offers the picture of a position, and ❓ offers the reason why a position or game cannot be read. The reply is public, because
Discord has no private replies to reactions.
"""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.chat.client import KibitzBot
from bot.chat.notices import report_missing_permission
from bot.chat.sending import bot_has_permissions

log = logging.getLogger(__name__)

SHOW_EMOJI: Final = "\N{LEFT-POINTING MAGNIFYING GLASS}"

QUESTION_EMOJI: Final = "\N{BLACK QUESTION MARK ORNAMENT}"

OWN_REACTIONS: Final = (SHOW_EMOJI, QUESTION_EMOJI)


async def offer_reaction(bot: KibitzBot, message: discord.Message, emoji: str) -> None:
    """Add a reaction to a message, or report once that 🔍 cannot be added.

    Raises:
        discord.HTTPException: Discord rejected the reaction.

    """
    if emoji in own_reactions(message):
        return
    if not bot_has_permissions(message, "add_reactions", "read_message_history"):
        if emoji == SHOW_EMOJI:
            await report_missing_permission(bot, message, "add_reactions")
        return
    bot.messages_with_reaction.add(message.id)  # before a user can press the reaction
    await message.add_reaction(emoji)


def own_reactions(message: discord.Message) -> tuple[str, ...]:
    return tuple(
        str(reaction.emoji)
        for reaction in message.reactions
        if reaction.me and str(reaction.emoji) in OWN_REACTIONS
    )


async def fetch_message(
    bot: KibitzBot, reference: discord.RawReactionActionEvent | discord.MessageReference
) -> discord.Message | None:
    """Return a message in a server, or None if the bot cannot see it.

    Raises:
        discord.HTTPException: Discord rejected the request.

    """
    guild = bot.get_guild(reference.guild_id) if reference.guild_id is not None else None
    channel = guild.get_channel_or_thread(reference.channel_id) if guild is not None else None
    if not isinstance(channel, discord.abc.Messageable) or reference.message_id is None:
        return None
    try:
        return await channel.fetch_message(reference.message_id)
    except (discord.NotFound, discord.Forbidden):
        return None


async def remove_own_reactions(bot: KibitzBot, message: discord.Message) -> None:
    assert bot.user is not None  # messages arrive only after login
    if not own_reactions(message) and bot.messages_with_reaction.contains(message.id):
        # An edit event may lack the message's reactions.
        try:
            message = await message.channel.fetch_message(message.id)
        except (discord.NotFound, discord.Forbidden):
            return
    for emoji in own_reactions(message):
        try:
            await message.remove_reaction(emoji, bot.user)
        except discord.HTTPException as error:
            log.info("the reaction under message %d could not be removed: %s", message.id, error)
