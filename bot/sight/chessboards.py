"""Finds chessboards in a picture.

At a line between two columns of squares, light squares become dark and dark squares become light. So the profile of the horizontal axis
(see :mod:`bot.sight.squares`) is √(brightening × darkening), both summed over the height of the picture. At the border of a panel, the
brightness changes in one direction only, so the profile is low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from bot.sight.squares import (
    MAX_BOARDS,
    MIN_SQUARE_SIDE,
    Floats,
    Grid,
    LineGuess,
    distinct_guesses,
    fit_lines,
    offset_grid,
    pairs_of_guesses,
    similar_steps,
)

MIN_CHEQUERED_SHARE = 0.8
IS_LIGHT = np.add.outer(np.arange(8), np.arange(8)).ravel() % 2 == 0
"""Whether each square of a chessboard is light, row by row."""

_SEARCH_SIZE = 800
"""The longer side of a picture is scaled to this many pixels before the search."""
_SIDE_STEP = 0.3
"""Difference between successive sizes of squares to try, in pixels. It is so small that the best size puts all lines within a pixel of their
positions."""
_MAX_GUESSES_PER_AXIS = 10
_WIDE_DISTANCE = 5
"""Distance in pixels that spans any line drawn between squares."""
_MIN_CONTRAST = 5.0
"""Minimum difference in brightness between light and dark squares, from 0 to 255."""


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard in a picture."""

    grid: Grid
    chequered_share: float
    """The share of squares with the right shade, light or dark."""
    score: float


def find_chessboards(picture: Image.Image) -> list[Board]:
    """Return the boards in an RGB picture, clearest first. They do not overlap."""
    scale = min(1.0, _SEARCH_SIZE / max(picture.size))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    if min(size) < 8 * MIN_SQUARE_SIDE:
        return []
    grey, blue = (
        np.asarray(band.resize(size, Image.Resampling.BOX), np.float32)
        for band in (picture.convert("L"), picture.getchannel("B"))
    )
    # Yellow and white squares are nearly equally bright but differ in blue.
    boards = _boards_in_band(grey, 1) or _boards_in_band(grey, _WIDE_DISTANCE) or _boards_in_band(blue, 1)
    scale_x, scale_y = picture.width / size[0], picture.height / size[1]
    return [replace(board, grid=board.grid.scaled(scale_x, scale_y)) for board in boards]


def _boards_in_band(band: Floats, distance: int) -> list[Board]:
    """Find the boards in one colour channel, by comparing pixels that are ``distance`` apart.

    Lines drawn between squares must be narrower than this distance.
    """
    candidates = _chequered_boards(
        band, pairs_of_guesses(_profile(band, distance), _profile(band.T, distance), _line_guesses)
    )
    boards: list[Board] = []
    for board in sorted(candidates, key=lambda board: -board.score)[:200]:
        if len(boards) == MAX_BOARDS:
            break
        if all(not _overlap(board.grid, other.grid) for other in boards):
            boards.append(_refined_board(board, band, distance))
    return boards


def _profile(band: Floats, distance: int) -> Floats:
    change = band[:, distance:] - band[:, :-distance]
    rising = np.maximum(change, 0).sum(axis=0)
    profile = np.sqrt(rising * (rising - change.sum(axis=0))) / len(band)
    return np.pad(profile, (distance // 2, distance - 1 - distance // 2)).astype(np.float32)


def _line_guesses(profile: Floats, other_axis_guesses: list[LineGuess] | None) -> list[LineGuess]:
    length = len(profile)
    padded = np.pad(profile, 1)
    widened_profile = np.maximum(np.maximum(padded[:-2], padded[2:]), profile)
    median = float(np.median(profile)) + 1e-3
    guesses: list[LineGuess] = []
    for step in similar_steps(np.arange(MIN_SQUARE_SIDE, length / 6.5, _SIDE_STEP), other_axis_guesses):
        start_count = max(1, length - round(6 * step))
        lines = [widened_profile[round(line * step) :][:start_count] for line in range(7)]
        lowest, total = lines[0].copy(), lines[0].copy()
        for line in lines[1:]:
            np.minimum(lowest, line, out=lowest)
            total += line
        scores = total / 7 + 1.5 * lowest
        for _ in range(2):
            best = int(scores.argmax())
            guesses.append(LineGuess(float(scores[best]) / median, step, float(best)))
            scores[max(0, best - round(step / 2)) : best + round(step / 2)] = 0
    return distinct_guesses(guesses, _MAX_GUESSES_PER_AXIS, 0.6, 2)


def _chequered_boards(band: Floats, pairs: list[tuple[LineGuess, LineGuess]]) -> list[Board]:
    # An edge of a board may look like an inner line, so neighbouring grids are tried as well.
    candidates = [
        (column.score + row.score, offset_grid(column, row, right, below, 8))
        for column, row in pairs
        for right, below in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    height, width = band.shape
    candidates_in_picture = [(score, grid) for score, grid in candidates if grid.is_within(width, height)]
    shares = _chequered_shares(band, [grid for _, grid in candidates_in_picture])
    return [
        Board(grid, share, score * share**4 + 0.002 * (grid.square_width + grid.square_height) / 2)
        for (score, grid), share in zip(candidates_in_picture, shares, strict=True)
        if share >= MIN_CHEQUERED_SHARE
    ]


def _chequered_shares(band: Floats, grids: Sequence[Grid]) -> list[float]:
    """Return each grid's share of squares with the right shade, or 0 if the contrast is too low."""
    if not grids:
        return []
    corners = _corner_shades(band, grids)
    high, low = (_median(corners[:, shade]).astype(float) for shade in (IS_LIGHT, ~IS_LIGHT))
    shares = ((corners > ((high + low) / 2)[:, None]) == IS_LIGHT).mean(axis=1)
    return [float(share) for share in np.where(high - low < _MIN_CONTRAST, 0.0, shares)]


def _corner_shades(band: Floats, grids: Sequence[Grid]) -> Floats:
    """Return the median brightness near the corners of each square, as an array of grids × 64 squares."""
    inside = np.add.outer(np.arange(8), np.array((0.07, 0.13, 0.87, 0.93))).ravel()
    height, width = band.shape
    extents = np.array([(grid.left, grid.square_width, grid.top, grid.square_height) for grid in grids])
    x, y = (extents[:, start, None] + extents[:, start + 1, None] * inside for start in (0, 2))
    columns = np.clip(x, 0, width - 1).astype(np.int64)
    rows = np.clip(y, 0, height - 1).astype(np.int64)
    samples = band.ravel().take(rows[:, :, None] * width + columns[:, None])
    return _median(samples.reshape(len(grids), 8, 4, 8, 4).swapaxes(2, 3).reshape(len(grids), 64, 16))


def _median(values: Floats) -> Floats:
    # For few values, ``np.median`` takes ten times as long.
    middle = values.shape[-1] // 2
    middles = np.sort(values, axis=-1)[..., middle - 1 : middle + 1]
    return np.asarray(middles.mean(axis=-1), np.float32)


def _refined_board(board: Board, band: Floats, distance: int) -> Board:
    grid = board.grid
    left, top, right, bottom = (round(part) for part in grid.box)
    column_profile = _profile(band[max(0, top) : max(1, bottom)], distance)
    row_profile = _profile(band[:, max(0, left) : max(1, right)].T, distance)
    start_x, step_x = fit_lines(column_profile, grid.left, grid.square_width, 8)
    start_y, step_y = fit_lines(row_profile, grid.top, grid.square_height, 8)
    refined = Grid(start_x, start_y, step_x, step_y, 8, 8)
    share = _chequered_shares(band, [refined])[0] if refined.is_within(*band.shape[::-1]) else 0.0
    return Board(refined, share, board.score) if share >= board.chequered_share else board


def _overlap(first: Grid, other: Grid) -> bool:
    (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = first.box, other.box
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return (
        across > 0
        and down > 0
        and across * down
        > 0.1 * min(first.square_width * first.square_height, other.square_width * other.square_height) * 64
    )
