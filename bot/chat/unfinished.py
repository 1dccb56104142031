"""Stores slow interactions until the reply is sent. If this process ends first, another process reports the interruption.

A private reply can be changed only with the interaction's token, which is valid for fifteen minutes. Anyone with this token can
post as the bot, so the token is encrypted. The key is derived from the bot's own token, which is not stored.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import discord
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.chat.control import Control
from bot.config import Settings
from bot.storage.errors import StoreError
from bot.storage.replies import UnfinishedInteraction
from bot.storage.store import Store

log = logging.getLogger(__name__)

STORE_TIMEOUT_SECONDS: Final = 0.8
"""Maximum time that an acknowledgement waits for the database. Two of Discord's three seconds may already have passed."""

_RECORD_KEY: Final = "unfinished"


class UnfinishedReplies:
    """Stores the unfinished interactions of a process. ``get_name`` returns the process's name after login."""

    def __init__(self, store: Store, settings: Settings, get_name: Callable[[], str]) -> None:
        self._store = store
        self._get_name = get_name
        self._fernet: Fernet | None = None
        if (token := settings.discord_token) is not None:
            key_derivation = HKDF(SHA256(), 32, salt=None, info=b"kibitz: tokens of interactions")
            self._fernet = Fernet(base64.urlsafe_b64encode(key_derivation.derive(token.value.encode())))

    async def save(
        self,
        interaction: discord.Interaction[Any],
        *,
        restart: Control | None = None,
        private: bool = True,
        in_place: bool = False,
    ) -> None:
        """Store an interaction, or update the stored interaction. Ignore database errors.

        ``restart`` is the control that starts the same work again; by default, the stored control is kept. If ``in_place`` is
        true, the reply replaces the pressed control's message. Otherwise, ``private`` determines who sees the reply.
        """
        earlier_record = interaction.extras.get(_RECORD_KEY)
        earlier_button_id = earlier_record.restart_button_id if earlier_record is not None else ""
        record = UnfinishedInteraction(
            interaction_id=interaction.id,
            instance=self._get_name(),
            channel_id=interaction.channel_id or 0,
            guild_id=interaction.guild_id,
            user_id=interaction.user.id,
            message_id=earlier_record.message_id if earlier_record is not None else None,
            private=private,
            locale=interaction.locale.value[:16],
            restart_button_id=earlier_button_id if restart is None else restart.to_id(),
            sealed_token=self._fernet.encrypt(interaction.token.encode())
            if self._fernet is not None
            else None,
            started_at=discord.utils.utcnow(),
        )
        if in_place and (message := interaction.message) is not None:
            private = message.flags.ephemeral
            record = replace(record, private=private, message_id=record.message_id if private else message.id)
        await self._write(interaction, record)

    async def store_progress_message(
        self, interaction: discord.Interaction[Any], message: discord.InteractionMessage
    ) -> None:
        record = interaction.extras.get(_RECORD_KEY)
        if record is not None and record.message_id is None and not message.flags.ephemeral:
            await self._write(interaction, replace(record, message_id=message.id, private=False))

    async def delete(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.extras.pop(_RECORD_KEY, None) is None:
            return
        try:
            await self._store.forget_unfinished(interaction.id)
        except StoreError as error:
            log.warning(
                "finished interaction %d could not be deleted from the store: %s", interaction.id, error
            )

    async def _write(self, interaction: discord.Interaction[Any], record: UnfinishedInteraction) -> None:
        interaction.extras[_RECORD_KEY] = record
        try:
            # A slow write must not delay the acknowledgement. After the timeout, the store continues the write.
            async with asyncio.timeout(STORE_TIMEOUT_SECONDS):
                await self._store.save_unfinished(record)
        except (StoreError, TimeoutError) as error:
            log.warning("interaction %d could not be stored in time: %r", interaction.id, error)

    def token_of(self, record: UnfinishedInteraction) -> str | None:
        """Return an interaction's token, or None if another key encrypted the token. The token may have expired."""
        if self._fernet is None or record.sealed_token is None:
            return None
        try:
            return self._fernet.decrypt(record.sealed_token).decode()
        except InvalidToken:
            return None
