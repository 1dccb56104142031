"""Decides which messages need a reply, and turns messages into sources."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.layout import controls_under, is_hidden, text_of
from bot.chat.reactions import fetch_message
from bot.chat.reply_context import game_channel_id, requester_of
from bot.chat.source import Attachment, Source, UnreadFile
from bot.config import Limits
from bot.features.showing.controls import PRESENTER
from bot.features.showing.findings import Findings
from bot.features.showing.reading.documents import MAX_INLINE_SIZE, detect_text
from bot.features.showing.reading.links import targets_in
from bot.jobs.account import ACCOUNT, OverBudgetError, Requester
from bot.links.sites import may_contain_links

log = logging.getLogger(__name__)

MAX_ATTACHMENTS = 10
"""Discord has the same limit per message."""

_LEADING_MENTIONS = re.compile(r"\A(?:\s*<@!?\d{1,20}>[,:]?)+")
_MEDIA_TYPES = re.compile(r"(?:image|video|audio)/")
_PICTURE_TYPES = re.compile(r"image/(?:png|jpeg|webp|gif)\b")


async def source_of_reply(bot: KibitzBot, reply: discord.Message, requester_id: int) -> Source | None:
    """Return the documents of one of the bot's replies as a source.

    Return None if the bot did not write the message, or if none of its documents can be read again.
    """
    if bot.user is None or reply.author.id != bot.user.id:
        return None
    digests = dict.fromkeys(
        control.document_digest for control, _ in controls_under(reply) if control.document_digest
    )
    texts = [text for digest in digests if (text := await bot.services[PRESENTER].load_source_text(digest))]
    if not texts:
        return None
    guild_id = reply.guild.id if reply.guild else None
    # The source is not public. Otherwise, its Turn URLs would add turns to their live games again.
    requester = Requester(requester_id, guild_id, reply.channel.id, public=False)
    return Source("\n\n".join(texts), requester=requester, spoiler=is_hidden(reply))


async def is_crosspost_of_bot(bot: KibitzBot, message: discord.Message, *, is_requested: bool) -> bool:
    """Return whether a message is a crosspost of this bot's reply.

    Crossposts of other bots' messages also count, unless a user requested a reply (``is_requested``).
    """
    reference = message.reference
    if reference is None or reference.message_id is None:
        return False
    original = await fetch_message(bot, reference)
    if original is not None:
        return original.author == bot.user or (is_automated(original) and not is_requested)
    return await bot.store.reply_containing(reference.message_id) is not None


def is_automated(message: discord.Message) -> bool:
    """Return whether a bot or a webhook wrote a message. A crosspost arrives through a webhook, but may be a person's message."""
    return not message.flags.is_crossposted and (message.author.bot or message.webhook_id is not None)


def may_need_reply(bot: KibitzBot, message: discord.Message) -> bool:
    """Return whether a message addresses the bot or may contain something to show. The store is not queried.

    The bot never replies to other bots, because two bots could reply to each other forever.
    """
    if (
        bot.user is None
        or message.author.id == bot.user.id
        or is_automated(message)
        or message.type not in (discord.MessageType.default, discord.MessageType.reply)
    ):
        return False
    if is_addressed_or_may_contain_position(bot, message):
        return True
    return bool(message.attachments or message.message_snapshots) and has_permitted_pictures(bot, message)


def is_addressed(bot: KibitzBot, message: discord.Message) -> bool:
    """Return whether the text mentions the bot. A reply that only notifies the bot does not count."""
    me = bot.user
    return me is not None and (f"<@{me.id}>" in message.content or f"<@!{me.id}>" in message.content)


def is_addressed_or_may_contain_position(bot: KibitzBot, message: discord.Message) -> bool:
    if is_addressed(bot, message):
        return True
    text, attachments = text_and_files(message)
    if (
        any(should_read(attachment, bot.settings.limits) for attachment in attachments)
        or len(text) > MAX_INLINE_SIZE
        or detect_text(text, on_request=False)
    ):
        return True
    return may_contain_links(text) and bot.services[PRESENTER].links.are_enabled and bool(targets_in(text))


def has_permitted_pictures(bot: KibitzBot, message: discord.Message) -> bool:
    """Return whether a message has pictures that the bot may read without a request. In a server, a setting must allow this."""
    is_allowed = message.guild is None or message.guild.id in bot.preferences.picture_servers
    return is_allowed and has_readable_pictures(message, bot.settings.limits)


async def read_message(
    bot: KibitzBot, message: discord.Message, *, with_pictures: bool
) -> tuple[Source, Findings]:
    """Read a message.

    For a reply that addresses the bot, read the replied-to message if the reply is a play or a chess move, or contains no document
    and no link.

    Raises:
        OverBudgetError: the current account's budget is too small to read the message.

    """
    on_request = is_addressed(bot, message)
    replied_to = replied_to_message(message) if on_request else None
    if replied_to is None or not bot.services.reads_as_play(message):
        source, findings = await _read(bot, message, on_request=on_request, with_pictures=with_pictures)
        if replied_to is None or findings.documents or findings.link_targets:
            return source, findings
    if reply_source := await source_of_reply(bot, replied_to, message.author.id):
        return reply_source, await bot.services[PRESENTER].find(reply_source)
    return await _read(bot, replied_to, on_request=True, with_pictures=True)


async def _read(
    bot: KibitzBot, message: discord.Message, *, on_request: bool, with_pictures: bool
) -> tuple[Source, Findings]:
    limits = bot.settings.limits
    account = ACCOUNT.get()
    text, attachments = text_and_files(message)
    sizes = [
        attachment.size
        for attachment in attachments
        if should_read(attachment, limits, with_pictures=with_pictures or on_request)
    ]
    charged_size = sum(size for size in (len(text), *sizes[:MAX_ATTACHMENTS]) if size > MAX_INLINE_SIZE)
    if account is not None and not bot.work_budget.can_afford(account, charged_size):
        raise OverBudgetError  # before any file is fetched
    source = await source_of_message(
        message, on_request=on_request, limits=limits, with_pictures=with_pictures
    )
    # This call also adds the turns of Turn URLs to their live games, whether or not the bot replies.
    return source, await bot.services[PRESENTER].find(source)


def has_readable_pictures(message: discord.Message, limits: Limits) -> bool:
    _, attachments = text_and_files(message)
    return any(
        _is_picture(attachment) and should_read(attachment, limits, with_pictures=True)
        for attachment in attachments
    )


async def source_of_message(
    message: discord.Message,
    *,
    on_request: bool,
    limits: Limits,
    with_pictures: bool = False,
    public: bool = True,
) -> Source:
    """Return a source with the text and files of a message, including those of forwarded messages.

    Files that :func:`should_read` rejects are left out. Pictures are read if ``on_request`` (a user expects a reply) or
    ``with_pictures``. If the source is not ``public``, the live games that it links to are not updated.
    """
    text, attached = text_and_files(message)
    with_pictures = with_pictures or on_request
    attachments = [
        attachment for attachment in attached if should_read(attachment, limits, with_pictures=with_pictures)
    ]
    unread_files = tuple(
        UnreadFile(attachment.filename, _max_bytes(attachment, limits))
        for attachment in attached
        if attachment not in attachments
        and (not _is_media(attachment) or (on_request and _is_picture(attachment)))
    )
    files = []
    for attachment in attachments[:MAX_ATTACHMENTS]:
        try:
            files.append(await read_attachment(attachment))
        except (discord.HTTPException, aiohttp.ClientError) as error:
            # The text and the other files may still contain a position.
            log.warning("can't fetch a file attached to message %d: %s", message.id, error)
    requester = Requester(message.author.id, None, message.channel.id, public)
    if message.guild is not None:
        channel_id = game_channel_id(message.channel, message.guild.me.id) or message.channel.id
        requester = Requester(
            message.author.id, message.guild.id, channel_id, public, message.author.display_name
        )
    return Source(text, tuple(files), on_request=on_request, requester=requester, unread_files=unread_files)


async def source_from_option(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    private: bool,
) -> Source:
    """Return a source made from a command's options.

    Raises:
        discord.HTTPException: the file cannot be fetched.

    """
    source = Source(text, requester=requester_of(interaction, private=private))
    if file is None:
        return source
    limits = interaction.client.settings.limits
    if not should_read(file, limits, with_pictures=True):
        return replace(source, unread_files=(UnreadFile(file.filename, _max_bytes(file, limits)),))
    return replace(source, attachments=(await read_attachment(file),))


async def source_from_context_menu(
    interaction: discord.Interaction[KibitzBot], message: discord.Message, *, private: bool
) -> Source:
    """Return a source made from the message whose context menu was used. If it is one of the bot's replies, use the documents it shows.

    If ``private``, the live games that the message links to are not updated.
    """
    if source := await source_of_reply(interaction.client, message, interaction.user.id):
        return source
    return await source_of_message(
        message, on_request=True, limits=interaction.client.settings.limits, public=not private
    )


def text_and_files(message: discord.Message) -> tuple[str, list[discord.Attachment]]:
    texts = [without_mentions(text_of(message) if message.components else message.content)]
    attachments = list(message.attachments)
    for snapshot in message.message_snapshots:
        texts.append(text_of(snapshot))
        attachments += snapshot.attachments
    return "\n".join(text for text in texts if text), attachments


def without_mentions(text: str) -> str:
    """Replace mentions at the start of a string with spaces, so that column numbers stay the same."""
    return _LEADING_MENTIONS.sub(lambda match: " " * len(match[0]), text)


def should_read(attachment: discord.Attachment, limits: Limits, *, with_pictures: bool = False) -> bool:
    """Return whether to read an attachment. Files that are empty or too large are not read.

    Media are not read either, except pictures if ``with_pictures`` is set.
    """
    is_wanted = not _is_media(attachment) or (with_pictures and _is_picture(attachment))
    return is_wanted and 0 < attachment.size <= _max_bytes(attachment, limits)


def _max_bytes(attachment: discord.Attachment, limits: Limits) -> int:
    return limits.picture_bytes if _is_picture(attachment) else limits.attachment_bytes


def _is_picture(attachment: discord.Attachment) -> bool:
    return _PICTURE_TYPES.match(attachment.content_type or "") is not None


def _is_media(attachment: discord.Attachment) -> bool:
    return _MEDIA_TYPES.match(attachment.content_type or "") is not None


async def read_attachment(attachment: discord.Attachment) -> Attachment:
    return Attachment(attachment.filename, await attachment.read(), spoiler=attachment.is_spoiler())


def replied_to_message(message: discord.Message) -> discord.Message | None:
    if message.type is not discord.MessageType.reply:
        return None
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None
