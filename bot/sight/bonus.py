"""Bonus squares that look like tiles to a network, found by the symmetry of boards.

A program writes the same label on all bonus squares of a kind, and these lie at mirrored places. Tiles of one letter
lie so only by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.squares import Doubles, Floats, Grid, Integers, Mask, Pixels, cut
from bot.sight.tiles import EMPTY

_SAME = 16.0
"""The largest difference of the colours of two squares of one kind, of 255."""
_LIKE = 0.8
"""The least correlation of their labels."""
_FLAT = 6.0
"""The deviation of a square's brightness on which nothing is written, at most."""
_SURE = 0.9
"""A class that is more probable is certain."""
_PARTNERS = 2
"""Mirrored squares that must be like one, at least."""
_FEW = 0.1
"""The share of squares of one colour that are read as tiles, at most, for a colour of the board."""

_PIXELS: Final = 8
"""Pixels of a square that are looked at, both ways."""
_PLAIN: Final = 8.0
"""The largest deviation of the colours of squares, of 255, on a board without visible bonus squares."""
_EXPLAINED: Final = 0.9
"""The share of the variance of colours that a board's own layout explains, at least. On screenshots of four programs it is
0.97 or more; layouts of other games explain 0.7 at most, since many squares have no bonus on either."""
_LIKELY: Final = 0.6
"""The share that is enough for the usual layout, if no other explains more: squares may have a grain."""


def bonus_squares(squares: Pixels, shares: Floats) -> Mask:
    """Return which squares of a board are bonus squares although they were not read as surely empty.

    ``shares`` are the probabilities of the classes of each square, the first for an empty square.
    """
    side = round(len(squares) ** 0.5)
    tiles = shares.argmax(axis=1) > 0
    uncertain = np.flatnonzero(shares[:, 0] < _SURE)
    found = np.zeros(len(squares), bool)
    if not len(uncertain):
        return found
    colours, patterns, flat = _looks(squares)
    near = np.abs(colours[uncertain, None] - colours[None]).max(axis=2) < _SAME
    written = (patterns[uncertain] @ patterns.T > _LIKE) & ~flat[uncertain, None] & ~flat[None]
    alike = near & (written | (flat[uncertain, None] & flat[None]))
    partners = np.zeros_like(alike)
    partners[np.arange(len(uncertain))[:, None], _mirrored(side)[uncertain]] = True
    partners[np.arange(len(uncertain)), uncertain] = False
    count = (alike & partners).sum(axis=1)
    sure = shares[uncertain, 1:-1].max(axis=1) >= _SURE
    # A colour of certain tiles, and of no empty square, is a tile's.
    faces = colours[tiles & (shares[:, 1:-1].max(axis=1) >= _SURE)]
    ground = colours[shares[:, 0] >= _SURE]
    own = _alike(colours[uncertain], faces) > _FEW * max(len(faces), 10)
    own &= _alike(colours[uncertain], ground) < _PARTNERS
    found[uncertain] = (count >= _PARTNERS) & ~own & ~sure
    # Where tiles cover the mirrored squares, a bonus square is still like other bonus squares.
    known = np.flatnonzero(found)
    found[uncertain] |= (alike[:, known].sum(axis=1) >= _PARTNERS) & ~own & ~sure
    return found


def _alike(colours: Floats, others: Floats) -> Integers:
    """Return for each colour how many of the others are like it."""
    near = np.abs(colours[:, None] - others[None]).max(axis=2) < _SAME
    return np.asarray(near.sum(axis=1), np.int64)


def _looks(squares: Pixels) -> tuple[Floats, Floats, Mask]:
    """Return the colour of each square, what is written on it as a vector of length 1, and whether that is nothing."""
    inner = squares[:, 4:-4, 4:-4].astype(np.float32)
    colours = np.asarray(np.median(inner.reshape(len(inner), -1, 3), axis=1), np.float32)
    small = inner.mean(axis=3).reshape(len(inner), 12, 2, 12, 2).mean(axis=(2, 4)).reshape(len(inner), -1)
    small = small - small.mean(axis=1, keepdims=True)
    spread = small.std(axis=1)
    patterns = small / np.maximum(spread * np.float32(12), np.float32(1e-3))[:, None]
    return colours, np.asarray(patterns, np.float32), spread < _FLAT


def _mirrored(side: int) -> Integers:
    """Return for each square the 7 at mirrored places: squares × 7."""
    places = np.arange(side * side).reshape(side, side)
    turned = [places, places.T, places[::-1, ::-1].T, places[::-1, ::-1]]
    ways = [*turned, *(turn[:, ::-1] for turn in turned)]
    return np.stack([turn.ravel() for turn in ways[1:]], axis=1)


def fitting_layout(
    picture: Image.Image, grid: Grid, rows: Sequence[str], layouts: Mapping[str, str]
) -> str | None:
    """Return the name of the layout whose bonus squares a board has, or None if none fits.

    ``layouts`` are the kinds of squares row by row, one character each, by name. The first is the usual layout. It is
    returned if the picture shows no bonus squares.
    """
    usual = next(iter(layouts))
    colours = _grid_colours(picture, grid)
    empty = np.array([sign == EMPTY for row in rows for sign in row])
    # The middle square often has a label of its own.
    empty[len(empty) // 2] = False
    seen = colours[empty]
    if not len(seen) or np.sqrt(_spread(seen) / len(seen)) < _PLAIN:
        return usual
    shares = {name: _explained(seen, np.array(list(kinds))[empty]) for name, kinds in layouts.items()}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= (_LIKELY if best == usual else _EXPLAINED) else None


def _grid_colours(picture: Image.Image, grid: Grid) -> Doubles:
    """Return the usual colour of each square, row by row."""
    inner = cut(picture, grid, _PIXELS)[:, 1:-1, 1:-1]
    return np.asarray(np.median(inner.reshape(len(inner), -1, 3), axis=1))


def _explained(colours: Doubles, kinds: npt.NDArray[np.str_]) -> float:
    """Return the share of the variance of colours that the kinds of squares explain."""
    within = sum(_spread(colours[kinds == kind]) for kind in np.unique(kinds))
    return 1 - within / _spread(colours)


def _spread(colours: Doubles) -> float:
    """Return the sum of squared distances from the mean."""
    return float(((colours - colours.mean(axis=0)) ** 2).sum())
