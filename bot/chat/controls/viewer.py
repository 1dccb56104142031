"""The controls of a viewer, of either game: stepping, going to a turn, turning the board, and what else there is.

Each control names the moment it leads to in its ``custom_id``, and a press makes the message exactly that. So controls
work after a restart, and two people who press at once leave one of the two moments, never a mixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.control import WHOLE
from bot.chat.controls.item import ControlItem
from bot.chat.controls.linked import with_collection
from bot.chat.controls.options import option
from bot.chat.controls.posted_games import with_games
from bot.chat.controls.replay import replayed
from bot.chat.ids.viewing import CopyId, GamesId, MoreId, OpenId, TurnsId, ViewId
from bot.chat.moment import Choice, Moment
from bot.chat.offers import TOGETHER, CopyMenu, CopyOffer, TurnOffer, Viewer
from bot.chat.press import answer_in_private, change_message
from bot.chat.reply import Reply
from bot.chat.sending import grant
from bot.chat.style import Style
from bot.domain.notations import NOTATIONS
from bot.features.showing.chess.page import MAX_TURN
from bot.features.showing.pace import Pace
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

_AROUND = "around:"
_SIDE = "side:"
_TO = "to:"

_STEPS: Final = {
    "f": "\N{BLACK LEFT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f",
    "p": "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f",
    "n": "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f",
    "l": "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f",
}
"""The buttons that step, by their roles: to the start, back, on, to the end."""

_FLIP: Final = "\N{ANTICLOCKWISE DOWNWARDS AND UPWARDS OPEN CIRCLE ARROWS}"


class TurnButton(ControlItem[discord.ui.Button[Any], ViewId], of=ViewId):
    """Makes the message show the moment that its id names."""

    @classmethod
    def of_moment(cls, there: Moment, role: str, sign: str, *, disabled: bool = False) -> Self:
        """Make the button that leads to a moment."""
        state = ViewId(there, role)
        return cls(state, discord.ui.Button(emoji=sign, custom_id=state.write(), disabled=disabled))

    async def act(self, interaction: Press) -> None:
        """Make the message show the moment."""
        await show_pressed(interaction, self.state.moment)


class TurnSelect(ControlItem[discord.ui.Select[Any], TurnsId], of=TurnsId):
    """A menu of turns to go to; its id names the moment shown."""

    @classmethod
    def of_viewer(cls, viewer: Viewer, say: Speaker) -> Self:
        """Make the menu; it offers other turns when it cannot hold all."""
        options = [option(choice, str(viewer.moment.turn)) for choice in viewer.choices]
        if viewer.earlier is not None:
            options.insert(0, discord.SelectOption(label=say("Earlier…"), value=f"{_AROUND}{viewer.earlier}"))
        if viewer.later is not None:
            options.append(discord.SelectOption(label=say("Later…"), value=f"{_AROUND}{viewer.later}"))
        state = TurnsId(viewer.moment)
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=viewer.title, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Go to the chosen turn, or list other turns."""
        [value] = self.item.values
        if value.startswith(_AROUND):
            await show_pressed(interaction, self.state.moment, around=int(value.removeprefix(_AROUND)))
        else:
            await show_pressed(interaction, replace(self.state.moment, turn=int(value)))


class MoreSelect(ControlItem[discord.ui.Select[Any], MoreId], of=MoreId):
    """A menu of other ways to look at a game, or of the notations of what is shown; its id names the moment."""

    @classmethod
    def of_viewer(cls, viewer: Viewer, entries: list[Choice], say: Speaker) -> Self:
        """Make the menu of other ways to look."""
        placeholder = say("Look: replay, chart, sides") if viewer.chart else say("Look: replay")
        return cls._of_entries(viewer.moment, placeholder, entries)

    @classmethod
    def of_copy(cls, menu: CopyMenu, say: Speaker) -> Self:
        """Make the menu of notations."""
        entries = [Choice(f"{_TO}{name}", say.name(NOTATIONS[name].label)) for name in menu.notations]
        return cls._of_entries(menu.moment, say("Other notations"), entries)

    @classmethod
    def _of_entries(cls, moment: Moment, placeholder: str, entries: list[Choice]) -> Self:
        state = MoreId(moment)
        options = [option(entry) for entry in entries]
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Do what was chosen; but for the sides it is shown to the asker alone."""
        [value] = self.item.values
        if value.startswith(_SIDE):
            side = value.removeprefix(_SIDE)
            await show_pressed(
                interaction, replace(self.state.moment, side=None if side == WHOLE else int(side))
            )
            return
        # A replay is as much work as many pictures.
        if value == "replay":
            await grant(interaction)
        await answer_in_private(interaction, lambda style: self._other(interaction, value, style))

    async def _other(self, interaction: Press, value: str, style: Style) -> Reply:
        viewing = interaction.client.service.viewing
        if value == "replay":
            return await replayed(interaction, self.state.moment, Pace.USUAL, style)
        if value == "chart":
            return await viewing.chart(self.state.moment, style)
        if value == "private":
            reply = await viewing.show(self.state.moment, style)
            return with_games(reply, interaction.message) if interaction.message is not None else reply
        return await viewing.convert(self.state.moment, value.removeprefix(_TO), style)


class CopyButton(ControlItem[discord.ui.Button[Any], CopyId], of=CopyId):
    """Gives what is shown as a text to copy, to the one who presses it."""

    @classmethod
    def of_offer(cls, offer: CopyOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        state, sign = CopyId(offer.moment), "\N{CLIPBOARD}"
        return cls(state, discord.ui.Button(label=say("Copy"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private with the position, and a menu of the other notations."""
        viewing = interaction.client.service.viewing
        await answer_in_private(interaction, lambda style: viewing.copy(self.state.moment, style))


class GameSelect(ControlItem[discord.ui.Select[Any], GamesId], of=GamesId):
    """A menu of what was posted together; its id names the moment shown."""

    @classmethod
    def of_viewer(cls, viewer: Viewer, say: Speaker) -> Self:
        """Make the menu; its entries bear the digests of the documents."""
        chosen = TOGETHER if viewer.together else viewer.moment.digest
        options = [option(choice, chosen=chosen) for choice in viewer.games]
        state = GamesId(viewer.moment)
        placeholder = say("Choose a game")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the chosen document, a game at its end, from the same side; or all of them together."""
        [digest] = self.item.values
        if digest == TOGETHER:
            digests = [choice.value for choice in self.item.options if choice.value != TOGETHER]
            viewing, spoiler = interaction.client.service.viewing, self.state.moment.spoiler
            await change_message(interaction, lambda style: viewing.together(digests, style, spoiler=spoiler))
            return
        there = replace(self.state.moment, digest=digest, turn=MAX_TURN)
        if GamesId(there).fits():
            await show_pressed(interaction, there)


class OpenButton(ControlItem[discord.ui.Button[Any], OpenId], of=OpenId):
    """Opens a game for the presser alone: at a key turn of a review, and under answers of earlier versions."""

    @classmethod
    def of_turn(cls, offer: TurnOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        state = OpenId(offer.moment)
        label = say("Turn {turn}", turn=offer.moment.turn)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Show the game in private, with controls of its own."""
        viewing = interaction.client.service.viewing
        await answer_in_private(interaction, lambda style: viewing.show(self.state.moment, style))


CONTROLS = (TurnButton, TurnSelect, MoreSelect, CopyButton, GameSelect, OpenButton)
"""To be registered with the client."""


def copy_control(control: CopyOffer | CopyMenu, say: Speaker) -> CopyButton | MoreSelect:
    """Make the button to copy, or the menu that it answers with."""
    if isinstance(control, CopyOffer):
        return CopyButton.of_offer(control, say)
    return MoreSelect.of_copy(control, say)


def viewer_controls(viewer: Viewer, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of a viewer: a row of at most five buttons, and menus."""
    if viewer.last:
        turn = viewer.moment.turn
        places = (0, max(0, turn - 1), min(viewer.last, turn + 1), viewer.last)
        for (role, sign), place in zip(_STEPS.items(), places, strict=True):
            there = replace(viewer.moment, turn=place)
            yield TurnButton.of_moment(there, role, sign, disabled=place == turn)
    if viewer.flipped is not None:
        yield TurnButton.of_moment(viewer.flipped, "x", _FLIP)
    if viewer.choices:
        yield TurnSelect.of_viewer(viewer, say)
    if entries := list(_looks(viewer, say, private=private)):
        yield MoreSelect.of_viewer(viewer, entries, say)
    if viewer.games:
        yield GameSelect.of_viewer(viewer, say)


def _looks(viewer: Viewer, say: Speaker, *, private: bool) -> Iterator[Choice]:
    """Yield other ways to look at a game; in private there is no private view to ask for."""
    if viewer.replay:
        yield Choice("replay", say("Replay"), say("For you first; then to everybody, if you like"))
    if viewer.chart:
        yield Choice("chart", say("Chart of who was ahead"))
    if viewer.replay and not private:
        yield Choice("private", say("View of my own, in private"))
    for side in viewer.sides:
        if side.value != str(viewer.moment.side):
            yield Choice(f"{_SIDE}{side.value}", side.label)
    if viewer.sides and viewer.moment.side is not None:
        yield Choice(f"{_SIDE}{WHOLE}", say("As the whole table saw it"))


async def show_pressed(interaction: Press, moment: Moment, *, around: int | None = None) -> None:
    """Make the message show a moment; a problem is answered to the presser alone."""
    message = interaction.message
    assert message is not None  # a control stands under a message

    async def answer(style: Style) -> Reply:
        viewing = interaction.client.service.viewing
        reply = await viewing.show(moment, style, around=around)
        return with_collection(with_games(reply, message), message)

    await change_message(interaction, answer)
