"""The form for texts that do not fit into a command: long ones, and those of several lines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.failures import answering, apologize
from bot.chat.sending import grant_press
from bot.chat.styling import speaker_to
from bot.text import Speaker

MAX_PASTE = 4_000
"""Characters that fit into a form's field."""

_MAX_TITLE = 45

Submitted: TypeAlias = Callable[
    ["discord.Interaction[KibitzBot]", str, "discord.Attachment | None"], Awaitable[None]
]
"""What is done with a text and a file that came with an interaction: a form that was sent off, or a command."""


class PasteModal(discord.ui.Modal):
    """Asks for a text or a file, and hands it on."""

    def __init__(self, title: str, say: Speaker, submitted: Submitted) -> None:
        super().__init__(title=title[:_MAX_TITLE])
        self._submitted = submitted
        self.text: discord.ui.TextInput[Any] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph,
            custom_id="text",
            required=False,
            max_length=MAX_PASTE,
            placeholder="#player1 … / 15/15/15 … / 5BERGS5 …",
        )
        self.file: discord.ui.FileUpload[Any] = discord.ui.FileUpload(
            custom_id="file", required=False, min_values=0, max_values=1
        )
        self.add_item(
            discord.ui.Label(text=say("Paste a position or a game")[:_MAX_TITLE], component=self.text)
        )
        self.add_item(discord.ui.Label(text=say("Or choose a file")[:_MAX_TITLE], component=self.file))

    async def on_submit(self, interaction: discord.Interaction[KibitzBot], /) -> None:  # type: ignore[override]
        """Hand on what was pasted."""
        async with answering(interaction):
            await grant_press(interaction)
            file = self.file.values[0] if self.file.values else None
            await self._submitted(interaction, self.text.value, file)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


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
