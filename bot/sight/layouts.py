"""Which bonus squares a board in a picture has: those whose kinds explain the colours of its empty squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.crossword import EMPTY, CrosswordSight
from bot.sight.squares import Grid, cut

_PIXELS: Final = 8
"""Pixels of a square that are looked at, both ways."""
_PLAIN: Final = 8.0
"""How far the colours of squares are from their mean, of 255, where there is nothing to tell them by."""
_EXPLAINED: Final = 0.9
"""The share of the differences that a board's own kinds of squares explain, at least. On screenshots of four programs that is
0.97 and more; the kinds of other games explain 0.7 at most, since many squares have no bonus on either."""
_LIKELY: Final = 0.6
"""The share that is enough for the usual board, if no other one explains more: squares may have a grain."""


def fitting_layout(picture: Image.Image, sight: CrosswordSight, layouts: Mapping[str, str]) -> str | None:
    """Return the name of the layout whose bonus squares a board has; None where it has none of these.

    ``layouts`` are the kinds of squares row by row, a sign for each, by name. The first is the usual one: it is taken where
    the picture does not tell.
    """
    usual = next(iter(layouts))
    colours = _colours(picture, sight.grid)
    empty = np.array([sign == EMPTY for row in sight.rows for sign in row])
    # The first square of a game often has a sign of its own.
    empty[len(empty) // 2] = False
    seen = colours[empty]
    if not len(seen) or np.sqrt(_spread(seen) / len(seen)) < _PLAIN:
        return usual
    shares = {name: _explained(seen, np.array(list(kinds))[empty]) for name, kinds in layouts.items()}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= (_LIKELY if best == usual else _EXPLAINED) else None


def _colours(picture: Image.Image, grid: Grid) -> npt.NDArray[np.float64]:
    """Return the usual colour of each square, row by row."""
    inner = cut(picture, grid, _PIXELS)[:, 1:-1, 1:-1]
    colours: npt.NDArray[np.float64] = np.median(inner.reshape(len(inner), -1, 3), axis=1)
    return colours


def _explained(colours: npt.NDArray[np.float64], kinds: npt.NDArray[np.str_]) -> float:
    """Return by how much smaller the differences of colours are within kinds of squares than among all."""
    within = sum(_spread(colours[kinds == kind]) for kind in np.unique(kinds))
    return 1 - within / _spread(colours)


def _spread(colours: npt.NDArray[np.float64]) -> float:
    """Return the sum of squared distances from the mean."""
    return float(((colours - colours.mean(axis=0)) ** 2).sum())
