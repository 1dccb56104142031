"""From Discord's messages to sources: what was sent, from where, and what our own answers say of it."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.layout import controls_under, text_of
from bot.chat.source import Attachment, Origin, Source, Unread
from bot.chat.styling import game_place
from bot.config import Limits
from bot.features.showing.controls import SHOWING
from bot.features.showing.reading.documents import MAX_INLINE, detect_text
from bot.features.showing.reading.links import addresses_in
from bot.links.sites import may_hold_links


async def source_of_answer(bot: KibitzBot, answer: discord.Message, asker_id: int) -> Source | None:
    """Make a source of the documents that an answer of ours shows; None when it shows none that are still kept."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    digests = dict.fromkeys(state.document for state, _ in controls_under(answer) if state.document)
    texts = [text for digest in digests if (text := await bot.service[SHOWING].kept_text(digest))]
    if not texts:
        return None
    guild_id = answer.guild.id if answer.guild else None
    # The text was read before, wherever it came from: no live game goes on by it.
    origin = Origin(answer.channel.id, asker_id, guild_id, public=False)
    return Source("\n\n".join(texts), origin=origin, spoiler=is_hidden(answer))


def is_hidden(answer: discord.Message) -> bool:
    """Tell whether an answer of ours hides what it shows: its pictures, or in their stead its words."""
    if answer.attachments:
        return any(attachment.is_spoiler() for attachment in answer.attachments)
    return "||" in text_of(answer)


async def is_republished(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell whether a post of a followed channel is an answer of ours that somebody published there."""
    if not message.flags.is_crossposted or message.reference is None:
        return False
    original = message.reference.message_id
    return original is not None and await bot.store.reply_of(original) is not None


log = logging.getLogger(__name__)

MAX_ATTACHMENTS = 10
"""Files read of one message: as many as Discord lets people post."""

_ADDRESS = re.compile(r"\A(?:\s*<@!?\d{1,20}>[,:]?)+")
_NO_TEXTS = re.compile(r"(?:image|video|audio)/")
_PICTURES = re.compile(r"image/(?:png|jpeg|webp|gif)\b")


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


def looks_promising(message: discord.Message, limits: Limits, *, links: bool) -> bool:
    """Tell in a moment, and without the store, whether a message may hold something: a notation, or a file to read.

    ``links`` tells whether links are opened.
    """
    text, attachments = contents(message)
    if any(is_to_read(attachment, limits) for attachment in attachments):
        return True
    if len(text) > MAX_INLINE or detect_text(text, asked=False):
        return True
    return links and may_hold_links(text) and bool(addresses_in(text))


def shows_pictures(message: discord.Message, limits: Limits) -> bool:
    """Tell whether a message has pictures that can be read."""
    _, attachments = contents(message)
    return any(_is_picture(one) and is_to_read(one, limits, pictures=True) for one in attachments)


def fetched_bytes(message: discord.Message, limits: Limits, *, pictures: bool) -> int:
    """Return how many bytes of files and long texts there are to read in a message, before they are fetched."""
    text, attachments = contents(message)
    files = [one.size for one in attachments if is_to_read(one, limits, pictures=pictures)][:MAX_ATTACHMENTS]
    return sum(size for size in (len(text), *files) if size > MAX_INLINE)


async def source_of_message(
    message: discord.Message, *, asked: bool, limits: Limits, pictures: bool = False
) -> Source:
    """Make a source of a message and of what it forwards: texts and files, without overlong ones.

    Pictures are read for somebody who asked, or where ``pictures`` are looked at.
    """
    text, attached = contents(message)
    pictures = pictures or asked
    attachments = [attachment for attachment in attached if is_to_read(attachment, limits, pictures=pictures)]
    unread = tuple(
        Unread(attachment.filename, _limit(attachment, limits))
        for attachment in attached
        if attachment not in attachments
        and (not _is_no_text(attachment) or (asked and _is_picture(attachment)))
    )
    files = []
    for attachment in attachments[:MAX_ATTACHMENTS]:
        try:
            files.append(await read_attachment(attachment))
        except (discord.HTTPException, aiohttp.ClientError) as error:
            # The text and the other files may still hold something.
            log.warning("a file of message %d could not be fetched: %s", message.id, error)
    origin = Origin(message.channel.id, message.author.id)
    if message.guild is not None:
        place = game_place(message.channel, message.guild.me.id) or message.channel.id
        origin = Origin(place, message.author.id, message.guild.id, author_name=message.author.display_name)
    return Source(text, tuple(files), asked=asked, origin=origin, unread=unread)


async def source_given(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    private: bool,
) -> Source:
    """Make a source of what somebody gave to a command: a text, a file, or both.

    Raises:
        discord.HTTPException: Discord does not give the file.

    """
    source = Source(text, origin=origin_of(interaction, private=private))
    if file is None:
        return source
    limits = interaction.client.settings.limits
    if not is_to_read(file, limits, pictures=True):
        return replace(source, unread=(Unread(file.filename, _limit(file, limits)),))
    return replace(source, attachments=(await read_attachment(file),))


async def source_pointed_at(
    interaction: discord.Interaction[KibitzBot], message: discord.Message, *, private: bool
) -> Source:
    """Make a source of the message whose menu somebody used; in private it continues no live game.

    Of an answer of ours it is what that shows.
    """
    if source := await source_of_answer(interaction.client, message, interaction.user.id):
        return source
    source = await source_of_message(message, asked=True, limits=interaction.client.settings.limits)
    assert source.origin is not None  # a message stands in a channel
    return replace(source, origin=replace(source.origin, public=not private))


def origin_of(interaction: discord.Interaction, *, private: bool) -> Origin:
    """Return where a text came from that somebody gave to a command."""
    # Interactions that show something always come from a channel.
    place = interaction.channel_id or 0
    if interaction.guild is not None and interaction.client.user is not None:
        # What comes with an interaction tells less of a thread than we know.
        channel = interaction.guild.get_channel_or_thread(place) or interaction.channel
        place = game_place(channel, interaction.client.user.id) or place
    name = interaction.user.display_name
    return Origin(place, interaction.user.id, interaction.guild_id, public=not private, author_name=name)


def contents(message: discord.Message) -> tuple[str, list[discord.Attachment]]:
    """Return the text and the files of a message, those of a message that it forwards included."""
    texts = [without_mentions(text_of(message))]
    attachments = list(message.attachments)
    for snapshot in message.message_snapshots:
        texts.append(text_of(snapshot))
        attachments += snapshot.attachments
    return "\n".join(text for text in texts if text), attachments


def without_mentions(text: str) -> str:
    """Blank out mentions of people at the start of a text; places in what follows stay the same."""
    return _ADDRESS.sub(lambda match: " " * len(match[0]), text)


def is_to_read(attachment: discord.Attachment, limits: Limits, *, pictures: bool = False) -> bool:
    """Tell whether an attachment is worth reading: not too large, and no sound; a picture where they are looked at."""
    if _is_no_text(attachment) and not (pictures and _is_picture(attachment)):
        return False
    return 0 < attachment.size <= _limit(attachment, limits)


def _limit(attachment: discord.Attachment, limits: Limits) -> int:
    return limits.picture_bytes if _is_picture(attachment) else limits.attachment_bytes


def _is_picture(attachment: discord.Attachment) -> bool:
    return _PICTURES.match(attachment.content_type or "") is not None


def _is_no_text(attachment: discord.Attachment) -> bool:
    return _NO_TEXTS.match(attachment.content_type or "") is not None


async def read_attachment(attachment: discord.Attachment) -> Attachment:
    """Fetch a file's content. Its size is checked before, by :func:`is_to_read`."""
    return Attachment(attachment.filename, await attachment.read(), spoiler=attachment.is_spoiler())


def replied_message(message: discord.Message) -> discord.Message | None:
    """Return the message that this one replies to, as far as Discord sent it along."""
    if message.type is not discord.MessageType.reply:
        return None
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None
