"""The buttons under the help, which show examples to the presser alone."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import ExampleId
from bot.chat.press import answer_in_private
from bot.chat.reply import Reply
from bot.chat.sending.allowance import grant
from bot.chat.style import Style
from bot.features.settings.examples import EXAMPLES
from bot.features.showing.reading import Source
from bot.text import Speaker


class ExampleButton(ControlItem[discord.ui.Button[Any], ExampleId], of=ExampleId):
    """Shows one of the examples."""

    @classmethod
    def all(cls, say: Speaker) -> list[Self]:
        """Make the buttons of all examples."""
        labels = {ExampleId(name): say(label) for name, (label, _) in EXAMPLES.items()}
        return [
            cls(state, discord.ui.Button(label=label, custom_id=state.write()))
            for state, label in labels.items()
        ]

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show what the example looks like, and what to paste for it."""
        await grant(interaction)
        _, text = EXAMPLES.get(
            self.state.name, EXAMPLES["cgp"]
        )  # an example of an earlier version may be gone

        async def answer(style: Style) -> Reply:
            reply = await interaction.client.service.show(Source(text), style)
            assert reply is not None  # a source that asks is always answered
            return reply

        await answer_in_private(interaction, answer)
