"""PGN: chess games with what is said about them."""

from bot.domain.chess.notations.pgn.reader import MAX_LENGTH, read
from bot.domain.chess.notations.pgn.writer import write

__all__ = [
    "MAX_LENGTH",
    "read",
    "write",
]
