"""Cuts the squares of a board out of a picture, and computes the networks' input features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

Floats: TypeAlias = "npt.NDArray[np.float32]"
Doubles: TypeAlias = "npt.NDArray[np.float64]"
Integers: TypeAlias = "npt.NDArray[np.int64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
Pixels: TypeAlias = "npt.NDArray[np.uint8]"

Guess: TypeAlias = "tuple[float, float, float]"
"""A guess where the lines between squares are along one axis: its score, the step, and the place of the first line."""

MAX_BOARDS = 4
"""Maximum number of boards of a game that are read from one picture."""
MIN_SQUARE = 9.0
"""Minimum side of a square in the scaled picture, in pixels; smaller letters and pieces cannot be read."""
SIDE = 32
"""Width and height of a square given to a network, in pixels."""
CHANNELS = 4
"""Red, green, blue, and the distance from the square's own colour. Tiles have other channels, see
:func:`tile_features`."""
_FAINT = 0.06
"""Minimum difference between the colours of a letter and its tile, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Place of a board's squares in a picture, in pixels: the upper left corner, and the sides of one square."""

    left: float
    top: float
    width: float
    height: float
    columns: int
    rows: int

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The rectangle of the whole board: left, top, right, bottom."""
        return (
            self.left,
            self.top,
            self.left + self.width * self.columns,
            self.top + self.height * self.rows,
        )

    def scaled(self, across: float, down: float) -> Grid:
        """Return the grid of the same squares after scaling the picture by the factors ``across`` and ``down``."""
        return Grid(
            self.left * across,
            self.top * down,
            self.width * across,
            self.height * down,
            self.columns,
            self.rows,
        )

    def is_within(self, width: int, height: int) -> bool:
        """Return whether a picture of this size contains the board. On each side, up to 0.3 squares may be cut off."""
        left, top, right, bottom = self.box
        slack = 0.3 * self.width
        return left >= -slack and top >= -slack and right <= width + slack and bottom <= height + slack

    def moved(self, right: float, down: float) -> Grid:
        """Return the grid moved by a number of squares to the right and down."""
        return replace(self, left=self.left + right * self.width, top=self.top + down * self.height)


def cut(picture: Image.Image, grid: Grid, side: int = SIDE) -> Pixels:
    """Return the squares of an RGB picture row by row: an array of squares × side × side × 3.

    Parts beyond the picture repeat its nearest pixels.
    """
    size = (grid.columns * side, grid.rows * side)
    left, top, right, bottom = grid.box
    inside = (max(0.0, left), max(0.0, top), min(picture.width, right), min(picture.height, bottom))
    board = np.asarray(picture.resize(size, Image.Resampling.BILINEAR, box=inside))
    squares = board.reshape(grid.rows, side, grid.columns, side, 3).swapaxes(1, 2)
    return np.ascontiguousarray(squares.reshape(-1, side, side, 3))


def features(squares: Pixels) -> Floats:
    """Return the features of the squares of one board: squares × SIDE × SIDE × CHANNELS.

    Brightness is scaled by the whole board's range, so that a dim picture looks like a bright one.
    """
    low, high = np.percentile(squares[:, ::4, ::4], (0.5, 99.5))
    stretched = (squares.astype(np.float32) - np.float32(low)) / np.float32(max(high - low, 24.0))
    own = corner_colours(stretched)[:, None, None, :]
    apart = np.sqrt(((stretched - own) ** 2).mean(axis=3, keepdims=True))
    return np.concatenate((stretched - 0.5, apart), axis=3, dtype=np.float32)


def corner_colours(squares: Floats) -> Floats:
    """Return the median colour near the corners of each square: squares × 3."""
    ends = slice(1, 5), slice(-5, -1)
    corners = [squares[:, rows, columns].reshape(len(squares), -1, 3) for rows in ends for columns in ends]
    return np.asarray(np.median(np.concatenate(corners, axis=1), axis=1), np.float32)


def pairs_of_guesses(
    across: Floats, down: Floats, guesses: Callable[[Floats, list[Guess] | None], list[Guess]]
) -> list[tuple[Guess, Guess]]:
    """Return pairs of guesses for columns and rows with similar steps.

    ``across`` and ``down`` are the profiles of both axes, in which lines between squares have high values. Squares are as high
    as they are wide. So along the longer side, only the steps found along the shorter side are tried.
    """
    if len(across) <= len(down):
        rows = guesses(down, columns := guesses(across, None))
    else:
        columns = guesses(across, rows := guesses(down, None))
    return [(column, row) for column in columns for row in rows if bool(_similar(column[1], row[1]))]


def distinct_guesses(guesses: list[Guess], limit: int, step: float, first: float) -> list[Guess]:
    """Return the best ``limit`` guesses, without near copies of a better guess.

    A near copy differs by at most ``step`` in the step and at most ``first`` in the first line.
    """
    found: list[Guess] = []
    for guess in sorted(guesses, reverse=True):
        if len(found) == limit:
            break
        if all(abs(guess[1] - other[1]) > step or abs(guess[2] - other[2]) > first for other in found):
            found.append(guess)
    return found


def similar_steps(steps: Doubles, others: list[Guess] | None) -> list[float]:
    """Return the steps that are similar to the step of any guess for the other axis; all steps if ``others`` is None."""
    if others is not None:
        steps = steps[_similar(steps[:, None], np.array([other[1] for other in others])).any(axis=1)]
    return [float(step) for step in steps]


def _similar(step: float | Doubles, other: float | Doubles) -> Mask:
    return np.asarray(np.abs(step - other) <= 0.02 * np.maximum(step, other) + 0.1)


def fit_lines(profile: Floats, start: float, step: float, squares: int) -> tuple[float, float]:
    """Refine the start and step of lines to maximize the values of a profile on the lines.

    ``squares`` is the number of squares, with a line between neighbours.
    """
    starts = start + np.arange(-3, 3.1, 0.25)
    steps = step + np.arange(-0.4, 0.41, 0.02)
    positions = starts[:, None, None] + steps[None, :, None] * np.arange(1, squares) - 1
    # All places within a gap have the same value, so the line is the mean of the best places.
    total = (
        np.interp(positions.ravel(), np.arange(len(profile)), profile).reshape(positions.shape).sum(axis=2)
    )
    first, second = np.nonzero(total >= 0.985 * total.max())
    return float(starts[first].mean()), float(steps[second].mean())


def tile_features(squares: Pixels) -> Floats:
    """Return the features of squares with letters: squares × SIDE × SIDE × CHANNELS.

    Letters are light on dark or dark on light, and strong or faint. So the first two channels are differences from the median
    colour of the square's middle, in brightness and in colour. They are relative to the greatest difference in the square.
    The third channel is that greatest difference, and the fourth is the brightness.
    """
    values = squares.astype(np.float32) / np.float32(255)
    own = np.median(values[:, 6:-6:2, 6:-6:2].reshape(len(squares), -1, 3), axis=1)[:, None, None, :]
    away = values - own
    apart = np.sqrt((away**2).mean(axis=3))
    peak = np.percentile(apart[:, 3:-3:2, 3:-3:2].reshape(len(squares), -1), 97, axis=1)
    scale = np.maximum(peak, _FAINT).astype(np.float32)[:, None, None]
    brightness = away.mean(axis=3)
    channels = (
        np.clip(brightness / scale, -1.5, 1.5),
        np.clip(apart / scale, 0, 1.5),
        np.broadcast_to(np.minimum(2 * peak, 1.0)[:, None, None], apart.shape),
        values.mean(axis=3) - np.float32(0.5),
    )
    return np.stack(channels, axis=3, dtype=np.float32)
