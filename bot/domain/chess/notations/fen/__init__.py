"""FEN and EPD: a chess position on one line."""

from bot.domain.chess.notations.fen.fen import MAX_LENGTH, read, write
from bot.domain.chess.notations.fen.span import find

__all__ = [
    "MAX_LENGTH",
    "find",
    "read",
    "write",
]
