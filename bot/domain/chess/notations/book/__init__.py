"""Opening books: sources of the Opening Book Compiler, and compiled books of Polyglot."""

from bot.domain.chess.notations.book.reader import faults, read

__all__ = [
    "faults",
    "read",
]
