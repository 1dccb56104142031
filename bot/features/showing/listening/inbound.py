"""Reading Discord's messages: whether one is for the bot, and the texts, files and pictures in it as a source."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.layout import controls_under, is_hidden, text_of
from bot.chat.source import Attachment, Source, UnreadFile
from bot.chat.styling import game_channel_id, requester_of
from bot.config import Limits
from bot.features.showing.controls import SHOWING
from bot.features.showing.findings import Findings
from bot.features.showing.reading.documents import MAX_INLINE, detect_text
from bot.features.showing.reading.links import addresses_in
from bot.jobs.account import ACCOUNT, OverBudgetError, Requester
from bot.links.sites import may_hold_links

log = logging.getLogger(__name__)

MAX_ATTACHMENTS = 10
"""Maximum number of files read from one message, the limit of Discord."""

_ADDRESS = re.compile(r"\A(?:\s*<@!?\d{1,20}>[,:]?)+")
_NO_TEXTS = re.compile(r"(?:image|video|audio)/")
_PICTURES = re.compile(r"image/(?:png|jpeg|webp|gif)\b")


async def source_of_answer(bot: KibitzBot, answer: discord.Message, requester_id: int) -> Source | None:
    """Return a source of the documents that an answer of the bot shows; None if all of them have expired."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    digests = dict.fromkeys(state.document for state, _ in controls_under(answer) if state.document)
    texts = [text for digest in digests if (text := await bot.service[SHOWING].data_text(digest))]
    if not texts:
        return None
    guild_id = answer.guild.id if answer.guild else None
    # The text was read before, so it continues no live game.
    requester = Requester(requester_id, guild_id, answer.channel.id, public=False)
    return Source("\n\n".join(texts), requester=requester, spoiler=is_hidden(answer))


async def is_republished(bot: KibitzBot, message: discord.Message) -> bool:
    """Return whether a crosspost is an answer of the bot that was published."""
    original = None if message.reference is None else message.reference.message_id
    return original is not None and await bot.store.reply_of(original) is not None


def is_from_a_machine(message: discord.Message) -> bool:
    """Return whether a bot or a webhook wrote a message.

    A post of an announcement channel that this channel follows comes by a webhook, but people wrote it.
    """
    if message.flags.is_crossposted:
        return False
    return message.author.bot or message.webhook_id is not None


def may_be_for_us(bot: KibitzBot, message: discord.Message) -> bool:
    """Return, without the store, whether a message addresses the bot or may hold something to show.

    Messages of bots never do, as bots that answer bots never end; nor do messages of Discord, such as "alice joined the server".
    """
    if bot.user is None or message.author.id == bot.user.id or is_from_a_machine(message):
        return False
    if message.type not in (discord.MessageType.default, discord.MessageType.reply):
        return False
    if is_promising(bot, message):
        return True
    return bool(message.attachments or message.message_snapshots) and may_show_board(bot, message)


def is_addressed(bot: KibitzBot, message: discord.Message) -> bool:
    """Return whether the text of a message mentions the bot; a reply that pings it does not."""
    me = bot.user
    return me is not None and (f"<@{me.id}>" in message.content or f"<@!{me.id}>" in message.content)


def is_promising(bot: KibitzBot, message: discord.Message) -> bool:
    """Return, without the store, whether a message addresses the bot or may hold a position, apart from pictures."""
    if is_addressed(bot, message):
        return True
    text, attachments = contents(message)
    if any(is_to_read(attachment, bot.settings.limits) for attachment in attachments):
        return True
    if len(text) > MAX_INLINE or detect_text(text, on_request=False):
        return True
    return may_hold_links(text) and bot.service[SHOWING].links.are_opened and bool(addresses_in(text))


def may_show_board(bot: KibitzBot, message: discord.Message) -> bool:
    """Return, without the store, whether a message has pictures that the bot may read unasked.

    It reads every picture in direct messages.
    """
    looks = message.guild is None or message.guild.id in bot.preferences.picture_servers
    return looks and shows_pictures(message, bot.settings.limits)


async def read_message(
    bot: KibitzBot, message: discord.Message, *, pictures: bool
) -> tuple[Source, Findings]:
    """Read a message; for a reply that addresses the bot without a position, the message that it replies to.

    Raises:
        OverBudgetError: the account of the current task has too little left.

    """
    addressed = is_addressed(bot, message)
    replied = replied_message(message) if addressed else None
    if replied is None or not any(
        feature.reads_as_play(message) for feature in bot.service.mention_answerers
    ):
        source, findings = await _read(bot, message, on_request=addressed, pictures=pictures)
        if replied is None or findings.found or findings.addresses:
            return source, findings
    if answered := await source_of_answer(bot, replied, message.author.id):
        return answered, await bot.service[SHOWING].find(answered)
    return await _read(bot, replied, on_request=True, pictures=True)


async def _read(
    bot: KibitzBot, message: discord.Message, *, on_request: bool, pictures: bool
) -> tuple[Source, Findings]:
    limits = bot.settings.limits
    account = ACCOUNT.get()
    text, attachments = contents(message)
    files = [
        attachment.size
        for attachment in attachments
        if is_to_read(attachment, limits, pictures=pictures or on_request)
    ]
    size = sum(size for size in (len(text), *files[:MAX_ATTACHMENTS]) if size > MAX_INLINE)
    if account is not None and not bot.work_budgets.can_afford(account, size):
        raise OverBudgetError  # before anything is fetched
    source = await source_of_message(message, on_request=on_request, limits=limits, pictures=pictures)
    # A link continues its game whether or not an answer is sent.
    findings = await bot.service[SHOWING].find(source)
    if message.guild is None:
        # In a direct message a broken position is explained; ordinary talk is not.
        source = replace(source, on_request=True)
    return source, findings


def shows_pictures(message: discord.Message, limits: Limits) -> bool:
    """Return whether a message has pictures that can be read."""
    _, attachments = contents(message)
    return any(
        _is_picture(attachment) and is_to_read(attachment, limits, pictures=True)
        for attachment in attachments
    )


async def source_of_message(
    message: discord.Message, *, on_request: bool, limits: Limits, pictures: bool = False
) -> Source:
    """Return a message and what it forwards as a source: texts and files, without files that are too large.

    It includes pictures if the author expects an answer (``on_request``), or if ``pictures`` is true.
    """
    text, attached = contents(message)
    pictures = pictures or on_request
    attachments = [attachment for attachment in attached if is_to_read(attachment, limits, pictures=pictures)]
    unread_files = tuple(
        UnreadFile(attachment.filename, _limit(attachment, limits))
        for attachment in attached
        if attachment not in attachments
        and (not _is_no_text(attachment) or (on_request and _is_picture(attachment)))
    )
    files = []
    for attachment in attachments[:MAX_ATTACHMENTS]:
        try:
            files.append(await read_attachment(attachment))
        except (discord.HTTPException, aiohttp.ClientError) as error:
            # The text and the other files may still hold a position.
            log.warning("a file of message %d could not be fetched: %s", message.id, error)
    requester = Requester(message.author.id, None, message.channel.id)
    if message.guild is not None:
        channel_id = game_channel_id(message.channel, message.guild.me.id) or message.channel.id
        requester = Requester(
            message.author.id, message.guild.id, channel_id, name=message.author.display_name
        )
    return Source(text, tuple(files), on_request=on_request, requester=requester, unread_files=unread_files)


async def source_from_option(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    private: bool,
) -> Source:
    """Return the text, the file, or both that a command was given as a source.

    Raises:
        discord.HTTPException: Discord does not return the file.

    """
    source = Source(text, requester=requester_of(interaction, private=private))
    if file is None:
        return source
    limits = interaction.client.settings.limits
    if not is_to_read(file, limits, pictures=True):
        return replace(source, unread_files=(UnreadFile(file.filename, _limit(file, limits)),))
    return replace(source, attachments=(await read_attachment(file),))


async def source_from_message(
    interaction: discord.Interaction[KibitzBot], message: discord.Message, *, private: bool
) -> Source:
    """Return the message whose menu was used as a source; in private it continues no live game.

    For an answer of the bot, the source holds the documents that the answer shows.
    """
    if source := await source_of_answer(interaction.client, message, interaction.user.id):
        return source
    source = await source_of_message(message, on_request=True, limits=interaction.client.settings.limits)
    assert source.requester is not None  # a message is in a channel
    return replace(source, requester=replace(source.requester, public=not private))


def contents(message: discord.Message) -> tuple[str, list[discord.Attachment]]:
    """Return the text and the files of a message, including those of messages that it forwards."""
    text = text_of(message) if message.components else message.content
    texts = [without_mentions(text)]
    attachments = list(message.attachments)
    for snapshot in message.message_snapshots:
        texts.append(text_of(snapshot))
        attachments += snapshot.attachments
    return "\n".join(text for text in texts if text), attachments


def without_mentions(text: str) -> str:
    """Blank out mentions of people at the start of a text; places in what follows stay the same."""
    return _ADDRESS.sub(lambda match: " " * len(match[0]), text)


def is_to_read(attachment: discord.Attachment, limits: Limits, *, pictures: bool = False) -> bool:
    """Return whether to read an attachment: it is neither too large nor a sound nor, without ``pictures``, a picture."""
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
    """Return the message that this one replies to, if Discord included it."""
    if message.type is not discord.MessageType.reply:
        return None
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None
