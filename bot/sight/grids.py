"""Where the boards of crossword games are in a picture: grids of equal squares, whatever they look like.

Between two squares there is a line, a gap or a change of colour. So along each axis a profile is made of how much
neighbouring pixels differ, weak differences counting nearly as much as strong ones; sixteen equal steps of high values
on both axes are a guess, and a guess is a board if nearly all sides of its squares are there, and no further ones
beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from PIL import Image

from bot.sight.squares import Floats, Grid

SQUARES, MORE_SQUARES = 15, 21
"""Squares of a board, both ways; and of the larger boards."""
MIN_SIDES = 0.7
"""The share of the inner sides of squares that must be seen."""
MIN_LINE = 0.5
"""The same of every line of a larger board."""

_LONGEST = 1000
"""Pixels of the longer side of the picture in which boards are searched."""
_FEWEST = 9.0
"""Pixels of a square's side in it; letters on smaller ones cannot be read."""
_STEP = 0.2
_GUESSES = 12
_STRONG = 12.0
"""A difference of neighbouring pixels that counts whole, of 255."""
_SEEN = 2.5
"""The least difference along a square's side by which it is seen."""


_BESIDE = 2
"""How many squares beside a guess a board may be: labels and lines beyond it are taken for its own."""

_Guess: TypeAlias = "tuple[float, float, float]"
"""Score, step and first of the 14 lines between squares along one axis."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The squares of a board, and the share of their inner sides that are seen."""

    grid: Grid
    sides: float


def find_grids(picture: Image.Image) -> list[Lattice]:
    """Return the grids of 15 × 15 squares in an RGB picture, the clearest first; they do not overlap."""
    scale = min(1.0, _LONGEST / max(picture.size))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    small = np.asarray(picture.resize(size, Image.Resampling.BOX), np.float32)
    if min(size) < SQUARES * _FEWEST:
        return []
    across, down = _differences(small), _differences(small.swapaxes(0, 1))
    columns, rows = _guesses(across.mean(axis=0)), _guesses(down.mean(axis=0))
    found: list[tuple[float, Lattice]] = []
    for column in columns:
        for row in rows:
            if abs(column[1] - row[1]) <= 0.02 * max(column[1], row[1]) + 0.05:
                found += filter(None, (_fitted(across, down, column, row),))
    found.sort(key=lambda one: -one[0])
    kept: list[Lattice] = []
    for _, lattice in found:
        if lattice.sides >= MIN_SIDES and all(not _overlap(lattice.grid, other.grid) for other in kept):
            kept.append(_grown(replace(lattice, grid=_refined(lattice.grid, across, down)), across, down))
    return [Lattice(_scaled(lattice.grid, picture, size), lattice.sides) for lattice in kept]


def _differences(pixels: Floats) -> Floats:
    """Return how much each pixel differs from the next in its row, at most 1."""
    change = np.abs(np.diff(pixels, axis=1)).max(axis=2)
    return np.minimum(change / _STRONG, 1.0, dtype=np.float32)


def _guesses(profile: Floats) -> list[_Guess]:
    """Return the best steps and starts for the 14 lines between 15 squares, best first: score, step, first line."""
    length = len(profile)
    padded = np.pad(profile, 1)
    wide = np.maximum(np.maximum(padded[:-2], padded[2:]), profile)
    total = np.concatenate(([0.0], np.cumsum(profile)))
    inner = SQUARES - 1
    windows = np.lib.stride_tricks.as_strided(
        np.pad(wide, (0, length)), (length, length), (wide.itemsize, wide.itemsize), writeable=False
    )
    guesses: list[_Guess] = []
    for step in np.arange(_FEWEST, length / (SQUARES - 0.6), _STEP).tolist():
        starts = length - round((inner - 1) * step)
        if starts < 1:
            break
        places = np.rint(np.arange(inner) * step).astype(np.int64)
        lines = windows[places, :starts]
        lines.partition(2, axis=0)
        ends = np.arange(starts) + round((inner - 1) * step)
        mean = (total[np.minimum(ends + 1, length)] - total[:starts]) / (ends - np.arange(starts) + 1)
        scores = lines.mean(axis=0) + lines[2] - 2 * mean
        for _ in range(3):
            best = int(scores.argmax())
            guesses.append((float(scores[best]), step, float(best)))
            scores[max(0, best - round(step / 2)) : best + round(step / 2)] = -9
    guesses.sort(reverse=True)
    kept: list[_Guess] = []
    for guess in guesses:
        if len(kept) == _GUESSES:
            break
        if all(abs(guess[1] - other[1]) > 0.5 or abs(guess[2] - other[2]) > 3 for other in kept):
            kept.append(guess)
    return kept


def _fitted(across: Floats, down: Floats, column: _Guess, row: _Guess) -> tuple[float, Lattice] | None:
    """Return the lattice whose inner lines these may be, or one a few steps beside, and how good it is."""
    upright = _sides(across, column, row)
    level = _sides(down, row, column)
    best: tuple[float, int, int] | None = None
    for right in range(2 * _BESIDE + 1):
        for below in range(2 * _BESIDE + 1):
            # Lines of the board with one before it and one after it; of each, the squares beside it.
            uprights = upright[right : right + SQUARES + 3, below + 1 : below + 1 + SQUARES]
            levels = level[below : below + SQUARES + 3, right + 1 : right + 1 + SQUARES]
            inner = (uprights[2:-2].mean() + levels[2:-2].mean()) / 2
            outer = (uprights[[1, -2]].mean() + levels[[1, -2]].mean()) / 2
            beyond = (uprights[[0, -1]].mean() + levels[[0, -1]].mean()) / 2
            score = float(inner + 0.3 * outer - 0.3 * beyond)
            if best is None or score > best[0]:
                best = score, right, below
    assert best is not None  # there are always such lattices
    score, right, below = best
    grid = Grid(
        column[2] + 1 + (right - _BESIDE - 1) * column[1],
        row[2] + 1 + (below - _BESIDE - 1) * row[1],
        column[1],
        row[1],
        SQUARES,
        SQUARES,
    )
    left, top, far, bottom = grid.box
    slack = 0.3 * grid.width
    height, width = across.shape[0], down.shape[0]
    if left < -slack or top < -slack or far > width + slack or bottom > height + slack:
        return None
    inner = (
        upright[right + 2 : right + SQUARES + 1, below + 1 : below + 1 + SQUARES].mean()
        + level[below + 2 : below + SQUARES + 1, right + 1 : right + 1 + SQUARES].mean()
    )
    return score, Lattice(grid, float(inner) / 2)


def _sides(differences: Floats, guess: _Guess, other: _Guess, beside: int = _BESIDE) -> Floats:
    """Return which sides of squares are seen: lines × squares, from ``beside`` + 1 before the board on."""
    height, width = differences.shape
    _, step, first = guess
    _, other_step, other_first = other
    squares = np.arange(-beside - 1, SQUARES + beside + 1)
    along = other_first + 1 + other_step * (np.add.outer(squares, np.linspace(0.2, 0.8, 7)) - 1)
    lines = np.arange(-beside - 1, SQUARES + beside + 2)
    places = np.rint(first + step * (lines - 1)[:, None] + np.arange(-1, 2)).astype(np.int64)
    rows = np.floor(along).astype(np.int64)
    values = differences[
        np.clip(rows, 0, height - 1)[None, :, :, None], np.clip(places, 0, width - 1)[:, None, None, :]
    ]
    values[:, (rows < 0) | (rows >= height)] = 0
    values[(places.max(axis=1) < 0) | (places.min(axis=1) >= width)] = 0
    return np.asarray(values.mean(axis=2).max(axis=2) >= _SEEN / _STRONG, np.float32)


def _grown(lattice: Lattice, across: Floats, down: Floats) -> Lattice:
    """Return the larger board that a lattice is a part of, if it is one."""
    grid, more = lattice.grid, MORE_SQUARES - SQUARES
    column = (0.0, grid.width, grid.left + grid.width - 1)
    row = (0.0, grid.height, grid.top + grid.height - 1)
    upright, level = _sides(across, column, row, more), _sides(down, row, column, more)
    # Lines from the first before those that may be, and the squares between them.
    for right in range(more + 1):
        for below in range(more + 1):
            uprights = upright[right + 1 : right + 2 + MORE_SQUARES, below + 1 : below + 1 + MORE_SQUARES]
            levels = level[below + 1 : below + 2 + MORE_SQUARES, right + 1 : right + 1 + MORE_SQUARES]
            if min(uprights[1:-1].mean(axis=1).min(), levels[1:-1].mean(axis=1).min()) >= MIN_LINE:
                sides = float(uprights[1:-1].mean() + levels[1:-1].mean()) / 2
                wide = Grid(
                    grid.left + (right - more) * grid.width,
                    grid.top + (below - more) * grid.height,
                    grid.width,
                    grid.height,
                    MORE_SQUARES,
                    MORE_SQUARES,
                )
                return Lattice(_refined(wide, across, down), sides)
    return lattice


def _refined(grid: Grid, across: Floats, down: Floats) -> Grid:
    """Move a grid's lines to where the differences of its own squares are."""
    left, top, right, bottom = (max(0, round(part)) for part in grid.box)
    start_x, step_x = _moved(across[top:bottom].mean(axis=0), grid.left, grid.width, grid.columns)
    start_y, step_y = _moved(down[left:right].mean(axis=0), grid.top, grid.height, grid.rows)
    return Grid(start_x, start_y, step_x, step_y, grid.columns, grid.rows)


def _moved(profile: Floats, start: float, step: float, squares: int) -> tuple[float, float]:
    """Return start and step near the given ones whose inner lines have the highest values."""
    lines = np.arange(1, squares)
    starts = start + np.arange(-3, 3.1, 0.25)
    steps = step + np.arange(-0.3, 0.31, 0.02)
    places = starts[:, None, None] + steps[None, :, None] * lines - 1
    heights = np.interp(places.ravel(), np.arange(len(profile)), profile).reshape(places.shape)
    # Of equal values, as in a gap between squares, the middle is the board's.
    total = heights.sum(axis=2)
    first, second = np.nonzero(total >= 0.985 * total.max())
    return float(starts[first].mean()), float(steps[second].mean())


def _scaled(grid: Grid, picture: Image.Image, size: tuple[int, int]) -> Grid:
    """Return a grid in the pixels of the whole picture."""
    across, down = picture.width / size[0], picture.height / size[1]
    return Grid(
        grid.left * across, grid.top * down, grid.width * across, grid.height * down, grid.columns, grid.rows
    )


def _overlap(one: Grid, other: Grid) -> bool:
    (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) = one.box, other.box
    return min(right, other_right) > max(left, other_left) and min(bottom, other_bottom) > max(top, other_top)
