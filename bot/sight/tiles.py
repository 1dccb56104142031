"""Reads the contents of squares of crossword boards with networks."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from bot.sight.network import DATA, Network
from bot.sight.squares import Floats, Integers, Pixels, tile_features

EMPTY: Final = "."
"""An empty square."""
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters of English: classes of the network that reads squares, between an empty square and any other letter."""
OTHER: Final = len(LETTERS) + 1
"""The class of tiles with any other letter, which Kibitz reports as unknown."""
LOWER, MARKED = 1, 2
"""Styles of a tile: with a lower-case letter, and in a ring or a frame. A tile's class is the sum of its styles."""
SMALL: Final = len(LETTERS)
"""Offset between the class of a lower-case letter and that of its capital, in the network that reads single
characters."""
CAPITAL_I, SMALL_L = LETTERS.index("I") + 1, LETTERS.index("L") + 1
"""The classes of the letters I and L; a capital I and a lower-case L look alike."""

_BAR = 0.1
"""If a capital I is more probable than this, the tile shows a bar. The bar may also be a lower-case L."""
_TINY = np.float32(1e-4)
"""Minimum divisor, instead of zero."""


@cache
def network(name: str) -> Network:
    """Return the network with this file name, which reads squares one by one."""
    return Network.load(DATA / f"{name}.npz")


def letter_probabilities(squares: Pixels) -> Floats:
    """Return the probability of each class for each square."""
    if not len(squares):
        return np.zeros((0, OTHER + 1), np.float32)
    probabilities = network("letters").probabilities(tile_features(squares))
    # A bar may be a capital I or a lower-case L; nearly all tiles have capitals.
    bar = probabilities[:, CAPITAL_I] > _BAR
    probabilities[bar, CAPITAL_I] += probabilities[bar, SMALL_L]
    probabilities[bar, SMALL_L] = 0
    return probabilities


def ring_probabilities(features: Floats) -> Floats:
    """Return the probability of a ring or a frame for each tile."""
    probabilities = network("tiles").probabilities(features)
    return np.asarray(
        probabilities[:, np.arange(probabilities.shape[1]) & MARKED > 0].sum(axis=1), np.float32
    )


def lowercase_probabilities(features: Floats, letters: Integers) -> Floats:
    """Return the probability that the letter (a number from 0) of each tile is lower-case."""
    probabilities, rows = network("signs").probabilities(features), np.arange(len(letters))
    small, capital = probabilities[rows, letters + SMALL], probabilities[rows, letters]
    return np.asarray(small / np.maximum(small + capital, _TINY), np.float32)
