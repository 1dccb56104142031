"""The controls of puzzles: whoever presses is answered alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.failures import answering, apologize
from bot.chat.form import MAX_TITLE
from bot.chat.ids.chess import SolveId
from bot.chat.ids.puzzles import PickId, PuzzleId
from bot.chat.offers import Choice, MovePanel, PuzzlePanel
from bot.chat.page import MAX_CHOICES
from bot.chat.press import answer_in_private, change_message
from bot.chat.reply import NoAnswerError
from bot.chat.sending.allowance import grant_press
from bot.chat.styling import speaker_to
from bot.domain.crossword.typed_play import MAX_TYPED
from bot.features.puzzles.puzzle_card import posted_name, posted_place
from bot.features.puzzles.service import Puzzles
from bot.features.puzzles.wanted import Kind, Wanted
from bot.jobs.queue import Asker
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
        wanted = panel.wanted
        state = PuzzleId(wanted.kind.value, wanted.name, what, wanted.level, wanted.theme)
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Do it, for the presser alone."""
        wanted, asker = self.state.wanted, Asker(interaction.user.id, interaction.guild_id)
        say = await speaker_to(interaction)
        puzzles = puzzles_of(interaction.client, say)
        match self.state.what:
            case "a" if not await puzzles.is_over(asker, wanted):
                await interaction.response.send_modal(PuzzleModal(wanted, say))
                return
            case "m":
                work = partial(puzzles.choose, asker, wanted, "")
            case "h":
                work = partial(puzzles.hint, asker, wanted)
            case "n" if posted_place(wanted.name):
                work = partial(puzzles.after, asker, wanted)
            case "n":
                work = partial(puzzles.next, asker.user, wanted)
            case _:
                # Also for an answer where nothing is left to find: what there was to see went with a private message.
                work = partial(puzzles.solution, asker, wanted)
        await answer_in_private(interaction, work)


class PuzzleModal(discord.ui.Modal):
    """Asks for an answer."""

    def __init__(self, wanted: Wanted, say: Speaker) -> None:
        super().__init__(title=say("What is your answer?")[:MAX_TITLE])
        self._wanted = wanted
        chess = wanted.kind is Kind.CHESS
        self.typed: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="answer",
            max_length=MAX_TYPED,
            placeholder="Nf3, e8=Q+, O-O, e2e4 …" if chess else "8H QUIZ, H8 Q.IZ, QUIZ …",
        )
        label = say("Your move") if chess else say("A play with its square, or a word")
        self.add_item(discord.ui.Label(text=label[:MAX_TITLE], component=self.typed))

    async def on_submit(self, interaction: Press, /) -> None:  # type: ignore[override]
        """Judge it."""
        asker = Asker(interaction.user.id, interaction.guild_id)
        async with answering(interaction):
            await grant_press(interaction)
            puzzles = puzzles_of(interaction.client, await speaker_to(interaction))
            await answer_in_private(
                interaction, partial(puzzles.answer, asker, self._wanted, self.typed.value)
            )

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


class MoveSelect(ControlItem[discord.ui.Select[Any], PickId], of=PickId):
    """A menu of pieces, or of what the chosen one can do."""

    @classmethod
    def of_panel(cls, panel: MovePanel, choices: Sequence[Choice], place: int, say: Speaker) -> Self:
        """Make the menu."""
        wanted = panel.wanted
        state = PickId(wanted.name, panel.start, place, wanted.level, wanted.theme)
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("Where it goes") if place >= TARGETS else say("The piece that moves"),
            options=[option(choice, chosen=panel.start) for choice in choices],
        )
        return cls(state, select)

    async def act(self, interaction: Press) -> None:
        """Show what the piece can do, or judge the move."""
        wanted, [chosen] = self.state.wanted, self.item.values
        puzzles = puzzles_of(interaction.client, await speaker_to(interaction))
        asker = Asker(interaction.user.id, interaction.guild_id)
        if self.state.place >= TARGETS:
            work = partial(puzzles.answer, asker, wanted, chosen)
        else:
            work = partial(puzzles.choose, asker, wanted, chosen)
        await change_message(interaction, work)


class SolveButton(ControlItem[discord.ui.Button[Any], SolveId], of=SolveId):
    """Asks for an answer to a puzzle of a posted file, under messages of earlier versions."""

    async def act(self, interaction: Press) -> None:
        """Ask for the move."""
        say, moment = await speaker_to(interaction), self.state.moment
        name = posted_name(moment.digest, moment.turn)
        await interaction.response.send_modal(PuzzleModal(Wanted(Kind.CHESS, name), say))


CONTROLS = (PuzzleButton, MoveSelect, SolveButton)
"""To be registered with the client."""


def answer_buttons(panel: PuzzlePanel, say: Speaker) -> Iterator[PuzzleButton]:
    """Make the buttons to answer a puzzle by a form, and in chess by menus."""
    yield PuzzleButton.of_panel(panel, "a", say("Answer"), "\N{PENCIL}\ufe0f")
    if panel.wanted.kind is Kind.CHESS:
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
