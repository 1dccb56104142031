"""The menu that gives a shown document in another notation, to the presser alone."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.viewing import NotationId
from bot.chat.messages.inbound import is_hidden
from bot.chat.offers import NotationMenu
from bot.chat.press import answer_in_private
from bot.domain.notations import NOTATIONS
from bot.text import Speaker


class NotationSelect(ControlItem[discord.ui.Select[Any], NotationId], of=NotationId):
    """A menu of notations for a document."""

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
        state = NotationId(menu.digest)
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Answer in private with the document in the chosen notation."""
        service = interaction.client.service
        hidden = interaction.message is not None and is_hidden(interaction.message)
        await answer_in_private(
            interaction,
            lambda style: service.convert_kept(self.state.digest, self.item.values[0], style, spoiler=hidden),
        )
