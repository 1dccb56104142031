"""The puzzles of posted files, and how those are solved whose solution somebody wrote."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.chess.documents import Puzzle, PuzzleSet
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import Attempt, position_after, try_move
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import RuleError
from bot.features.puzzles.cards import Setting, Solving, Verdict, numbered_text, panel, sheet_remarks
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.chess.service import (
    answered_drawing,
    attempt_text,
    posted_hints,
    posted_solution_drawing,
    posted_solution_text,
)
from bot.features.puzzles.rating import Progress
from bot.features.puzzles.sheets import Form, Sheet, puzzle_at, read_puzzles
from bot.features.puzzles.wanted import Kind, Wanted, posted_name
from bot.features.showing.chess.puzzle import puzzle_text
from bot.features.showing.conversion import answer_expired
from bot.features.showing.desk import Desk
from bot.features.showing.reading import Origin, Source
from bot.storage.errors import StoreError
from bot.text import Speaker

log = logging.getLogger(__name__)

_SHEET = "puzzle-sheet"
"""The format under which a sheet is kept: a store of documents keeps texts."""
_WAY = 256
"""More half-moves than a solution has. How far somebody is counts them, and so many more for each way through it."""


class PostedSolving(Solving[Puzzle, Attempt]):
    """Takes the moves of every way through a solution, and every mate."""

    def hints(self, puzzle: Puzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell from where the next move goes, then where to."""
        way, played = divmod(done, _WAY)
        return posted_hints(puzzle, played, way, say)

    def position(self, puzzle: Puzzle, done: int) -> ChessPosition:
        """Return the position after what was played."""
        way, played = divmod(done, _WAY)
        return position_after(puzzle.position, puzzle.solution_text, played, way)

    def judge(self, puzzle: Puzzle, done: int, typed: str) -> Verdict[Attempt]:
        """Try a move; where the solution is made of words, nothing is judged."""
        way, played = divmod(done, _WAY)
        attempt = try_move(puzzle.position, puzzle.solution_text, typed, played, way)
        if attempt.right is None:
            raise RuleError(
                "puzzle-words",
                "{move} can be played, but the words of the solution do not tell whether it is right",
                move=attempt.san,
            )
        return Verdict(attempt, attempt.right, attempt.line * _WAY + attempt.done, attempt.solved)

    def told(self, puzzle: Puzzle, verdict: Verdict[Attempt], progress: Progress, say: Speaker) -> str:
        """Tell the solution's answer to a right move, too."""
        del puzzle
        return attempt_text(verdict.answer, progress, say)

    def after(self, puzzle: Puzzle, done: int, style: Style) -> Drawing:
        """Return the board after the solution's answer."""
        white_below = puzzle.position.white_to_move
        return answered_drawing(self.position(puzzle, done), style, white_below=white_below)

    def solution(self, puzzle: Puzzle, style: Style) -> tuple[str, Drawing]:
        """Return the solution as it was posted, and the board with its first move."""
        return posted_solution_text(puzzle, style.say), posted_solution_drawing(puzzle, style)


@dataclass(frozen=True, slots=True)
class Posted:
    """A puzzle of a posted file, and how it is solved."""

    puzzle: Any
    solving: Solving[Any, Any]
    number: int
    """From 1."""
    puzzles: int
    following: int | None
    """The place of the next one that can be solved; None when there is none."""

    @property
    def position(self) -> Position | ChessPosition:
        """The position it starts from."""
        start: Position | ChessPosition = (
            self.puzzle.line.start if isinstance(self.puzzle, ChessPuzzle) else self.puzzle.position
        )
        return start

    def card(self, done: int, style: Style) -> tuple[str, Drawing]:
        """Return what sets it, as far as it was played."""
        solving, say = self.solving, style.say
        if isinstance(solving, Setting):
            text = numbered_text(solving.question(self.puzzle, say), self.number, self.puzzles, say)
            return text, solving.after(self.puzzle, done, style) or solving.drawing(self.puzzle, style)
        text = puzzle_text(self.puzzle, self.number, self.puzzles, say)
        drawing = solving.after(self.puzzle, done, style)
        assert drawing is not None  # it is chess
        return text, drawing


class PostedPuzzles:
    """The puzzles of files that people posted; ``setting`` is how those are solved that a library could hold, too."""

    def __init__(self, desk: Desk, setting: Mapping[Kind, Setting[Any, Any]]) -> None:
        self._desk = desk
        self._setting = setting
        self._solving = PostedSolving()

    async def post(self, sheets: tuple[Sheet, ...], origin: Origin | None, style: Style) -> Card:
        """Keep the first of some sheets, and show its first puzzle with its controls; say how many others there are.

        Raises:
            NoAnswerError: no puzzle of it is whole; it says what is wrong.

        """
        sheet, others = sheets[0], len(sheets) - 1
        remarks = sheet_remarks(sheet, others, style.say)
        if not sheet.rows:
            raise NoAnswerError.saying("\n".join(remarks) or style.say("There are no puzzles here."))
        author_id = origin.author_id if origin is not None else None
        text = await self._desk.run(sheet.write)
        try:
            digest = await self._desk.documents.keep_text(_SHEET, text, author_id)
        except StoreError as error:
            log.warning("showing a puzzle without controls: %s", error)
            digest = ""
        first = await self._desk.run(self._of_sheet, text, 0)
        assert first is not None  # it has a row
        kind, posted = first

        def card() -> Card:
            words, drawing = posted.card(0, style)
            shown = told([words, *remarks], Moment(digest, 0, spoiler=sheet.spoiler))
            goes_on = posted.following is not None
            wanted = Wanted(kind, posted_name(digest, 0))
            controls = panel(wanted, Progress(), 0, goes_on=goes_on) if digest else ()
            return Card(shown, (replace(drawing, spoiler=sheet.spoiler),), controls=controls)

        return await self._desk.answer(card)

    async def given(self, source: Source, style: Style) -> Card | None:
        """Show the puzzles of the file that somebody gave for them; None when it is none of puzzles.

        Raises:
            NoAnswerError: no puzzle of it is whole.
            OverBudgetError, LimitError: it is long, and takes more than there is for it.

        """
        for file in source.attachments:
            sheet = await self._desk.read(len(file.data), read_puzzles, file)
            if sheet is not None:
                return await self.post((sheet,), source.origin, style)
        return None

    async def at(self, kind: Kind, place: tuple[str, int], say: Speaker) -> Posted:
        """Return a puzzle of a kept file: ``place`` is its digest, and which of its puzzles.

        Raises:
            NoAnswerError: it is not kept any more, or has no such puzzle.

        """
        digest, index = place
        text = await self._desk.documents.text_of(digest, _SHEET)
        if text is not None:
            found = await self._desk.run(self._of_sheet, text, index)
            if found is None or found[0] is not kind:
                raise NoAnswerError(answer_expired(say))
            return found[1]
        document = (await self._desk.document(digest, say)).document
        if not isinstance(document, PuzzleSet) or index >= len(document.puzzles) or kind is not Kind.CHESS:
            raise NoAnswerError(answer_expired(say))
        puzzles = document.puzzles
        return Posted(puzzles[index], self._solving, index + 1, len(puzzles), _following(puzzles, index))

    def _of_sheet(self, text: str, index: int) -> tuple[Kind, Posted] | None:
        found = puzzle_at(text, index)
        if found is None:
            return None
        kind = found.form.kind
        solving = self._solving if found.form is Form.POSITIONS else self._setting[kind]
        following = index + 1 if found.number < found.puzzles else None
        return kind, Posted(found.puzzle, solving, found.number, found.puzzles, following)


def _following(puzzles: Sequence[Puzzle], index: int) -> int | None:
    return next(
        (place for place in range(index + 1, len(puzzles)) if puzzles[place].solution_text.strip()), None
    )
