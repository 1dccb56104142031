"""Reads chessboards in pictures: the pieces with their confidence, the orientation, and the side to move."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from PIL import Image

from bot.sight.chessboards import Board, find_chessboards
from bot.sight.network import DATA, EDGES, BoardNetwork
from bot.sight.squares import Floats, Grid, Integers, corner_colours, cut, features

PIECE_CLASSES: tuple[str | None, ...] = (None, *"KQRBNPkqrbnp")
"""The network's classes: an empty square, then the pieces by their FEN letters."""
MIN_CONFIDENCE = 0.7
"""Minimum probability of every square for :attr:`ChessSight.confident`."""
MIN_MEAN_CONFIDENCE = 0.98
"""Minimum mean probability of the pieces on a confident board. In an unfamiliar design, all probabilities are a
little lower."""
MIN_PARITY_SCORE = 0.86
"""Minimum share of squares with the right shade, light or dark, on a confident board."""
DOUBT_THRESHOLD = 0.9
"""Squares below this probability are listed as doubtful if the board is not confident."""

_EMPTY = re.compile(r"\.+")
_MIN_PIECES = 2
"""Minimum number of pieces on a board: two kings."""
_CLASS = {letter: number for number, letter in enumerate(PIECE_CLASSES) if letter}
"""The number of each piece's class, by its FEN letter."""
_USUAL_COUNTS = {
    letter: count for letters, count in (("Pp", 8), ("RrBbNn", 2), ("Qq", 1)) for letter in letters
}
"""Maximum number of pieces of each kind that a side normally has."""
_EXCESS_PENALTY = 12.0
"""A piece beyond the usual count is kept only if it is this many times as probable as the next guess."""
_CROP_OFFSETS = ((0.025, -0.02, 0.0), (-0.02, 0.025, 0.02))
"""Offsets and growth of additional crops, in squares. Squares on which the crops disagree are doubtful."""
_NEARLY_CERTAINLY_EMPTY = 0.9
"""If every square of a board is empty with at least this probability, the board is not read."""
_MIN_ORIENTATION = 1.2
"""Minimum evidence for an orientation that is clear; see :func:`_orientation`."""
_PAWN_EVIDENCE = {("P", 6): 0.25, ("P", 1): -0.25, ("p", 1): 0.25, ("p", 6): -0.25}
"""Evidence that White is at the bottom, from pawns on the second and seventh rows. Unmoved pawns are more common there."""
_MIN_HIGHLIGHT = 14.0
"""Minimum colour difference between a highlighted square and the other squares of its colour, from 0 to 255."""


@dataclass(frozen=True, slots=True)
class ChessSight:
    """A chessboard read from a picture."""

    pieces: tuple[str | None, ...]
    """The FEN letters of the pieces on a8, b8, … h1."""
    confidences: tuple[float, ...]
    """The probability of each piece, in the same order."""
    white_to_move: bool | None
    """Whether White is to move; None if the picture does not show it."""
    confident: bool
    """Whether the placement is certain enough to show without a warning; this does not include the side to move."""
    doubtful: tuple[int, ...]
    """Numbers of the squares to check, in the order of ``pieces``."""
    orientation_clear: bool
    """Whether the pieces show from which player's side the board is drawn."""

    @property
    def placement(self) -> str:
        """The first field of a FEN."""
        rows = (
            "".join(letter or "." for letter in self.pieces[start : start + 8]) for start in range(0, 64, 8)
        )
        return _EMPTY.sub(lambda run: str(len(run[0])), "/".join(rows))


def read_chess(picture: Image.Image, network: BoardNetwork | None = None) -> list[ChessSight]:
    """Read the chessboards of an RGB picture, the clearest first. Empty boards are left out."""
    read = partial(_read, picture, network or _network())
    return [sight for board in find_chessboards(picture) if (sight := read(board)) is not None]


@cache
def _network() -> BoardNetwork:
    return BoardNetwork.load(DATA / "chess.npz")


def _read(picture: Image.Image, network: BoardNetwork, board: Board) -> ChessSight | None:
    first_crop = _probabilities(picture, network, board.grid)
    if first_crop[:, 0].min() > _NEARLY_CERTAINLY_EMPTY:
        return None
    crops = [
        first_crop,
        *(_probabilities(picture, network, _shifted_grid(board.grid, *offset)) for offset in _CROP_OFFSETS),
    ]
    probabilities: Floats = np.mean(crops, axis=0)
    crops_agree = all(
        (crop_probabilities.argmax(axis=1) == probabilities.argmax(axis=1)).all()
        for crop_probabilities in crops
    )
    best_classes = probabilities.argmax(axis=1)
    if np.count_nonzero(best_classes) < _MIN_PIECES:
        return None
    classes = _possible_classes(probabilities)
    changed = classes != best_classes
    confidences = probabilities[np.arange(64), classes]
    orientation = _orientation(classes)
    white_moved_last = _white_moved_last(picture, board.grid, classes)
    excess_kinds = [
        _CLASS[letter]
        for letter, count in _USUAL_COUNTS.items()
        if np.count_nonzero(classes == _CLASS[letter]) > count
    ]
    confident = bool(
        crops_agree
        and not changed.any()
        and not excess_kinds
        and confidences.min() >= MIN_CONFIDENCE
        and confidences[classes != 0].mean() >= MIN_MEAN_CONFIDENCE
        and board.parity >= MIN_PARITY_SCORE
        and abs(orientation) >= _MIN_ORIENTATION
    )
    order = range(64) if orientation >= 0 else range(63, -1, -1)
    disagreed = (
        changed
        | np.isin(classes, excess_kinds)
        | np.any([crop_probabilities.argmax(axis=1) != best_classes for crop_probabilities in crops], axis=0)
    )
    doubtful = (
        ()
        if confident
        else tuple(
            index
            for index, square in enumerate(order)
            if confidences[square] < DOUBT_THRESHOLD or disagreed[square]
        )
    )
    return ChessSight(
        tuple(PIECE_CLASSES[classes[square]] for square in order),
        tuple(float(confidences[square]) for square in order),
        None if white_moved_last is None else not white_moved_last,
        confident,
        doubtful,
        abs(orientation) >= _MIN_ORIENTATION,
    )


def _probabilities(picture: Image.Image, network: BoardNetwork, grid: Grid) -> Floats:
    return network.board_probabilities(features(cut(picture, grid)))


def _shifted_grid(grid: Grid, right: float, down: float, growth: float) -> Grid:
    """Return a grid that is slightly moved and enlarged."""
    return replace(
        grid,
        left=grid.left + (right - growth) * grid.width,
        top=grid.top + (down - growth) * grid.height,
        width=grid.width * (1 + growth / 4),
        height=grid.height * (1 + growth / 4),
    )


def _possible_classes(probabilities: Floats) -> Integers:
    """Return the most probable class of each square that makes the whole board possible.

    A possible board has one king of each colour, and pawns only on the six middle rows. A piece beyond the usual number of its
    kind becomes the next guess, unless it is far more probable.
    """
    possible = probabilities.copy()
    possible[:, [_CLASS["P"], _CLASS["p"]]] *= 1 - EDGES
    for king in (_CLASS["K"], _CLASS["k"]):
        best = int(possible[:, king].argmax())
        possible[:, king] = possible[best] = 0
        possible[best, king] = 1
    classes = np.asarray(possible.argmax(axis=1))
    for letter, count in _USUAL_COUNTS.items():
        kind = _CLASS[letter]
        squares = sorted(np.flatnonzero(classes == kind), key=lambda square: possible[square, kind])
        for square in squares[: max(0, len(squares) - count)]:
            possible[square, kind] /= _EXCESS_PENALTY
            classes[square] = possible[square].argmax()
    return classes


def _orientation(classes: np.ndarray) -> float:
    """Return how clearly White is at the bottom; negative if Black is.

    Compares the rows of the two colours: most pawns have advanced little, and most kings are on their first rows.
    """
    letters = [PIECE_CLASSES[number] for number in classes]
    score = 0.0
    for name, weight in (("P", 1.0), ("K", 0.5)):
        rows = [
            [float(square // 8) for square, letter in enumerate(letters) if letter == own]
            for own in (name, name.lower())
        ]
        white, black = (float(np.mean(own or [3.5])) for own in rows)
        score += weight * (white - black) * (1 if all(rows) else 0.5)
    return score + sum(
        _PAWN_EVIDENCE.get((letter, square // 8), 0.0) for square, letter in enumerate(letters)
    )


def _white_moved_last(picture: Image.Image, grid: Grid, classes: np.ndarray) -> bool | None:
    """Return whether White moved last; None unless exactly two squares are highlighted and one of them is empty.

    The piece on the other square moved from the empty one.
    """
    colours = corner_colours(cut(picture, grid).astype(np.float32))
    light = (np.add.outer(np.arange(8), np.arange(8)) % 2 == 0).ravel()
    difference = np.empty(64, np.float32)
    for same_shade in (light, ~light):
        difference[same_shade] = np.abs(colours[same_shade] - np.median(colours[same_shade], axis=0)).max(
            axis=1
        )
    squares = np.flatnonzero(difference > _MIN_HIGHLIGHT)
    if len(squares) != 2:
        return None
    occupied = [square for square in squares if classes[square]]
    if len(occupied) != 1:
        return None
    return bool(classes[occupied[0]] < _CLASS["k"])
