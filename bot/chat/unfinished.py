"""Interactions whose answer takes long: kept from before their first sign to their answer, so that no end leaves them waiting.

When a process dies, another one, or its next start, writes into each message it left that the work was interrupted, with
the button that asks for it again. A message that everybody sees changes like any message of the bot. A message that only the
asker sees changes with the interaction's token alone, for fifteen minutes. That token lets its holder speak in
the bot's name, so it is stored encrypted, with a key derived from the bot's own token, which is stored nowhere.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import aiohttp
import discord
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.chat.regularly import Regularly
from bot.storage.errors import StoreError
from bot.storage.unfinished import Unfinished
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

log = logging.getLogger(__name__)

MAX_ID: Final = 100
"""Characters of a ``custom_id``."""

KEEP_SECONDS: Final = 0.8
"""Seconds that an interaction's sign waits for the database: Discord waits for it three seconds, of which two may be over."""

LOOK_SECONDS = 5.0
"""Seconds between looks at what dead processes left."""

MAX_TAKEN: Final = 50
"""Messages of dead processes that are taken up in one look."""

TOKEN_LIFE: Final = timedelta(minutes=15)
"""How long Discord knows the token of an interaction."""

_RECORD: Final = "unfinished"


class UnfinishedAnswers:
    """Keeps the interactions of a bot, and finishes what dead processes left."""

    def __init__(self, bot: KibitzBot) -> None:
        self._bot = bot
        self._telling: set[asyncio.Task[None]] = set()
        self._fernet: Fernet | None = None
        if (token := bot.settings.discord_token) is not None:
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
            instance=self._bot.instance,
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
            await self._bot.store.forget_unfinished(interaction.id)
        except StoreError as error:
            log.warning("interaction %d is kept although it is done: %s", interaction.id, error)

    async def _keep(self, interaction: discord.Interaction[Any], record: Unfinished) -> None:
        interaction.extras[_RECORD] = record
        try:
            # What is written slowly is written all the same, but the sign does not wait for it.
            async with asyncio.timeout(KEEP_SECONDS):
                await self._bot.store.keep_unfinished(record)
        except (StoreError, TimeoutError) as error:
            log.warning("interaction %d is not kept yet: %r", interaction.id, error)

    # What dead processes left

    @asynccontextmanager
    async def taking_over(self) -> AsyncIterator[None]:
        """While inside, once the bot is logged in, finish what dead processes have left."""
        looking = Regularly(self._look, "finishing what others have left", LOOK_SECONDS)
        looking.start()
        try:
            yield
        finally:
            looking.cancel()
            await looking.wait_ended()
            for task in self._telling:
                task.cancel()
            await asyncio.gather(*self._telling, return_exceptions=True)

    async def _look(self) -> None:
        bot = self._bot
        if bot.application_id is None or bot.is_closing:
            return
        now = discord.utils.utcnow()
        if bot.sharding is None:
            # Nobody says which others live. Those that began before this one are dead, or have some seconds to end.
            living, before = {bot.instance}, max(bot.awake_since, now - TOKEN_LIFE)
        elif bot.sharding.gateways:
            living, before = {bot.instance_of(name) for name in bot.sharding.gateways}, now
        else:
            return
        try:
            for record in await bot.store.unfinished_of_others(bot.application_id, living, before, MAX_TAKEN):
                if await bot.store.adopt_unfinished(record.interaction_id, record.instance, bot.instance):
                    task = asyncio.create_task(self.finish(replace(record, instance=bot.instance)))
                    self._telling.add(task)
                    task.add_done_callback(self._telling.discard)
        except StoreError as error:
            log.warning("what others have left cannot be read now: %s", error)

    async def finish(self, record: Unfinished) -> None:
        """Write into a message, which this process has adopted, that its work was interrupted; when that fails, it is tried again."""
        store = self._bot.store
        try:
            with self._bot.in_hand():
                if await self._tell(record):
                    await store.forget_unfinished(record.interaction_id)
                else:
                    await store.adopt_unfinished(
                        record.interaction_id, record.instance, f"{self._bot.application_id}:"
                    )
        except StoreError as error:
            log.warning("interaction %d is taken up later: %s", record.interaction_id, error)

    async def _tell(self, record: Unfinished) -> bool:
        """Tell it in a message that still waits; return False when it is worth trying again."""
        preferences = self._bot.preferences
        if record.private or record.guild_id is None:
            style = await preferences.private(record.user_id, record.guild_id, record.locale)
        else:
            style = await preferences.public(record.guild_id, record.locale)
        say = style.say
        try:
            message = await self._message(record)
            if message is not None and _waits(message, say):
                text = say("This analysis was interrupted: I was restarted. Ask again, and I begin anew.")
                await message.edit(content=text, view=_once_more(record, say))
        except (discord.NotFound, discord.Forbidden) as error:
            log.info("the message of interaction %d is gone: %s", record.interaction_id, error)
        except (discord.HTTPException, aiohttp.ClientError) as error:
            log.warning(
                "the message of interaction %d does not say yet that it was interrupted: %s",
                record.interaction_id,
                error,
            )
            return discord.utils.utcnow() - record.begun > TOKEN_LIFE
        return True

    async def _message(self, record: Unfinished) -> discord.Message | discord.WebhookMessage | None:
        """Return a message as it stands, by the interaction's token or as any message of the bot; None: it cannot be changed.

        Raises:
            discord.HTTPException: Discord refused it, or the message is gone.

        """
        bot = self._bot
        token = self._token_of(record)
        if token is not None and bot.application_id is not None:
            webhook = discord.Webhook.partial(bot.application_id, token, client=bot)
            try:
                return await webhook.fetch_message("@original")  # type: ignore[arg-type]  # as Discord calls it
            except discord.NotFound:
                log.info("the token of interaction %d is too old, or its message gone", record.interaction_id)
        if record.message_id is None:
            log.info("what interaction %d shows to its asker alone cannot be changed", record.interaction_id)
            return None
        channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
        return await channel.fetch_message(record.message_id)

    def _token_of(self, record: Unfinished) -> str | None:
        """Return an interaction's token, which may be too old; None when it was sealed with another key."""
        if self._fernet is None or record.sealed_token is None:
            return None
        try:
            return self._fernet.decrypt(record.sealed_token).decode()
        except InvalidToken:
            return None


def _waits(message: discord.Message, say: Speaker) -> bool:
    """Return whether a message still says that something is coming: it may have been answered in the last moment."""
    return message.flags.loading or "⏳" in message.content or message.content == say("Here it is:")


def _once_more(record: Unfinished, say: Speaker) -> discord.ui.View | None:
    """Make the button that asks for the same work; None where no control does."""
    if not record.again:
        return None
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=say("Once more"), custom_id=record.again))
    # Not this view answers it, but what recognizes the ``custom_id``.
    view.stop()
    return view
