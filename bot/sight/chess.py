"""Reads chessboards in pictures: the pieces with their confidence, the orientation, and the side to move.

Each square is classified in three crops at slightly different positions. Its confidence is the mean probability of its contents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from PIL import Image

from bot.sight.chessboards import IS_LIGHT, Board, find_chessboards
from bot.sight.network import DATA_FOLDER, IS_EDGE_ROW, BoardNetwork
from bot.sight.squares import Floats, Grid, Integers, board_features, corner_colours, cut_squares

PIECE_CLASSES: tuple[str | None, ...] = (None, *"KQRBNPkqrbnp")
"""An empty square, then the pieces by their FEN letters."""
MIN_CONFIDENCE = 0.7
"""Minimum confidence of every square in a confident reading."""
MIN_MEAN_CONFIDENCE = 0.98
"""Minimum mean confidence of the squares with pieces in a confident reading. With an unfamiliar design, all confidences are a
little lower."""
MIN_CONFIDENT_CHEQUERED_SHARE = 0.86
"""Minimum :attr:`.Board.chequered_share` of a confident reading."""
DOUBT_THRESHOLD = 0.9
"""If a reading is not confident, every square whose confidence is below this is doubtful."""

_EMPTY_RUN = re.compile(r"\.+")
_MIN_PIECES = 2
_CLASS_OF_LETTER = {letter: class_index for class_index, letter in enumerate(PIECE_CLASSES) if letter}
_USUAL_COUNTS = {
    letter: count for letters, count in (("Pp", 8), ("RrBbNn", 2), ("Qq", 1)) for letter in letters
}
_EXCESS_DIVISOR = 12.0
"""A piece beyond the usual count is kept only if it is at least this many times as probable as the second most probable class of its square."""
_OTHER_CROPS = ((0.025, -0.02, 0.0), (-0.02, 0.025, 0.02))
"""The second and third crops: their shifts to the right and down, and the enlargement at each edge, in squares."""
_LIKELY_EMPTY_PROBABILITY = 0.9
"""If every square of the first crop is empty with a probability above this, the board has no pieces."""
_MIN_ORIENTATION_EVIDENCE = 1.2
_PAWN_EVIDENCE = {("P", 6): 0.25, ("P", 1): -0.25, ("p", 1): 0.25, ("p", 6): -0.25}
"""Evidence that White is at the bottom, by a pawn's FEN letter and row (0 is the top row)."""
_MIN_HIGHLIGHT = 14.0
"""Minimum difference, from 0 to 255, between a highlighted square's colour and the median colour of all squares of its kind (light or dark)."""


@dataclass(frozen=True, slots=True)
class RecognizedChessboard:
    """A chessboard read from a picture."""

    pieces: tuple[str | None, ...]
    """FEN letters on a8, b8, … h1."""
    confidences: tuple[float, ...]
    white_to_move: bool | None
    """Whether White is to move, or None if the picture does not show it."""
    is_confident: bool
    """Whether the placement needs no warning. The side to move may still be unknown."""
    doubtful_squares: tuple[int, ...]
    """Squares to check: indexes into :attr:`pieces`."""
    is_orientation_certain: bool
    """Whether the pieces make clear which player's side is at the bottom."""

    @property
    def placement(self) -> str:
        """The first field of a FEN."""
        rows = (
            "".join(letter or "." for letter in self.pieces[start : start + 8]) for start in range(0, 64, 8)
        )
        return _EMPTY_RUN.sub(lambda run: str(len(run[0])), "/".join(rows))


def read_chess(picture: Image.Image, network: BoardNetwork | None = None) -> list[RecognizedChessboard]:
    """Return the chessboards in an RGB picture, clearest first. Boards with fewer than two pieces are left out."""
    return [
        recognized
        for board in find_chessboards(picture)
        if (recognized := _read(picture, network or _network(), board)) is not None
    ]


@cache
def _network() -> BoardNetwork:
    return BoardNetwork.load(DATA_FOLDER / "chess.npz")


def _read(picture: Image.Image, network: BoardNetwork, board: Board) -> RecognizedChessboard | None:
    first_crop = _probabilities(picture, network, board.grid)
    if first_crop[:, 0].min() > _LIKELY_EMPTY_PROBABILITY:
        return None
    crops = [
        first_crop,
        *(_probabilities(picture, network, _shifted_grid(board.grid, *crop)) for crop in _OTHER_CROPS),
    ]
    probabilities: Floats = np.mean(crops, axis=0)
    best_classes = probabilities.argmax(axis=1)
    if np.count_nonzero(best_classes) < _MIN_PIECES:
        return None
    classes = _possible_classes(probabilities)
    confidences = probabilities[np.arange(64), classes]
    orientation_evidence = _orientation_evidence(classes)
    is_orientation_certain = abs(orientation_evidence) >= _MIN_ORIENTATION_EVIDENCE
    white_moved_last = _white_moved_last(picture, board.grid, classes)
    excess_classes = [
        _CLASS_OF_LETTER[letter]
        for letter, count in _USUAL_COUNTS.items()
        if np.count_nonzero(classes == _CLASS_OF_LETTER[letter]) > count
    ]
    # The user is asked to check these squares, even if their confidence is high.
    needs_check = (
        (classes != best_classes)
        | np.isin(classes, excess_classes)
        | np.any([crop_probabilities.argmax(axis=1) != best_classes for crop_probabilities in crops], axis=0)
    )
    is_confident = bool(
        not needs_check.any()
        and confidences.min() >= MIN_CONFIDENCE
        and confidences[classes != 0].mean() >= MIN_MEAN_CONFIDENCE
        and board.chequered_share >= MIN_CONFIDENT_CHEQUERED_SHARE
        and is_orientation_certain
    )
    order = range(64) if orientation_evidence >= 0 else range(63, -1, -1)
    doubtful_squares = (
        ()
        if is_confident
        else tuple(
            index
            for index, square in enumerate(order)
            if confidences[square] < DOUBT_THRESHOLD or needs_check[square]
        )
    )
    return RecognizedChessboard(
        tuple(PIECE_CLASSES[classes[square]] for square in order),
        tuple(float(confidences[square]) for square in order),
        None if white_moved_last is None else not white_moved_last,
        is_confident,
        doubtful_squares,
        is_orientation_certain,
    )


def _probabilities(picture: Image.Image, network: BoardNetwork, grid: Grid) -> Floats:
    return network.board_probabilities(board_features(cut_squares(picture, grid)))


def _shifted_grid(grid: Grid, right: float, down: float, growth: float) -> Grid:
    return replace(
        grid.moved(right - growth, down - growth),
        square_width=grid.square_width * (1 + growth / 4),
        square_height=grid.square_height * (1 + growth / 4),
    )


def _possible_classes(probabilities: Floats) -> Integers:
    """Return the most probable classes that together make a possible board, one for each square.

    There is one king of each colour, and no pawn on the first or last rank. If a player has too many pieces of a kind, the squares of
    the least probable pieces get their second most probable class, unless that class is far less probable.
    """
    adjusted = probabilities.copy()
    adjusted[:, [_CLASS_OF_LETTER["P"], _CLASS_OF_LETTER["p"]]] *= 1 - IS_EDGE_ROW
    for king_class in (_CLASS_OF_LETTER["K"], _CLASS_OF_LETTER["k"]):
        best = int(adjusted[:, king_class].argmax())
        adjusted[:, king_class] = adjusted[best] = 0
        adjusted[best, king_class] = 1
    classes = np.asarray(adjusted.argmax(axis=1))
    for letter, count in _USUAL_COUNTS.items():
        piece_class = _CLASS_OF_LETTER[letter]
        squares = sorted(
            np.flatnonzero(classes == piece_class), key=lambda square: adjusted[square, piece_class]
        )
        for square in squares[: max(0, len(squares) - count)]:
            adjusted[square, piece_class] /= _EXCESS_DIVISOR
            classes[square] = adjusted[square].argmax()
    return classes


def _orientation_evidence(classes: np.ndarray) -> float:
    """Return the evidence that White is at the bottom of the picture. Negative evidence means that Black is."""
    # Most pawns have not advanced far, and most kings are near their initial squares.
    letters = [PIECE_CLASSES[class_index] for class_index in classes]
    score = 0.0
    for name, weight in (("P", 1.0), ("K", 0.5)):
        rows = [
            [float(square // 8) for square, letter in enumerate(letters) if letter == piece]
            for piece in (name, name.lower())
        ]
        white, black = (float(np.mean(piece_rows or [3.5])) for piece_rows in rows)
        score += weight * (white - black) * (1 if all(rows) else 0.5)
    return score + sum(
        _PAWN_EVIDENCE.get((letter, square // 8), 0.0) for square, letter in enumerate(letters)
    )


def _white_moved_last(picture: Image.Image, grid: Grid, classes: np.ndarray) -> bool | None:
    """Return whether White moved last, or None if the highlighted squares do not show it."""
    colours = corner_colours(cut_squares(picture, grid).astype(np.float32))
    difference = np.empty(64, np.float32)
    for same_shade in (IS_LIGHT, ~IS_LIGHT):
        difference[same_shade] = np.abs(colours[same_shade] - np.median(colours[same_shade], axis=0)).max(
            axis=1
        )
    highlighted_squares = np.flatnonzero(difference > _MIN_HIGHLIGHT)
    occupied_squares = [square for square in highlighted_squares if classes[square]]
    if len(highlighted_squares) != 2 or len(occupied_squares) != 1:
        return None
    return bool(classes[occupied_squares[0]] < _CLASS_OF_LETTER["k"])
