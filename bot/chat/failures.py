"""Faults of ours, in words: a short apology with a number, and the whole story in the log under that number."""

from __future__ import annotations

import logging

import aiohttp
import discord

from bot.logs import about, reference_number
from bot.text import speaker

log = logging.getLogger(__name__)

_OVER = (10015, 10062)
"""Discord's codes for an interaction's token that it knows no more, and for one not answered in three seconds."""


def report(error: BaseException, doing: str) -> str:
    """Log an unexpected error and return its reference number."""
    number = reference_number()
    log.error("fault %s while %s", number, doing, exc_info=error, extra={"reference": number})
    return number


async def apologize(interaction: discord.Interaction, error: BaseException) -> None:
    """Log an unexpected error and tell the person that it is our fault.

    When the interaction itself is over, nobody is there to be told, and the error says no more than that.
    """
    if isinstance(error, discord.NotFound) and error.code in _OVER:
        log.warning("interaction %d was over before it was answered: %s", interaction.id, error)
        return
    with about(
        interaction_id=interaction.id,
        user_id=interaction.user.id,
        channel_id=interaction.channel_id,
        guild_id=interaction.guild_id,
    ):
        number = report(error, f"answering an interaction of type {interaction.type.name}")
    say = speaker(interaction.locale.value)
    text = say("Something went wrong on my side. The reference number is {number}.", number=number)
    try:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True)
        else:
            await interaction.response.send_message(text, ephemeral=True)
    except (discord.HTTPException, aiohttp.ClientError) as refused:
        log.warning("the apology for fault %s was not delivered: %s", number, refused)
