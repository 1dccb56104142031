"""The win probability of the player to move, as a function of the lead and the number of unseen tiles.

The formula is

    1 / (1 + exp(-(lead + advantage) / scale))

Each number of unseen tiles has its own ``advantage`` (the value of having the turn) and ``scale`` (a measure of how much the
lead can still change). Both are in points, and are maximum likelihood estimates from the outcomes of games. Without unseen
tiles, the player ahead has won.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from bot.engine.kernels.rollouts import PROBABILITY_ONE

WinTable: TypeAlias = npt.NDArray[np.int32]
"""Win probabilities in millionths. The row is the number of unseen tiles, and the column is the lead + :data:`MAX_LEAD`.

The last row also applies to any higher number of unseen tiles.
"""
WIN_CHANCES_PATH = Path(__file__).parents[1] / "data" / "win_chances.tsv"
"""The parameters of the win probabilities, estimated from games played with SCOWL80."""
MAX_LEAD = 300
"""Maximum lead in a table, in points. Larger leads count as this lead."""


@dataclass(frozen=True, slots=True)
class WinChances:
    """The parameters of the win probabilities, by number of unseen tiles. The last parameters apply to any higher number."""

    advantages: tuple[float, ...]
    scales: tuple[float, ...]

    def chance(self, lead: float, unseen: int) -> float:
        """Return the win probability of a player to move who is ``lead`` points ahead. A tie counts as half a win."""
        row = max(0, min(unseen, len(self.scales) - 1))
        if unseen <= 0:
            return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        exponent = -(lead + self.advantages[row]) / self.scales[row]
        return 1.0 / (1.0 + math.exp(max(-700.0, min(700.0, exponent))))

    def table(self) -> npt.NDArray[np.float64]:
        """Return the win probabilities, from 0 to 1, with the rows and columns of a :data:`WinTable`."""
        leads = np.arange(-MAX_LEAD, MAX_LEAD + 1)
        advantages, scales = np.array([self.advantages, self.scales])[:, :, None]
        table = 1.0 / (1.0 + np.exp(np.clip(-(leads + advantages) / scales, -700.0, 700.0)))
        table[0] = (1 + np.sign(leads)) / 2
        return cast("npt.NDArray[np.float64]", table)


@cache
def shipped_win_chances() -> WinChances:
    return read_win_chances(WIN_CHANCES_PATH.read_text(encoding="utf-8"))


@cache
def shipped_win_table() -> WinTable:
    return np.rint(PROBABILITY_ONE * shipped_win_chances().table()).astype(np.int32)


def read_win_chances(text: str) -> WinChances:
    """Read the parameters of win probabilities.

    A header is followed by a tab-separated line for each number of unseen tiles, from 0 up.
    """
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return WinChances(
        tuple(float(advantage) for _, advantage, _ in rows), tuple(float(scale) for _, _, scale in rows)
    )
