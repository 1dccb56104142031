"""Counting what people ask for with commands and controls, and a friendly word to those who ask for too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from bot.chat.limits import Verdict
from bot.chat.taste import speaker_to

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


async def is_granted(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether the asker may ask for work now; if not, that is said in private."""
    if interaction.client.by_user.take(interaction.user.id) is Verdict.GRANTED:
        return True
    await _ask_for_patience(interaction)
    return False


async def is_press_granted(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether somebody may use a control now; if not, that is said in private, but not at every press."""
    match interaction.client.by_presser.take(interaction.user.id):
        case Verdict.GRANTED:
            return True
        case Verdict.TOLD:
            await _ask_for_patience(interaction)
        case Verdict.REFUSED:
            await interaction.response.defer()  # leaves the message as it is
    return False


async def _ask_for_patience(interaction: discord.Interaction[KibitzBot]) -> None:
    say = await speaker_to(interaction)
    text = say("That is more than I can draw at once. Give me a minute, then ask again.")
    await interaction.response.send_message(text, ephemeral=True)
