"""Right or not: buttons under a position that was read from a picture, and the form that corrects it.

Who was answered changes the answer; anybody else gets the position as they see it in private.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.failures import answering, apologize
from bot.chat.ids.viewing import SeenId
from bot.chat.offers import SightPanel
from bot.chat.press import Answering, answer_in_private, change_message
from bot.chat.sending import answered_of, grant_press
from bot.chat.styling import speaker_to
from bot.features.showing.form import MAX_LINE, MAX_ROWS, Field
from bot.text import Speaker

_MAX_TITLE = 45


class SeenButton(ControlItem[discord.ui.Button[Any], SeenId], of=SeenId):
    """Says that a position is right, or opens the form to correct it."""

    @classmethod
    def of_panel(cls, panel: SightPanel, what: str, say: Speaker) -> Self:
        """Make the button that says ``r``, right, or ``c``, correct it."""
        state = SeenId(panel.moment, what)
        label, sign = (say("Right"), "✅") if what == "r" else (say("Correct"), "✏️")
        style = discord.ButtonStyle.success if what == "r" else discord.ButtonStyle.secondary
        return cls(state, discord.ui.Button(label=label, emoji=sign, style=style, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show the position as it was read, or ask what it should be."""
        sight, moment = interaction.client.service.sight, self.state.moment
        if self.state.what == "r":
            asker = interaction.user.id
            await _answer(interaction, lambda style: sight.confirm(moment, style, asker))
            return
        say = await speaker_to(interaction)
        fields = await sight.form(moment, say)
        await interaction.response.send_modal(CorrectModal(self.state, fields, say))


class CorrectModal(discord.ui.Modal):
    """Asks what a position should be, with what was read filled in."""

    def __init__(self, state: SeenId, fields: tuple[Field, ...], say: Speaker) -> None:
        super().__init__(title=say("Correct the position")[:_MAX_TITLE])
        self._state = state
        self._inputs = {field.name: _input(field) for field in fields}
        for field in fields:
            self.add_item(discord.ui.Label(text=field.label[:_MAX_TITLE], component=self._inputs[field.name]))

    async def on_submit(self, interaction: discord.Interaction[KibitzBot], /) -> None:  # type: ignore[override]
        """Show the position as it was filled in."""
        filled = {name: _value(given) for name, given in self._inputs.items()}
        sight, moment, asker = interaction.client.service.sight, self._state.moment, interaction.user.id
        async with answering(interaction):
            await grant_press(interaction)
            await _answer(interaction, lambda style: sight.correct(moment, filled, style, asker))

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


def sight_buttons(panel: SightPanel, say: Speaker) -> Iterator[SeenButton]:
    """Make the buttons under a position that was read from a picture."""
    if not panel.is_stated:
        yield SeenButton.of_panel(panel, "r", say)
    yield SeenButton.of_panel(panel, "c", say)


def _input(field: Field) -> discord.ui.TextInput[Any] | discord.ui.Select[Any]:
    if field.choices:
        options = [
            discord.SelectOption(label=choice.label, value=choice.value, default=choice.value == field.value)
            for choice in field.choices
        ]
        return discord.ui.Select(custom_id=field.name, options=options)
    return discord.ui.TextInput(
        custom_id=field.name,
        style=discord.TextStyle.paragraph if field.is_long else discord.TextStyle.short,
        default=field.value,
        max_length=MAX_ROWS if field.is_long else MAX_LINE,
        required=field.is_long,
    )


def _value(given: discord.ui.TextInput[Any] | discord.ui.Select[Any]) -> str:
    return given.values[0] if isinstance(given, discord.ui.Select) else given.value


async def _answer(interaction: discord.Interaction[KibitzBot], answered: Answering) -> None:
    message = interaction.message
    assert message is not None  # a control stands under a message
    theirs = answered_of(message) in (None, interaction.user.id)
    await (change_message if theirs else answer_in_private)(interaction, answered)


CONTROLS = (SeenButton,)
"""To be registered with the client."""
