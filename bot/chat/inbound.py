"""From Discord's messages to sources: the only reader of messages."""

from __future__ import annotations

import logging
import re

import aiohttp
import discord

from bot.notations import detect
from bot.scenes import View
from bot.service import Attachment, Origin, Source
from bot.service.reading import INLINE_LENGTH

log = logging.getLogger(__name__)

MAX_ATTACHMENTS = 4
_ADDRESS = re.compile(r"\A(?:\s*<@!?\d{1,20}>[,:]?)+")
_PICTURES = re.compile(r"(?:image|video|audio)/")


def is_worth_reading(message: discord.Message, me: discord.ClientUser) -> bool:
    """Tell whether a message can be for us, cheapest test first.

    1. Not our own, no other bot's and no webhook's: bots answering bots never end.
    2. An ordinary message or a reply, not "alice joined the server".
    3. It has a text or a file, or forwards a message.
    """
    if message.author.id == me.id or is_from_a_machine(message):
        return False
    if message.type not in (discord.MessageType.default, discord.MessageType.reply):
        return False
    return bool(message.content or message.attachments or message.message_snapshots)


def is_from_a_machine(message: discord.Message) -> bool:
    """Tell whether a bot or a webhook wrote a message.

    A post of an announcement channel that this one follows comes by a webhook, but people wrote it.
    """
    if message.flags.is_crossposted:
        return False
    return message.author.bot or message.webhook_id is not None


def is_addressed(message: discord.Message, me: discord.ClientUser) -> bool:
    """Tell whether the text itself mentions us (a reply that pings us does not)."""
    return f"<@{me.id}>" in message.content or f"<@!{me.id}>" in message.content


def looks_promising(message: discord.Message) -> bool:
    """Tell in a moment whether a message is likely to hold something: a notation in its text, or a file."""
    text, attachments = contents(message)
    return bool(attachments or len(text) > INLINE_LENGTH or detect(text))


def message_locale(message: discord.Message) -> str:
    """Return the language of the server, or English in direct messages."""
    return message.guild.preferred_locale.value if message.guild else "en-US"


async def source_of_message(
    message: discord.Message, *, asked: bool, view: View, locale: str, attachment_bytes: int
) -> Source:
    """Make a source of a message and of what it forwards: texts and files, pictures and overlong files left out."""
    text, attached = contents(message)
    attachments = [
        attachment for attachment in attached[:MAX_ATTACHMENTS] if may_hold_text(attachment, attachment_bytes)
    ]
    files = []
    for attachment in attachments:
        try:
            files.append(await read_attachment(attachment))
        except (discord.HTTPException, aiohttp.ClientError) as error:
            # The text and the other files may still hold something.
            log.warning("a file of message %d could not be fetched: %s", message.id, error)
    guild_id = message.guild.id if message.guild else None
    origin = Origin(message.channel.id, message.author.id, guild_id)
    return Source(text, tuple(files), locale, asked, view, origin=origin)


def origin_of(interaction: discord.Interaction, *, private: bool) -> Origin:
    """Return where a text came from that somebody gave to a command."""
    # Interactions that show something always come from a channel.
    return Origin(interaction.channel_id or 0, interaction.user.id, interaction.guild_id, public=not private)


def contents(message: discord.Message) -> tuple[str, list[discord.Attachment]]:
    """Return the text and the files of a message, those of a message that it forwards included."""
    texts = [without_mentions(message.content)]
    attachments = list(message.attachments)
    for snapshot in message.message_snapshots:
        texts.append(snapshot.content)
        attachments += snapshot.attachments
    return "\n".join(text for text in texts if text), attachments


def without_mentions(text: str) -> str:
    """Blank out mentions of people at the start of a text; places in what follows stay the same."""
    return _ADDRESS.sub(lambda match: " " * len(match[0]), text)


def may_hold_text(attachment: discord.Attachment, limit: int) -> bool:
    """Tell whether an attachment is worth reading: not too large, and neither picture nor sound."""
    return 0 < attachment.size <= limit and not _PICTURES.match(attachment.content_type or "")


async def read_attachment(attachment: discord.Attachment) -> Attachment:
    """Fetch a file's content. Its size is checked before, by :func:`may_hold_text`."""
    return Attachment(attachment.filename, await attachment.read(), spoiler=attachment.is_spoiler())


def replied_message(message: discord.Message) -> discord.Message | None:
    """Return the message that this one replies to, as far as Discord sent it along."""
    if message.type is not discord.MessageType.reply:
        return None
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None
