"""Writing puzzle files of the Chess Puzzle Compiler."""

from __future__ import annotations

from bot.domain.chess.puzzles import Puzzle, PuzzleSet


def write(puzzles: PuzzleSet) -> str:
    """Write a puzzle file: comments, description, solution, FEN.

    Without a description, a solution could belong to the FEN before it as well: then the FEN comes first in all.
    """
    fen_first = any(not puzzle.description for puzzle in puzzles.puzzles)
    blocks = [_block(puzzle, fen_first=fen_first) for puzzle in puzzles.puzzles]
    if puzzles.comments:
        blocks.append(_lines(puzzles.comments))
    return "\n".join(blocks)


def _block(puzzle: Puzzle, *, fen_first: bool) -> str:
    lines = [f"[D]{text}" for text in puzzle.description] + [f"[S]{text}" for text in puzzle.solution]
    lines.insert(0 if fen_first else len(lines), puzzle.position.fen)
    return _lines((*puzzle.comments, *lines))


def _lines(lines: tuple[str, ...]) -> str:
    return "\n".join(lines) + "\n"
