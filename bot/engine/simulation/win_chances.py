"""How often a lead wins: by the points that the player on turn is ahead and the tiles that player does not see.

For each number of unseen tiles (those in the bag and on the opponent's rack) the chance of a lead is

    1 / (1 + exp(-(lead + advantage) / scale))

where ``advantage`` is what having the turn is worth, and ``scale`` is how much can still happen. Both are fitted
to the outcomes of games, so that what was seen is as likely as can be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.engine.kernels.rollouts import CERTAIN
from bot.engine.simulation.win_table import WinTable

LEARNT = Path(__file__).parents[1] / "data" / "win_chances.tsv"
"""What was learnt with the lexicon that comes with the project."""
MAX_LEAD = 300
"""Leads above this many points count as this many."""
_NEIGHBOURS = 2
"""Each row is fitted to the outcomes of so many rows on either side as well."""
_MIN_DEVIATION = 10.0
"""Points that leads must differ by, as a standard deviation, to show what a lead is worth."""
_MIN_SCALE = 1.0
_MAX_SCALE = 500.0
_MAX_ADVANTAGE = 500.0
_MAX_ROWS = 1000


class WinChancesError(ValueError):
    """A text is no table of chances; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class WinChances:
    """Row n is for n unseen tiles; what is beyond the last row goes by the last."""

    advantages: tuple[float, ...]
    scales: tuple[float, ...]

    def chance(self, lead: float, unseen: int) -> float:
        """Return how likely the player on turn wins (a tie is half a win), ``lead`` points ahead."""
        row = max(0, min(unseen, len(self.scales) - 1))
        if unseen <= 0:
            return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        exponent = -(lead + self.advantages[row]) / self.scales[row]
        return 1.0 / (1.0 + math.exp(max(-700.0, min(700.0, exponent))))

    def table(self) -> npt.NDArray[np.float64]:
        """Return the chances as a table by unseen tiles and lead + :data:`MAX_LEAD`."""
        leads = np.arange(-MAX_LEAD, MAX_LEAD + 1)
        return np.array(
            [[self.chance(lead, unseen) for lead in leads.tolist()] for unseen in range(len(self.scales))]
        )


@cache
def learnt_win_chances() -> WinChances:
    """Return the chances that come with the project."""
    return read_win_chances(LEARNT.read_text(encoding="utf-8"))


@cache
def learnt_win_table() -> WinTable:
    """Return the chances that come with the project, as the simulation takes them."""
    return WinTable(np.rint(CERTAIN * learnt_win_chances().table()).astype(np.int32))


def fit_win_chances(outcomes: npt.NDArray[np.float64]) -> WinChances:
    """Fit the chances to outcomes: turns, and wins among them, by unseen tiles and lead + :data:`MAX_LEAD`.

    Rows without outcomes get what the nearest row with some has. At the beginning of a game all leads are much alike and
    do not show what a lead is worth: beyond the last row whose leads differ, all that were seen are one row.
    """
    turns, wins = outcomes
    seen = (np.flatnonzero(turns[1:].sum(axis=1)) + 1).tolist()
    if not seen:
        raise WinChancesError("there are no outcomes to fit chances to")
    last = max((row for row in seen if _deviation(turns[row]) >= _MIN_DEVIATION), default=0)
    fitted = {row: _fit(turns, wins, row, row) for row in seen if row <= last}
    if last < seen[-1]:
        fitted[last + 1] = _fit(turns, wins, last + 1, seen[-1])
    rows = [fitted[min(fitted, key=lambda known: abs(known - row))] for row in range(max(fitted) + 1)]
    return WinChances(tuple(row[0] for row in rows), tuple(row[1] for row in rows))


def _deviation(turns: npt.NDArray[np.float64]) -> float:
    """Return the standard deviation of the leads of a row, in points."""
    leads = np.arange(-MAX_LEAD, MAX_LEAD + 1, dtype=np.float64)
    mean = np.average(leads, weights=turns)
    return float(np.sqrt(np.average((leads - mean) ** 2, weights=turns)))


def _fit(
    turns: npt.NDArray[np.float64], wins: npt.NDArray[np.float64], first: int, last: int
) -> tuple[float, float]:
    """Return advantage and scale of rows by logistic regression (Newton's method on both coefficients)."""
    rows = slice(max(1, first - _NEIGHBOURS), last + _NEIGHBOURS + 1)
    number, won = turns[rows].sum(axis=0), wins[rows].sum(axis=0)
    # Half a won and half a lost turn at each end keep the scale within bounds when every lead won.
    number, won = number.copy(), won.copy()
    number[[0, -1]] += 1.0
    won[[0, -1]] += 0.5
    leads = np.arange(-MAX_LEAD, MAX_LEAD + 1, dtype=np.float64)
    base, slope = 0.0, 0.02
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(base + slope * leads, -30, 30)))
        error, weight = won - number * chance, number * chance * (1 - chance)
        gradient = np.array([error.sum(), (error * leads).sum()])
        mixed = (weight * leads).sum()
        hessian = np.array([[weight.sum(), mixed], [mixed, (weight * leads**2).sum()]])
        step = np.linalg.solve(hessian + np.eye(2) * 1e-9, gradient)
        base += float(np.clip(step[0], -1.0, 1.0))
        slope = max(1 / _MAX_SCALE, min(1 / _MIN_SCALE, slope + float(np.clip(step[1], -0.02, 0.02))))
        if np.abs(step).max() < 1e-10:
            break
    return round(max(-_MAX_ADVANTAGE, min(_MAX_ADVANTAGE, base / slope)), 3), round(1 / slope, 3)


def write_win_chances(chances: WinChances) -> str:
    """Write the chances as text: a line for each number of unseen tiles from 0."""
    rows = zip(chances.advantages, chances.scales, strict=True)
    lines = [f"{unseen}\t{advantage}\t{scale}" for unseen, (advantage, scale) in enumerate(rows)]
    return "\n".join(["unseen\tadvantage\tscale", *lines]) + "\n"


def read_win_chances(text: str) -> WinChances:
    """Read what :func:`write_win_chances` wrote.

    Raises:
        WinChancesError: the text is something else; with the line.

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
        good = unseen == number and abs(advantage) <= _MAX_ADVANTAGE and _MIN_SCALE <= scale <= _MAX_SCALE
        if not good:
            raise WinChancesError(f"line {number + 2} has numbers that cannot be")
        advantages.append(advantage)
        scales.append(scale)
    return WinChances(tuple(advantages), tuple(scales))
