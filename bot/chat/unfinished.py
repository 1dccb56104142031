"""Messages that show the progress of a long job: kept in mind while it is under way, so that no end leaves them as they are.

When the process is killed, another one, or this one after its restart, writes into the message that the job was interrupted;
or what came of it, where jobs outlive the process that asked for them (see :mod:`bot.chat.resuming`).
What everybody sees it may change as any message of the bot. What only the asker sees can be changed with the token of the
interaction alone, for fifteen minutes. Whoever has that token can speak in our name, so it is kept encrypted, with a key
made from the bot's own token, which comes from the environment and is kept nowhere.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Final

import aiohttp
import discord
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.answers.crossword.analysis import answer_interrupted
from bot.chat.client import KibitzBot
from bot.storage.errors import StoreError
from bot.storage.unfinished import Unfinished
from bot.text import Speaker, speaker

log = logging.getLogger(__name__)

TOKEN_LIFE: Final = timedelta(minutes=15)
"""How long Discord knows the token of an interaction."""

MAX_ID: Final = 100
"""Characters of a ``custom_id``."""

_RECORD: Final = "unfinished"
_GONE: Final = (discord.NotFound, discord.Forbidden)


@asynccontextmanager
async def finished_or_told(
    interaction: discord.Interaction[KibitzBot],
    locale: str,
    again: str = "",
    *,
    resume: str = "",
    in_place: bool = True,
) -> AsyncIterator[None]:
    """Keep an interaction's message in mind while the work inside shows its progress there.

    ``again`` is the ``custom_id`` of the button to ask once more, ``resume`` that of a control that asks for just this
    work, with which another process can go on where jobs last. ``in_place`` says that a pressed message is the one
    that changes, not that it is answered by another. Without a store the work is done all the same.
    """
    bot = interaction.client
    message = interaction.message
    shown = message is not None and in_place and not message.flags.ephemeral
    record = Unfinished(
        interaction_id=interaction.id,
        instance=bot.instance,
        channel_id=interaction.channel_id or 0,
        guild_id=interaction.guild_id,
        user_id=interaction.user.id,
        message_id=message.id if message is not None and shown else None,
        locale=locale[:16],
        again=again[:MAX_ID],
        resume=resume if 0 < len(resume) <= MAX_ID else None,
        sealed_token=_seal(bot, interaction.token),
        begun=discord.utils.utcnow(),
    )
    interaction.extras[_RECORD] = record
    await _keep(bot, record)
    try:
        yield
    except Exception:
        await _forget(bot, record)
        raise
    # Cancelled work has written nothing: the process ends.
    await _forget(bot, record)


async def remember_message(
    interaction: discord.Interaction[KibitzBot], message: discord.InteractionMessage
) -> None:
    """Remember which message shows the progress of an interaction's work."""
    record = interaction.extras.get(_RECORD)
    if isinstance(record, Unfinished) and record.message_id is None and not message.flags.ephemeral:
        interaction.extras[_RECORD] = record = replace(record, message_id=message.id)
        await _keep(interaction.client, record)


async def tell_interrupted(bot: KibitzBot, record: Unfinished) -> bool:
    """Write into a message that its job was interrupted; False when it is worth trying again."""
    say = speaker(record.locale)
    text = answer_interrupted(say).text
    try:
        if await _told_by_token(bot, record, text, say):
            return True
        if record.message_id is None:
            log.info("what interaction %d shows to its asker alone cannot be changed", record.interaction_id)
            return True
        channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
        await channel.get_partial_message(record.message_id).edit(content=text, view=_view(record, say))
    except _GONE as error:
        log.info("the message of interaction %d is gone: %s", record.interaction_id, error)
    except (discord.HTTPException, aiohttp.ClientError) as error:
        log.warning(
            "the message of interaction %d does not say yet that it was interrupted: %s",
            record.interaction_id,
            error,
        )
        return discord.utils.utcnow() - record.begun > TOKEN_LIFE
    return True


async def _told_by_token(bot: KibitzBot, record: Unfinished, text: str, say: Speaker) -> bool:
    """Write it with the interaction's token; False when there is none that opens and works."""
    webhook = webhook_of(bot, record)
    if webhook is None:
        return False
    try:
        await webhook.edit_message("@original", content=text, view=_view(record, say))  # type: ignore[call-overload]  # as Discord calls it
    except discord.NotFound:
        return False
    return True


def webhook_of(bot: KibitzBot, record: Unfinished) -> discord.Webhook | None:
    """Return what can write for an interaction with its token; None when there is none that opens."""
    token = _unseal(bot, record.sealed_token)
    if token is None or bot.application_id is None:
        return None
    return discord.Webhook.partial(bot.application_id, token, client=bot)


def _view(record: Unfinished, say: Speaker) -> discord.ui.View | None:
    """Make the button that asks once more."""
    if not record.again:
        return None
    view = discord.ui.View(timeout=None)
    sign = "\N{LEFT-POINTING MAGNIFYING GLASS}"
    view.add_item(discord.ui.Button(label=say("Analyze"), emoji=sign, custom_id=record.again))
    # Not this view answers it, but what recognizes the ``custom_id``.
    view.stop()
    return view


def _fernet(bot: KibitzBot) -> Fernet | None:
    secret = bot.settings.discord_token
    if secret is None:
        return None
    derived = HKDF(SHA256(), 32, salt=None, info=b"kibitz: tokens of interactions")
    return Fernet(base64.urlsafe_b64encode(derived.derive(secret.get_secret_value().encode())))


def _seal(bot: KibitzBot, token: str) -> bytes | None:
    fernet = _fernet(bot)
    return fernet.encrypt(token.encode()) if fernet is not None else None


def _unseal(bot: KibitzBot, sealed: bytes | None) -> str | None:
    """Return the token; None when there is none, or another bot's. Discord itself knows whether it is too old."""
    fernet = _fernet(bot)
    if fernet is None or sealed is None:
        return None
    try:
        return fernet.decrypt(sealed).decode()
    except InvalidToken:
        return None


async def _keep(bot: KibitzBot, record: Unfinished) -> None:
    try:
        await bot.store.keep_unfinished(record)
    except StoreError as error:
        log.warning("interaction %d is not kept in mind: %s", record.interaction_id, error)


async def _forget(bot: KibitzBot, record: Unfinished) -> None:
    try:
        await bot.store.forget_unfinished(record.interaction_id)
    except StoreError as error:
        log.warning("interaction %d is kept in mind although it is done: %s", record.interaction_id, error)
