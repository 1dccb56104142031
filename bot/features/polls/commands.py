"""Updates open polls, and reveals polls when their time is up."""

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

from bot.chat.card import Card, RefusalError
from bot.chat.client import KibitzBot
from bot.chat.layout import send_card
from bot.chat.periodic import PeriodicTask
from bot.chat.reply_context import server_context
from bot.features.analysis.controls import FAIRNESS, RESOURCES
from bot.features.polls.chess import ChessPollKind
from bot.features.polls.controls import POLLS, poll_controls
from bot.features.polls.crossword import CrosswordPollKind
from bot.features.polls.service import PollService
from bot.features.showing.controls import PRESENTER
from bot.features.showing.feature import Feature, FeatureContext
from bot.storage.errors import StoreError
from bot.storage.polls import Poll
from bot.text import Translator

log = logging.getLogger(__name__)

CHECK_SECONDS: Final = 15.0
"""Time between checks for due polls."""
QUERY_SECONDS: Final = 300.0
"""Seconds between queries for polls that other processes opened, such as this bot's process before a restart."""


class PollKeeper(commands.Cog):
    """Reveals due polls, and forgets polls whose messages were deleted."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._open_poll_ids: set[int] = set()
        self._next_query_time = -math.inf
        self._check_task = PeriodicTask(self._reveal_if_due, "revealing polls", CHECK_SECONDS)

    async def cog_load(self) -> None:
        self._check_task.start()

    async def cog_unload(self) -> None:
        self._check_task.cancel()

    async def _reveal_if_due(self) -> None:
        if time.monotonic() >= self._next_query_time:
            await self.reveal_due_polls()

    async def reveal_due_polls(self) -> None:
        try:
            end_times = await self.bot.store.open_poll_end_times()
            due_polls = await self.bot.store.due_polls() if end_times else ()
        except StoreError as error:
            log.warning("can't query the open polls: %s", error)
            return
        self._open_poll_ids = set(end_times)
        self._next_query_time = time.monotonic() + QUERY_SECONDS
        for end in end_times.values():
            self._schedule(end)
        for poll in due_polls:
            if self.bot.is_ready() and self.bot.get_guild(poll.guild_id) is not None:
                with self.bot.delay_closing():
                    await self.reveal(poll)

    @commands.Cog.listener()
    async def on_poll_begun(self, poll: Poll) -> None:
        self._open_poll_ids.add(poll.message_id)
        self._schedule(poll.ends)

    def _schedule(self, end: datetime) -> None:
        self._next_query_time = min(
            self._next_query_time, time.monotonic() + (end - datetime.now(UTC)).total_seconds()
        )

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        if payload.message_id in self._open_poll_ids:
            try:
                await self.bot.store.forget_poll(payload.message_id)
            except StoreError as error:
                log.warning("the poll of a deleted message was not deleted from the store: %s", error)

    def request_update(self, message_id: int) -> None:
        self.bot.edit_limiter.schedule(
            message_id, partial(self._update_card, message_id), "counting answers to a poll"
        )

    async def _update_card(self, message_id: int) -> None:
        bot = self.bot
        if (poll := await bot.store.poll(message_id)) is None:
            return
        context = await server_context(bot, poll.guild_id)
        try:
            card = await bot.services[POLLS].card(poll, context)
            await _show(bot, poll, card, context.translate, poll.author_id)
        except (RefusalError, discord.HTTPException) as error:
            log.info("the card of a poll was not updated: %s", error)

    async def reveal(self, poll: Poll) -> bool:
        """Replace the card of a poll with the result. Return False if the poll is missing or already being revealed.

        If Discord fails temporarily, the reveal is retried later. If the bot closes during the reveal, the next process
        reveals the poll.
        """
        bot, polls = self.bot, self.bot.services[POLLS]
        if (claimed_until := await bot.store.claim_poll(poll.message_id)) is None:
            return False
        await bot.store.end_poll(poll.message_id)
        context = await server_context(bot, poll.guild_id)
        try:
            try:
                card = await polls.card(poll, context)
                text = f"{card.text}\n{context.translate('⏳ Comparing the answers …')}"
                await _show(bot, poll, replace(card, text=text, controls=()), context.translate, None)
                result = await polls.make_result_card(poll, context)
            except RefusalError as refusal:
                result = refusal.card
            if bot.is_closing:
                await bot.store.release_poll(poll.message_id, claimed_until)
                return True
            await _show(bot, poll, result, context.translate, poll.author_id)
        except (discord.NotFound, discord.Forbidden) as error:
            log.info(
                "the result of a poll was not shown, because its message or channel is not accessible: %s",
                error,
            )
        except discord.HTTPException as error:
            log.warning("the result of a poll was not shown; the reveal will be retried: %s", error)
            return True
        await bot.store.forget_poll(poll.message_id)
        return True


async def _show(bot: KibitzBot, poll: Poll, card: Card, translate: Translator, owner_id: int | None) -> None:
    message = bot.get_partial_messageable(poll.channel_id, guild_id=poll.guild_id).get_partial_message(
        poll.message_id
    )
    await send_card(message.edit, card, translate, owner_id, edit=True)


def _create_services(context: FeatureContext) -> None:
    resources, fairness = context.services.find(RESOURCES), context.services[FAIRNESS]
    polls = PollService(
        context.documents,
        context.store,
        CrosswordPollKind(context.documents, resources),
        ChessPollKind(context.jobs.get("chess")),
        context.clock,
        fairness=fairness,
    )
    fairness.guards.append(context.services.add(POLLS, polls))  # ``PollService`` is also a guard
    context.services[PRESENTER].control_providers.append(
        partial(poll_controls, has_lexica=resources is not None)
    )


FEATURE = Feature("polls", _create_services, (PollKeeper,))
