"""The ASCII draft of CGP: a position on one line, tiles as signs, rows between bars.

>>> record = "~~/|~~/|~~/|~~/|~~/|~~/|~~/|~~&#!4~~&|~~/|~~/|~~/|~~/|~~/|~~/|~~/ !%| 24|0 0 lex CSW24"
>>> position = read(record).value
>>> position.players[0].score
24
>>> write(position) == record
True
>>> list(find(f"what now? {record}"))
[(10, 96, 'cgp-ascii')]
"""

from bot.domain.crossword.notations.cgp_ascii.reader import read
from bot.domain.crossword.notations.cgp_ascii.span import find
from bot.domain.crossword.notations.cgp_ascii.writer import write

__all__ = [
    "find",
    "read",
    "write",
]
