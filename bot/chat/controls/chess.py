"""The controls of chess: stepping and turning the board, choosing a game, solving, walking through a book, the engine.

As everywhere their state is in the ``custom_id``, so they work after a restart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord

from bot.answers.reply import BookPanel, ChessPanel, EnginePanel, Moment
from bot.chat.controls.control import Control
from bot.chat.controls.game import (
    AROUND,
    MOMENT,
    TO,
    MomentControl,
    MoreSelect,
    TurnButton,
    TurnSelect,
    moment_id,
    moment_of,
    show_pressed,
)
from bot.chat.controls.options import option
from bot.chat.controls.posted_games import GAMES
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.failures import apologize
from bot.chat.sending.allowance import is_press_granted
from bot.chat.style import speaker_to
from bot.chat.unfinished import finished_or_told
from bot.domain.notations import NOTATIONS
from bot.jobs.queue import Asker
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

    Press: TypeAlias = discord.Interaction[KibitzBot]

MAX_MOVE = 12
"""Characters of a move that is tried."""

_TITLE_LIMIT = 45
_LAST_TURN = 9_999
_DIGEST = r"[A-Za-z0-9_-]{22}"
_WHOLE_DIGEST = re.compile(_DIGEST)


class GameSelect(MomentControl, discord.ui.DynamicItem[discord.ui.Select[Any]], template=rf"{GAMES}{MOMENT}"):
    """A menu of the games that were posted together; its ``custom_id`` names the moment shown."""

    @classmethod
    def of_panel(cls, panel: ChessPanel, say: Speaker) -> Self:
        """Make the menu; its entries bear the digests of the games."""
        options = [option(choice, chosen=panel.moment.digest) for choice in panel.games]
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"{GAMES}{moment_id(panel.moment)}", placeholder=say("Choose a game"), options=options
        )
        return cls(panel.moment, select)

    async def act(self, interaction: Press) -> None:
        """Show the chosen game at its end, from the same side."""
        [digest] = self.item.values
        if _WHOLE_DIGEST.fullmatch(digest):
            await show_pressed(interaction, replace(self.moment, digest=digest, turn=_LAST_TURN))


class SolveButton(
    Control,
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"kibitz:solve:{MOMENT}:(?P<done>\d{{1,3}}):(?P<way>\d{{1,3}})",
):
    """Asks for a move and tells whether the puzzle's solution has it, to the presser alone."""

    def __init__(self, moment: Moment, played: tuple[int, int], item: discord.ui.Button[Any]) -> None:
        self.moment = moment
        self.played = played
        super().__init__(item)

    @classmethod
    def of_panel(cls, panel: ChessPanel, say: Speaker) -> Self:
        """Make the button."""
        assert panel.solve is not None
        done, way = panel.solve
        button: discord.ui.Button[Any] = discord.ui.Button(
            label=say("Next move") if done else say("I solved it"),
            emoji="\N{ELECTRIC LIGHT BULB}",
            custom_id=f"kibitz:solve:{moment_id(panel.moment)}:{done}:{way}",
        )
        return cls(panel.moment, panel.solve, button)

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction
        assert isinstance(item, discord.ui.Button)
        return cls(moment_of(match), (int(match["done"]), int(match["way"])), item)

    async def act(self, interaction: Press) -> None:
        """Ask for the move."""
        say = await speaker_to(interaction)
        await interaction.response.send_modal(MoveModal(self.moment, self.played, say))


class MoveModal(discord.ui.Modal):
    """Asks for a move of a puzzle."""

    def __init__(self, moment: Moment, played: tuple[int, int], say: Speaker) -> None:
        super().__init__(title=say("What would you play?")[:_TITLE_LIMIT])
        self._moment = moment
        self._played = played
        self.move: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="move", max_length=MAX_MOVE, placeholder="Nf3, e8=Q+, O-O, e2e4 …"
        )
        self.add_item(discord.ui.Label(text=say("Your move")[:_TITLE_LIMIT], component=self.move))

    async def on_submit(self, interaction: discord.Interaction[KibitzBot], /) -> None:  # type: ignore[override]
        """Tell what the solution says about it."""
        chess = interaction.client.service.chess
        with interaction.client.in_hand():
            if not await is_press_granted(interaction):
                return
            await answer_in_private(
                interaction,
                lambda taste: chess.try_move(
                    self._moment, self._played, self.move.value, taste.locale, taste.view
                ),
            )

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


class BookControl(Control):
    """What the controls of a book share: each names the book and the way to the position shown."""

    def __init__(self, panel: BookPanel, item: discord.ui.Item[Any]) -> None:
        self.panel = panel
        super().__init__(item)  # type: ignore[call-arg]  # the dynamic item comes next in line

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the control up again from a message, also after a restart."""
        del interaction
        return cls(BookPanel(match["book"], match["path"], (), spoiler=match["spoiler"] == "s"), item)

    async def walk(self, interaction: Press, move: str) -> None:
        """Make the message show where a move leads to; in an empty one the last is taken back."""
        books = interaction.client.service.chess.books
        await change_message(
            interaction,
            lambda taste: books.walk(self.panel, move, interaction.user.id, taste.locale, taste.view),
        )


_BOOK = rf"(?P<book>{_DIGEST}):(?P<path>{_DIGEST}):(?P<spoiler>[so])"


def _book_id(panel: BookPanel) -> str:
    return f"{panel.book}:{panel.path}:{'s' if panel.spoiler else 'o'}"


class BookSelect(
    BookControl, discord.ui.DynamicItem[discord.ui.Select[Any]], template=rf"kibitz:known:{_BOOK}"
):
    """A menu of the known moves of a position."""

    @classmethod
    def of_panel(cls, panel: BookPanel, say: Speaker) -> Self:
        """Make the menu."""
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"kibitz:known:{_book_id(panel)}",
            placeholder=say("Play a known move"),
            options=[option(choice) for choice in panel.choices],
        )
        return cls(panel, select)

    async def act(self, interaction: Press) -> None:
        """Play the chosen move."""
        [move] = self.item.values
        await self.walk(interaction, move)


class BackButton(
    BookControl, discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"kibitz:takeback:{_BOOK}"
):
    """Takes the last move back."""

    @classmethod
    def of_panel(cls, panel: BookPanel) -> Self:
        """Make the button; it is dead where there is no move to take back."""
        button: discord.ui.Button[Any] = discord.ui.Button(
            emoji="\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f",
            custom_id=f"kibitz:takeback:{_book_id(panel)}",
            disabled=not panel.back,
        )
        return cls(panel, button)

    async def act(self, interaction: Press) -> None:
        """Take the move back."""
        await self.walk(interaction, "")


class EngineButton(
    Control,
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"kibitz:engine:{MOMENT}:(?P<seconds>\d{{1,2}})",
):
    """Tells what the host's engine thinks of a chess position, to the one who presses it."""

    def __init__(self, panel: EnginePanel, item: discord.ui.Button[Any]) -> None:
        self.panel = panel
        super().__init__(item)

    @classmethod
    def of_panel(cls, panel: EnginePanel, say: Speaker) -> Self:
        """Make the button; without seconds it is the one under a position, for the usual time."""
        label = (
            say.count("Think for {number} second", "Think for {number} seconds", panel.seconds)
            if panel.seconds
            else say("Analyze")
        )
        button: discord.ui.Button[Any] = discord.ui.Button(
            label=label,
            emoji="\N{LEFT-POINTING MAGNIFYING GLASS}",
            custom_id=f"kibitz:engine:{moment_id(panel.moment)}:{panel.seconds}",
        )
        return cls(panel, button)

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction
        assert isinstance(item, discord.ui.Button)
        return cls(EnginePanel(moment_of(match), int(match["seconds"])), item)

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        engine = interaction.client.service.chess.engine
        if engine is None:
            say = await speaker_to(interaction)
            text = say("No chess engine is installed where this bot runs.")
            await interaction.response.send_message(text, ephemeral=True)
            return
        moment, seconds = self.panel.moment, self.panel.seconds or None
        asker = Asker(interaction.user.id, interaction.guild_id)
        async with finished_or_told(interaction, interaction.locale.value, in_place=False):
            await answer_in_private(
                interaction,
                lambda taste: engine.analyze(moment, asker, taste.locale, taste.view, seconds=seconds),
            )


CONTROLS = (GameSelect, SolveButton, BookSelect, BackButton, EngineButton)
"""To be registered with the client."""


def panel_controls(
    panel: ChessPanel | BookPanel | EnginePanel, say: Speaker, *, private: bool
) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of a panel."""
    match panel:
        case ChessPanel():
            yield from _chess_controls(panel, say, private=private)
        case BookPanel():
            yield BackButton.of_panel(panel)
            if panel.choices:
                yield BookSelect.of_panel(panel, say)
        case EnginePanel():
            yield EngineButton.of_panel(panel, say)


def _chess_controls(panel: ChessPanel, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make a row of buttons to step and to turn the board, then the menus, then what fills the last row."""
    if panel.last:
        yield from _steps(panel)
    if panel.flipped != panel.moment:
        yield _turn_button(panel.flipped, "x", "\N{ANTICLOCKWISE DOWNWARDS AND UPWARDS OPEN CIRCLE ARROWS}")
    if panel.choices:
        yield TurnSelect(panel.moment, _turns(panel, say))
    if panel.replay:
        yield MoreSelect(panel.moment, _more(panel, say, private=private))
    elif panel.notations:
        yield MoreSelect(panel.moment, _notations(panel, say))
    if panel.games:
        yield GameSelect.of_panel(panel, say)
    if panel.engine:
        yield EngineButton.of_panel(EnginePanel(panel.moment, 0), say)
    if panel.solve is not None:
        yield SolveButton.of_panel(panel, say)


def _steps(panel: ChessPanel) -> Iterator[TurnButton]:
    turn = panel.moment.turn
    signs = (
        ("f", "\N{BLACK LEFT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f", 0),
        ("p", "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f", turn - 1),
        ("n", "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f", turn + 1),
        ("l", "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f", panel.last),
    )
    for role, sign, to in signs:
        there = replace(panel.moment, turn=max(0, min(to, panel.last)))
        yield _turn_button(there, role, sign, disabled=there.turn == turn)


def _turn_button(there: Moment, role: str, sign: str, *, disabled: bool = False) -> TurnButton:
    button: discord.ui.Button[Any] = discord.ui.Button(
        emoji=sign, custom_id=f"kibitz:view:{moment_id(there)}:{role}", disabled=disabled
    )
    return TurnButton(there, button)


def _turns(panel: ChessPanel, say: Speaker) -> discord.ui.Select[Any]:
    options = [option(choice, chosen=str(panel.moment.turn)) for choice in panel.choices]
    if panel.earlier is not None:
        options.insert(0, discord.SelectOption(label=say("Earlier…"), value=f"{AROUND}{panel.earlier}"))
    if panel.later is not None:
        options.append(discord.SelectOption(label=say("Later…"), value=f"{AROUND}{panel.later}"))
    return discord.ui.Select(
        custom_id=f"kibitz:turns:{moment_id(panel.moment)}", placeholder=panel.placeholder, options=options
    )


def _more(panel: ChessPanel, say: Speaker, *, private: bool) -> discord.ui.Select[Any]:
    options = [discord.SelectOption(label=say("Replay as an animation"), value="replay")]
    if not private:
        options.append(discord.SelectOption(label=say("View of my own, in private")[:100], value="private"))
    options += [
        discord.SelectOption(
            label=say("To copy: {notation}", notation=NOTATIONS[name].label)[:100], value=f"{TO}{name}"
        )
        for name in panel.notations
    ]
    return discord.ui.Select(
        custom_id=f"kibitz:more:{moment_id(panel.moment)}",
        placeholder=say("More: replay, notations"),
        options=options,
    )


def _notations(panel: ChessPanel, say: Speaker) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=say.name(NOTATIONS[name].label), value=f"{TO}{name}")
        for name in panel.notations
    ]
    return discord.ui.Select(
        custom_id=f"kibitz:more:{moment_id(panel.moment)}",
        placeholder=say("Other notations"),
        options=options,
    )
