"""Reports interruptions: if a process ends during a long task, another process edits the task's message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

import aiohttp
import discord

from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.control import Button, Control
from bot.chat.layout import send_card, text_of
from bot.chat.periodic import PeriodicTask
from bot.domain.reading.problems import Phrase
from bot.storage.errors import StoreError
from bot.storage.replies import UnfinishedInteraction
from bot.text import Translator

log = logging.getLogger(__name__)

CHECK_SECONDS = 5.0

MAX_REPORTS_PER_CHECK: Final = 50

TOKEN_LIFETIME: Final = timedelta(minutes=15)


@asynccontextmanager
async def reporting_interruptions(bot: KibitzBot) -> AsyncIterator[None]:
    """During the ``with`` block, report each reply that was interrupted because its process ended."""
    check_task = PeriodicTask(partial(_report_all, bot), "reporting interrupted replies", CHECK_SECONDS)
    check_task.start()
    try:
        yield
    finally:
        check_task.cancel()
        await check_task.wait_until_ended()


async def _report_all(bot: KibitzBot) -> None:
    if bot.application_id is None or bot.is_closing:
        return
    now = discord.utils.utcnow()
    if bot.sharding is None:
        # Without sharding, the running processes are unknown, but any earlier process has ended or will soon end.
        running_names, started_before = {bot.instance_name}, max(bot.started_at, now - TOKEN_LIFETIME)
    elif bot.sharding.gateway_ids:
        running_names, started_before = (
            {bot.instance_name_of(gateway_id) for gateway_id in bot.sharding.gateway_ids},
            now,
        )
    else:
        return
    try:
        records = await bot.store.abandoned_interactions(
            bot.application_id, running_names, started_before, MAX_REPORTS_PER_CHECK
        )
    except StoreError as error:
        log.warning("unfinished replies could not be read: %s", error)
        return
    await asyncio.gather(*(_adopt_and_report(bot, record) for record in records))


async def _adopt_and_report(bot: KibitzBot, record: UnfinishedInteraction) -> None:
    store = bot.store
    try:
        with bot.delay_closing():
            if not await store.adopt_unfinished(record.interaction_id, record.instance, bot.instance_name):
                return  # another process has adopted it
            if await _report_interruption(bot, record):
                await store.forget_unfinished(record.interaction_id)
            else:
                # No process has this name, so a later check finds the interaction again.
                await store.adopt_unfinished(
                    record.interaction_id, bot.instance_name, f"{bot.application_id}:"
                )
    except StoreError as error:
        log.warning(
            "the interruption of interaction %d will be reported later: %s", record.interaction_id, error
        )


async def _report_interruption(bot: KibitzBot, record: UnfinishedInteraction) -> bool:
    """Report the interruption in a message that still shows progress. Return False to retry later."""
    if record.private or record.guild_id is None:
        context = await bot.preferences.private_context(record.user_id, record.guild_id, record.locale)
    else:
        context = await bot.preferences.public_context(record.guild_id, record.locale)
    translate = context.translate
    try:
        message = await _find_progress_message(bot, record)
        if message is not None and _still_shows_progress(message, translate):
            text = translate("Kibitz was restarted before this was finished. Ask again to start it over.")
            controls = (_AskAgain(record.restart_button_id),) if record.restart_button_id else ()
            await send_card(
                message.edit, Card(text, controls=controls, has_result=False), translate, None, edit=True
            )
    except (discord.NotFound, discord.Forbidden) as error:
        log.info("the message of interaction %d can't be changed: %s", record.interaction_id, error)
    except (discord.HTTPException, aiohttp.ClientError) as error:
        log.warning(
            "the interruption of interaction %d could not be reported yet: %s",
            record.interaction_id,
            error,
        )
        return discord.utils.utcnow() - record.started_at > TOKEN_LIFETIME
    return True


async def _find_progress_message(
    bot: KibitzBot, record: UnfinishedInteraction
) -> discord.Message | discord.WebhookMessage | None:
    token = bot.unfinished_replies.token_of(record)
    if token is not None and bot.application_id is not None:
        webhook = discord.Webhook.partial(bot.application_id, token, client=bot)
        try:
            return await webhook.fetch_message("@original")  # type: ignore[arg-type]  # as Discord calls it
        except discord.NotFound:
            log.info("the token of interaction %d has expired, or its message is gone", record.interaction_id)
    if record.message_id is None:
        log.info("the private reply to interaction %d can't be changed", record.interaction_id)
        return None
    channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
    return await channel.fetch_message(record.message_id)


def _still_shows_progress(message: discord.Message, translate: Translator) -> bool:
    """Return False if the result was shown just before the process ended."""
    text = text_of(message)
    return message.flags.loading or "⏳" in text or text == translate("Here it is:")


@dataclass(frozen=True, slots=True)
class _AskAgain(Control):
    """A button with the id of the control that it runs."""

    custom_id: str

    button = Button(Phrase("Ask again"))

    def to_id(self) -> str:
        return self.custom_id
