"""The ASCII draft of CGP: a position on one line, tiles as signs, rows between bars."""

from bot.domain.crossword.notations.cgp_ascii.reader import read, write
from bot.domain.crossword.notations.cgp_ascii.span import find

__all__ = [
    "find",
    "read",
    "write",
]
