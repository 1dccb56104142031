"""GCG, the field's file of a game."""

from bot.domain.crossword.notations.gcg.reader import read
from bot.domain.crossword.notations.gcg.span import find
from bot.domain.crossword.notations.gcg.writer import write

__all__ = [
    "find",
    "read",
    "write",
]
