"""Keeps the cards of open polls up to date, and reveals polls when their time is over; what the feature opens."""

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
from bot.chat.layout import send_card
from bot.chat.periodic import PeriodicTask
from bot.chat.styling import server_style
from bot.features.analysis.controls import FAIRNESS, RESOURCES
from bot.features.polls.chess import ChessPolling
from bot.features.polls.controls import POLLS, offers
from bot.features.polls.crossword import CrosswordPolling
from bot.features.polls.service import Polls
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host
from bot.storage.errors import StoreError
from bot.storage.polls import Poll
from bot.text import Speaker

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 15.0
"""Seconds between checks for polls whose time is over."""
AFRESH_SECONDS: Final = 300.0
"""Seconds between queries for polls of other processes or of an earlier start."""


class PollKeeper(commands.Cog):
    """Reveals polls whose time is over, and forgets polls whose message was deleted."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._open: set[int] = set()
        self._due = -math.inf
        """The time of the next query, on the monotonic clock."""
        self._looking = PeriodicTask(self._look_if_due, "revealing polls", LOOK_SECONDS)

    async def cog_load(self) -> None:
        """Start the checks."""
        self._looking.start()

    async def cog_unload(self) -> None:
        """Stop the checks."""
        self._looking.cancel()

    async def _look_if_due(self) -> None:
        if time.monotonic() >= self._due:
            await self.look()

    async def look(self) -> None:
        """Reveal the polls in our servers whose time is over."""
        try:
            ends = await self.bot.store.open_polls()
            due = await self.bot.store.due_polls() if ends else ()
        except StoreError as error:
            log.warning("the open polls cannot be queried: %s", error)
            return
        self._open = set(ends)
        self._due = time.monotonic() + AFRESH_SECONDS
        for end in ends.values():
            self._expect(end)
        for poll in due:
            if self.bot.is_ready() and self.bot.get_guild(poll.guild_id) is not None:
                with self.bot.delay_closing():
                    await self.reveal(poll)

    @commands.Cog.listener()
    async def on_poll_begun(self, poll: Poll) -> None:
        """Schedule the reveal of a poll that was started here."""
        self._open.add(poll.message_id)
        self._expect(poll.ends)

    def _expect(self, end: datetime) -> None:
        self._due = min(self._due, time.monotonic() + (end - datetime.now(UTC)).total_seconds())

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget a poll with its message."""
        if payload.message_id in self._open:
            try:
                await self.bot.store.forget_poll(payload.message_id)
            except StoreError as error:
                log.warning("a poll without a message stays stored for now: %s", error)

    def count_soon(self, message_id: int) -> None:
        """Schedule an update of a poll's card with the number of answers."""
        work = partial(self._count, message_id)
        self.bot.edit_limiter.request(message_id, work, "counting answers to a poll")

    async def _count(self, message_id: int) -> None:
        """Update the card of a poll."""
        bot = self.bot
        poll, polls = await bot.store.poll(message_id), bot.service.find(POLLS)
        if poll is None or polls is None:
            return
        style = await server_style(bot, poll.guild_id)
        try:
            await _show(bot, poll, await polls.card(poll, style), style.say, poll.author_id)
        except (NoAnswerError, discord.HTTPException) as error:
            log.info("the card of a poll was not updated: %s", error)

    async def reveal(self, poll: Poll) -> bool:
        """Replace the card of a poll by its result; False if another process does so.

        After a temporary failure of Discord it is retried later. While the bot closes, jobs end without a result: the
        next process reveals the poll.
        """
        bot = self.bot
        polls = bot.service.find(POLLS)
        if polls is None or (claim := await bot.store.claim_poll(poll.message_id)) is None:
            return False
        await bot.store.end_poll(poll.message_id)
        style = await server_style(bot, poll.guild_id)
        try:
            try:
                card = await polls.card(poll, style)
                waiting = style.say("⏳ Comparing the answers …")
                card = replace(card, text=f"{card.text}\n{waiting}", controls=())
                await _show(bot, poll, card, style.say, None)
                result = await polls.reveal(poll, style)
            except NoAnswerError as no:
                result = no.reply
            if bot.is_closing:
                await bot.store.release_poll(poll.message_id, claim)
                return True
            await _show(bot, poll, result, style.say, poll.author_id)
        except (discord.NotFound, discord.Forbidden) as error:
            log.info("a poll cannot be revealed where it was: %s", error)
        except discord.HTTPException as error:
            log.warning("a poll is revealed later: %s", error)
            return True
        await bot.store.forget_poll(poll.message_id)
        return True


async def _show(bot: KibitzBot, poll: Poll, card: Card, say: Speaker, answered_id: int | None) -> None:
    """Show a card in the message of a poll, without pictures where files are not allowed."""
    channel = bot.get_partial_messageable(poll.channel_id, guild_id=poll.guild_id)
    message = channel.get_partial_message(poll.message_id)
    await send_card(message.edit, card, say, answered_id, edit=True)


def _open(host: Host) -> None:
    resources = host.services.find(RESOURCES)
    crossword, chess = CrosswordPolling(host.documents, resources), ChessPolling(host.jobs.get("chess"))
    fairness = host.services.find(FAIRNESS)
    guards = [] if fairness is None else fairness.guards
    polls = Polls(host.documents, host.store, crossword, chess, host.clock, guards=guards)
    guards.append(host.services.add(POLLS, polls))
    host.services[SHOWING].offered.append(partial(offers, analysis=resources is not None))


FEATURE = Feature("polls", _open, (PollKeeper,))
