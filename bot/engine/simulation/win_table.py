"""The probability of winning, by how far a player is ahead and how many tiles are unseen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bot.engine.kernels.rollouts import CERTAIN

SPREADS = 300
"""The table goes so many points either way; beyond, a game is as good as decided."""
UNSEEN = 200
"""The table has a row for up to so many unseen tiles; the last one is for more."""
_NINE_IN_TEN = math.log(9)
_DECIDING_POINTS = 30


@dataclass(frozen=True, slots=True, eq=False)
class WinTable:
    """``millionths[unseen, spread + SPREADS]`` for the player on turn, who is ``spread`` points ahead.

    Tiles are unseen that are neither on the board nor on the own rack. Fewer rows may do: the last is for all more.
    """

    millionths: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        shape = self.millionths.shape
        if len(shape) != 2 or not shape[0] or shape[1] % 2 != 1 or self.millionths.dtype != np.int32:
            raise ValueError("a win table has rows of an odd number of 32-bit numbers")
        if self.millionths.min() < 0 or self.millionths.max() > CERTAIN:
            raise ValueError("a probability lies between 0 and a million millionths")


@cache
def usual_win_table() -> WinTable:
    """Return a table by a simple rule: 30 points and one for each unseen tile ahead wins nine games out of ten.

    The logistic curve through that point is wolges' model.
    """
    rows = []
    spreads = np.arange(-SPREADS, SPREADS + 1, dtype=np.float64)
    for unseen in range(UNSEEN + 1):
        chances = 1 / (1 + np.exp(-_NINE_IN_TEN * spreads / (_DECIDING_POINTS + unseen)))
        rows.append(np.rint(CERTAIN * chances))
    table = np.array(rows, dtype=np.int32)
    return WinTable(table)
