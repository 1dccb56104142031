"""Notices in channels about missing permissions and too many requests."""

from __future__ import annotations

import logging
from typing import Final

import discord

from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.layout import send_card
from bot.chat.reply_context import message_context
from bot.chat.sending import SEND_PERMISSIONS, bot_may, bot_may_in, reference_to
from bot.domain.reading.problems import Phrase

log = logging.getLogger(__name__)


NOTICE_SECONDS = 60.0
"""Seconds after which a notice is deleted."""

_NOTICES: Final = {
    "attach_files": Phrase(
        "Kibitz can't attach files in {channel}, so it describes boards in words there. A moderator can grant "
        "it **Attach Files** in the channel's permissions."
    ),
    "add_reactions": Phrase(
        "Kibitz shows positions in {channel} on request, but it can't add the 🔍 reaction to press. A moderator "
        "can grant it **Add Reactions** and **Read Message History** in the channel's permissions."
    ),
    "send_messages_in_threads": Phrase(
        "There is a position in a thread of {channel}, but Kibitz can't reply there. A moderator can grant it "
        "**Send Messages in Threads** in the channel's permissions, or switch it off there with `/settings "
        "server`."
    ),
    "send_messages": Phrase(
        "There is a position in {channel}, but Kibitz can't reply there. A moderator can grant it **Send "
        "Messages** in the channel's permissions, or switch it off there with `/settings server`."
    ),
}
"""The notice about each missing permission."""


async def ask_for_patience(bot: KibitzBot, message: discord.Message) -> None:
    if not bot_may(message, *SEND_PERMISSIONS):
        return
    translate = (await message_context(bot, message)).translate
    text = translate(
        "That's a lot at once! Kibitz will show what it can. For the others, use the message menu **Apps → Show "
        "position** in a moment, or post them again."
    )
    await send_card(
        message.channel.send,
        Card(text, has_result=False),
        translate,
        None,
        delete_after=NOTICE_SECONDS,
        reference=reference_to(message),
    )


async def report_missing_permission(bot: KibitzBot, message: discord.Message, permission: str) -> None:
    """Report once that the bot lacks a permission in a message's channel.

    The notice goes to that channel, the moderators' channel or the system channel: the first in which the bot may post.
    """
    channel = _notice_channel(message)
    if channel is None:
        log.info(
            "permission %s is missing in channel %d, and the bot is not allowed to send a notice anywhere",
            permission,
            message.channel.id,
        )
        return
    # A thread has the permissions of its parent channel.
    channel_id = getattr(message.channel, "parent_id", None) or message.channel.id
    if not await bot.store.claim_notice(f"missing:{channel_id}:{permission}"):
        return
    translate = (await message_context(bot, message)).translate
    try:
        await send_card(
            channel.send,
            Card(translate(_NOTICES[permission], channel=f"<#{channel_id}>"), has_result=False),
            translate,
            None,
        )
    except discord.HTTPException as error:
        log.warning("the notice about %s in channel %d was not delivered: %s", permission, channel_id, error)


def _notice_channel(message: discord.Message) -> discord.abc.Messageable | None:
    if bot_may(message, *SEND_PERMISSIONS):
        return message.channel
    guild = message.guild
    assert guild is not None  # outside servers, all permissions are granted
    channels = (guild.public_updates_channel, guild.system_channel)
    return next((channel for channel in channels if channel and bot_may_in(channel, *SEND_PERMISSIONS)), None)
