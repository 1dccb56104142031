"""Chess documents that can be found, shown and converted: positions, games, puzzle sets and opening books."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.chess.game import ChessGame, ChessMove
from bot.domain.chess.position import START, ChessPosition
from bot.domain.reading.problems import Phrase

MAX_DESCRIPTION = 3
MAX_SOLUTION = 4
MAX_TEXT = 32
"""Characters of a line, without its tag."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle."""

    position: ChessPosition
    description: tuple[str, ...] = ()
    """At most :data:`MAX_DESCRIPTION` lines: who made it, what is to be reached."""
    solution: tuple[str, ...] = ()
    """At most :data:`MAX_SOLUTION` lines, mostly moves."""
    line: int = 1
    """Where it starts in the file, from 1."""
    comments: tuple[str, ...] = ()
    """The lines of comment before it or in it, with their ``//`` or ``#``."""

    @property
    def solution_text(self) -> str:
        """The solution as one text: its lines were only cut to fit a screen."""
        return " ".join(self.solution)


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """The puzzles of a file, in its order."""

    puzzles: tuple[Puzzle, ...]
    comments: tuple[str, ...] = ()
    """The lines of comment behind the last puzzle."""


MAX_NAME = 80

_EDGE = " \t-=*#/_~"


@dataclass(frozen=True, slots=True)
class BookLine:
    """One sequence of moves."""

    moves: tuple[ChessMove, ...]
    name: str = ""
    """What the comment above it, or above the ones before it, calls it; see :func:`sequence_name`."""
    start: ChessPosition = START
    line: int = 1
    """Where it starts in the source, from 1."""
    comment: str = ""
    """The comment before its first move."""


@dataclass(frozen=True, slots=True)
class BookSource:
    """All sequences of a source, in its order."""

    lines: tuple[BookLine, ...]


def sequence_name(text: str) -> str:
    """Return what a comment or a tag calls sequences: without rules drawn around it, and not too long."""
    return " ".join(text.split()).strip(_EDGE)[:MAX_NAME].strip(_EDGE)


ChessDocument: TypeAlias = ChessPosition | ChessGame | PuzzleSet | BookSource

NAMES = {
    "fen": "FEN",
    "epd": "EPD",
    "pgn": "PGN",
    "uci": "UCI",
    "puzzles": Phrase("TI-Chess puzzles"),
    "book": Phrase("TI-Chess opening book"),
    "json": "JSON",
}
"""The notations of chess documents, and how people call them."""
