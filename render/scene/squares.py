"""Squares of crossword boards, and the tiles on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class SquareKind(Enum):
    """How a square is coloured: its hue distinguishes letter from word, its lightness shows the multiplier."""

    PLAIN = "plain"
    LETTER_2 = "letter-2"
    LETTER_3 = "letter-3"
    LETTER_4 = "letter-4"
    WORD_2 = "word-2"
    WORD_3 = "word-3"
    WORD_4 = "word-4"
    MISSING = "missing"
    """No square at all: a hole in the board."""


@dataclass(frozen=True, slots=True)
class Square:
    """One square of a board without the tile on it."""

    kind: SquareKind = SquareKind.PLAIN
    label: str = ""
    """Short text printed on the empty square, such as ``2L``; empty for none."""
    start: bool = False
    """Whether the start sign (a star) is drawn on the empty square."""


@dataclass(frozen=True, slots=True)
class TileFace:
    """The front of one tile: on the board, or on a rack."""

    text: str
    """The letter or letters, as printed (``A``, ``CH``, ``L·L``); empty for an unassigned blank."""
    points: int | None = None
    """The points printed in the corner; None prints nothing."""
    blank: bool = False
    """Whether the tile is a blank (drawn so that it cannot be mistaken for a lettered tile)."""

    def __hash__(self) -> int:
        # Asked for every tile of every picture; few faces have the same text and are not equal.
        return hash(self.text)


class Mark(Enum):
    """How a tile stands out from the others. Never by colour alone."""

    NONE = "none"
    LAST = "last"
    """Laid down by the last play."""
    GHOST = "ghost"
    """Proposed, not on the board."""
    PHONY = "phony"
    """Part of a word that is not in the lexicon."""
    CROSS = "cross"
    """Part of another word that the play makes."""

    __hash__ = object.__hash__  # Part of every tile's key; a member's name takes longer to hash.


@dataclass(frozen=True, slots=True)
class Grid:
    """A board: ``rows`` × ``columns`` squares in row-major order, with tiles and marks parallel to them."""

    rows: int
    columns: int
    squares: tuple[Square, ...]
    tiles: tuple[TileFace | None, ...]
    marks: tuple[Mark, ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]

    def part(self, row: int, column: int, rows: int, columns: int) -> Grid:
        """Return a part of the board, by its first row and column and its size."""
        places = [
            place * self.columns + other
            for place in range(row, row + rows)
            for other in range(column, column + columns)
        ]
        return Grid(
            rows,
            columns,
            tuple(self.squares[place] for place in places),
            tuple(self.tiles[place] for place in places),
            tuple(self.marks[place] for place in places),
            self.row_labels[row : row + rows],
            self.column_labels[column : column + columns],
        )

    def __post_init__(self) -> None:
        size = self.rows * self.columns
        if not len(self.squares) == len(self.tiles) == len(self.marks) == size:
            raise ValueError(f"a grid of {self.rows} × {self.columns} needs {size} squares, tiles and marks")
        if len(self.row_labels) != self.rows or len(self.column_labels) != self.columns:
            raise ValueError("a grid needs one label for each row and each column")
