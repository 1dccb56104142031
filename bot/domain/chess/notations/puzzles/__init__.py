r"""Puzzle files of the Chess Puzzle Compiler.

>>> file = "[D]White to move\n[S]1. e4\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"
>>> puzzles = read(file).value
>>> puzzles.puzzles[0].solution
('1. e4',)
>>> write(puzzles) == file
True
>>> list(find(file))
[(0, 57, 'puzzles')]
"""

from bot.domain.chess.notations.puzzles.reader import MAX_LENGTH, as_comment, as_line, faults, read
from bot.domain.chess.notations.puzzles.span import find
from bot.domain.chess.notations.puzzles.writer import write

__all__ = [
    "MAX_LENGTH",
    "as_comment",
    "as_line",
    "faults",
    "find",
    "read",
    "write",
]
