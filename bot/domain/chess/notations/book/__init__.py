r"""Opening books: sources of the Opening Book Compiler, and compiled books of Polyglot.

>>> source = "// Open game\n1. e4 e5\n"
>>> book = read(source).value
>>> book.lines[0].name
'Open game'
>>> write(book) == source
True
>>> list(find(source))
[(0, 21, 'book')]
"""

from bot.domain.chess.notations.book.reader import faults, read
from bot.domain.chess.notations.book.writer import write
from bot.domain.chess.notations.pgn.span import find

__all__ = [
    "faults",
    "find",
    "read",
    "write",
]
