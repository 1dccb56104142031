"""The win probability of the player to move, by their lead and the number of unseen tiles.

For each number of unseen tiles (those in the bag and on the opponent's rack), the win probability for a lead is

    1 / (1 + exp(-(lead + advantage) / scale))

where ``advantage`` is the value of having the turn, and ``scale`` measures how much can still happen. Both are
maximum likelihood estimates from the outcomes of games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from bot.engine.kernels.rollouts import CERTAIN

WinTable: TypeAlias = npt.NDArray[np.int32]
"""Win probabilities in millionths, by the number of unseen tiles and by the player's lead + half the columns.

Unseen tiles are neither on the board nor on the player's rack. The last row is for all larger numbers.
"""
LEARNT = Path(__file__).parents[1] / "data" / "win_chances.tsv"
"""The file of win probabilities learnt with the built-in lexicon."""
MAX_LEAD = 300
"""Maximum lead in points; larger leads are treated as equal to it."""
MIN_SCALE = 1.0
MAX_SCALE = 500.0
MAX_ADVANTAGE = 500.0
_MAX_ROWS = 1000


class WinChancesError(ValueError):
    """A text is not a table of win probabilities. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class WinChances:
    """The parameters of the win probabilities. Row n is for n unseen tiles; the last row is also for larger numbers."""

    advantages: tuple[float, ...]
    scales: tuple[float, ...]

    def chance(self, lead: float, unseen: int) -> float:
        """Return the win probability of the player to move, who is ``lead`` points ahead. A tie is half a win."""
        row = max(0, min(unseen, len(self.scales) - 1))
        if unseen <= 0:
            return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        exponent = -(lead + self.advantages[row]) / self.scales[row]
        return 1.0 / (1.0 + math.exp(max(-700.0, min(700.0, exponent))))

    def table(self) -> npt.NDArray[np.float64]:
        """Return the win probabilities as a table, by unseen tiles and lead + :data:`MAX_LEAD`."""
        leads = np.arange(-MAX_LEAD, MAX_LEAD + 1)
        advantages, scales = np.array([self.advantages, self.scales])[:, :, None]
        table = 1.0 / (1.0 + np.exp(np.clip(-(leads + advantages) / scales, -700.0, 700.0)))
        table[0] = (1 + np.sign(leads)) / 2
        return cast("npt.NDArray[np.float64]", table)


@cache
def learnt_win_chances() -> WinChances:
    """Return the win probabilities that ship with Kibitz."""
    return read_win_chances(LEARNT.read_text(encoding="utf-8"))


@cache
def learnt_win_table() -> WinTable:
    """Return the win probabilities that ship with Kibitz, as a table for simulations."""
    return np.rint(CERTAIN * learnt_win_chances().table()).astype(np.int32)


def read_win_chances(text: str) -> WinChances:
    """Read win probabilities: tab-separated, with a line for each number of unseen tiles from 0.

    Raises:
        WinChancesError: the text has another form. The error has the line number.

    """
    lines = text.splitlines()
    if not lines or lines[0].split("\t") != ["unseen", "advantage", "scale"]:
        raise WinChancesError("line 1 is not the head of a table of win chances")
    if not 1 < len(lines) <= _MAX_ROWS:
        raise WinChancesError(f"a table of win chances has 1 to {_MAX_ROWS - 1} rows")
    advantages, scales = [], []
    for number, line in enumerate(lines[1:]):
        try:
            unseen, advantage, scale = (float(part) for part in line.split("\t"))
        except ValueError:
            raise WinChancesError(f"line {number + 2} does not have three numbers") from None
        good = unseen == number and abs(advantage) <= MAX_ADVANTAGE and MIN_SCALE <= scale <= MAX_SCALE
        if not good:
            raise WinChancesError(f"line {number + 2} has numbers that cannot be")
        advantages.append(advantage)
        scales.append(scale)
    return WinChances(tuple(advantages), tuple(scales))
