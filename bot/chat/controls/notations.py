"""The menu that gives a shown document in another notation, to the one who asks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.answers.reply import NotationMenu
from bot.chat.controls.control import Control
from bot.chat.controls.press import answer_in_private
from bot.chat.messages.own_answers import is_hidden
from bot.domain.notations import NOTATIONS
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


class NotationSelect(
    Control,
    discord.ui.DynamicItem[discord.ui.Select[Any]],
    template=r"kibitz:notation:(?P<digest>[A-Za-z0-9_-]{22})",
):
    """A menu of notations; its ``custom_id`` names the document."""

    def __init__(self, digest: str, select: discord.ui.Select[Any]) -> None:
        self.digest = digest
        super().__init__(select)

    @classmethod
    def of_menu(cls, menu: NotationMenu, say: Speaker) -> Self:
        """Make the control for a reply's menu."""
        if menu.number is None:
            placeholder = say("Other notations")
        else:
            placeholder = say("Other notations of position {number}", number=menu.number)
        options = [
            discord.SelectOption(label=say.name(NOTATIONS[name].label), value=name) for name in menu.notations
        ]
        custom_id = f"kibitz:notation:{menu.digest}"
        return cls(
            menu.digest, discord.ui.Select(custom_id=custom_id, placeholder=placeholder, options=options)
        )

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the control up again from a message, also after a restart."""
        del interaction
        assert isinstance(item, discord.ui.Select)
        return cls(match["digest"], item)

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Answer in private with the document in the chosen notation."""
        service = interaction.client.service
        hidden = interaction.message is not None and is_hidden(interaction.message)
        await answer_in_private(
            interaction,
            lambda taste: service.convert_kept(
                self.digest, self.item.values[0], taste.locale, spoiler=hidden
            ),
        )
