"""The controls of chess alone: walking through a book, the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.ids.chess import KnownId, TakeBackId
from bot.chat.offers import BookPanel
from bot.chat.press import change_message
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]


class BookSelect(ControlItem[discord.ui.Select[Any], KnownId], of=KnownId):
    """A menu of the known moves of a position."""

    @classmethod
    def of_panel(cls, panel: BookPanel, say: Speaker) -> Self:
        """Make the menu."""
        state = KnownId(panel.place)
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("Play a known move"),
            options=[option(choice) for choice in panel.choices],
        )
        return cls(state, select)

    async def act(self, interaction: Press) -> None:
        """Play the chosen move."""
        [move] = self.item.values
        await _walk(interaction, self.state, move)


class BackButton(ControlItem[discord.ui.Button[Any], TakeBackId], of=TakeBackId):
    """Takes the last move back."""

    @classmethod
    def of_panel(cls, panel: BookPanel) -> Self:
        """Make the button; it is dead where there is no move to take back."""
        state = TakeBackId(panel.place)
        sign = "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f"
        return cls(state, discord.ui.Button(emoji=sign, custom_id=state.write(), disabled=not panel.back))

    async def act(self, interaction: Press) -> None:
        """Take the move back."""
        await _walk(interaction, self.state, "")


async def _walk(interaction: Press, state: KnownId | TakeBackId, move: str) -> None:
    """Make the message show where a move leads to; in an empty one the last is taken back."""
    books = interaction.client.service.chess.books
    await change_message(
        interaction,
        lambda style: books.walk(state.place, move, interaction.user.id, style),
    )


CONTROLS = (BookSelect, BackButton)
"""To be registered with the client."""


def book_controls(panel: BookPanel, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls to walk through a book."""
    yield BackButton.of_panel(panel)
    if panel.choices:
        yield BookSelect.of_panel(panel, say)
