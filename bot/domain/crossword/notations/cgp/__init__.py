"""CGP (Crossword Game Position): a notation for a position on one line.

>>> cgp = "15/15/15/15/15/15/15/6CAT6/15/15/15/15/15/15/15 AEINRST/ 24/0 0 lex CSW24;"
>>> position = read(cgp).value
>>> position.players[0].score
24
>>> write(position) == cgp
True
>>> list(find(f"what now? {cgp} I passed"))
[(10, 84, 'cgp')]
"""

from bot.domain.crossword.notations.cgp.operations import write, write_or_none
from bot.domain.crossword.notations.cgp.reader import find, read

__all__ = [
    "find",
    "read",
    "write",
    "write_or_none",
]
