"""The controls of chess alone: walking through a book, the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import analyze_label, option
from bot.chat.ids.chess import EngineId, KnownId, TakeBackId
from bot.chat.offers import BookPanel, EngineOffer
from bot.chat.press import answer_in_private, change_message
from bot.chat.reply import NoAnswerError
from bot.chat.styling import speaker_to
from bot.jobs.queue import Asker
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


class EngineButton(ControlItem[discord.ui.Button[Any], EngineId], of=EngineId):
    """Answers with the evaluation of the host's engine, to the presser alone."""

    @classmethod
    def of_offer(cls, offer: EngineOffer, say: Speaker) -> Self:
        """Make the button; without seconds it is the one under a position, for the usual time."""
        label = (
            say.count("Think for {number} second", "Think for {number} seconds", offer.seconds)
            if offer.seconds
            else analyze_label(offer.number, say)
        )
        state = EngineId(offer.moment, offer.seconds)
        sign = "\N{LEFT-POINTING MAGNIFYING GLASS}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        engine = interaction.client.service.chess.engine
        if engine is None:
            say = await speaker_to(interaction)
            raise NoAnswerError.saying(say("No chess engine is installed where this bot runs."))
        moment, seconds = self.state.moment, self.state.seconds or None
        asker = Asker(interaction.user.id, interaction.guild_id)
        await interaction.client.unfinished.keep(interaction, again=self.state.write())
        await answer_in_private(
            interaction,
            lambda style: engine.analyze(moment, asker, style, seconds=seconds),
        )


async def _walk(interaction: Press, state: KnownId | TakeBackId, move: str) -> None:
    """Make the message show where a move leads to; in an empty one the last is taken back."""
    books = interaction.client.service.chess.books
    await change_message(
        interaction,
        lambda style: books.walk(state.place, move, interaction.user.id, style),
    )


CONTROLS = (BookSelect, BackButton, EngineButton)
"""To be registered with the client."""


def book_controls(panel: BookPanel, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls to walk through a book."""
    yield BackButton.of_panel(panel)
    if panel.choices:
        yield BookSelect.of_panel(panel, say)
