"""Finds rows of equal boxes at equal distances beside a board, which may be tiles on a rack.

The sides of a box are edges: places where neighbouring pixels differ. The step of a row is the distance between the left sides of
neighbouring boxes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.grids import MAX_DIFFERENCE, differences
from bot.sight.squares import Doubles, Grid, Integers, Mask, Pixels

MAX_BOXES = 14
"""Maximum number of boxes in a row. The rows of an on-screen keyboard are within this limit, so they are found too."""
ENOUGH_ROWS = 8
"""The search with each of :data:`_MIN_EDGE_DIFFERENCES` ends when it has found this many rows."""

_MAX_SQUARE_SIDE = 20.0
"""Maximum side of a board square after scaling, in pixels."""
_MAX_PIXELS = 1_200_000
_MIN_HEIGHT, _MAX_HEIGHT, _HEIGHT_RATIO = 0.6, 3.4, 1.06
"""Minimum and maximum height of boxes, in squares of the board, and the ratio between successive heights that are tried."""
_MIN_EDGE_DIFFERENCES = (MAX_DIFFERENCE, 5)
"""Neighbouring pixels are an edge if they differ by at least the first value. Then the search is repeated with the second."""
_ROUNDED_SHARE = 0.22
"""Share of a side, at each of its ends, that need not be an edge, because the corner may be rounded."""
_MIN_EDGE_SHARE = 0.85
"""Minimum share of the rest of each side that must be an edge."""
_MAX_GAP = 0.45
"""Maximum gap between two boxes of a row, in box widths."""
_MAX_STEP_DIFFERENCE = 0.07
"""Maximum difference between a row's mean step and its next step, in box widths."""
_MAX_SHIFT = 3
"""Maximum distance from the side of a box to the strongest edge nearby, in pixels."""
_TOLERANCE = 1e-6
"""A distance larger than the rounding error of a coordinate, in pixels."""
_MAX_FITTED_ROWS = 30
_MAX_BOXES_OF_SIZE, _MAX_ROWS_OF_ALL_SIZES = 2_000, 20_000
"""If more than ``_MAX_BOXES_OF_SIZE`` boxes of one size have another box to their right, they are part of a pattern and are ignored. After
``_MAX_ROWS_OF_ALL_SIZES`` rows, no further sizes are tried."""
_ASPECT_RATIOS = (1.0, 0.88)
"""Widths of boxes that are tried, as multiples of their height."""


@dataclass(frozen=True, slots=True)
class TileRow:
    """Boxes of one size side by side, in pixels. The first box's upper left corner is at ``left``, ``top``."""

    left: float
    top: float
    width: float
    height: float
    step: float
    box_count: int
    score: float
    """Rows with more boxes score higher. With equal numbers of boxes, wider boxes (relative to their height) score higher."""

    def box(self, index: int) -> Grid:
        """Return a box as a grid of one square, by its index from the left."""
        return Grid(self.left + index * self.step, self.top, self.width, self.height, 1, 1)

    def moved(self, right: float, down: float) -> TileRow:
        """Return the row moved by these numbers of box widths and box heights."""
        return replace(self, left=self.left + right * self.width, top=self.top + down * self.height)

    def extended(self, ends: Sequence[int]) -> TileRow:
        """Return the row with another box at these ends: -1 is the left end, 1 the right end."""
        left = self.left - self.step if -1 in ends else self.left
        return replace(self, left=left, box_count=self.box_count + len(ends))

    def overlaps(self, other: TileRow) -> bool:
        return (
            self.left < other.left + (other.box_count - 1) * other.step + other.width
            and other.left < self.left + (self.box_count - 1) * self.step + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )

    def is_like(self, other: TileRow) -> bool:
        max_difference = 0.07 * self.height
        return (
            abs(self.left - other.left) < max_difference
            and abs(self.top - other.top) < max_difference
            and abs(self.height - other.height) < max_difference
        )


def find_rows(picture: Image.Image, board: Grid) -> list[TileRow]:
    scale = min(
        1.0, _MAX_SQUARE_SIDE / board.square_width, (_MAX_PIXELS / (picture.width * picture.height)) ** 0.5
    )
    size = (max(2, round(picture.width * scale)), max(2, round(picture.height * scale)))
    pixels = np.asarray(picture.resize(size, Image.Resampling.BOX))
    changes = _changes(pixels, board.scaled(size[0] / picture.width, size[1] / picture.height))
    side = board.square_width * scale
    found_rows: list[TileRow] = []
    for min_difference in _MIN_EDGE_DIFFERENCES:
        vertical, horizontal = _edge_counts(*changes, min_difference)
        candidates: list[TileRow] = []
        height = _MIN_HEIGHT * side
        while height <= min(_MAX_HEIGHT * side, size[1] - 1) and len(candidates) < _MAX_ROWS_OF_ALL_SIZES:
            for aspect_ratio in _ASPECT_RATIOS:
                candidates += _rows_of_size(vertical, horizontal, round(height * aspect_ratio), round(height))
            height *= _HEIGHT_RATIO
        earlier_count = len(found_rows)
        distinct_rows: list[TileRow] = []
        for row in sorted(candidates, key=lambda row: -row.score):
            if len(found_rows) >= earlier_count + ENOUGH_ROWS or len(distinct_rows) >= _MAX_FITTED_ROWS:
                break
            if any(row.is_like(other) for other in distinct_rows):
                continue
            distinct_rows.append(row)
            for candidate in (row, _fit_to_edges(row, *changes)):
                if not any(candidate.is_like(other) for other in found_rows):
                    found_rows.append(candidate)
    scale_x, scale_y = picture.width / size[0], picture.height / size[1]
    return [
        TileRow(
            row.left * scale_x,
            row.top * scale_y,
            row.width * scale_x,
            row.height * scale_y,
            row.step * scale_x,
            row.box_count,
            row.score,
        )
        for row in found_rows
    ]


def _changes(pixels: Pixels, board: Grid) -> tuple[Pixels, Pixels]:
    """Return how much each pixel differs from its left and from its upper neighbour. Differences on the board are set to 0."""
    across, down = np.zeros(pixels.shape[:2], np.uint8), np.zeros(pixels.shape[:2], np.uint8)
    across[:, 1:] = differences(pixels)
    down[1:] = differences(pixels.swapaxes(0, 1)).T
    left, top, right, bottom = (
        max(0, round(side + margin * board.square_width))
        for side, margin in zip(board.box, (-0.1, -0.1, 0.1, 0.1), strict=True)
    )
    across[top:bottom, left:right] = down[top:bottom, left:right] = 0
    return across, down


def _edge_counts(
    across: Pixels, down: Pixels, min_difference: int
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Return how many pixels above each pixel are on a vertical edge, and how many to its left are on a horizontal edge."""
    vertical, horizontal = across >= min_difference, down >= min_difference
    vertical[:, 1:-1] = vertical[:, 1:-1] | vertical[:, :-2] | vertical[:, 2:]
    horizontal[1:-1] = horizontal[1:-1] | horizontal[:-2] | horizontal[2:]
    return (
        np.pad(np.cumsum(vertical, axis=0, dtype=np.int16), ((1, 0), (0, 0))),
        np.pad(np.cumsum(horizontal, axis=1, dtype=np.int16), ((0, 0), (1, 0))),
    )


def _min_edge_pixels(length: int) -> int:
    return math.ceil(_MIN_EDGE_SHARE * length)


def _rows_of_size(
    vertical: npt.NDArray[np.int16], horizontal: npt.NDArray[np.int16], width: int, height: int
) -> list[TileRow]:
    picture_height, picture_width = horizontal.shape[0], vertical.shape[1]
    if width >= picture_width or height >= picture_height:
        return []
    first, last = round(_ROUNDED_SHARE * height), height + 1 - round(_ROUNDED_SHARE * height)
    sides = vertical[last : picture_height - height + last] - vertical[
        first : picture_height - height + first
    ] >= _min_edge_pixels(last - first)
    is_box = sides[:, : picture_width - width] & sides[:, width:]
    # To save time, upper and lower sides are searched for only where a left and a right side begin.
    line_numbers = np.flatnonzero(is_box.any(axis=1))
    first, last = round(_ROUNDED_SHARE * width), width + 1 - round(_ROUNDED_SHARE * width)
    is_box = is_box[line_numbers]
    for edge in (line_numbers, line_numbers + height):
        edge_counts = horizontal[edge]
        is_box &= edge_counts[:, last : picture_width - width + last] - edge_counts[
            :, first : picture_width - width + first
        ] >= _min_edge_pixels(last - first)
    tops, lefts = _box_positions(is_box)
    tops = line_numbers[tops]
    # Boxes without a neighbour are ignored, because they are buttons or pictures.
    positions = tops * (picture_width + 2 * width) + lefts
    next_box = np.searchsorted(positions, positions + 0.9 * width - _TOLERANCE)
    has_next_box = np.append(positions, np.inf)[next_box] <= positions + (1 + _MAX_GAP) * width + _TOLERANCE
    if np.count_nonzero(has_next_box) > _MAX_BOXES_OF_SIZE:
        return []
    row_tops = np.unique(tops[has_next_box])
    starts, ends = np.searchsorted(tops, row_tops), np.searchsorted(tops, row_tops, side="right")
    return [
        tile_row
        for top, start, end in zip(row_tops.tolist(), starts.tolist(), ends.tolist(), strict=True)
        for tile_row in _rows_on_line(lefts[start:end].tolist(), top, width, height)
    ]


def _box_positions(is_box: Mask) -> tuple[Integers, Doubles]:
    """Return the top and left side of each box. Horizontally adjacent pixels of ``is_box`` belong to one box."""
    tops, lefts = np.divmod(np.flatnonzero(is_box), max(1, is_box.shape[1]))
    continues = np.zeros(len(tops) + 1, bool)
    continues[1:-1] = (tops[1:] == tops[:-1]) & (lefts[1:] == lefts[:-1] + 1)
    firsts, lasts = np.flatnonzero(~continues[:-1]), np.flatnonzero(~continues[1:])
    return tops[firsts], (lefts[firsts] + lefts[lasts]) / 2


def _rows_on_line(lefts: list[float], top: int, width: int, height: int) -> list[TileRow]:
    # ``lefts`` are in ascending order.
    tile_rows: list[TileRow] = []
    chain: list[float] = []
    for left in (*lefts, math.inf):  # ends the last row
        if chain and left - chain[-1] < 0.9 * width:
            continue
        count = len(chain)
        step = (chain[-1] - chain[0]) / (count - 1) if count > 1 else 0.0
        if chain and (
            left - chain[-1] > (1 + _MAX_GAP) * width
            or (step and abs(left - chain[-1] - step) > max(1.5, _MAX_STEP_DIFFERENCE * width))
        ):
            if 2 <= count <= MAX_BOXES:
                tile_rows.append(
                    TileRow(chain[0], top, width, height, step, count, count + width / height / 10)
                )
            chain = []
        chain.append(left)
    return tile_rows


def _fit_to_edges(row: TileRow, across: Pixels, down: Pixels) -> TileRow:
    lefts = np.rint(row.left + row.step * np.arange(row.box_count)).astype(np.int64)
    ys = np.arange(round(row.top + 0.2 * row.height), round(row.top + 0.8 * row.height))
    xs = (lefts[:, None] + np.arange(round(0.2 * row.width), round(0.8 * row.width))).ravel()
    shifts = np.arange(-_MAX_SHIFT, _MAX_SHIFT + 1)

    def best_shift(changes: Pixels, along: Integers, positions: Integers) -> int:
        columns = np.clip(positions[:, None] + shifts, 0, changes.shape[1] - 1)
        strength = changes[np.clip(along, 0, changes.shape[0] - 1)][:, columns].mean(axis=(0, 1))
        return int(shifts[strength.argmax()])

    left, right = best_shift(across, ys, lefts), best_shift(across, ys, lefts + round(row.width))
    top, bottom = (
        best_shift(down.T, xs, np.array([round(position)])) for position in (row.top, row.top + row.height)
    )
    return replace(
        row,
        left=row.left + left,
        top=row.top + top,
        width=row.width + right - left,
        height=row.height + bottom - top,
    )
