"""Finds the layout of a board, and the bonus squares that the network mistook for tiles.

A program draws all bonus squares of a kind alike, at mirrored positions. Tiles with the same letter are rarely at such positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.squares import (
    Doubles,
    Floats,
    Grid,
    Integers,
    Mask,
    Pixels,
    cut_squares,
    middle_colours,
    rotations_and_reflections,
)
from bot.sight.tiles import EMPTY

_MAX_COLOUR_DIFFERENCE = 16.0
"""Maximum difference between the colours of two bonus squares of the same kind, from 0 to 255."""
_MIN_LABEL_CORRELATION = 0.8
_MAX_UNLABELLED_DEVIATION = 6.0
"""Maximum standard deviation of brightness on a square without a label."""
_MIN_CERTAIN_PROBABILITY = 0.9
_MIN_SIMILAR_COUNT = 2
"""A bonus square is similar to at least this many of the squares with which it is compared."""
_MIN_TILE_SHARE = 0.1
"""A colour counts as a tile colour if at least two certain tiles, and more than this share of them, have it, and fewer than
``_MIN_SIMILAR_COUNT`` certain empty squares have it."""

_SCALED_SIDE: Final = 8
_MAX_BONUSLESS_DEVIATION: Final = 8.0
"""If the standard deviation of the empty squares' colours (0 to 255) is below this, no bonus squares are visible."""
_MIN_EXPLAINED_SHARE: Final = 0.9
"""Minimum share of the variance of the empty squares' colours that a layout explains. On screenshots of four programs, the right
layout explains at least 0.97. Layouts of other games explain up to 0.7, because many squares have no bonus in either layout."""
_MIN_USUAL_EXPLAINED_SHARE: Final = 0.6
"""The minimum for the usual layout if no other layout explains more. Textures on the squares can lower the right layout's share
to this."""


def bonus_square_mask(squares: Pixels, probabilities: Floats) -> Mask:
    """Return a mask of the bonus squares among the squares that may hold a tile.

    The shape of ``probabilities`` is squares × classes, and class 0 is an empty square.
    """
    side = round(len(squares) ** 0.5)
    candidates = np.flatnonzero(probabilities[:, 0] < _MIN_CERTAIN_PROBABILITY)
    is_bonus = np.zeros(len(squares), bool)
    colours, labels, is_unlabelled = _appearances(squares)
    same_colour = np.abs(colours[candidates, None] - colours[None]).max(axis=2) < _MAX_COLOUR_DIFFERENCE
    same_label = (
        (labels[candidates] @ labels.T > _MIN_LABEL_CORRELATION)
        & ~is_unlabelled[candidates, None]
        & ~is_unlabelled[None]
    )
    is_similar = same_colour & (same_label | (is_unlabelled[candidates, None] & is_unlabelled[None]))
    images = rotations_and_reflections(np.arange(side * side).reshape(side, side))
    mirrored = np.stack([image.ravel() for image in images], axis=1)
    is_mirrored = np.zeros_like(is_similar)
    is_mirrored[np.arange(len(candidates))[:, None], mirrored[candidates]] = True
    is_mirrored[np.arange(len(candidates)), candidates] = False
    similar_counts = (is_similar & is_mirrored).sum(axis=1)
    is_certain_tile = probabilities[:, 1:-1].max(axis=1) >= _MIN_CERTAIN_PROBABILITY
    tile_colours = colours[is_certain_tile]
    empty_colours = colours[probabilities[:, 0] >= _MIN_CERTAIN_PROBABILITY]
    has_tile_colour = _count_similar(colours[candidates], tile_colours) > _MIN_TILE_SHARE * max(
        len(tile_colours), 10
    )
    has_tile_colour &= _count_similar(colours[candidates], empty_colours) < _MIN_SIMILAR_COUNT
    may_be_bonus = ~has_tile_colour & ~is_certain_tile[candidates]
    is_bonus[candidates] = (similar_counts >= _MIN_SIMILAR_COUNT) & may_be_bonus
    # Tiles may cover the mirrored positions, so the other candidates are compared with the bonus squares found so far.
    is_bonus[candidates] |= (is_similar[:, is_bonus].sum(axis=1) >= _MIN_SIMILAR_COUNT) & may_be_bonus
    return is_bonus


def _count_similar(colours: Floats, other_colours: Floats) -> Integers:
    is_similar = np.abs(colours[:, None] - other_colours[None]).max(axis=2) < _MAX_COLOUR_DIFFERENCE
    return np.asarray(is_similar.sum(axis=1), np.int64)


def _appearances(squares: Pixels) -> tuple[Floats, Floats, Mask]:
    """Return each square's colour, the brightness pattern of its label as a unit vector, and whether it has no label."""
    inner = squares[:, 4:-4, 4:-4].astype(np.float32)
    brightness = (
        inner.mean(axis=3).reshape(len(inner), 12, 2, 12, 2).mean(axis=(2, 4)).reshape(len(inner), -1)
    )
    brightness = brightness - brightness.mean(axis=1, keepdims=True)
    spread = brightness.std(axis=1)
    labels = brightness / np.maximum(spread * np.float32(12), np.float32(1e-3))[:, None]
    return middle_colours(squares, 4), np.asarray(labels, np.float32), spread < _MAX_UNLABELLED_DEVIATION


def matching_layout(
    picture: Image.Image, grid: Grid, rows: Sequence[str], layouts: Mapping[str, str]
) -> str | None:
    """Return the name of the layout that best explains the colours of a board's empty squares, or None if no layout explains enough.

    ``layouts`` maps names to the kinds of the squares, one character each. The first layout is the usual one, which is also returned if
    no bonus squares are visible.
    """
    usual_name = next(iter(layouts))
    is_empty = np.array([content == EMPTY for row in rows for content in row])
    # The middle square often has a special label.
    is_empty[len(is_empty) // 2] = False
    colours = middle_colours(cut_squares(picture, grid, _SCALED_SIDE), 1)
    empty_colours = colours[is_empty].astype(np.float64)
    if (
        not len(empty_colours)
        or np.sqrt(_squared_deviation(empty_colours) / len(empty_colours)) < _MAX_BONUSLESS_DEVIATION
    ):
        return usual_name
    shares = {
        name: _explained_share(empty_colours, np.array(list(kinds))[is_empty])
        for name, kinds in layouts.items()
    }
    best_name = max(shares, key=shares.__getitem__)
    return (
        best_name
        if shares[best_name]
        >= (_MIN_USUAL_EXPLAINED_SHARE if best_name == usual_name else _MIN_EXPLAINED_SHARE)
        else None
    )


def _explained_share(colours: Doubles, kinds: npt.NDArray[np.str_]) -> float:
    deviation_within_kinds = sum(_squared_deviation(colours[kinds == kind]) for kind in np.unique(kinds))
    return 1 - deviation_within_kinds / _squared_deviation(colours)


def _squared_deviation(colours: Doubles) -> float:
    return float(((colours - colours.mean(axis=0)) ** 2).sum())
