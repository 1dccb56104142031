"""Counting what people ask for with commands and controls, and a friendly word to those who ask for too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from bot.chat.limits import Verdict
from bot.chat.style import speaker_to
from bot.jobs.account import Account, charge_to

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


async def is_granted(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether the asker may ask for work now; if not, that is said in private.

    From then on what is done in the current task is on the asker's account.
    """
    if _may_spend(interaction) and interaction.client.by_user.take(interaction.user.id) is Verdict.GRANTED:
        return True
    await _ask_for_patience(interaction)
    return False


async def is_press_granted(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether somebody may use a control now; if not, that is said in private, but not at every press.

    From then on what is done in the current task is on that person's account.
    """
    allowance, presser = interaction.client.by_presser, interaction.user.id
    match allowance.take(presser) if _may_spend(interaction) else allowance.tell(presser):
        case Verdict.GRANTED:
            return True
        case Verdict.TOLD:
            await _ask_for_patience(interaction)
        case Verdict.REFUSED:
            await interaction.response.defer()  # leaves the message as it is
    return False


def _may_spend(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Have what follows be on the asker's account; tell whether anything is left there."""
    account = Account(
        interaction.user.id, interaction.channel_id or interaction.user.id, interaction.guild_id
    )
    charge_to(account)
    return interaction.client.means.cover(account)


async def _ask_for_patience(interaction: discord.Interaction[KibitzBot]) -> None:
    say = await speaker_to(interaction)
    text = say("That is more than I can draw at once. Give me a minute, then ask again.")
    await interaction.response.send_message(text, ephemeral=True)
