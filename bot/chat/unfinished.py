"""Interactions whose answer takes long: kept in mind from before their first sign to their answer, so that no end leaves them waiting.

When the process is killed, another one, or this one after its restart, writes into the message that it was interrupted;
or what came of it, where jobs outlive the process that asked for them (see :mod:`bot.chat.resuming`).
What everybody sees it may change as any message of the bot. What only the asker sees can be changed with the token of the
interaction alone, for fifteen minutes. Whoever has that token can speak in our name, so it is kept encrypted, with a key
made from the bot's own token, which comes from the environment and is kept nowhere; so is what somebody typed.
"""

from __future__ import annotations

import asyncio
import base64
import logging
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
"""How long an interaction's sign waits for the database: Discord waits for it three seconds, of which two may be over."""

_RECORD: Final = "unfinished"


class UnfinishedAnswers:
    """Keeps interactions in mind for a process named ``instance``."""

    def __init__(self, store: Store, instance: str, settings: Settings) -> None:
        self._store = store
        self._instance = instance
        self._fernet: Fernet | None = None
        if settings.discord_token is not None:
            secret = settings.discord_token.get_secret_value().encode()
            derived = HKDF(SHA256(), 32, salt=None, info=b"kibitz: tokens of interactions")
            self._fernet = Fernet(base64.urlsafe_b64encode(derived.derive(secret)))

    async def keep(
        self,
        interaction: discord.Interaction[Any],
        *,
        again: str = "",
        resume: str = "",
        typed: str = "",
        private: bool = True,
        in_place: bool = False,
    ) -> None:
        """Keep an interaction in mind, or more about one that is kept, until :meth:`let_go`.

        ``again`` is the ``custom_id`` of the button to ask once more, ``resume`` that of a control that asks for just this
        work, with which another process can go on where jobs last, with what was ``typed`` into its form. ``in_place``
        says that the pressed message is the one that changes, else ``private`` whether only the asker sees the answer.
        Without a store the work is done all the same.
        """
        known = interaction.extras.get(_RECORD)
        message = interaction.message if in_place else None
        record = Unfinished(
            interaction_id=interaction.id,
            instance=self._instance,
            channel_id=interaction.channel_id or 0,
            guild_id=interaction.guild_id,
            user_id=interaction.user.id,
            message_id=known.message_id if known is not None else None,
            private=private,
            locale=interaction.locale.value[:16],
            again=again[:MAX_ID],
            resume=resume if 0 < len(resume) <= MAX_ID else None,
            sealed_typed=self._seal(typed) if typed else None,
            sealed_token=self._seal(interaction.token),
            begun=discord.utils.utcnow(),
        )
        if message is not None:
            record = replace(record, private=message.flags.ephemeral)
            if not record.private:
                record = replace(record, message_id=message.id)
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
            log.warning("interaction %d is kept in mind although it is done: %s", interaction.id, error)

    def token_of(self, record: Unfinished) -> str | None:
        """Return an interaction's token; None when it is none of ours. Discord itself knows whether it is too old."""
        return self._unseal(record.sealed_token)

    def typed_in(self, record: Unfinished) -> str:
        """Return what was typed; empty when nothing was, or it cannot be read."""
        return self._unseal(record.sealed_typed) or ""

    async def _keep(self, interaction: discord.Interaction[Any], record: Unfinished) -> None:
        interaction.extras[_RECORD] = record
        try:
            # What is written slowly is written all the same, but the sign does not wait for it.
            async with asyncio.timeout(KEEP_SECONDS):
                await self._store.keep_unfinished(record)
        except (StoreError, TimeoutError) as error:
            log.warning("interaction %d is not kept in mind yet: %r", interaction.id, error)

    def _seal(self, text: str) -> bytes | None:
        return self._fernet.encrypt(text.encode()) if self._fernet is not None else None

    def _unseal(self, sealed: bytes | None) -> str | None:
        if self._fernet is None or sealed is None:
            return None
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            return None
