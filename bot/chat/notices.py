"""Notices in channels about missing permissions and too many requests."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import discord

from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.layout import send_card
from bot.chat.reply_context import message_context
from bot.chat.sending import SEND_PERMISSIONS, bot_has_permissions, bot_has_permissions_in, reference_to
from bot.domain.reading.problems import Phrase
from bot.text import Translator

log = logging.getLogger(__name__)


OVERLOAD_NOTICE_SECONDS = 60.0
"""Seconds after which the notice about too many requests is deleted."""

_NOTICES: Final = {
    "attach_files": Phrase(
        "Kibitz can't attach files in {channel}, so it describes boards in words there. A moderator can grant "
        "it **Attach Files** in the channel's permissions."
    ),
    "add_reactions": Phrase(
        "Kibitz shows positions in {channel} on request, but it can't add the 🔍 reaction for people to press. A "
        "moderator can grant it **Add Reactions** and **Read Message History** in the channel's permissions."
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


async def send_overload_notice(bot: KibitzBot, message: discord.Message) -> None:
    if not bot_has_permissions(message, *SEND_PERMISSIONS):
        return
    translate = (await message_context(bot, message)).translate
    text = translate(
        "That's a lot at once! Kibitz will show what it can. For the other positions, use the message menu **Apps → "
        "Show position** in a moment, or post them again."
    )
    await send_card(
        message.channel.send,
        Card(text, has_result=False),
        translate,
        None,
        delete_after=OVERLOAD_NOTICE_SECONDS,
        reference=reference_to(message),
    )


async def report_missing_permission(bot: KibitzBot, message: discord.Message, permission: str) -> None:
    """Report once that the bot lacks a permission in a message's channel.

    If the bot may not post in this channel, the report is posted in a channel for notices.
    """
    # A thread has the permissions of its parent channel.
    channel_id = getattr(message.channel, "parent_id", None) or message.channel.id
    translate = (await message_context(bot, message)).translate
    text = translate(_NOTICES[permission], channel=f"<#{channel_id}>")
    channels = (
        [message.channel]
        if bot_has_permissions(message, *SEND_PERMISSIONS)
        else notice_channels(message.guild)
    )
    await send_notice(bot, f"missing:{channel_id}:{permission}", channels, text, translate)


def notice_channels(guild: discord.Guild | None) -> list[discord.TextChannel]:
    """Return the moderators' channel and the system channel of a server, if the bot may post there."""
    channels = (
        dict.fromkeys((guild.public_updates_channel, guild.system_channel)) if guild is not None else {}
    )
    return [channel for channel in channels if channel and bot_has_permissions_in(channel, *SEND_PERMISSIONS)]


async def send_notice(
    bot: KibitzBot,
    key: str,
    channels: Sequence[discord.abc.MessageableChannel],
    text: str,
    translate: Translator,
) -> None:
    """Send a notice once, to the first of these channels that accepts it. ``key`` identifies the notice."""
    if not channels:
        log.info(
            "the notice %s can't be sent: there is no channel for notices in which the bot may post", key
        )
    elif await bot.store.claim_notice(key):
        for channel in channels:
            try:
                await send_card(channel.send, Card(text, has_result=False), translate, None)
            except discord.HTTPException as error:
                log.warning("the notice %s was not delivered in channel %d: %s", key, channel.id, error)
            else:
                return
