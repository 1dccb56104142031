"""The controls of a game viewer: stepping, going to a turn, and what else there is to a game.

Each control names the moment it leads to in its ``custom_id``, and a press makes the message exactly that. So controls
work after a restart, and two people who press at once leave one of the two moments, never a mixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord

from bot.answers.reply import Choice, GameOffer, Moment, Reply, Viewer
from bot.chat.controls.control import Control
from bot.chat.controls.options import option
from bot.chat.controls.posted_games import with_games
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.ids import WHOLE, MoreId, OpenId, TurnsId, ViewId
from bot.chat.sending.allowance import is_granted
from bot.domain.notations import NOTATIONS
from bot.service.preferences import Taste
from bot.text import Speaker
from render.animate import MAX_BYTES

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

    Press: TypeAlias = discord.Interaction[KibitzBot]

AROUND = "around:"
_SIDE = "side:"
TO = "to:"


class TurnButton(Control[discord.ui.Button[Any], ViewId], of=ViewId):
    """Makes the message show the moment that its id names."""

    @classmethod
    def leading(cls, viewer: Viewer, role: str, sign: str, turn: int) -> Self:
        """Make the button that leads to a turn; it is dead when the turn is the one shown."""
        here = viewer.moment
        there = replace(here, turn=max(0, min(turn, viewer.turns)))
        return cls.of_moment(there, role, sign, disabled=there.turn == here.turn)

    @classmethod
    def of_moment(cls, there: Moment, role: str, sign: str, *, disabled: bool = False) -> Self:
        """Make the button that leads to a moment."""
        state = ViewId(there, role)
        return cls(state, discord.ui.Button(emoji=sign, custom_id=state.write(), disabled=disabled))

    async def act(self, interaction: Press) -> None:
        """Make the message show the moment."""
        await show_pressed(interaction, self.state.moment)


class TurnSelect(Control[discord.ui.Select[Any], TurnsId], of=TurnsId):
    """A menu of turns to go to; its id names the moment shown."""

    @classmethod
    def of_viewer(cls, viewer: Viewer, say: Speaker) -> Self:
        """Make the menu; it offers other turns when it cannot hold all."""
        options = [option(choice, str(viewer.moment.turn)) for choice in viewer.choices]
        if viewer.earlier is not None:
            options.insert(
                0, discord.SelectOption(label=say("Earlier turns…"), value=f"{AROUND}{viewer.earlier}")
            )
        if viewer.later is not None:
            options.append(discord.SelectOption(label=say("Later turns…"), value=f"{AROUND}{viewer.later}"))
        state = TurnsId(viewer.moment)
        placeholder = say("Go to turn")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Go to the chosen turn, or list other turns."""
        [value] = self.item.values
        if value.startswith(AROUND):
            await show_pressed(interaction, self.state.moment, around=int(value.removeprefix(AROUND)))
        else:
            await show_pressed(interaction, replace(self.state.moment, turn=int(value)))


class MoreSelect(Control[discord.ui.Select[Any], MoreId], of=MoreId):
    """A menu of what else there is to a game; its id names the moment shown."""

    @classmethod
    def of_viewer(cls, viewer: Viewer, say: Speaker, *, private: bool) -> Self:
        """Make the menu; in private there is no private view to ask for."""
        entries = [
            ("replay", say("Replay as an animation")),
            ("chart", say("Chart of the scores")),
            *(() if private else (("private", say("View of my own, in private")),)),
            *((f"{_SIDE}{choice.value}", choice.label) for choice in _other_sides(viewer)),
            *(() if viewer.moment.side is None else ((f"{_SIDE}{WHOLE}", say("As the whole table saw it")),)),
            *(
                (f"{TO}{name}", say("To copy: {notation}", notation=NOTATIONS[name].label))
                for name in viewer.notations
            ),
        ]
        state = MoreId(viewer.moment)
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("More: replay, scores, notations"),
            options=[option(Choice(value, label)) for value, label in entries],
        )
        return cls(state, select)

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
        if value != "replay" or await is_granted(interaction):
            await answer_in_private(interaction, lambda taste: self._other(interaction, value, taste))

    async def _other(self, interaction: Press, value: str, taste: Taste) -> Reply:
        viewing = interaction.client.service.viewing
        if value == "replay":
            most = min(MAX_BYTES, interaction.filesize_limit)
            return await viewing.replay(self.state.moment, taste.locale, taste.view, most_bytes=most)
        if value == "chart":
            return await viewing.chart(self.state.moment, taste.locale, taste.view)
        if value == "private":
            reply = await viewing.show(self.state.moment, taste.locale, taste.view)
            return with_games(reply, interaction.message) if interaction.message is not None else reply
        return await viewing.convert(self.state.moment, value.removeprefix(TO), taste.locale)


class OpenButton(Control[discord.ui.Button[Any], OpenId], of=OpenId):
    """Opens one of several games, to the one who asks."""

    @classmethod
    def of_offer(cls, offer: GameOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        label = say("Open game {number}", number=offer.number)
        state = OpenId(offer.moment)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Show the game in private, with controls of its own."""
        viewing = interaction.client.service.viewing
        await answer_in_private(
            interaction, lambda taste: viewing.show(self.state.moment, taste.locale, taste.view)
        )


CONTROLS = (TurnButton, TurnSelect, MoreSelect, OpenButton)
"""To be registered with the client."""


def controls_of(viewer: Viewer, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of a viewer: a row of four buttons, which has room for one more, and two menus."""
    turn = viewer.moment.turn
    yield TurnButton.leading(
        viewer, "f", "\N{BLACK LEFT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f", 0
    )
    yield TurnButton.leading(viewer, "p", "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f", turn - 1)
    yield TurnButton.leading(viewer, "n", "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f", turn + 1)
    yield TurnButton.leading(
        viewer, "l", "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f", viewer.turns
    )
    yield TurnSelect.of_viewer(viewer, say)
    yield MoreSelect.of_viewer(viewer, say, private=private)


def _other_sides(viewer: Viewer) -> tuple[Choice, ...]:
    return tuple(choice for choice in viewer.sides if choice.value != str(viewer.moment.side))


async def show_pressed(interaction: Press, moment: Moment, *, around: int | None = None) -> None:
    """Make the message show a moment; what cannot be shown is told to the presser alone."""
    message = interaction.message
    assert message is not None  # a control stands under a message

    async def shown(taste: Taste) -> Reply:
        viewing = interaction.client.service.viewing
        return with_games(await viewing.show(moment, taste.locale, taste.view, around=around), message)

    await change_message(interaction, shown)
