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
"""The letters of English: the classes of the network that reads squares, between an empty one and any other letter."""
OTHER: Final = len(LETTERS) + 1
"""The class of tiles whose letters are none of these: Kibitz calls them unknown and takes them for no other."""
LOWER, MARKED = 1, 2
"""Ways to write a tile, summed to a class: with a lower-case letter; in a ring or a frame."""
SMALL: Final = len(LETTERS)
"""The offset of a small letter's class from its capital's, for the network that reads signs."""
CAPITAL_I, SMALL_L = LETTERS.index("I") + 1, LETTERS.index("L") + 1

_BAR = 0.1
"""An I with at least this probability may be a small L."""
_TINY = np.float32(1e-4)


@cache
def network(name: str) -> Network:
    """Return a network that reads signs one by one, by the name of its file."""
    return Network.load(DATA / f"{name}.npz")


def letter_shares(squares: Pixels) -> Floats:
    """Return the probability of each class for each square."""
    if not len(squares):
        return np.zeros((0, OTHER + 1), np.float32)
    shares = network("letters").probabilities(tile_features(squares))
    # A bar may be a capital I or a small L; nearly all tiles have capitals.
    bar = shares[:, CAPITAL_I] > _BAR
    shares[bar, CAPITAL_I] += shares[bar, SMALL_L]
    shares[bar, SMALL_L] = 0
    return shares


def ringed(features: Floats) -> Floats:
    """Return how probable it is of each tile that it is in a ring or a frame."""
    shares = network("tiles").probabilities(features)
    return np.asarray(shares[:, np.arange(shares.shape[1]) & MARKED > 0].sum(axis=1), np.float32)


def small_letters(features: Floats, letters: Integers) -> Floats:
    """Return how probable it is of each tile that its letter, a number from 0, is a small one."""
    shares, rows = network("signs").probabilities(features), np.arange(len(letters))
    small, capital = shares[rows, letters + SMALL], shares[rows, letters]
    return np.asarray(small / np.maximum(small + capital, _TINY), np.float32)
