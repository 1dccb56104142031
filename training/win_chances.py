"""Fits win chances to the outcomes of games, and writes the table that :mod:`bot.engine.simulation.win_chances` reads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.simulation.win_chances import MAX_LEAD, WinChances

MIN_SCALE = 1.0
MAX_SCALE = 500.0
MAX_ADVANTAGE = 500.0
"""Limits of a row's scale, and of the absolute value of its advantage, in points."""
_NEIGHBOUR_ROWS = 2
"""Number of neighbouring rows on each side whose outcomes are also used to fit a row."""
_MIN_DEVIATION = 10.0
"""Minimum standard deviation of a row's leads, in points. With less variation, the row does not show what a lead is worth."""


def fit_win_chances(outcomes: npt.NDArray[np.float64]) -> WinChances:
    """Fit the chances to the counts of turns and of wins.

    Both are indexed by the number of unseen tiles (the row) and by the lead plus :data:`MAX_LEAD`. A row without outcomes gets
    the chances of the nearest row with outcomes. At the beginning of a game, leads vary too little to show what a lead is
    worth, so all rows above the highest row with enough variation are fitted as a single row.
    """
    turns, wins = outcomes
    filled_rows = (np.flatnonzero(turns[1:].sum(axis=1)) + 1).tolist()
    if not filled_rows:
        raise ValueError("there are no outcomes to fit chances to")
    last_row = max((row for row in filled_rows if _lead_deviation(turns[row]) >= _MIN_DEVIATION), default=0)
    fits = {row: _fit_rows(turns, wins, row, row) for row in filled_rows if row <= last_row}
    if last_row < filled_rows[-1]:
        fits[last_row + 1] = _fit_rows(turns, wins, last_row + 1, filled_rows[-1])
    nearest = [fits[min(fits, key=lambda other: abs(other - row))] for row in range(max(fits) + 1)]
    return WinChances(tuple(fit[0] for fit in nearest), tuple(fit[1] for fit in nearest))


def _lead_deviation(turns: npt.NDArray[np.float64]) -> float:
    leads = np.arange(-MAX_LEAD, MAX_LEAD + 1, dtype=np.float64)
    mean = np.average(leads, weights=turns)
    return float(np.sqrt(np.average((leads - mean) ** 2, weights=turns)))


def _fit_rows(
    turns: npt.NDArray[np.float64], wins: npt.NDArray[np.float64], first: int, last: int
) -> tuple[float, float]:
    """Fit the advantage and the scale of rows by logistic regression (Newton's method on both coefficients)."""
    rows = slice(max(1, first - _NEIGHBOUR_ROWS), last + _NEIGHBOUR_ROWS + 1)
    turn_counts, win_counts = turns[rows].sum(axis=0), wins[rows].sum(axis=0)
    # Two invented turns, at the lowest and at the highest lead, count as half a win each. They keep the scale within bounds
    # even if the leader always won.
    turn_counts[[0, -1]] += 1.0
    win_counts[[0, -1]] += 0.5
    leads = np.arange(-MAX_LEAD, MAX_LEAD + 1, dtype=np.float64)
    base, slope = 0.0, 0.02
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(base + slope * leads, -30, 30)))
        error, weight = win_counts - turn_counts * chance, turn_counts * chance * (1 - chance)
        gradient = np.array([error.sum(), (error * leads).sum()])
        cross_term = (weight * leads).sum()
        hessian = np.array([[weight.sum(), cross_term], [cross_term, (weight * leads**2).sum()]])
        step = np.linalg.solve(hessian + np.eye(2) * 1e-9, gradient)
        base += float(np.clip(step[0], -1.0, 1.0))
        slope = max(1 / MAX_SCALE, min(1 / MIN_SCALE, slope + float(np.clip(step[1], -0.02, 0.02))))
        if np.abs(step).max() < 1e-10:
            break
    return round(max(-MAX_ADVANTAGE, min(MAX_ADVANTAGE, base / slope)), 3), round(1 / slope, 3)


def format_win_chances(chances: WinChances) -> str:
    rows = zip(chances.advantages, chances.scales, strict=True)
    lines = [f"{unseen}\t{advantage}\t{scale}" for unseen, (advantage, scale) in enumerate(rows)]
    return "\n".join(["unseen\tadvantage\tscale", *lines]) + "\n"
