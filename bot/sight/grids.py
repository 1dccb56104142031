"""Finds crossword boards in a picture: grids of equal squares, in any design.

The profile of each axis (see :mod:`bot.sight.squares`) shows how much neighbouring pixels differ. Weak differences count nearly as much
as strong ones. A grid is a board if most sides between its squares are visible. A board's outermost lines should be visible, and there
should be no lines beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from bot.sight.squares import (
    MAX_BOARDS,
    MIN_SQUARE_SIDE,
    Doubles,
    Floats,
    Grid,
    Integers,
    LineGuess,
    Mask,
    Pixels,
    distinct_guesses,
    fit_lines,
    offset_grid,
    pairs_of_guesses,
    rotations_and_reflections,
    similar_steps,
)

_BOARD_SIDE, _LARGER_BOARD_SIDE = 15, 21
MIN_VISIBLE_SHARE = 0.7
"""Minimum share of visible sides between the squares of a board."""
MIN_VISIBLE_SHARE_OF_LINE = 0.5
"""Minimum share of visible sides on each inner line of a larger board."""

_SEARCH_SIZE = 1000
"""The longer side of a picture is scaled to this many pixels before the search."""
_SIDE_STEP = 0.2
"""Difference between successive sizes of squares to try, in pixels."""
_MAX_GUESSES_PER_AXIS = 12
_MAX_PAIRS = 24
_MIN_EXCESS = 0.12
"""Minimum score of a guess: how much higher the profile is at its lines than elsewhere. Noise and text score up to a third of this."""
MAX_DIFFERENCE = 12
"""Differences between neighbouring pixels (0 to 255) are capped at this."""
_MIN_SIDE_DIFFERENCE = 2.5
"""Minimum mean difference between the neighbouring pixels along a visible side."""
_FIRST_SAMPLES, _MIN_FIRST_SHARE = 2, 0.4
"""A grid is dropped if less than ``_MIN_FIRST_SHARE`` of its sides are visible at ``_FIRST_SAMPLES`` points per side."""
_MORE_SAMPLES = 7
"""Points per side at which the remaining grids are sampled."""
_MAX_OFFSET = 2
"""Maximum offset in each direction, in squares. Coordinates and lines outside a board may look like parts of it."""

_MAX_COLOUR_DIFFERENCE = 12.0
"""Maximum difference between the colours of two bonus squares of the same kind, from 0 to 255."""
_MIN_MIRROR_IMAGES = 4
"""A bonus square has the same colour as at least this many of its seven mirror images. Tiles may cover the others."""
_MIN_BONUS_SQUARES, _MAX_BONUS_SQUARES = 24, 90
"""Minimum and maximum number of apparent bonus squares on a board. A chequered background has more."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The squares of a board, found by the lines between them."""

    grid: Grid
    visible_share: float
    """The share of sides between squares that are visible, or 0 if the board was located by its bonus squares alone."""


def find_lattices(picture: Image.Image) -> list[Lattice]:
    """Return the boards of 15 × 15 and 21 × 21 squares in an RGB picture. The first is the clearest. They do not overlap."""
    scale = min(1.0, _SEARCH_SIZE / max(picture.size))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    pixels = np.asarray(picture.resize(size, Image.Resampling.BOX))
    if min(size) < _BOARD_SIDE * MIN_SQUARE_SIDE:
        return []
    lattices: list[Lattice] = []
    _search_area(pixels, (0, 0, *size), lattices)
    scale_x, scale_y = picture.width / size[0], picture.height / size[1]
    return [replace(lattice, grid=lattice.grid.scaled(scale_x, scale_y)) for lattice in lattices]


def _search_area(pixels: Pixels, area: tuple[int, int, int, int], lattices: list[Lattice]) -> None:
    """Add the boards in an area (left, top, right, bottom) to ``lattices``.

    In a profile, the lines of one board hide the lines of another. So the areas around the clearest board are searched separately.
    """
    left, top, right, bottom = area
    if len(lattices) == MAX_BOARDS or min(right - left, bottom - top) < _BOARD_SIDE * MIN_SQUARE_SIDE:
        return
    part = pixels[top:bottom, left:right]
    across, down = differences(part), differences(part.swapaxes(0, 1))
    lattice = _clearest_lattice(across, down, None if lattices else part)
    if lattice is None:
        return
    grid = replace(lattice.grid, left=lattice.grid.left + left, top=lattice.grid.top + top)
    lattices.append(replace(lattice, grid=grid))
    sides = zip(grid.box, (left, top, left, top), (right, bottom, right, bottom), strict=True)
    board_left, board_top, board_right, board_bottom = (
        min(max(round(side), minimum), maximum) for side, minimum, maximum in sides
    )
    for area_beside in (
        (left, top, board_left, bottom),
        (board_right, top, right, bottom),
        (board_left, top, board_right, board_top),
        (board_left, board_bottom, board_right, bottom),
    ):
        _search_area(pixels, area_beside, lattices)


def _clearest_lattice(across: Pixels, down: Pixels, pixels: Pixels | None) -> Lattice | None:
    """Return the lattice whose lines are the most visible.

    If too few sides are visible, return the lattice whose colours in ``pixels`` look most like bonus squares, or None if ``pixels`` is
    None or no colours look like bonus squares.
    """
    all_pairs = pairs_of_guesses(_profile(across), _profile(down), _line_guesses)
    pairs = sorted(all_pairs, key=lambda pair: -pair[0].score - pair[1].score)[:_MAX_PAIRS]
    best = _lattice_by_sides(across, down, pairs)
    if best is None or best.visible_share < MIN_VISIBLE_SHARE:
        best = None if pixels is None else _lattice_by_bonus_squares(pixels, pairs)
        return None if best is None else replace(best, grid=_refined_grid(best.grid, across, down))
    return _enlarged_lattice(replace(best, grid=_refined_grid(best.grid, across, down)), across, down)


def differences(pixels: Pixels) -> Pixels:
    """Return how much each pixel differs from the next pixel in its row, from 0 to :data:`MAX_DIFFERENCE`."""
    left, right = pixels[:, :-1], pixels[:, 1:]
    change = np.maximum(left, right) - np.minimum(left, right)
    greatest = np.maximum(np.maximum(change[:, :, 0], change[:, :, 1]), change[:, :, 2])
    return np.asarray(np.minimum(greatest, np.uint8(MAX_DIFFERENCE)))


def _profile(differences: Pixels) -> Floats:
    return np.asarray(differences.mean(axis=0, dtype=np.float32) / np.float32(MAX_DIFFERENCE), np.float32)


def _line_guesses(profile: Floats, other_axis_guesses: list[LineGuess] | None) -> list[LineGuess]:
    length = len(profile)
    padded = np.pad(profile, 1)
    widened_profile = np.maximum(np.maximum(padded[:-2], padded[2:]), profile)
    total = np.concatenate(([0.0], np.cumsum(profile)))
    inner_line_count = _BOARD_SIDE - 1
    windows = np.lib.stride_tricks.as_strided(
        np.pad(widened_profile, (0, length)),
        (length, length),
        (widened_profile.itemsize, widened_profile.itemsize),
        writeable=False,
    )
    guesses: list[LineGuess] = []
    for step in similar_steps(
        np.arange(MIN_SQUARE_SIDE, length / (_BOARD_SIDE - 0.6), _SIDE_STEP), other_axis_guesses
    ):
        last_line = round((inner_line_count - 1) * step)
        start_count = length - last_line
        if start_count < 1:
            break
        lines = windows[np.rint(np.arange(inner_line_count) * step).astype(np.int64), :start_count]
        mean_elsewhere = 2 * (total[last_line + 1 :] - total[:start_count]) / (last_line + 1)
        sums = lines.sum(axis=0)
        # The third-lowest value is part of the score, but slow to find. It is at most ``sums / (inner_line_count - 2)``,
        # because all but two values are at least as high.
        promising_starts = np.flatnonzero(
            sums * (1 / inner_line_count + 1 / (inner_line_count - 2)) - mean_elsewhere >= _MIN_EXCESS
        )
        if not len(promising_starts):
            continue
        lines = lines[:, promising_starts]
        lines.partition(2, axis=0)
        scores = np.full(start_count, -9, np.float32)
        scores[promising_starts] = (
            sums[promising_starts] / inner_line_count + lines[2] - mean_elsewhere[promising_starts]
        )
        for _ in range(3):
            best = int(scores.argmax())
            guesses.append(LineGuess(float(scores[best]), step, float(best)))
            scores[max(0, best - round(step / 2)) : best + round(step / 2)] = -9
    return distinct_guesses(
        [guess for guess in guesses if guess.score >= _MIN_EXCESS], _MAX_GUESSES_PER_AXIS, 0.5, 3
    )


def _lattice_by_sides(
    across: Pixels, down: Pixels, pairs: list[tuple[LineGuess, LineGuess]]
) -> Lattice | None:
    first_sides = zip(
        _sides_for_pairs(across, pairs, samples=_FIRST_SAMPLES),
        _sides_for_pairs(down, [pair[::-1] for pair in pairs], samples=_FIRST_SAMPLES),
        strict=True,
    )
    pairs = [
        pair
        for pair, (vertical, horizontal) in zip(pairs, first_sides, strict=True)
        if (vertical[3:-3, 3:-3].mean() + horizontal[3:-3, 3:-3].mean()) / 2 >= _MIN_FIRST_SHARE
    ]
    if not pairs:
        return None
    # Count the visible sides on each line of each shifted grid, and on one more line beyond each edge.
    vertical_sides = _sides_at_offsets(np.stack(_sides_for_pairs(across, pairs)))
    horizontal_sides = _sides_at_offsets(
        np.stack(_sides_for_pairs(down, [pair[::-1] for pair in pairs]))
    ).swapaxes(1, 2)
    lines = (vertical_sides + horizontal_sides) / (2 * _BOARD_SIDE)
    inner = lines[..., 2:-2].mean(axis=3)
    scores = 10 * inner + 0.15 * (lines[..., 1] + lines[..., -2] - lines[..., 0] - lines[..., -1])
    best: tuple[float, Lattice] | None = None
    for (column, row), score, sides in zip(pairs, scores, inner, strict=True):
        right, below = np.unravel_index(int(score.argmax()), score.shape)
        grid = offset_grid(column, row, int(right) - _MAX_OFFSET, int(below) - _MAX_OFFSET, _BOARD_SIDE)
        value = float(score[right, below])
        if (best is None or value > best[0]) and grid.is_within(down.shape[0], across.shape[0]):
            best = value, Lattice(grid, float(sides[right, below]))
    return None if best is None else best[1]


def _lattice_by_bonus_squares(pixels: Pixels, pairs: list[tuple[LineGuess, LineGuess]]) -> Lattice | None:
    height, width = pixels.shape[:2]
    squares = np.arange(-_MAX_OFFSET - 1, _BOARD_SIDE + _MAX_OFFSET - 1)
    inside = np.array((0.14, 0.24, 0.76, 0.86))
    best: tuple[int, Lattice] | None = None
    for column, row in pairs:
        x, y = (
            (line.first_line + 1 + line.step * np.add.outer(squares, inside)).astype(np.int64)
            for line in (column, row)
        )
        x, y = np.clip(x, 0, width - 1).ravel(), np.clip(y, 0, height - 1).ravel()
        count = len(squares)
        corners = (
            pixels[y[:, None], x].reshape(count, 4, count, 4, 3).swapaxes(1, 2).reshape(count, count, 16, 3)
        )
        colours = np.median(corners, axis=2)
        for down, right in np.ndindex(2 * _MAX_OFFSET + 1, 2 * _MAX_OFFSET + 1):
            mirrored, unmirrored = _mirrored_squares(
                colours[down : down + _BOARD_SIDE, right : right + _BOARD_SIDE]
            )
            score = 2 * mirrored - unmirrored
            if not _MIN_BONUS_SQUARES <= mirrored <= _MAX_BONUS_SQUARES or (
                best is not None and score <= best[0]
            ):
                continue
            grid = offset_grid(column, row, right - _MAX_OFFSET, down - _MAX_OFFSET, _BOARD_SIDE)
            if grid.is_within(width, height):
                best = score, Lattice(grid, 0.0)
    return None if best is None else best[1]


def _mirrored_squares(colours: Doubles) -> tuple[int, int]:
    """Return how many squares of an unusual colour are similar to most of their mirror images, and how many are not."""
    usual = np.median(colours.reshape(-1, 3), axis=0)
    is_unusual = np.abs(colours - usual).max(axis=2) > _MAX_COLOUR_DIFFERENCE
    similar_image_counts = sum(
        (np.abs(colours - image).max(axis=2) <= _MAX_COLOUR_DIFFERENCE).astype(np.int64)
        for image in rotations_and_reflections(colours)
    )
    mirrored = is_unusual & (similar_image_counts >= _MIN_MIRROR_IMAGES)
    return int(mirrored.sum()), int(is_unusual.sum() - mirrored.sum())


def _sides_at_offsets(sides: Mask) -> Floats:
    # The input is guesses × lines × squares. The output is guesses × shifts across the lines × shifts along the lines × lines.
    total = np.pad(np.cumsum(sides, axis=2), ((0, 0), (0, 0), (1, 0)))
    steps = np.arange(2 * _MAX_OFFSET + 1)
    counts: Integers = total[:, :, steps + 1 + _BOARD_SIDE] - total[:, :, steps + 1]
    lines = steps[:, None] + np.arange(_BOARD_SIDE + 3)
    return np.asarray(counts[:, lines].swapaxes(2, 3), np.float32)


def _sides_for_pairs(
    differences: Pixels, pairs: list[tuple[LineGuess, LineGuess]], samples: int = _MORE_SAMPLES
) -> list[Mask]:
    """Return a mask of the visible sides for each pair: lines × squares."""
    visible_lines = {
        other: _visible_lines(differences, other, _MAX_OFFSET, samples)
        for other in {other for _, other in pairs}
    }
    return [_visible_sides(visible_lines[other], line, _MAX_OFFSET) for line, other in pairs]


def _visible_lines(
    differences: Pixels, other_axis_guess: LineGuess, extra: int, samples: int = _MORE_SAMPLES
) -> Mask:
    """Return a mask of the pixel positions at which a line is visible: squares × pixels.

    ``other_axis_guess`` locates the squares. ``extra`` + 1 squares are added at each end. The first position is one pixel outside the
    picture. A line may deviate by one pixel.
    """
    height, width = differences.shape
    squares = np.arange(-extra - 1, _BOARD_SIDE + extra + 1)
    along = (
        other_axis_guess.first_line
        + 1
        + other_axis_guess.step * (np.add.outer(squares, np.linspace(0.2, 0.8, samples)) - 1)
    )
    rows = np.floor(along).astype(np.int64)
    values = differences[np.clip(rows, 0, height - 1)]
    values[(rows < 0) | (rows >= height)] = 0
    # The sum of ``_MORE_SAMPLES`` differences fits in a byte.
    total = np.zeros((len(squares), width + 4), np.uint8)
    values.sum(axis=1, dtype=np.uint8, out=total[:, 2:-2])
    within_a_pixel = np.maximum(np.maximum(total[:, :-2], total[:, 1:-1]), total[:, 2:])
    return np.asarray(within_a_pixel >= _MIN_SIDE_DIFFERENCE * samples)


def _visible_sides(visible_lines: Mask, guess: LineGuess, extra: int) -> Mask:
    """Return which sides of squares are visible: lines × squares. ``extra`` + 1 lines are added on each side."""
    lines = np.arange(-extra - 1, _BOARD_SIDE + extra + 2)
    positions = np.rint(guess.first_line + guess.step * (lines - 1)).astype(np.int64) + 1
    sides = visible_lines[:, np.clip(positions, 0, visible_lines.shape[1] - 1)]
    sides[:, (positions < 0) | (positions >= visible_lines.shape[1])] = False
    return sides.T


def _enlarged_lattice(lattice: Lattice, across: Pixels, down: Pixels) -> Lattice:
    grid, extra = lattice.grid, _LARGER_BOARD_SIDE - _BOARD_SIDE
    column = LineGuess(0.0, grid.square_width, grid.left + grid.square_width - 1)
    row = LineGuess(0.0, grid.square_height, grid.top + grid.square_height - 1)
    vertical = _visible_sides(_visible_lines(across, row, extra), column, extra)
    horizontal = _visible_sides(_visible_lines(down, column, extra), row, extra)
    best: tuple[float, Lattice] | None = None
    for right, below in np.ndindex(extra + 1, extra + 1):
        vertical_sides = vertical[
            right + 1 : right + 2 + _LARGER_BOARD_SIDE, below + 1 : below + 1 + _LARGER_BOARD_SIDE
        ]
        horizontal_sides = horizontal[
            below + 1 : below + 2 + _LARGER_BOARD_SIDE, right + 1 : right + 1 + _LARGER_BOARD_SIDE
        ]
        lines = np.concatenate((vertical_sides, horizontal_sides)).mean(axis=1).reshape(2, -1)
        if lines[:, 1:-1].min() < MIN_VISIBLE_SHARE_OF_LINE:
            continue
        visible_share = float(lines[:, 1:-1].mean())
        score = visible_share + 0.3 * float(lines[:, [0, -1]].mean())
        larger = Grid(
            grid.left + (right - extra) * grid.square_width,
            grid.top + (below - extra) * grid.square_height,
            grid.square_width,
            grid.square_height,
            _LARGER_BOARD_SIDE,
            _LARGER_BOARD_SIDE,
        )
        # The 21 lines of a grid of 20 × 20 squares may look like the lines of a larger board that extends beyond the picture.
        if (best is None or score > best[0]) and larger.is_within(down.shape[0], across.shape[0]):
            best = score, Lattice(larger, visible_share)
    return lattice if best is None else replace(best[1], grid=_refined_grid(best[1].grid, across, down))


def _refined_grid(grid: Grid, across: Pixels, down: Pixels) -> Grid:
    left, top, right, bottom = (max(0, round(part)) for part in grid.box)
    start_x, step_x = fit_lines(_profile(across[top:bottom]), grid.left, grid.square_width, grid.columns)
    start_y, step_y = fit_lines(_profile(down[left:right]), grid.top, grid.square_height, grid.rows)
    return Grid(start_x, start_y, step_x, step_y, grid.columns, grid.rows)
