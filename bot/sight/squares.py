"""Squares cut from a picture, as the networks see them."""

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
"""Score, step and first of the lines between squares along one axis."""

SIDE = 32
"""Pixels of a square, both ways."""
CHANNELS = 4
"""Red, green, blue, and how far from the square's own colour; of tiles, see :func:`tile_features`."""
_FAINT = 0.06
"""The least difference of colours that may be a letter, of 1."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Where a board's squares are in a picture, in pixels: the upper left corner, and the sides of one square."""

    left: float
    top: float
    width: float
    height: float
    columns: int
    rows: int

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The whole board: left, top, right, bottom."""
        return (
            self.left,
            self.top,
            self.left + self.width * self.columns,
            self.top + self.height * self.rows,
        )

    def scaled(self, across: float, down: float) -> Grid:
        """Return the same squares in a picture so many times as wide and as high."""
        return Grid(
            self.left * across,
            self.top * down,
            self.width * across,
            self.height * down,
            self.columns,
            self.rows,
        )

    def is_within(self, width: int, height: int) -> bool:
        """Return whether nearly all of the board is in a picture of this size."""
        left, top, right, bottom = self.box
        slack = 0.3 * self.width
        return left >= -slack and top >= -slack and right <= width + slack and bottom <= height + slack

    def moved(self, right: float, down: float) -> Grid:
        """Return a grid so many squares beside this one."""
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
    """Return what a network sees of the squares of one board: squares × SIDE × SIDE × CHANNELS.

    Brightness is scaled by the whole board's range, so that a dim picture looks like a bright one.
    """
    low, high = np.percentile(squares[:, ::4, ::4], (0.5, 99.5))
    stretched = (squares.astype(np.float32) - np.float32(low)) / np.float32(max(high - low, 24.0))
    own = corner_colours(stretched)[:, None, None, :]
    apart = np.sqrt(((stretched - own) ** 2).mean(axis=3, keepdims=True))
    return np.concatenate((stretched - 0.5, apart), axis=3, dtype=np.float32)


def corner_colours(squares: Floats) -> Floats:
    """Return the usual colour of each square near its corners: squares × 3."""
    ends = slice(1, 5), slice(-5, -1)
    corners = [squares[:, rows, columns].reshape(len(squares), -1, 3) for rows in ends for columns in ends]
    return np.asarray(np.median(np.concatenate(corners, axis=1), axis=1), np.float32)


def pairs_of_guesses(
    across: Floats, down: Floats, guesses: Callable[[Floats, list[Guess] | None], list[Guess]]
) -> list[tuple[Guess, Guess]]:
    """Return guesses of columns with those of rows whose steps are alike, by the profiles along both axes.

    Squares are as high as wide, so along the longer side only steps like the other axis's are tried.
    """
    if len(across) <= len(down):
        rows = guesses(down, columns := guesses(across, None))
    else:
        columns = guesses(across, rows := guesses(down, None))
    return [(column, row) for column in columns for row in rows if bool(_alike(column[1], row[1]))]


def distinct(guesses: list[Guess], most: int, step: float, first: float) -> list[Guess]:
    """Return the best guesses that differ by so much from every better one in the step, or in the first line."""
    found: list[Guess] = []
    for guess in sorted(guesses, reverse=True):
        if len(found) == most:
            break
        if all(abs(guess[1] - other[1]) > step or abs(guess[2] - other[2]) > first for other in found):
            found.append(guess)
    return found


def steps_like(steps: Doubles, others: list[Guess] | None) -> list[float]:
    """Return the steps that are like a guess of the other axis, if that is known."""
    if others is not None:
        steps = steps[_alike(steps[:, None], np.array([other[1] for other in others])).any(axis=1)]
    return [float(step) for step in steps]


def _alike(step: float | Doubles, other: float | Doubles) -> Mask:
    return np.asarray(np.abs(step - other) <= 0.02 * np.maximum(step, other) + 0.1)


def fitted(profile: Floats, start: float, step: float, squares: int) -> tuple[float, float]:
    """Return start and step near the given ones whose lines between so many squares have the highest values of a profile."""
    starts = start + np.arange(-3, 3.1, 0.25)
    steps = step + np.arange(-0.4, 0.41, 0.02)
    places = starts[:, None, None] + steps[None, :, None] * np.arange(1, squares) - 1
    # In a gap between squares all values are equal: the middle is the line.
    total = np.interp(places.ravel(), np.arange(len(profile)), profile).reshape(places.shape).sum(axis=2)
    first, second = np.nonzero(total >= 0.985 * total.max())
    return float(starts[first].mean()), float(steps[second].mean())


def tile_features(squares: Pixels) -> Floats:
    """Return what a network sees of squares with letters: squares × SIDE × SIDE × CHANNELS.

    Letters are light on dark or dark on light, and strong or faint. So the channels are the differences of pixels
    from the usual colour of their square's middle, as shares of the greatest difference in it: in brightness, and in colour; beside
    how great that is, and the brightness itself.
    """
    values = squares.astype(np.float32) / np.float32(255)
    own = np.median(values[:, 6:-6:2, 6:-6:2].reshape(len(squares), -1, 3), axis=1)[:, None, None, :]
    away = values - own
    apart = np.sqrt((away**2).mean(axis=3))
    peak = np.percentile(apart[:, 3:-3:2, 3:-3:2].reshape(len(squares), -1), 97, axis=1)
    scale = np.maximum(peak, _FAINT).astype(np.float32)[:, None, None]
    brightness = away.mean(axis=3)
    seen = (
        np.clip(brightness / scale, -1.5, 1.5),
        np.clip(apart / scale, 0, 1.5),
        np.broadcast_to(np.minimum(2 * peak, 1.0)[:, None, None], apart.shape),
        values.mean(axis=3) - np.float32(0.5),
    )
    return np.stack(seen, axis=3, dtype=np.float32)
