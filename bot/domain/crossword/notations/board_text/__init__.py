"""A board in plain text, for a terminal or a code block."""

from bot.domain.crossword.notations.board_text.reader import read, write
from bot.domain.crossword.notations.board_text.span import find

__all__ = [
    "find",
    "read",
    "write",
]
