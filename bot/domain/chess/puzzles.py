"""Chess puzzles: a position with a few lines of description and solution, and sets of them."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.chess.position import ChessPosition

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
