"""Boards of crossword games in pictures, read and weighed: which letters, which of them blanks, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.grids import Lattice, find_grids
from bot.sight.network import Network
from bot.sight.squares import Grid, cut, tile_features

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters that were learnt: the classes of the network between an empty square and any other letter."""
SURE = 0.7
"""No square of a board that is stated may be less probable."""
PLAIN = 0.9
"""Squares less probable than this are pointed out on a board that is not stated."""

_DATA = Path(__file__).parent / "data"
_OTHER = len(LETTERS) + 1
_MOST = 110
"""Tiles on a board of 225 squares, at most; a grid with more is another puzzle."""
_CERTAIN = 0.999
"""Squares that are empty so surely are looked at once."""
_ASIDE = ((0.0, 0.0), (0.05, -0.04), (-0.04, 0.05))
"""How far from its place a board is cut, in squares: what is read must not depend on it."""
_SPECIAL = 12.0
"""How far the colour of a bonus square is from that of others, of 255."""
_FEWEST_SPECIAL = 0.08
"""The share of bonus squares on a board."""
_LOWER, _VALUED, _MARKED = 1, 2, 4
_NEARLY_ALL = 0.8
"""The share of the tiles that show their values in programs that write values on tiles."""
_CLEAR = 0.2
"""What is less probable than this is not so."""
_BLANKS = 4
"""Blanks on a board, at most: more tiles that differ are no blanks but a move that is shown."""


@dataclass(frozen=True, slots=True)
class CrosswordSight:
    """A board of a crossword game as it was read from a picture."""

    rows: tuple[str, ...]
    """The squares as CGP writes them without counting: ``.`` for an empty one, lower-case letters for blanks."""
    confidences: tuple[float, ...]
    """How probable each square is, row by row."""
    confident: bool
    """Whether it may be stated."""
    doubtful: tuple[int, ...]
    """Squares to check, row by row."""

    @property
    def placement(self) -> str:
        """The first field of a CGP."""
        return "/".join(_counted(row) for row in self.rows)


def _counted(row: str) -> str:
    parts, empty = [], 0
    for sign in [*row, ""]:
        if sign == ".":
            empty += 1
            continue
        parts += [str(empty) if empty else "", sign]
        empty = 0
    return "".join(parts)


def read_crossword(picture: Image.Image) -> list[CrosswordSight]:
    """Read the boards of crossword games on an RGB picture, the clearest first; an empty board is none."""
    return [sight for lattice in find_grids(picture) if (sight := _read(picture, lattice)) is not None]


@cache
def _letters() -> Network:
    return Network.load(_DATA / "letters.npz")


@cache
def _tiles() -> Network:
    return Network.load(_DATA / "tiles.npz")


def _read(picture: Image.Image, lattice: Lattice) -> CrosswordSight | None:
    squares = cut(picture, lattice.grid)
    shares = _letters().probabilities(tile_features(squares))
    near = np.flatnonzero(shares[:, 0] < _CERTAIN)
    if np.count_nonzero(shares[:, 0] < 0.5) > _MOST * len(shares) / 225:
        return None
    agreed = np.ones(len(shares), bool)
    others = [cut(picture, _aside(lattice.grid, *away))[near] for away in _ASIDE[1:]]
    seen = [_letters().probabilities(tile_features(other)) for other in others]
    agreed[near] = np.all([one.argmax(axis=1) == shares[near].argmax(axis=1) for one in seen], axis=0)
    shares[near] = np.mean([shares[near], *seen], axis=0)
    classes = shares.argmax(axis=1)
    confidences = shares.max(axis=1)
    # A letter that is none of those learnt is never sure: the next best is shown, to be put right.
    strange = classes == _OTHER
    classes[strange] = shares[strange, 1:_OTHER].argmax(axis=1) + 1
    confidences[strange] = 0
    occupied = np.flatnonzero(classes)
    text = np.full(len(classes), ".", object)
    unclear = ~agreed
    if len(occupied):
        blanks, unclear_blanks = _blanks(squares[occupied])
        unclear[occupied] |= unclear_blanks
        for square, blank in zip(occupied, blanks, strict=True):
            letter = LETTERS[classes[square] - 1]
            text[square] = letter.lower() if blank else letter
    elif not _is_symmetric(squares, lattice.grid.columns):
        return None
    side = lattice.grid.columns
    confident = bool(
        not unclear.any() and confidences.min() >= SURE and _is_connected((classes > 0).reshape(side, side))
    )
    doubtful = () if confident else tuple(np.flatnonzero((confidences < PLAIN) | unclear).tolist())
    rows = tuple("".join(text[start : start + side]) for start in range(0, len(text), side))
    return CrosswordSight(rows, tuple(confidences.tolist()), confident, doubtful)


def _aside(grid: Grid, right: float, down: float) -> Grid:
    return replace(grid, left=grid.left + right * grid.width, top=grid.top + down * grid.height)


def _blanks(squares: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which tiles are blanks, and of which it is not clear.

    A blank is what few tiles are and the others are not: in a ring or a frame, lower-case, without a value, or in
    colours of its own. What more than a few tiles have is a move that is shown, or a program that writes so.
    """
    shares = _tiles().probabilities(tile_features(squares))
    ways = np.arange(shares.shape[1])
    blank = np.zeros(len(squares), bool)
    unclear = np.zeros(len(squares), bool)
    valued = shares[:, ways & _VALUED > 0].sum(axis=1)
    signs = [shares[:, ways & kind > 0].sum(axis=1) for kind in (_MARKED, _LOWER)]
    if np.mean(valued > 0.5) > _NEARLY_ALL:
        signs.append(1 - valued)
    for sign in signs:
        few = np.count_nonzero(sign > 0.5) <= _BLANKS
        if few:
            blank |= sign > 0.5
            unclear |= (sign > _CLEAR) & (sign < 1 - _CLEAR)
    # A tile with one sign of a blank and clearly without another that all blanks here have is one to check.
    for sign in signs:
        if blank.any() and np.mean(sign[blank] > 0.5) > 0.5 and np.count_nonzero(sign > 0.5) <= _BLANKS:
            unclear |= blank & (sign < 0.5)
    return blank, unclear


def _is_connected(board: npt.NDArray[np.bool_]) -> bool:
    """Return whether the tiles are one piece, as those of every game are."""
    reached = np.zeros_like(board)
    reached.flat[int(board.argmax())] = True
    while True:
        wider = reached.copy()
        wider[1:] |= reached[:-1]
        wider[:-1] |= reached[1:]
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider &= board
        if (wider == reached).all():
            return bool((reached == board).all())
        reached = wider


def _is_symmetric(squares: npt.NDArray[np.uint8], side: int) -> bool:
    """Return whether the squares of an empty board have colours as bonus squares have: alike in all four quarters."""
    inner = squares[:, 6:-6, 6:-6].reshape(len(squares), -1, 3)
    colours = np.median(inner, axis=1).reshape(side, side, 3)
    usual = np.median(colours.reshape(-1, 3), axis=0)
    special = np.abs(colours - usual).max(axis=2) > _SPECIAL
    turned = np.abs(colours - colours[::-1, ::-1]).max(axis=2)
    mirrored = np.abs(colours - colours[:, ::-1]).max(axis=2)
    alike = (turned < _SPECIAL) & (mirrored < _SPECIAL)
    return bool(_FEWEST_SPECIAL <= special.mean() <= 1 - _FEWEST_SPECIAL and alike.mean() > _NEARLY_ALL)
