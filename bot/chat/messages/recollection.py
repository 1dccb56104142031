"""Remembering which messages were answered, so that edits and deletions of all others cost the store nothing."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Final

import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.regularly import Regularly
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

PAGE: Final = 1000
"""Answers read from the store at once: a few milliseconds' work."""

PAGE_PAUSE: Final = 0.05
"""Seconds between two pages, lest reading them holds up an answer."""

REFRESH_SECONDS: Final = 60.0
"""How often the answers of other processes are looked for."""


class Recollection(commands.Cog):
    """Keeps ``bot.answered`` in step with the store: all of it after a start, what other processes do later."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._reading: asyncio.Task[None] | None = None
        self._refreshing = Regularly(self.refresh, "learning what others answered", REFRESH_SECONDS)

    async def cog_load(self) -> None:
        """Read the latest answers now, the others meanwhile."""
        await self._read_page()
        self._reading = asyncio.create_task(self._read_all())
        self._refreshing.start()

    async def cog_unload(self) -> None:
        """Stop reading."""
        self._refreshing.cancel()
        if self._reading is not None:
            self._reading.cancel()

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Doubt which older messages are marked: a new session begins, and others may have marked some before it."""
        del shard_id
        self.bot.marked.doubt(discord.utils.time_snowflake(discord.utils.utcnow()))

    async def _read_all(self) -> None:
        while self.bot.answered.complete_from and not self.bot.answered.is_full:
            await asyncio.sleep(PAGE_PAUSE)
            if not await self._read_page():
                await asyncio.sleep(REFRESH_SECONDS)

    async def _read_page(self) -> bool:
        """Read the next older answers; False when the store cannot be read."""
        answered = self.bot.answered
        before = answered.complete_from
        try:
            page = await self.bot.store.answered(before=min(before, (1 << 63) - 1), limit=PAGE)
        except StoreError as error:
            log.warning("which messages were answered cannot be read now: %s", error)
            return False
        answered.add_all(page, complete_from=page[-1] if len(page) == PAGE else 0)
        return True

    async def refresh(self) -> None:
        """Learn what other processes answered lately, and which servers have pictures looked at."""
        try:
            await self.bot.preferences.learn_who_looks()
        except StoreError as error:
            log.warning("which servers have pictures looked at cannot be read now: %s", error)
        try:
            lately = await self.bot.store.answered_lately(timedelta(seconds=2 * REFRESH_SECONDS), limit=PAGE)
        except StoreError as error:
            log.warning("what others answered cannot be read now: %s", error)
            return
        self.bot.answered.add_all(lately)
