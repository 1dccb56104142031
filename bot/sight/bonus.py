"""Finds bonus squares that the network mistook for tiles, and the layout of a board.

A program writes the same label on all bonus squares of a kind. These squares are mirror images of each other. Tiles with the
same letter are on mirrored squares only by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.squares import Doubles, Floats, Grid, Integers, Mask, Pixels, cut
from bot.sight.tiles import EMPTY

_MAX_COLOUR_DIFFERENCE = 16.0
"""Maximum difference between the colours of two squares of a kind, out of 255."""
_MIN_CORRELATION = 0.8
"""Minimum correlation between the labels of two squares of a kind."""
_MAX_FLAT_DEVIATION = 6.0
"""Maximum standard deviation of the brightness of a square without a label."""
_MIN_CERTAIN = 0.9
"""Minimum probability of a certain class."""
_MIN_PARTNERS = 2
"""Minimum number of similar squares that make a square a bonus square."""
_MAX_TILE_SHARE = 0.1
"""Maximum share of the certain tiles that have the colour of a bonus square."""

_PIXELS: Final = 8
"""Width and height, in pixels, to which each square is scaled."""
_MAX_PLAIN_DEVIATION: Final = 8.0
"""Maximum standard deviation of the colours of squares, out of 255, on a board without visible bonus squares."""
_MIN_EXPLAINED: Final = 0.9
"""Minimum share of the variance of colours that the layout of a board explains. On screenshots of four programs the right
layout explains 0.97 or more. Layouts of other games explain up to 0.7, because many squares have no bonus in either."""
_MIN_EXPLAINED_USUAL: Final = 0.6
"""Minimum share for the usual layout, if it explains the most. Textured squares lower the value."""


def bonus_squares(squares: Pixels, probabilities: Floats) -> Mask:
    """Return which of the squares that are not certainly empty are bonus squares.

    ``probabilities`` has a row for each square and a column for each class. The first class is an empty square.
    """
    side = round(len(squares) ** 0.5)
    tiles = probabilities.argmax(axis=1) > 0
    uncertain = np.flatnonzero(probabilities[:, 0] < _MIN_CERTAIN)
    found = np.zeros(len(squares), bool)
    if not len(uncertain):
        return found
    colours, patterns, flat = _appearances(squares)
    same_colour = np.abs(colours[uncertain, None] - colours[None]).max(axis=2) < _MAX_COLOUR_DIFFERENCE
    same_label = (patterns[uncertain] @ patterns.T > _MIN_CORRELATION) & ~flat[uncertain, None] & ~flat[None]
    similar = same_colour & (same_label | (flat[uncertain, None] & flat[None]))
    partners = np.zeros_like(similar)
    partners[np.arange(len(uncertain))[:, None], _mirror_indices(side)[uncertain]] = True
    partners[np.arange(len(uncertain)), uncertain] = False
    count = (similar & partners).sum(axis=1)
    certain_tile = probabilities[uncertain, 1:-1].max(axis=1) >= _MIN_CERTAIN
    # A colour that certain tiles have and certainly empty squares lack is the colour of the tiles.
    tile_colours = colours[tiles & (probabilities[:, 1:-1].max(axis=1) >= _MIN_CERTAIN)]
    empty_colours = colours[probabilities[:, 0] >= _MIN_CERTAIN]
    tile_coloured = _count_similar(colours[uncertain], tile_colours) > _MAX_TILE_SHARE * max(
        len(tile_colours), 10
    )
    tile_coloured &= _count_similar(colours[uncertain], empty_colours) < _MIN_PARTNERS
    found[uncertain] = (count >= _MIN_PARTNERS) & ~tile_coloured & ~certain_tile
    # If tiles cover its mirror images, a bonus square is still similar to other bonus squares.
    known = np.flatnonzero(found)
    found[uncertain] |= (similar[:, known].sum(axis=1) >= _MIN_PARTNERS) & ~tile_coloured & ~certain_tile
    return found


def _count_similar(colours: Floats, others: Floats) -> Integers:
    """Return, for each colour, the number of similar colours among ``others``."""
    similar = np.abs(colours[:, None] - others[None]).max(axis=2) < _MAX_COLOUR_DIFFERENCE
    return np.asarray(similar.sum(axis=1), np.int64)


def _appearances(squares: Pixels) -> tuple[Floats, Floats, Mask]:
    """Return the colour of each square, its label as a unit vector, and whether it has no label."""
    inner = squares[:, 4:-4, 4:-4].astype(np.float32)
    colours = np.asarray(np.median(inner.reshape(len(inner), -1, 3), axis=1), np.float32)
    brightness = (
        inner.mean(axis=3).reshape(len(inner), 12, 2, 12, 2).mean(axis=(2, 4)).reshape(len(inner), -1)
    )
    brightness = brightness - brightness.mean(axis=1, keepdims=True)
    spread = brightness.std(axis=1)
    patterns = brightness / np.maximum(spread * np.float32(12), np.float32(1e-3))[:, None]
    return colours, np.asarray(patterns, np.float32), spread < _MAX_FLAT_DEVIATION


def _mirror_indices(side: int) -> Integers:
    """Return the indices of the seven mirror images of each square, rotations included: squares × 7."""
    indices = np.arange(side * side).reshape(side, side)
    rotations = [indices, indices.T, indices[::-1, ::-1].T, indices[::-1, ::-1]]
    symmetries = [*rotations, *(symmetry[:, ::-1] for symmetry in rotations)]
    return np.stack([symmetry.ravel() for symmetry in symmetries[1:]], axis=1)


def fitting_layout(
    picture: Image.Image, grid: Grid, rows: Sequence[str], layouts: Mapping[str, str]
) -> str | None:
    """Return the name of the layout that best explains the colours of a board's empty squares; None if none does.

    ``rows`` are the squares as read, one character each. ``layouts`` maps each name to the kinds of its squares, row
    by row, one character each. Its first layout is the usual one, which is also returned for a picture without
    visible bonus squares.
    """
    usual = next(iter(layouts))
    colours = _grid_colours(picture, grid)
    empty = np.array([content == EMPTY for row in rows for content in row])
    # The middle square often has a label of its own.
    empty[len(empty) // 2] = False
    visible = colours[empty]
    if not len(visible) or np.sqrt(_spread(visible) / len(visible)) < _MAX_PLAIN_DEVIATION:
        return usual
    shares = {
        name: _explained_share(visible, np.array(list(kinds))[empty]) for name, kinds in layouts.items()
    }
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= (_MIN_EXPLAINED_USUAL if best == usual else _MIN_EXPLAINED) else None


def _grid_colours(picture: Image.Image, grid: Grid) -> Doubles:
    """Return the median colour of each square, row by row."""
    inner = cut(picture, grid, _PIXELS)[:, 1:-1, 1:-1]
    return np.asarray(np.median(inner.reshape(len(inner), -1, 3), axis=1))


def _explained_share(colours: Doubles, kinds: npt.NDArray[np.str_]) -> float:
    """Return the share of the colours' variance that the kinds of squares explain."""
    within = sum(_spread(colours[kinds == kind]) for kind in np.unique(kinds))
    return 1 - within / _spread(colours)


def _spread(colours: Doubles) -> float:
    """Return the sum of squared distances from the mean."""
    return float(((colours - colours.mean(axis=0)) ** 2).sum())
