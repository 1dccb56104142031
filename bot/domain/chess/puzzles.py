"""Chess puzzles: a position with a few lines of description and solution, and sets of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain.chess.notations.fen.epd import quoted
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import solutions

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

    @property
    def solution_text(self) -> str:
        """The solution as one text: its lines were only cut to fit a screen."""
        return " ".join(self.solution)


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """The puzzles of a file, in its order."""

    puzzles: tuple[Puzzle, ...]


def write(puzzles: PuzzleSet) -> str:
    """Write a puzzle file: description, solution, FEN.

    Without a description, a solution could belong to the FEN before it as well: then the FEN comes first in all.
    """
    fen_first = any(not puzzle.description for puzzle in puzzles.puzzles)
    return "\n".join(_block(puzzle, fen_first=fen_first) for puzzle in puzzles.puzzles)


def _block(puzzle: Puzzle, *, fen_first: bool) -> str:
    lines = [f"[D]{text}" for text in puzzle.description] + [f"[S]{text}" for text in puzzle.solution]
    lines.insert(0 if fen_first else len(lines), puzzle.position.fen)
    return "\n".join(lines) + "\n"


def annotated(puzzle: Puzzle, number: int) -> ChessPosition:
    """Return a puzzle's position with everything else as EPD operations.

    ``id`` counts the puzzles, ``c0`` to ``c2`` hold the description, ``c3`` to ``c6`` the solution as it is written;
    ``bm`` and ``pv`` tell its first move and its moves where they can be understood.
    """
    operations = [("id", quoted(f"puzzle {number}"))]
    found = solutions(puzzle.position, puzzle.solution_text)
    if found:
        operations.append(("bm", " ".join(dict.fromkeys(line[0].san for line in found))))
        operations.append(("pv", " ".join(move.san for move in found[0])))
    operations += [(f"c{index}", quoted(text)) for index, text in enumerate(puzzle.description)]
    operations += [(f"c{index}", quoted(text)) for index, text in enumerate(puzzle.solution, MAX_DESCRIPTION)]
    return replace(puzzle.position, operations=tuple(operations))
