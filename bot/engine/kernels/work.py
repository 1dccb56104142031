"""The scratch of a search: one array of numbers in sections, so that the kernels pass one array around."""

from __future__ import annotations

from bot.engine.compiler import inner
from bot.engine.kernels.rack import MAX_RACK

S_TIMES = 0
"""Sums of a shadow for so many tiles on one side of an anchor: the word multiplier."""
S_MAIN = 1
"""Points of tiles on squares that take only some letters, which the word multiplies."""
S_CROSS = 2
"""Points of words across."""
S_THROUGH = 3
"""Points of the tiles that are played through."""
S_SHARES = 4
"""What these add to the sum of letters, see :mod:`bot.engine.kernels.marks`; 0 when there are none."""
S_FREE = 5
"""How many squares that take any letter multiply it by 1 or more, 2 or more, 3 or more, 4 or more."""
S_LENGTH = 9

W_LEFT = 0
"""The sums for no tile, one tile and so on to the left of the anchor."""
W_RIGHT = W_LEFT + S_LENGTH * (MAX_RACK + 1)
"""The same for tiles to the right."""
W_STRIP = W_RIGHT + S_LENGTH * (MAX_RACK + 1)
"""The word as it is laid, by place on the lane."""
W_NOW = W_STRIP + 64
"""What holds for the anchor that is searched, by the ``N_`` constants."""
W_FRAMES = W_NOW + 8
"""The stack of the search."""
W_OPEN = W_FRAMES + 128 * 10
"""The letters that each square takes at all; behind them the anchors, by the ``A_`` constants, and their tables."""

N_LANE = 0
"""The square before the first of the lane: its wall."""
N_DIRECTION = 1
N_OPENING = 2
"""1 when the board is empty."""

A_FIRST = 0
"""The first square of the run; of an empty square, the one after it."""
A_LAST = 1
"""The last square of the run; of an empty square, the square itself."""
A_LIMIT = 2
"""The leftmost square on which a tile may be laid from here."""
A_BOUND = 3
"""What its plays reach at most."""
A_TABLE = 4
"""Where its table of bounds is. With a row for each number of tiles to the left from 0 to ``K_MOST``, and as many columns for
tiles to the right: what a play with so many to the left, and so many or more to the right, reaches at most. In the
first column: with so many or more to the left."""
A_LENGTH = 5

TABLE_LENGTH = (MAX_RACK + 1) ** 2
"""Numbers in a table of bounds at most."""


@inner
def work_length(rows: int, columns: int) -> int:
    """Return how many numbers the scratch needs for a board."""
    return W_OPEN + 2 * (rows + 2) * (columns + 2) * (1 + A_LENGTH + TABLE_LENGTH)
