"""Counting what people ask for with commands and controls, and a friendly word to those who ask for too much."""

from __future__ import annotations

import discord

from bot.chat.client import KibitzBot
from bot.chat.limits import Verdict
from bot.chat.reply import NoAnswerError
from bot.chat.styling import speaker_to
from bot.jobs.account import Account, charge_to


async def grant(interaction: discord.Interaction[KibitzBot]) -> None:
    """Let the asker ask for work now. From then on what is done in the current task is on the asker's account.

    Raises:
        NoAnswerError: it is too much.

    """
    if not (
        _may_spend(interaction) and interaction.client.by_user.take(interaction.user.id) is Verdict.GRANTED
    ):
        raise await _too_much(interaction)


async def grant_press(interaction: discord.Interaction[KibitzBot]) -> None:
    """Let somebody use a control now. From then on what is done in the current task is on that person's account.

    Raises:
        NoAnswerError: it is too much, which is not said at every press.

    """
    allowance, presser = interaction.client.by_presser, interaction.user.id
    match allowance.take(presser) if _may_spend(interaction) else allowance.refuse(presser):
        case Verdict.EXPLAINED:
            raise await _too_much(interaction)
        case Verdict.REFUSED:
            raise NoAnswerError.saying("")  # leaves the message as it is


def _may_spend(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Charge what follows to the asker's account; return whether anything is left there."""
    account = Account(
        interaction.user.id, interaction.channel_id or interaction.user.id, interaction.guild_id
    )
    charge_to(account)
    return interaction.client.means.cover(account)


async def _too_much(interaction: discord.Interaction[KibitzBot]) -> NoAnswerError:
    say = await speaker_to(interaction)
    return NoAnswerError.saying(
        say("That is more than I can draw at once. Give me a minute, then ask again.")
    )
