r"""GCG, the usual file format for crossword games.

>>> gcg = "#player1 alice Alice\n#player2 bob Bob\n>alice: ACT 8G CAT +10 10\n"
>>> game = read(gcg).value
>>> game.turns[0].score
10
>>> print(write(game), end="")
#character-encoding UTF-8
#player1 alice Alice
#player2 bob Bob
>alice: ACT 8G CAT +10 10
>>> list(find(f"look:\n{gcg}"))
[(6, 69, 'gcg')]
"""

from bot.domain.crossword.notations.gcg.reader import find, read
from bot.domain.crossword.notations.gcg.writer import write

__all__ = [
    "find",
    "read",
    "write",
]
