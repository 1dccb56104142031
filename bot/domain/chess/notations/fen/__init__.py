"""FEN and EPD: a chess position on one line.

>>> fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
>>> position = read(fen).value
>>> position.white_to_move
True
>>> write(position) == fen
True
>>> list(find(f"try {fen}"))
[(4, 35, 'fen')]
"""

from bot.domain.chess.notations.fen.fen import MAX_LENGTH, read, write
from bot.domain.chess.notations.fen.span import find

__all__ = [
    "MAX_LENGTH",
    "find",
    "read",
    "write",
]
