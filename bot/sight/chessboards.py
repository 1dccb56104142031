"""Finds chessboards in a picture.

Along a line between light and dark squares, the change of brightness alternates: dark to light, light to dark. The
profile of each axis is √(brightening × darkening), summed over the picture. A panel's border has only one of the two. A guess
for one axis is seven lines at equal steps where the profile is high. Together, a guess for the columns and a guess for the
rows describe a board. Its squares must alternate between light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from bot.sight.squares import (
    MAX_BOARDS,
    MIN_SQUARE,
    Floats,
    Grid,
    Guess,
    distinct_guesses,
    fit_lines,
    pairs_of_guesses,
    similar_steps,
)

MIN_PARITY = 0.8
"""Minimum share of squares whose shade, light or dark, fits the chequered pattern."""

_SEARCH_SIZE = 800
"""Length of the longer side, in pixels, to which a picture is scaled before the search."""
_SIDE_STEP = 0.3
"""Step between the sides of squares that are tried, small enough that seven lines match within a pixel."""
_MAX_GUESSES = 10
"""Maximum number of guesses for one axis that are compared with those for the other."""
_LINE_GAP = 5
"""A distance in pixels that is larger than the width of any line between squares."""
_MIN_CONTRAST = 5.0
"""Minimum difference between light and dark squares, from 0 to 255."""


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard in a picture, and the share of its squares whose shade fits the chequered pattern."""

    grid: Grid
    parity: float
    score: float


def find_chessboards(picture: Image.Image) -> list[Board]:
    """Return the boards in an RGB picture, the clearest first. They do not overlap."""
    scale = min(1.0, _SEARCH_SIZE / max(picture.size))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    if min(size) < 8 * MIN_SQUARE:
        return []
    grey, blue = (
        np.asarray(band.resize(size, Image.Resampling.BOX), np.float32)
        for band in (picture.convert("L"), picture.getchannel("B"))
    )
    # Yellow and white squares are nearly equally bright, but differ in blue.
    boards = _search(grey, 1) or _search(grey, _LINE_GAP) or _search(blue, 1)
    scale_x, scale_y = picture.width / size[0], picture.height / size[1]
    return [replace(board, grid=board.grid.scaled(scale_x, scale_y)) for board in boards]


def _search(grey: Floats, gap: int) -> list[Board]:
    """Return the boards in a grey picture. The lines between their squares are narrower than ``gap`` pixels."""
    found = _boards(grey, pairs_of_guesses(_profile(grey, gap), _profile(grey.T, gap), _guesses))
    found.sort(key=lambda board: -board.score)
    boards: list[Board] = []
    for board in found[:200]:
        if len(boards) == MAX_BOARDS:
            break
        if all(not _overlap(board.grid, other.grid) for other in boards):
            boards.append(_refined_board(board, grey, gap))
    return boards


def _profile(grey: Floats, gap: int) -> Floats:
    """Return how strongly each boundary between columns looks like a line between chequered squares.

    Pixels ``gap`` apart are compared, because lines between squares hide the change from direct neighbours.
    """
    change = grey[:, gap:] - grey[:, :-gap]
    rising = np.maximum(change, 0).sum(axis=0)
    profile = np.sqrt(rising * (rising - change.sum(axis=0))) / len(grey)
    return np.pad(profile, (gap // 2, gap - 1 - gap // 2)).astype(np.float32)


def _guesses(profile: Floats, others: list[Guess] | None) -> list[Guess]:
    """Return the best steps and starts for seven lines, best first.

    If ``others``, the guesses for the other axis, are known, only similar steps are tried.
    """
    length = len(profile)
    padded = np.pad(profile, 1)
    widened = np.maximum(np.maximum(padded[:-2], padded[2:]), profile)
    median = float(np.median(profile)) + 1e-3
    guesses: list[Guess] = []
    for step in similar_steps(np.arange(MIN_SQUARE, length / 6.5, _SIDE_STEP), others):
        starts = max(1, length - round(6 * step))
        lines = [widened[round(line * step) :][:starts] for line in range(7)]
        lowest, total = lines[0].copy(), lines[0].copy()
        for line in lines[1:]:
            np.minimum(lowest, line, out=lowest)
            total += line
        scores = total / 7 + 1.5 * lowest
        for _ in range(2):
            best = int(scores.argmax())
            guesses.append((float(scores[best]) / median, step, float(best)))
            scores[max(0, best - round(step / 2)) : best + round(step / 2)] = 0
    return distinct_guesses(guesses, _MAX_GUESSES, 0.6, 2)


def _boards(grey: Floats, pairs: list[tuple[Guess, Guess]]) -> list[Board]:
    """Return the boards that pairs of guesses describe. Boards moved by a square are tried too: an edge may look like a line."""
    candidates = [
        (column[0] + row[0], _offset_grid(column, row, right, below))
        for column, row in pairs
        for right, below in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    height, width = grey.shape
    within = [(score, grid) for score, grid in candidates if grid.is_within(width, height)]
    parities = _parities(grey, [grid for _, grid in within])
    return [
        Board(grid, parity, score * parity**4 + 0.002 * (grid.width + grid.height) / 2)
        for (score, grid), parity in zip(within, parities, strict=True)
        if parity >= MIN_PARITY
    ]


def _offset_grid(column: Guess, row: Guess, right: int, below: int) -> Grid:
    """Return the board whose inner lines two guesses describe, moved by a number of squares."""
    left = column[2] + 1 + (right - 1) * column[1]
    top = row[2] + 1 + (below - 1) * row[1]
    return Grid(left, top, column[1], row[1], 8, 8)


def _parities(grey: Floats, grids: Sequence[Grid]) -> list[float]:
    """Return the share of squares of each board whose shade fits the chequered pattern; 0 without contrast."""
    if not grids:
        return []
    corners = _corner_shades(grey, grids).reshape(len(grids), 64)
    light = np.add.outer(np.arange(8), np.arange(8)).ravel() % 2 == 0
    high, low = _median(corners[:, light]).astype(float), _median(corners[:, ~light]).astype(float)
    shares = ((corners > ((high + low) / 2)[:, None]) == light).mean(axis=1)
    return [float(share) for share in np.where(high - low < _MIN_CONTRAST, 0.0, shares)]


def _corner_shades(grey: Floats, grids: Sequence[Grid]) -> Floats:
    """Return the brightness of each square near its corners: boards of 8 × 8 squares × rows × columns."""
    inside = np.add.outer(np.arange(8), np.array((0.07, 0.13, 0.87, 0.93))).ravel()
    height, width = grey.shape
    edges = np.array([(grid.left, grid.width, grid.top, grid.height) for grid in grids])
    x, y = (edges[:, start, None] + edges[:, start + 1, None] * inside for start in (0, 2))
    columns = np.clip(x, 0, width - 1).astype(np.int64)
    rows = np.clip(y, 0, height - 1).astype(np.int64)
    samples = grey.ravel().take(rows[:, :, None] * width + columns[:, None])
    squares = samples.reshape(len(grids), 8, 4, 8, 4).swapaxes(2, 3)
    return _median(squares.reshape(len(grids), 8, 8, 16))


def _median(values: Floats) -> Floats:
    """Return the median along the last axis, which has an even length. For few values, this takes a tenth of NumPy's time."""
    middle = values.shape[-1] // 2
    middles = np.sort(values, axis=-1)[..., middle - 1 : middle + 1]
    return np.asarray(middles.mean(axis=-1), np.float32)


def _refined_board(board: Board, grey: Floats, gap: int) -> Board:
    """Fit a board's lines to the changes between its own squares."""
    grid = board.grid
    left, top, right, bottom = (round(part) for part in grid.box)
    rows = slice(max(0, top), max(1, bottom))
    columns = slice(max(0, left), max(1, right))
    start_x, step_x = fit_lines(_profile(grey[rows], gap), grid.left, grid.width, 8)
    start_y, step_y = fit_lines(_profile(grey[:, columns].T, gap), grid.top, grid.height, 8)
    refined = Grid(start_x, start_y, step_x, step_y, 8, 8)
    parity = _parities(grey, [refined])[0] if refined.is_within(*grey.shape[::-1]) else 0.0
    return Board(refined, parity, board.score) if parity >= board.parity else board


def _overlap(first: Grid, other: Grid) -> bool:
    (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = first.box, other.box
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return (
        across > 0
        and down > 0
        and across * down > 0.1 * min(first.width * first.height, other.width * other.height) * 64
    )
