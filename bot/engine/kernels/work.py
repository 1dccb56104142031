"""The scratch of a search: one array of numbers in sections, so that the kernels pass one array around."""

from __future__ import annotations

from bot.engine.compiler import inner

W_ROW = 32
"""Numbers in a row of the table of bounds: more than the longest rack has tiles."""
W_BOUND = 0
"""A table by tiles to the left and to the right of the anchor: what a play with so many tiles to the left, and so many or
more to the right, reaches at most."""
W_FARTHER = W_BOUND + W_ROW * W_ROW
"""What a play with so many or more tiles to the left reaches at most."""
W_LEFT = W_FARTHER + W_ROW
"""Sums of the shadow for tiles to the left, eight numbers each."""
W_RIGHT = W_LEFT + 8 * W_ROW
"""The same for tiles to the right."""
W_STRIP = W_RIGHT + 8 * W_ROW
"""The word as it is laid, by place on the lane."""
W_NOW = W_STRIP + 64
"""What holds for the anchor that is searched, by the ``N_`` constants."""
W_FRAMES = W_NOW + 8
"""The stack of the search."""
W_OPEN = W_FRAMES + 128 * 10
"""The letters that each square takes at all; behind them the anchors, by the ``A_`` constants."""

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
A_LENGTH = 4


@inner
def work_length(rows: int, columns: int) -> int:
    """Return how many numbers the scratch needs for a board."""
    return W_OPEN + 2 * (rows + 2) * (columns + 2) * (1 + A_LENGTH)
