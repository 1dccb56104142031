"""Puzzle files of the Chess Puzzle Compiler."""

from bot.domain.chess.notations.puzzles.reader import MAX_LENGTH, faults, read
from bot.domain.chess.notations.puzzles.span import find
from bot.domain.chess.notations.puzzles.writer import write

__all__ = [
    "MAX_LENGTH",
    "faults",
    "find",
    "read",
    "write",
]
