"""The controls of chess: stepping and turning the board, choosing a game, solving, walking through a book, the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord

from bot.answers.reply import BookPanel, ChessPanel, EnginePanel
from bot.chat.controls.control import Control
from bot.chat.controls.game import (
    AROUND,
    TO,
    MoreSelect,
    TurnButton,
    TurnSelect,
    show_pressed,
)
from bot.chat.controls.options import option
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.failures import apologize
from bot.chat.ids import EngineId, GamesId, KnownId, MoreId, SolveId, TakeBackId, TurnsId
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


class GameSelect(Control[discord.ui.Select[Any], GamesId], of=GamesId):
    """A menu of the games that were posted together; its id names the moment shown."""

    @classmethod
    def of_panel(cls, panel: ChessPanel, say: Speaker) -> Self:
        """Make the menu; its entries bear the digests of the games."""
        options = [option(choice, chosen=panel.moment.digest) for choice in panel.games]
        state = GamesId(panel.moment)
        placeholder = say("Choose a game")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the chosen game at its end, from the same side."""
        [digest] = self.item.values
        there = replace(self.state.moment, digest=digest, turn=_LAST_TURN)
        if GamesId(there).fits():
            await show_pressed(interaction, there)


class SolveButton(Control[discord.ui.Button[Any], SolveId], of=SolveId):
    """Asks for a move and tells whether the puzzle's solution has it, to the presser alone."""

    @classmethod
    def of_panel(cls, panel: ChessPanel, say: Speaker) -> Self:
        """Make the button."""
        assert panel.solve is not None
        done, way = panel.solve
        state = SolveId(panel.moment, done, way)
        label = say("Next move") if done else say("I solved it")
        sign = "\N{ELECTRIC LIGHT BULB}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Ask for the move."""
        say = await speaker_to(interaction)
        await interaction.response.send_modal(MoveModal(self.state, say))


class MoveModal(discord.ui.Modal):
    """Asks for a move of a puzzle."""

    def __init__(self, state: SolveId, say: Speaker) -> None:
        super().__init__(title=say("What would you play?")[:_TITLE_LIMIT])
        self._state = state
        self.move: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="move", max_length=MAX_MOVE, placeholder="Nf3, e8=Q+, O-O, e2e4 …"
        )
        self.add_item(discord.ui.Label(text=say("Your move")[:_TITLE_LIMIT], component=self.move))

    async def on_submit(self, interaction: discord.Interaction[KibitzBot], /) -> None:  # type: ignore[override]
        """Tell what the solution says about it."""
        chess, state = interaction.client.service.chess, self._state
        with interaction.client.in_hand():
            if not await is_press_granted(interaction):
                return
            await answer_in_private(
                interaction,
                lambda taste: chess.try_move(
                    state.moment, (state.done, state.way), self.move.value, taste.locale, taste.view
                ),
            )

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


class BookSelect(Control[discord.ui.Select[Any], KnownId], of=KnownId):
    """A menu of the known moves of a position."""

    @classmethod
    def of_panel(cls, panel: BookPanel, say: Speaker) -> Self:
        """Make the menu."""
        state = KnownId(panel.book, panel.path, panel.spoiler)
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


class BackButton(Control[discord.ui.Button[Any], TakeBackId], of=TakeBackId):
    """Takes the last move back."""

    @classmethod
    def of_panel(cls, panel: BookPanel) -> Self:
        """Make the button; it is dead where there is no move to take back."""
        state = TakeBackId(panel.book, panel.path, panel.spoiler)
        sign = "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f"
        return cls(state, discord.ui.Button(emoji=sign, custom_id=state.write(), disabled=not panel.back))

    async def act(self, interaction: Press) -> None:
        """Take the move back."""
        await _walk(interaction, self.state, "")


class EngineButton(Control[discord.ui.Button[Any], EngineId], of=EngineId):
    """Tells what the host's engine thinks of a chess position, to the one who presses it."""

    @classmethod
    def of_panel(cls, panel: EnginePanel, say: Speaker) -> Self:
        """Make the button; without seconds it is the one under a position, for the usual time."""
        label = (
            say.count("Think for {number} second", "Think for {number} seconds", panel.seconds)
            if panel.seconds
            else say("Analyze")
        )
        state = EngineId(panel.moment, panel.seconds)
        sign = "\N{LEFT-POINTING MAGNIFYING GLASS}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        engine = interaction.client.service.chess.engine
        if engine is None:
            say = await speaker_to(interaction)
            text = say("No chess engine is installed where this bot runs.")
            await interaction.response.send_message(text, ephemeral=True)
            return
        moment, seconds = self.state.moment, self.state.seconds or None
        asker = Asker(interaction.user.id, interaction.guild_id)
        async with finished_or_told(interaction, interaction.locale.value, in_place=False):
            await answer_in_private(
                interaction,
                lambda taste: engine.analyze(moment, asker, taste.locale, taste.view, seconds=seconds),
            )


async def _walk(interaction: Press, state: KnownId | TakeBackId, move: str) -> None:
    """Make the message show where a move leads to; in an empty one the last is taken back."""
    books = interaction.client.service.chess.books
    panel = BookPanel(state.book, state.path, (), spoiler=state.hidden)
    await change_message(
        interaction, lambda taste: books.walk(panel, move, interaction.user.id, taste.locale, taste.view)
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
        yield TurnButton.of_moment(
            panel.flipped, "x", "\N{ANTICLOCKWISE DOWNWARDS AND UPWARDS OPEN CIRCLE ARROWS}"
        )
    if panel.choices:
        yield TurnSelect(TurnsId(panel.moment), _turns(panel, say))
    if panel.replay:
        yield MoreSelect(MoreId(panel.moment), _more(panel, say, private=private))
    elif panel.notations:
        yield MoreSelect(MoreId(panel.moment), _notations(panel, say))
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
        yield TurnButton.of_moment(there, role, sign, disabled=there.turn == turn)


def _turns(panel: ChessPanel, say: Speaker) -> discord.ui.Select[Any]:
    options = [option(choice, chosen=str(panel.moment.turn)) for choice in panel.choices]
    if panel.earlier is not None:
        options.insert(0, discord.SelectOption(label=say("Earlier…"), value=f"{AROUND}{panel.earlier}"))
    if panel.later is not None:
        options.append(discord.SelectOption(label=say("Later…"), value=f"{AROUND}{panel.later}"))
    return discord.ui.Select(
        custom_id=TurnsId(panel.moment).write(), placeholder=panel.placeholder, options=options
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
        custom_id=MoreId(panel.moment).write(),
        placeholder=say("More: replay, notations"),
        options=options,
    )


def _notations(panel: ChessPanel, say: Speaker) -> discord.ui.Select[Any]:
    options = [
        discord.SelectOption(label=say.name(NOTATIONS[name].label), value=f"{TO}{name}")
        for name in panel.notations
    ]
    return discord.ui.Select(
        custom_id=MoreId(panel.moment).write(),
        placeholder=say("Other notations"),
        options=options,
    )
