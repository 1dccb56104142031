"""A board in plain text, for a terminal or a code block.

>>> board = '''
...    A B C D E F G
... 1  . . . . . . .
... 2  . . . . . . .
... 3  . . . . . . .
... 4  . . C A T . .
... 5  . . . . . . .
... 6  . . . . . . .
... 7  . . . . . . .
... '''
>>> position = read(board).value
>>> position.board.rows
7
>>> print(write(position).splitlines()[4])
 4 . . C A T . .
>>> [(start, end, _)] = find(board)
"""

from bot.domain.crossword.notations.board_text.lines import write
from bot.domain.crossword.notations.board_text.reader import find, read

__all__ = [
    "find",
    "read",
    "write",
]
