"""The controls of a review: its turns, one by one or from a list, and posting it or its squares to the channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.control import Control
from bot.chat.controls.item import ControlItem
from bot.chat.controls.lessons import LearnButton
from bot.chat.controls.options import option
from bot.chat.ids.reviews import JudgedId, JudgedTurnsId, ShareId
from bot.chat.offers import ReviewPanel
from bot.chat.page import window
from bot.chat.press import answer_in_private, change_message, post_once
from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.features.review.question import ReviewQuestion
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

_AROUND: Final = "around:"
_PREVIOUS: Final = "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f"
_NEXT: Final = "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f"


class JudgedButton(ControlItem[discord.ui.Button[Any], JudgedId], of=JudgedId):
    """Shows a turn with what a review says of it: for the presser alone, or in place of the one before."""

    @classmethod
    def of_key(cls, panel: ReviewPanel, turn: int, say: Speaker) -> Self:
        """Make the button of a key turn, under the card."""
        state = JudgedId(replace(panel.moment, turn=turn), panel.depth, panel.lexicon, "k")
        label = say("Turn {turn}", turn=turn)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write()))

    @classmethod
    def of_step(cls, panel: ReviewPanel, turn: int | None, role: str, sign: str) -> Self:
        """Make the button that leads to the turn before or after; it is dead where there is none."""
        there = replace(panel.moment, turn=panel.moment.turn if turn is None else turn)
        state = JudgedId(there, panel.depth, panel.lexicon, role)
        return cls(state, discord.ui.Button(emoji=sign, custom_id=state.write(), disabled=turn is None))

    async def act(self, interaction: Press) -> None:
        """Show the turn."""
        reviews = interaction.client.service.reviews
        answer = answer_in_private if self.state.role == "k" else change_message
        await answer(interaction, lambda style: reviews.turn(question_of(self.state, style)))


class JudgedTurnSelect(ControlItem[discord.ui.Select[Any], JudgedTurnsId], of=JudgedTurnsId):
    """A menu of all turns with their classes; its id names the turn shown, 0 on the card."""

    @classmethod
    def of_panel(cls, panel: ReviewPanel, say: Speaker) -> Self:
        """Make the menu; it offers other turns when it cannot hold all."""
        numbers = [int(choice.value) for choice in panel.choices]
        at = next((at for at, number in enumerate(numbers) if number >= panel.around), len(numbers))
        shown, earlier, later = window(len(numbers), at)
        options = [option(panel.choices[at], str(panel.moment.turn)) for at in shown]
        if earlier is not None:
            value = f"{_AROUND}{numbers[earlier]}"
            options.insert(0, discord.SelectOption(label=say("Earlier…"), value=value))
        if later is not None:
            value = f"{_AROUND}{numbers[min(later, len(numbers) - 1)]}"
            options.append(discord.SelectOption(label=say("Later…"), value=value))
        state = JudgedTurnsId(panel.moment, panel.depth, panel.lexicon)
        placeholder = say("All turns")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the chosen turn, or list other turns."""
        [value] = self.item.values
        reviews, moment = interaction.client.service.reviews, self.state.moment

        async def listed(style: Style) -> Reply:
            question, around = question_of(self.state, style), int(value.removeprefix(_AROUND))
            if moment.turn:
                return await reviews.turn(question, around=around)
            return await reviews.card(question, around=around)

        if value.startswith(_AROUND):
            await change_message(interaction, listed)
            return
        there = replace(moment, turn=int(value))
        answer = change_message if moment.turn else answer_in_private
        await answer(
            interaction, lambda style: reviews.turn(replace(question_of(self.state, style), moment=there))
        )


class ShareButton(ControlItem[discord.ui.Button[Any], ShareId], of=ShareId):
    """Posts a review to its channel: its squares, one a turn, or the card."""

    @classmethod
    def of_panel(cls, panel: ReviewPanel, what: str, say: Speaker) -> Self:
        """Make the button."""
        state = ShareId(what, panel.moment, panel.depth, panel.lexicon)
        if what == "squares":
            label, sign = say("Share"), "\N{LARGE GREEN SQUARE}"
        else:
            label, sign = say("Post to channel"), "\N{PUBLIC ADDRESS LOUDSPEAKER}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Post it in the presser's name."""
        state, reviews = self.state, interaction.client.service.reviews

        async def answer(style: Style) -> Reply:
            question = replace(question_of(state, style), poster=interaction.user.display_name)
            return await (reviews.squares(question) if state.what == "squares" else reviews.card(question))

        def is_done(one: Control) -> bool:
            return isinstance(one, ShareId) and one.what == state.what

        await post_once(interaction, answer, is_done, what=state.what)


def question_of(state: JudgedId | JudgedTurnsId | ShareId, style: Style) -> ReviewQuestion:
    """Return what a press asks for."""
    return ReviewQuestion(state.moment, style, state.lexicon, state.depth)


CONTROLS = (JudgedButton, JudgedTurnSelect, ShareButton)
"""To be registered with the client."""


def review_controls(panel: ReviewPanel, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of a review: under the card, or under one of its turns."""
    if panel.moment.turn:
        yield JudgedButton.of_step(panel, panel.previous, "p", _PREVIOUS)
        yield JudgedButton.of_step(panel, panel.next, "n", _NEXT)
    else:
        for turn in panel.keys:
            yield JudgedButton.of_key(panel, turn, say)
    yield JudgedTurnSelect.of_panel(panel, say)
    if not panel.moment.turn:
        if panel.teaches:
            yield LearnButton.of_review(panel, say)
        yield ShareButton.of_panel(panel, "squares", say)
        if private:
            yield ShareButton.of_panel(panel, "card", say)
