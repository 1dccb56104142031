"""Squares cut from a picture, as the networks see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

Floats: TypeAlias = "npt.NDArray[np.float32]"

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

    def moved(self, right: float, down: float) -> Grid:
        """Return a grid so many squares beside this one."""
        return replace(self, left=self.left + right * self.width, top=self.top + down * self.height)


def cut(picture: Image.Image, grid: Grid, side: int = SIDE) -> npt.NDArray[np.uint8]:
    """Return the squares of an RGB picture row by row: an array of squares × side × side × 3.

    What reaches beyond the picture is filled with its nearest pixels.
    """
    size = (grid.columns * side, grid.rows * side)
    left, top, right, bottom = grid.box
    inside = (max(0.0, left), max(0.0, top), min(picture.width, right), min(picture.height, bottom))
    board = np.asarray(picture.resize(size, Image.Resampling.BILINEAR, box=inside))
    squares = board.reshape(grid.rows, side, grid.columns, side, 3).swapaxes(1, 2)
    return np.ascontiguousarray(squares.reshape(-1, side, side, 3))


def features(squares: npt.NDArray[np.uint8]) -> Floats:
    """Return what a network sees of the squares of one board: squares × SIDE × SIDE × CHANNELS.

    Brightness is stretched to that of the whole board, so that a dim picture looks like a bright one.
    """
    low, high = np.percentile(squares[:, ::4, ::4], (0.5, 99.5))
    stretched = (squares.astype(np.float32) - np.float32(low)) / np.float32(max(high - low, 24.0))
    ends = slice(1, 5), slice(-5, -1)
    corners = np.concatenate(
        [stretched[:, rows, columns].reshape(len(squares), -1, 3) for rows in ends for columns in ends],
        axis=1,
    )
    own = np.median(corners, axis=1)[:, None, None, :]
    apart = np.sqrt(((stretched - own) ** 2).mean(axis=3, keepdims=True))
    return np.concatenate((stretched - 0.5, apart), axis=3, dtype=np.float32)


def tile_features(squares: npt.NDArray[np.uint8]) -> Floats:
    """Return what a network sees of squares with letters: squares × SIDE × SIDE × CHANNELS.

    Letters are light on dark or dark on light, and strong or faint. So each square is told by how its pixels differ
    from its middle's usual colour, as shares of the greatest difference in it: in brightness, and in colour; beside
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
