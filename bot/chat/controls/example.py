"""The buttons under the help, which show examples to the one who presses them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.answers.examples import EXAMPLES
from bot.answers.reply import Reply
from bot.chat.controls.control import Control
from bot.chat.controls.press import answer_in_private
from bot.chat.sending.allowance import is_granted
from bot.service import Source
from bot.service.preferences import Taste
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


class ExampleButton(
    Control, discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"kibitz:example:(?P<name>[a-z-]{1,20})"
):
    """Shows one of the examples; its ``custom_id`` names which."""

    def __init__(self, name: str, label: str | None = None) -> None:
        self.name = name
        super().__init__(discord.ui.Button(label=label, custom_id=f"kibitz:example:{name}"))

    @classmethod
    def all(cls, say: Speaker) -> list[Self]:
        """Make the buttons of all examples."""
        return [cls(name, say(label)) for name, (label, _) in EXAMPLES.items()]

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction, item
        return cls(match["name"])

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show what the example looks like, and what to paste for it."""
        if not await is_granted(interaction):
            return
        _, text = EXAMPLES.get(self.name, EXAMPLES["cgp"])  # an example of an earlier version may be gone

        async def shown(taste: Taste) -> Reply:
            reply = await interaction.client.service.show(Source(text, locale=taste.locale, view=taste.view))
            assert reply is not None  # a source that asks is always answered
            return reply

        await answer_in_private(interaction, shown)
