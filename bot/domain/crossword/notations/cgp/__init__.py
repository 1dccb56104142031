"""CGP, the Crossword Game Position: a position on one line."""

from bot.domain.crossword.notations.cgp.reader import read, write
from bot.domain.crossword.notations.cgp.span import find

__all__ = [
    "find",
    "read",
    "write",
]
