"""The button that has everything about a person deleted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.chat.controls.control import Control
from bot.chat.style import speaker_to

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


class ForgetButton(
    Control, discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"kibitz:forget:(?P<user>\d{1,20})"
):
    """Has everything forgotten about the one whom its ``custom_id`` names, if that one presses it."""

    is_free = True

    def __init__(self, user_id: int, label: str | None = None) -> None:
        self.user_id = user_id
        super().__init__(
            discord.ui.Button(
                label=label, style=discord.ButtonStyle.danger, custom_id=f"kibitz:forget:{user_id}"
            )
        )

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction, item
        return cls(int(match["user"]))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Forget everything, and say so."""
        say = await speaker_to(interaction)
        if interaction.user.id != self.user_id:
            # The button stands in a private message; only a forged request comes here.
            await interaction.response.send_message(say("This is not about you."), ephemeral=True)
            return
        await interaction.response.defer()  # the database may take longer than Discord waits for a sign
        await interaction.client.preferences.forget_user(self.user_id)
        say = await speaker_to(interaction)
        done = say("Done: I keep nothing of you any more. What you post from now on counts anew.")
        await interaction.edit_original_response(content=done, view=None)
