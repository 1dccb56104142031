"""Cuts squares out of a picture, computes the networks' input features, and fits boards to lines.

An axis of a picture has a profile, an array that is high where a line between squares may be. A guess for an axis is a series of
evenly spaced positions at which the profile is high.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

Floats: TypeAlias = "npt.NDArray[np.float32]"
Doubles: TypeAlias = "npt.NDArray[np.float64]"
Integers: TypeAlias = "npt.NDArray[np.int64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
Pixels: TypeAlias = "npt.NDArray[np.uint8]"
Scalar = TypeVar("Scalar", np.float64, np.int64)

MAX_BOARDS = 4
"""Maximum number of chessboards, and of crossword boards, in one picture."""
MIN_SQUARE_SIDE = 9.0
"""Minimum side of a square, in pixels of the scaled picture. Letters and pieces on smaller squares cannot be read."""
SIDE = 32
"""Width and height of a square given to a network, in pixels."""
CHANNEL_COUNT = 4
_FAINT_CONTRAST = 0.06
"""The faintest readable letters differ from their tiles by this much in colour, from 0 to 1."""


class LineGuess(NamedTuple):
    """A guess at where a board's inner lines are along one axis of the scaled picture."""

    score: float
    step: float
    """Distance from each line to the next, in pixels."""
    first_line: float
    """Position of the first line: between the pixels ``first_line`` and ``first_line + 1`` of the profile."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The squares of a board in a picture. All lengths are in pixels."""

    left: float
    top: float
    square_width: float
    square_height: float
    columns: int
    rows: int

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the board."""
        return (
            self.left,
            self.top,
            self.left + self.square_width * self.columns,
            self.top + self.square_height * self.rows,
        )

    def scaled(self, across: float, down: float) -> Grid:
        return Grid(
            self.left * across,
            self.top * down,
            self.square_width * across,
            self.square_height * down,
            self.columns,
            self.rows,
        )

    def is_within(self, width: int, height: int) -> bool:
        """Return whether a picture of this size contains the board. Up to 0.3 of a square may be cut off at each edge."""
        left, top, right, bottom = self.box
        slack = 0.3 * self.square_width
        return left >= -slack and top >= -slack and right <= width + slack and bottom <= height + slack

    def moved(self, right: float, down: float) -> Grid:
        """Return the grid moved by these numbers of squares."""
        return replace(
            self, left=self.left + right * self.square_width, top=self.top + down * self.square_height
        )


def cut_squares(picture: Image.Image, grid: Grid, side: int = SIDE) -> Pixels:
    """Return the squares of an RGB picture row by row: squares × side × side × 3.

    If the grid extends beyond the picture, the part within the picture is stretched to the same size.
    """
    size = (grid.columns * side, grid.rows * side)
    left, top, right, bottom = grid.box
    inside = (max(0.0, left), max(0.0, top), min(picture.width, right), min(picture.height, bottom))
    board = np.asarray(picture.resize(size, Image.Resampling.BILINEAR, box=inside))
    return board.reshape(grid.rows, side, grid.columns, side, 3).swapaxes(1, 2).reshape(-1, side, side, 3)


def board_features(squares: Pixels) -> Floats:
    """Return the features of the squares of one board: squares × SIDE × SIDE × CHANNEL_COUNT.

    The channels are red, green, blue, and the distance from the square's own colour, all scaled to the board's range of brightness.
    """
    low, high = np.percentile(squares[:, ::4, ::4], (0.5, 99.5))
    stretched = (squares.astype(np.float32) - np.float32(low)) / np.float32(max(high - low, 24.0))
    base_colour = corner_colours(stretched)[:, None, None, :]
    distance = np.sqrt(((stretched - base_colour) ** 2).mean(axis=3, keepdims=True))
    return np.concatenate((stretched - 0.5, distance), axis=3, dtype=np.float32)


def middle_colours(squares: Pixels, margin: int) -> Floats:
    """Return each square's median colour, ignoring ``margin`` pixels at each edge: squares × 3."""
    inner = squares[:, margin:-margin, margin:-margin].reshape(len(squares), -1, 3)
    return np.asarray(np.median(inner, axis=1), np.float32)


def corner_colours(squares: Floats) -> Floats:
    """Return each square's median colour near its corners: squares × 3."""
    ends = slice(1, 5), slice(-5, -1)
    corners = [squares[:, rows, columns].reshape(len(squares), -1, 3) for rows in ends for columns in ends]
    return np.asarray(np.median(np.concatenate(corners, axis=1), axis=1), np.float32)


def rotations_and_reflections(board: npt.NDArray[Scalar]) -> list[npt.NDArray[Scalar]]:
    """Return the seven other rotations and reflections of a board."""
    rotated = [np.rot90(board, quarter_turns) for quarter_turns in range(4)]
    return [image for rotation in rotated for image in (rotation, rotation.swapaxes(0, 1))][1:]


def pairs_of_guesses(
    column_profile: Floats,
    row_profile: Floats,
    find_guesses: Callable[[Floats, list[LineGuess] | None], list[LineGuess]],
) -> list[tuple[LineGuess, LineGuess]]:
    """Pair each guess for the columns with each guess for the rows that has a similar step."""
    if len(column_profile) <= len(row_profile):
        rows = find_guesses(row_profile, columns := find_guesses(column_profile, None))
    else:
        columns = find_guesses(column_profile, rows := find_guesses(row_profile, None))
    return [(column, row) for column in columns for row in rows if bool(_similar(column.step, row.step))]


def offset_grid(column: LineGuess, row: LineGuess, right: int, below: int, squares_per_side: int) -> Grid:
    """Return the square grid with the guessed inner lines, moved by ``right`` and ``below`` squares."""
    left = column.first_line + 1 + (right - 1) * column.step
    top = row.first_line + 1 + (below - 1) * row.step
    return Grid(left, top, column.step, row.step, squares_per_side, squares_per_side)


def distinct_guesses(
    guesses: list[LineGuess], max_count: int, max_step_difference: float, max_first_line_difference: float
) -> list[LineGuess]:
    """Return at most ``max_count`` guesses, best first, without near-duplicates of a better guess."""
    distinct: list[LineGuess] = []
    for guess in sorted(guesses, reverse=True):
        if len(distinct) == max_count:
            break
        if all(
            abs(guess.step - other.step) > max_step_difference
            or abs(guess.first_line - other.first_line) > max_first_line_difference
            for other in distinct
        ):
            distinct.append(guess)
    return distinct


def similar_steps(steps: Doubles, other_axis_guesses: list[LineGuess] | None) -> list[float]:
    """Return the steps that are similar to a step in ``other_axis_guesses``, or all steps if ``other_axis_guesses`` is None."""
    if other_axis_guesses is not None:
        steps = steps[
            _similar(steps[:, None], np.array([other.step for other in other_axis_guesses])).any(axis=1)
        ]
    return [float(step) for step in steps]


def _similar(step: float | Doubles, other: float | Doubles) -> Mask:
    return np.asarray(np.abs(step - other) <= 0.02 * np.maximum(step, other) + 0.1)


def fit_lines(profile: Floats, start: float, step: float, square_count: int) -> tuple[float, float]:
    """Fit the start (left or upper edge) and the step of a board along an axis to the highest values of the profile."""
    starts = start + np.arange(-3, 3.1, 0.25)
    steps = step + np.arange(-0.4, 0.41, 0.02)
    positions = starts[:, None, None] + steps[None, :, None] * np.arange(1, square_count) - 1
    total = (
        np.interp(positions.ravel(), np.arange(len(profile)), profile).reshape(positions.shape).sum(axis=2)
    )
    # Within a gap between squares, all positions have about the same value, so the mean of the best positions is the middle.
    start_indexes, step_indexes = np.nonzero(total >= 0.985 * total.max())
    return float(starts[start_indexes].mean()), float(steps[step_indexes].mean())


def tile_features(squares: Pixels) -> Floats:
    """Return the features of squares that may have tiles: squares × SIDE × SIDE × CHANNEL_COUNT.

    A letter may be light or dark, and strong or faint. So the first two channels are distances from the tile's own colour, in brightness
    and in colour, divided by the tile's peak: the 97th percentile of the distances in colour, or ``_FAINT_CONTRAST`` if that is greater.
    The third channel is twice this percentile, but at most 1. The fourth is the brightness.
    """
    values = squares.astype(np.float32) / np.float32(255)
    base_colour = np.median(values[:, 6:-6:2, 6:-6:2].reshape(len(squares), -1, 3), axis=1)[:, None, None, :]
    difference = values - base_colour
    distance = np.sqrt((difference**2).mean(axis=3))
    peak = np.percentile(distance[:, 3:-3:2, 3:-3:2].reshape(len(squares), -1), 97, axis=1)
    scale = np.maximum(peak, _FAINT_CONTRAST).astype(np.float32)[:, None, None]
    brightness = difference.mean(axis=3)
    channels = (
        np.clip(brightness / scale, -1.5, 1.5),
        np.clip(distance / scale, 0, 1.5),
        np.broadcast_to(np.minimum(2 * peak, 1.0)[:, None, None], distance.shape),
        values.mean(axis=3) - np.float32(0.5),
    )
    return np.stack(channels, axis=3, dtype=np.float32)
