"""What all controls share: nothing that goes wrong leaves a dead button."""

from __future__ import annotations

from collections.abc import Awaitable

import discord

from bot.chat.failures import apologize


async def guarded(interaction: discord.Interaction, work: Awaitable[None]) -> None:
    """Await a control's work; a fault is logged and answered."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - discord.py would only log it, and the person would wait for ever
        await apologize(interaction, error)
