"""Replies to unexpected errors with a reference number. The log has the traceback under this number."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiohttp
import discord

from bot.chat.card import Card, RefusalError
from bot.chat.layout import send_card
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.observe.logs import error_of, log_context, new_reference_number
from bot.observe.metrics import Metrics
from bot.text import Translator, translator

log = logging.getLogger(__name__)


@contextmanager
def measuring_reply(interaction: discord.Interaction[Any]) -> Iterator[None]:
    """Measure and count the reply that the ``with`` block sends."""
    is_command = interaction.type is discord.InteractionType.application_command
    metrics: Metrics = interaction.client.services.metrics
    with metrics.measure_stage("send"):
        yield
    metrics.count("replies", "command" if is_command else "control")


_EXPIRED_CODES = (10015, 10062)
"""Discord's codes for an expired token, and for an interaction that was not acknowledged within three seconds."""

_ACKNOWLEDGED_ELSEWHERE_CODE = 40060
"""Discord's code for an interaction that another process with the same token has acknowledged."""


def should_log(record: logging.LogRecord) -> bool:
    """Return whether to log a record. Records about interactions that another process has acknowledged are dropped."""
    return not is_acknowledged_elsewhere(error_of(record))


def is_acknowledged_elsewhere(error: BaseException | None) -> bool:
    return isinstance(error, discord.HTTPException) and error.code == _ACKNOWLEDGED_ELSEWHERE_CODE


def log_fault(error: BaseException, activity: str) -> str:
    """Log an error, and return its reference number."""
    number = new_reference_number()
    log.error("fault %s while %s", number, activity, exc_info=error, extra={"reference": number})
    return number


def explain_error(error: BaseException, activity: str, translate: Translator) -> str:
    """Return a sentence about an error. Log the error unless a limit was exceeded."""
    if isinstance(error, OverBudgetError):
        return translate("You've asked for a lot in a short time. Try again in a minute.")
    if isinstance(error, LimitError):
        return translate("Kibitz stopped this because it needs more time or memory than one request may use.")
    number = log_fault(error, activity)
    return translate("Something went wrong in Kibitz. The reference number is {number}.", number=number)


async def reply_with_error(interaction: discord.Interaction[Any], error: BaseException) -> None:
    if isinstance(error, RefusalError):
        await _send_refusal(interaction, error.card)
    elif isinstance(error, discord.NotFound) and error.code in _EXPIRED_CODES:
        log.warning("interaction %d expired before the reply: %s", interaction.id, error)
    elif isinstance(error, discord.NotFound) and interaction.message is not None:
        log.info("the message of interaction %d is gone: %s", interaction.id, error)
        if interaction.response.is_done():
            translate = translator(interaction.locale.value)
            await _send_privately(
                interaction, Card(translate("This message is gone."), has_result=False), translate
            )
    elif is_acknowledged_elsewhere(error):
        log.info("another process is replying to interaction %d", interaction.id)
    elif interaction.client.is_closing and isinstance(error, aiohttp.ClientError):
        # The session is closed, so no reply can be sent. Keep any stored interaction, so that another process reports it.
        log.info("interaction %d arrived while the bot was closing", interaction.id)
        return
    else:
        translate = translator(interaction.locale.value)
        if isinstance(error, discord.Forbidden):
            log.warning("Discord refused the reply to interaction %d: %s", interaction.id, error)
            text = translate("Kibitz can't do that here: it lacks a permission on Discord.")
        else:
            with log_context(
                interaction_id=interaction.id,
                user_id=interaction.user.id,
                channel_id=interaction.channel_id,
                guild_id=interaction.guild_id,
            ):
                text = explain_error(
                    error, f"replying to an interaction of type {interaction.type.name}", translate
                )
        await _send_privately(interaction, Card(text, has_result=False), translate)
    await interaction.client.unfinished_replies.delete(interaction)


@asynccontextmanager
async def replying(interaction: discord.Interaction[Any]) -> AsyncIterator[None]:
    """Delay closing until the ``with`` block ends. If the block raises an error, reply with an error message."""
    with interaction.client.delay_closing():
        try:
            yield
            await interaction.client.unfinished_replies.delete(interaction)
        except Exception as error:  # noqa: BLE001 - discord.py would only log it, and the user would wait forever
            await reply_with_error(interaction, error)


async def _send_refusal(interaction: discord.Interaction[Any], card: Card) -> None:
    if not card.text:
        await interaction.response.defer()
        return
    context = await interaction.client.preferences.private_context(
        interaction.user.id, interaction.guild_id, interaction.locale.value
    )
    with measuring_reply(interaction):
        await _send_privately(interaction, card, context.translate)


async def _send_privately(interaction: discord.Interaction[Any], card: Card, translate: Translator) -> None:
    try:
        await send_unmeasured(interaction, card, translate, None)
    except (discord.HTTPException, aiohttp.ClientError) as error:
        log.warning("the private reply to interaction %d could not be sent: %s", interaction.id, error)


async def send_unmeasured(
    interaction: discord.Interaction[Any],
    card: Card,
    translate: Translator,
    owner_id: int | None,
    *,
    edit: bool = False,
) -> Any:  # noqa: ANN401 - a message, or the callback's response
    """Reply to an interaction with a card, or replace the first reply if ``edit`` is true. The metrics do not count this reply."""
    attach = interaction.app_permissions.attach_files or interaction.guild_id is None
    if edit:
        return await send_card(
            interaction.edit_original_response, card, translate, owner_id, edit=True, attach=attach
        )
    post: Any = (
        interaction.followup.send if interaction.response.is_done() else interaction.response.send_message
    )
    return await send_card(post, card, translate, owner_id, attach=attach, ephemeral=owner_id is None)
