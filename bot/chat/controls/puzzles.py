"""The controls of puzzles: whoever presses is answered alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self, TypeAlias

import discord

from bot.answers.controls import Choice, MovePanel, PuzzlePanel
from bot.answers.page import MAX_CHOICES
from bot.answers.puzzle import posted_name, posted_place
from bot.answers.reply import NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.controls.trying import MAX_TITLE
from bot.chat.failures import answering, apologize
from bot.chat.ids.chess import SolveId
from bot.chat.ids.puzzles import PickId, PuzzleId
from bot.chat.sending.allowance import grant_press
from bot.chat.style import speaker_to
from bot.domain.crossword.typed_play import MAX_TYPED
from bot.jobs.queue import Asker
from bot.puzzles.library import Kind
from bot.service.puzzles.puzzles import Puzzles
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

TARGETS = 5
"""From this place on menus are about where a piece goes."""


def puzzles_of(bot: KibitzBot, say: Speaker) -> Puzzles:
    """Return where puzzles are set.

    Raises:
        NoAnswerError: nowhere.

    """
    if bot.service.puzzles is None:
        raise NoAnswerError.saying(say("There are no puzzles here."))
    return bot.service.puzzles


class PuzzleButton(ControlItem[discord.ui.Button[Any], PuzzleId], of=PuzzleId):
    """Answers, gives a hint or the solution, or sets the next puzzle, as its id says."""

    @classmethod
    def of_panel(cls, panel: PuzzlePanel, what: str, label: str, sign: str) -> Self:
        """Make the button."""
        state = PuzzleId(panel.game, panel.name, what)
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Do it, for the presser alone."""
        state, asker = self.state, Asker(interaction.user.id, interaction.guild_id)
        say = await speaker_to(interaction)
        puzzles, kind = puzzles_of(interaction.client, say), Kind(state.game)
        match state.what:
            case "a" if await puzzles.is_over(asker, kind, state.name):
                # Nothing is left to find, and what there is to see went with a private message.
                await answer_in_private(
                    interaction, lambda style: puzzles.solution(asker, kind, state.name, style)
                )
            case "a":
                await interaction.response.send_modal(PuzzleModal(state, say))
            case "m":
                await answer_in_private(
                    interaction, lambda style: puzzles.choose(asker, state.name, "", style)
                )
            case "h":
                await answer_in_private(
                    interaction, lambda style: puzzles.hint(asker, kind, state.name, style)
                )
            case "s":
                await answer_in_private(
                    interaction, lambda style: puzzles.solution(asker, kind, state.name, style)
                )
            case _ if posted_place(state.name):
                await answer_in_private(
                    interaction, lambda style: puzzles.after(asker, kind, state.name, style)
                )
            case _:
                await answer_in_private(interaction, lambda style: puzzles.next(asker.user, kind, style))


class PuzzleModal(discord.ui.Modal):
    """Asks for an answer."""

    def __init__(self, state: PuzzleId, say: Speaker) -> None:
        super().__init__(title=say("What is your answer?")[:MAX_TITLE])
        self._state = state
        chess = state.game == Kind.CHESS
        self.typed: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="answer",
            max_length=MAX_TYPED,
            placeholder="Nf3, e8=Q+, O-O, e2e4 …" if chess else "8H QUIZ, H8 Q.IZ, QUIZ …",
        )
        label = say("Your move") if chess else say("A play with its square, or a word")
        self.add_item(discord.ui.Label(text=label[:MAX_TITLE], component=self.typed))

    async def on_submit(self, interaction: Press, /) -> None:  # type: ignore[override]
        """Judge it."""
        state, asker = self._state, Asker(interaction.user.id, interaction.guild_id)
        async with answering(interaction):
            await grant_press(interaction)
            puzzles = puzzles_of(interaction.client, await speaker_to(interaction))
            await answer_in_private(
                interaction,
                lambda style: puzzles.answer(asker, Kind(state.game), state.name, self.typed.value, style),
            )

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


class MoveSelect(ControlItem[discord.ui.Select[Any], PickId], of=PickId):
    """A menu of pieces, or of what the chosen one can do."""

    @classmethod
    def of_panel(cls, panel: MovePanel, choices: Sequence[Choice], place: int, say: Speaker) -> Self:
        """Make the menu."""
        state = PickId(panel.name, panel.start, place)
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("Where it goes") if place >= TARGETS else say("The piece that moves"),
            options=[option(choice, chosen=panel.start) for choice in choices],
        )
        return cls(state, select)

    async def act(self, interaction: Press) -> None:
        """Show what the piece can do, or judge the move."""
        name, [chosen] = self.state.name, self.item.values
        puzzles = puzzles_of(interaction.client, await speaker_to(interaction))
        asker = Asker(interaction.user.id, interaction.guild_id)
        if self.state.place >= TARGETS:
            work = partial(puzzles.answer, asker, Kind.CHESS, name, chosen)
        else:
            work = partial(puzzles.choose, asker, name, chosen)
        await change_message(interaction, work)


class SolveButton(ControlItem[discord.ui.Button[Any], SolveId], of=SolveId):
    """Asks for an answer to a puzzle of a posted file, under messages of earlier versions."""

    async def act(self, interaction: Press) -> None:
        """Ask for the move."""
        say, moment = await speaker_to(interaction), self.state.moment
        name = posted_name(moment.digest, moment.turn)
        await interaction.response.send_modal(PuzzleModal(PuzzleId(Kind.CHESS.value, name, "a"), say))


CONTROLS = (PuzzleButton, MoveSelect, SolveButton)
"""To be registered with the client."""


def answer_buttons(panel: PuzzlePanel, say: Speaker) -> Iterator[PuzzleButton]:
    """Make the buttons to answer a puzzle by a form, and in chess by menus."""
    yield PuzzleButton.of_panel(panel, "a", say("Answer"), "\N{PENCIL}\ufe0f")
    if panel.game == Kind.CHESS:
        yield PuzzleButton.of_panel(panel, "m", say("Choose a move"), "\N{BLACK CHESS PAWN}\ufe0f")


def puzzle_controls(panel: PuzzlePanel, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a puzzle, or under what an answer came to."""
    if panel.is_open:
        yield from answer_buttons(panel, say)
        if panel.has_hint:
            yield PuzzleButton.of_panel(panel, "h", say("Hint"), "\N{ELECTRIC LIGHT BULB}")
        yield PuzzleButton.of_panel(panel, "s", say("Solution"), "\N{EYES}")
    if panel.goes_on:
        yield PuzzleButton.of_panel(panel, "n", say("Next puzzle"), "\N{JIGSAW PUZZLE PIECE}")


def move_controls(panel: MovePanel, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the menus of a puzzle's moves; a queen, or a horde, may have more than a menu holds."""
    for start, choices in ((0, panel.pieces), (TARGETS, panel.moves)):
        for place, first in enumerate(range(0, len(choices), MAX_CHOICES), start=start):
            yield MoveSelect.of_panel(panel, choices[first : first + MAX_CHOICES], place, say)
