"""Bringing a text to a command: as an option of one line, as a file, or pasted into a form when neither is given."""

from __future__ import annotations

from collections.abc import Callable

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.paste import PasteModal, Submitted
from bot.chat.styling import speaker_to
from bot.text import Speaker


async def use_or_ask(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    title: Callable[[Speaker], str],
    use: Submitted,
) -> None:
    """Use what was given to a command; when nothing was, ask for it with a form that ``title`` names."""
    if text or file is not None:
        await use(interaction, text, file)
        return
    say = await speaker_to(interaction)
    await interaction.response.send_modal(PasteModal(title(say), say, use))
