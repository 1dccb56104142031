"""Polls on Discord: their cards are kept up to date, and revealed when it is time."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import discord
from discord.ext import commands

from bot.chat.card import Card, NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.layout import edit_of
from bot.chat.regularly import Regularly
from bot.chat.styling import style_in
from bot.features.polls.controls import POLLS
from bot.storage.errors import StoreError
from bot.storage.polls import Poll
from bot.text import Speaker

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 15.0
"""How often it is looked whether the time of a poll is over."""
AFRESH_SECONDS: Final = 300.0
"""How often the database is asked for polls: some were begun before this start, or by another process."""


class PollKeeper(commands.Cog):
    """Reveals polls whose time is over, also those of an earlier start, and forgets those whose message is gone."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._open: set[int] = set()
        self._due = -math.inf
        """When the database is asked next, in seconds of a clock that nobody sets."""
        self._looking = Regularly(self._look_if_due, "revealing polls", LOOK_SECONDS)

    async def cog_load(self) -> None:
        """Begin to look."""
        self._looking.start()

    async def cog_unload(self) -> None:
        """Stop."""
        self._looking.cancel()

    async def _look_if_due(self) -> None:
        if time.monotonic() >= self._due:
            await self.look()

    async def look(self) -> None:
        """Reveal what is due in our servers."""
        try:
            ends = await self.bot.store.open_polls()
            due = await self.bot.store.due_polls() if ends else ()
        except StoreError as error:
            log.warning("polls cannot be looked for: %s", error)
            return
        self._open = set(ends)
        self._due = time.monotonic() + AFRESH_SECONDS
        for end in ends.values():
            self._expect(end)
        for poll in due:
            if self.bot.is_ready() and self.bot.get_guild(poll.guild_id) is not None:
                with self.bot.in_hand():
                    await self.reveal(poll)

    @commands.Cog.listener()
    async def on_poll_begun(self, poll: Poll) -> None:
        """Look when the time of a poll is over that was begun here."""
        self._open.add(poll.message_id)
        self._expect(poll.ends)

    def _expect(self, end: datetime) -> None:
        self._due = min(self._due, time.monotonic() + (end - datetime.now(UTC)).total_seconds())

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget a poll with its message."""
        if payload.message_id not in self._open:
            return
        try:
            await self.bot.store.forget_poll(payload.message_id)
        except StoreError as error:
            log.warning("a poll whose message is gone stays for now: %s", error)

    def count_soon(self, message_id: int) -> None:
        """Have the card of a poll show soon how many people have answered by now."""
        work = partial(self._count, message_id)
        self.bot.politely.soon(message_id, work, "counting answers to a poll")

    async def _count(self, message_id: int) -> None:
        """Make the card of a poll tell how many have answered by now."""
        bot = self.bot
        poll, polls = await bot.store.poll(message_id), bot.service.of(POLLS)
        if poll is None or polls is None:
            return
        style = await style_in(bot, poll.guild_id)
        try:
            reply = await polls.card(poll, style)
            await _show(bot, poll, reply, style.say, poll.asker_id)
        except NoAnswerError as no:
            log.info("the card of a poll stays as it is: %s", no)
        except discord.HTTPException as error:
            log.info("the card of a poll was not changed: %s", error)

    async def reveal(self, poll: Poll) -> bool:
        """Tell what a poll came to in place of its card; False when another process does it.

        What Discord does not take now is tried again after a while.
        """
        bot = self.bot
        polls = bot.service.of(POLLS)
        if polls is None or not await bot.store.claim_poll(poll.message_id):
            return False
        await bot.store.end_poll(poll.message_id)
        style = await style_in(bot, poll.guild_id)
        try:
            try:
                card = await polls.card(poll, style)
                waiting = style.say("⏳ Comparing the answers …")
                card = replace(card, text=f"{card.text}\n{waiting}", controls=())
                await _show(bot, poll, card, style.say, None)
                reply = await polls.reveal(poll, style)
            except NoAnswerError as no:
                reply = no.reply
            await _show(bot, poll, reply, style.say, poll.asker_id)
        except (discord.NotFound, discord.Forbidden) as error:
            log.info("a poll cannot be revealed where it was: %s", error)
        except discord.HTTPException as error:
            log.warning("a poll is revealed later: %s", error)
            return True
        await bot.store.forget_poll(poll.message_id)
        return True


async def _show(bot: KibitzBot, poll: Poll, card: Card, say: Speaker, answered_id: int | None) -> None:
    """Show a card in the message of a poll; in words where files may not be sent."""
    channel = bot.get_partial_messageable(poll.channel_id, guild_id=poll.guild_id)
    message = channel.get_partial_message(poll.message_id)
    try:
        await message.edit(**edit_of(card, say, answered_id))
    except discord.Forbidden:
        if not card.images:
            raise
        await message.edit(**edit_of(card, say, answered_id, attach=False))
