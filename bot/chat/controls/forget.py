"""The button that has everything about a person deleted."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import ForgetId
from bot.chat.styling import speaker_to


class ForgetButton(ControlItem[discord.ui.Button[Any], ForgetId], of=ForgetId):
    """Deletes everything that is stored about the person in its id, who alone can press it."""

    is_free = True

    @classmethod
    def of_user(cls, user_id: int, label: str) -> Self:
        """Make the button for somebody."""
        state = ForgetId(user_id)
        style = discord.ButtonStyle.danger
        return cls(state, discord.ui.Button(label=label, style=style, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Forget everything, and say so."""
        say = await speaker_to(interaction)
        if interaction.user.id != self.state.user:
            # The button stands in a private message; only a forged request comes here.
            await interaction.response.send_message(say("This is not about you."), ephemeral=True)
            return
        await interaction.response.defer()  # the database may take longer than Discord waits for a sign
        await interaction.client.preferences.forget_user(self.state.user)
        say = await speaker_to(interaction)
        done = say("Done: I keep nothing of you any more. What you post from now on is kept anew.")
        await interaction.edit_original_response(content=done, view=None)
