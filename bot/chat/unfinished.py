"""Interactions whose answer takes long: kept from before their first sign to their answer, so that no end leaves them waiting.

A message that only the asker sees can be changed with the interaction's token alone, for fifteen minutes. The token lets its
holder speak in the bot's name, so it is stored encrypted, with a key derived from the bot's own token, which is stored nowhere.
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

from bot.config import Settings
from bot.storage.errors import StoreError
from bot.storage.store import Store
from bot.storage.unfinished import Unfinished

log = logging.getLogger(__name__)

MAX_ID: Final = 100
"""Characters of a ``custom_id``."""

KEEP_SECONDS: Final = 0.8
"""Seconds that an interaction's sign waits for the database: Discord waits for it three seconds, of which two may be over."""

_RECORD: Final = "unfinished"


class UnfinishedAnswers:
    """Keeps the interactions of a process, whose ``name`` is asked for once it is logged in."""

    def __init__(self, store: Store, settings: Settings, name: Callable[[], str]) -> None:
        self._store = store
        self._name = name
        self._fernet: Fernet | None = None
        if (token := settings.discord_token) is not None:
            derived = HKDF(SHA256(), 32, salt=None, info=b"kibitz: tokens of interactions")
            key = derived.derive(token.get_secret_value().encode())
            self._fernet = Fernet(base64.urlsafe_b64encode(key))

    async def keep(
        self,
        interaction: discord.Interaction[Any],
        *,
        again: str = "",
        private: bool = True,
        in_place: bool = False,
    ) -> None:
        """Keep an interaction, or more about one that is kept, until :meth:`let_go`.

        ``again`` is the ``custom_id`` of a control that asks for the same work. ``in_place`` says that the pressed message
        is the one that changes, else ``private`` whether only the asker sees the answer. Without a store the work is
        done all the same.
        """
        known = interaction.extras.get(_RECORD)
        record = Unfinished(
            interaction_id=interaction.id,
            instance=self._name(),
            channel_id=interaction.channel_id or 0,
            guild_id=interaction.guild_id,
            user_id=interaction.user.id,
            message_id=known.message_id if known is not None else None,
            private=private,
            locale=interaction.locale.value[:16],
            again=again if len(again) <= MAX_ID else "",
            sealed_token=self._fernet.encrypt(interaction.token.encode())
            if self._fernet is not None
            else None,
            begun=discord.utils.utcnow(),
        )
        if in_place and (message := interaction.message) is not None:
            private = message.flags.ephemeral
            record = replace(record, private=private, message_id=record.message_id if private else message.id)
        await self._keep(interaction, record)

    async def remember(
        self, interaction: discord.Interaction[Any], message: discord.InteractionMessage
    ) -> None:
        """Remember which message shows the progress of an interaction's work."""
        record = interaction.extras.get(_RECORD)
        if record is not None and record.message_id is None and not message.flags.ephemeral:
            await self._keep(interaction, replace(record, message_id=message.id, private=False))

    async def let_go(self, interaction: discord.Interaction[Any]) -> None:
        """Forget an interaction that is answered, in whatever way."""
        if interaction.extras.pop(_RECORD, None) is None:
            return
        try:
            await self._store.forget_unfinished(interaction.id)
        except StoreError as error:
            log.warning("interaction %d is kept although it is done: %s", interaction.id, error)

    async def _keep(self, interaction: discord.Interaction[Any], record: Unfinished) -> None:
        interaction.extras[_RECORD] = record
        try:
            # What is written slowly is written all the same, but the sign does not wait for it.
            async with asyncio.timeout(KEEP_SECONDS):
                await self._store.keep_unfinished(record)
        except (StoreError, TimeoutError) as error:
            log.warning("interaction %d is not kept yet: %r", interaction.id, error)

    def token_of(self, record: Unfinished) -> str | None:
        """Return an interaction's token, which may be too old; None when it was sealed with another key."""
        if self._fernet is None or record.sealed_token is None:
            return None
        try:
            return self._fernet.decrypt(record.sealed_token).decode()
        except InvalidToken:
            return None
