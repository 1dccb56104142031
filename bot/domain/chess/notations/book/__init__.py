"""Opening books: sources of the Opening Book Compiler, and compiled books of Polyglot."""

from bot.domain.chess.notations.book.reader import faults, read
from bot.domain.chess.notations.book.writer import write

__all__ = [
    "faults",
    "read",
    "write",
]
