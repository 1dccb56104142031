"""Reading a posted file as puzzles, and a puzzle of a kept sheet again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.chess.documents import Puzzle as Position
from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess as lichess_rows
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword import document
from bot.features.puzzles.crossword.values import CrosswordPuzzle
from bot.features.puzzles.posted import crossword, lichess, positions
from bot.features.puzzles.posted.values import MAX_FAULTS, MAX_LEFT_OUT, MAX_PUZZLES, Form, Row, Sheet

PostedPuzzle: TypeAlias = CrosswordPuzzle | ChessPuzzle | Position

MAX_LENGTH = 1_000_000
"""Characters of a file."""


def read_sheet(text: str, *, asked: bool = False) -> Sheet | None:
    """Read a file as puzzles; None when it is no file of puzzles, or has none that is whole.

    For somebody who ``asked``, a sheet of no puzzles says what is wrong with them, and any game that starts from a
    position of its own is a puzzle.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_LENGTH:
        return None
    for form, is_one, rows in _FORMS:
        if is_one(text, asked):
            sheet = _collected(form, rows(text))
            return sheet if sheet.rows or asked else None
    return None


_FORMS: tuple[tuple[Form, Callable[[str, bool], bool], Callable[[str], Iterator[Row]]], ...] = (
    (Form.CROSSWORD, lambda text, _: crossword.is_one(text), crossword.rows),
    (Form.LICHESS, lambda text, _: lichess.is_one(text), lichess.rows),
    (Form.POSITIONS, lambda text, _: positions.is_epd(text), positions.epd_rows),
    (Form.POSITIONS, lambda text, asked: positions.are_games(text, asked=asked), positions.game_rows),
)
"""How each form is recognized and read, in order of precedence."""


def _collected(form: Form, rows: Iterator[Row]) -> Sheet:
    kept: list[str] = []
    faults: list[DomainError] = []
    left_out = 0
    for row in rows:
        if len(kept) == MAX_PUZZLES or left_out == MAX_LEFT_OUT:
            return Sheet(form, tuple(kept), tuple(faults), left_out, ends_early=True)
        if isinstance(row, str):
            kept.append(row)
        else:
            left_out += 1
            if len(faults) < MAX_FAULTS:
                faults.append(row)
    return Sheet(form, tuple(kept), tuple(faults), left_out)


@dataclass(frozen=True, slots=True)
class OfSheet:
    """A puzzle of a kept sheet."""

    form: Form
    puzzle: PostedPuzzle
    number: int
    """From 1."""
    puzzles: int


def puzzle_at(text: str, index: int) -> OfSheet | None:
    """Return a puzzle of a sheet that was kept as :meth:`Sheet.write` wrote it; None when it has no such row."""
    name, *rows = text.split("\n")
    if not 0 <= index < len(rows):
        return None
    form, row = Form(name), json.loads(rows[index])
    return OfSheet(form, _READERS[form](row), index + 1, len(rows))


_READERS: dict[Form, Callable[[dict[str, str]], PostedPuzzle]] = {
    Form.CROSSWORD: lambda row: document.puzzle_of(dict(row)),
    Form.LICHESS: lichess_rows.puzzle_of,
    Form.POSITIONS: positions.puzzle_of,
}
