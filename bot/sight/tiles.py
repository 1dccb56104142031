"""Classifies the squares of crossword boards and the styles of tiles."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from bot.sight.network import DATA_FOLDER, Network
from bot.sight.squares import Floats, Integers, Pixels, tile_features

EMPTY: Final = "."
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Classes 1 to 26 of the ``letters`` network. Class 0 is an empty square."""
OTHER_LETTER: Final = len(LETTERS) + 1
"""The last class of the ``letters`` network: a tile with any other letter."""
LOWERCASE, RINGED = 1, 2
"""Styles of a tile: a lower-case letter, and a ring or a frame. The classes of the ``tiles`` network are sums of styles."""
LOWERCASE_OFFSET: Final = len(LETTERS)
"""In the ``characters`` network, the class of a lower-case letter minus the class of its capital."""
CAPITAL_I, LETTER_L = LETTERS.index("I") + 1, LETTERS.index("L") + 1
"""Classes of the ``letters`` network. A capital I and a lower-case L look alike."""

_MIN_BAR_PROBABILITY = 0.1
"""A tile shows a vertical bar if the probability that it is a capital I is above this."""
_EPSILON = np.float32(1e-4)


@cache
def network(name: str) -> Network:
    return Network.load(DATA_FOLDER / f"{name}.npz")


def letter_probabilities(squares: Pixels) -> Floats:
    """Return each square's class probabilities: squares × classes."""
    if not len(squares):
        return np.zeros((0, OTHER_LETTER + 1), np.float32)
    probabilities = network("letters").probabilities(tile_features(squares))
    # A bar may be a lower-case L, but counts as a capital I, because nearly all tiles have capitals.
    may_be_bar = probabilities[:, CAPITAL_I] > _MIN_BAR_PROBABILITY
    probabilities[may_be_bar, CAPITAL_I] += probabilities[may_be_bar, LETTER_L]
    probabilities[may_be_bar, LETTER_L] = 0
    return probabilities


def ring_probabilities(features: Floats) -> Floats:
    """Return each tile's probability of having a ring or a frame."""
    probabilities = network("tiles").probabilities(features)
    return np.asarray(
        probabilities[:, np.arange(probabilities.shape[1]) & RINGED > 0].sum(axis=1), np.float32
    )


def lowercase_probabilities(features: Floats, letters: Integers) -> Floats:
    """Return the probability that each tile's letter is lower-case. ``letters`` are indexes into :data:`LETTERS`."""
    probabilities, rows = network("characters").probabilities(features), np.arange(len(letters))
    lowercase, capital = probabilities[rows, letters + LOWERCASE_OFFSET], probabilities[rows, letters]
    return np.asarray(lowercase / np.maximum(lowercase + capital, _EPSILON), np.float32)
