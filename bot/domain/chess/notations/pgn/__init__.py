"""PGN: chess games with what is said about them.

>>> game = read("1. e4 e5 2. Nf3 *").value
>>> game.turns[2].uci
'g1f3'
>>> print(write(game).splitlines()[-1])
1. e4 e5 2. Nf3 *
>>> list(find("so: 1. e4 e5 2. Nf3 *"))
[(4, 21, 'pgn')]
"""

from bot.domain.chess.notations.pgn.reader import MAX_LENGTH, read
from bot.domain.chess.notations.pgn.span import find
from bot.domain.chess.notations.pgn.writer import write

__all__ = [
    "MAX_LENGTH",
    "find",
    "read",
    "write",
]
