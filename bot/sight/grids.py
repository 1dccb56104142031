"""Where the boards of crossword games are in a picture: grids of equal squares, whatever they look like.

Between two squares there is a line, a gap or a change of colour. So along each axis a profile is made of how much
neighbouring pixels differ, weak differences counting nearly as much as strong ones; fourteen high values at equal steps
on both axes are a guess, and a guess is a board if nearly all sides of its squares are there, and no further ones
beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from bot.sight.squares import (
    Doubles,
    Floats,
    Grid,
    Guess,
    Integers,
    Mask,
    Pixels,
    fitted,
    pairs_of_guesses,
    steps_like,
)

SQUARES, MORE_SQUARES = 15, 21
"""Squares of a board, both ways; and of the larger boards."""
MAX_BOARDS = 4
"""Boards that are told of one picture."""
MIN_SIDES = 0.7
"""The share of the inner sides of squares that must be seen."""
MIN_LINE = 0.5
"""The same of every line of a larger board."""

_LONGEST = 1000
"""Pixels of the longer side of the picture in which boards are searched."""
_FEWEST = 9.0
"""Pixels of a square's side in it; letters on smaller ones cannot be read."""
_STEP = 0.2
"""How finely the sides of squares are tried."""
_GUESSES = 12
"""Guesses of one axis that are compared with those of the other."""
_PAIRS = 24
"""Pairs of guesses, the best first, that are looked at."""
_LEAST = 0.12
"""How much more neighbouring pixels differ at a guess's lines than elsewhere; noise and text reach a third of it."""
STRONG = 12
"""A difference of neighbouring pixels that counts whole, of 255."""
_SEEN = 2.5
"""The least difference along a square's side by which it is seen."""
_GLANCED, _LEAST_GLANCED = 2, 0.4
"""Places in which the sides of a guess are glanced at, and the share that must be seen there for a closer look."""
_LOOKED = 7
"""Places in which they are looked at then."""
_BESIDE = 2
"""How many squares beside a guess a board may be: labels and lines beyond it are taken for its own."""

_SAME = 12.0
"""How far apart the colours of two squares of one kind are at most, of 255."""
_MIRRORED = 4
"""How many of the 7 mirrored squares are like a bonus square, at least."""
_FEWEST_MIRRORED, _MOST_MIRRORED = 24, 90
"""Such squares on a board: a few are covered, and a chequered ground has more."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The squares of a board, and the share of their inner sides that are seen: none where it is known by its bonus squares."""

    grid: Grid
    sides: float


def find_grids(picture: Image.Image) -> list[Lattice]:
    """Return the boards of 15 × 15 and 21 × 21 squares in an RGB picture, the clearest first; they do not overlap."""
    scale = min(1.0, _LONGEST / max(picture.size))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    small = np.asarray(picture.resize(size, Image.Resampling.BOX))
    if min(size) < SQUARES * _FEWEST:
        return []
    across, down = differences(small), differences(small.swapaxes(0, 1))
    kept: list[Lattice] = []
    while (
        len(kept) < MAX_BOARDS and (lattice := _clearest(across, down, None if kept else small)) is not None
    ):
        kept.append(lattice)
        # The lines of one board hide those of another: what was found is taken away before the next is searched.
        left, top, right, bottom = (max(0, round(part)) for part in lattice.grid.box)
        across[top:bottom, left:right] = down[left:right, top:bottom] = 0
        if max(left, top, size[0] - right, size[1] - bottom) < SQUARES * _FEWEST:
            break
    wider, higher = picture.width / size[0], picture.height / size[1]
    return [replace(lattice, grid=lattice.grid.scaled(wider, higher)) for lattice in kept]


def _clearest(across: Pixels, down: Pixels, small: Pixels | None) -> Lattice | None:
    """Return the lattice whose sides are seen best; without such, the one whose bonus squares mirror each other in ``small``."""
    pairs = pairs_of_guesses(_profile(across), _profile(down), _guesses)
    pairs.sort(key=lambda pair: -pair[0][0] - pair[1][0])
    best = _best(across, down, pairs[:_PAIRS])
    if best is None or best.sides < MIN_SIDES:
        best = None if small is None else _mirrored(small, pairs[:_PAIRS])
        return None if best is None else replace(best, grid=_refined(best.grid, across, down))
    return _grown(replace(best, grid=_refined(best.grid, across, down)), across, down)


def differences(pixels: Pixels) -> Pixels:
    """Return how much each pixel differs from the next in its row, at most :data:`STRONG`."""
    one, other = pixels[:, :-1], pixels[:, 1:]
    change = np.maximum(one, other) - np.minimum(one, other)
    greatest = np.maximum(np.maximum(change[:, :, 0], change[:, :, 1]), change[:, :, 2])
    return np.asarray(np.minimum(greatest, np.uint8(STRONG)))


def _profile(differences: Pixels) -> Floats:
    """Return the mean difference at each boundary between columns, as a share of a strong one."""
    return np.asarray(differences.mean(axis=0, dtype=np.float32) / np.float32(STRONG), np.float32)


def _guesses(profile: Floats, others: list[Guess] | None) -> list[Guess]:
    """Return the best steps and starts for the 14 lines between 15 squares, best first: score, step, first line.

    Where ``others`` of the other axis are known, only steps like theirs are tried.
    """
    length = len(profile)
    padded = np.pad(profile, 1)
    wide = np.maximum(np.maximum(padded[:-2], padded[2:]), profile)
    total = np.concatenate(([0.0], np.cumsum(profile)))
    inner = SQUARES - 1
    windows = np.lib.stride_tricks.as_strided(
        np.pad(wide, (0, length)), (length, length), (wide.itemsize, wide.itemsize), writeable=False
    )
    guesses: list[Guess] = []
    for step in steps_like(np.arange(_FEWEST, length / (SQUARES - 0.6), _STEP), others):
        far = round((inner - 1) * step)
        starts = length - far
        if starts < 1:
            break
        lines = windows[np.rint(np.arange(inner) * step).astype(np.int64), :starts]
        usual = 2 * (total[far + 1 :] - total[:starts]) / (far + 1)
        sums = lines.sum(axis=0)
        # The third lowest is at most the mean of those above it: where even that were too little, nobody looks.
        promising = np.flatnonzero(sums * (1 / inner + 1 / (inner - 2)) - usual >= _LEAST)
        if not len(promising):
            continue
        lines = lines[:, promising]
        lines.partition(2, axis=0)
        scores = np.full(starts, -9, np.float32)
        scores[promising] = sums[promising] / inner + lines[2] - usual[promising]
        for _ in range(3):
            best = int(scores.argmax())
            guesses.append((float(scores[best]), step, float(best)))
            scores[max(0, best - round(step / 2)) : best + round(step / 2)] = -9
    guesses.sort(reverse=True)
    kept: list[Guess] = []
    for guess in guesses:
        if len(kept) == _GUESSES or guess[0] < _LEAST:
            break
        if all(abs(guess[1] - other[1]) > 0.5 or abs(guess[2] - other[2]) > 3 for other in kept):
            kept.append(guess)
    return kept


def _best(across: Pixels, down: Pixels, pairs: list[tuple[Guess, Guess]]) -> Lattice | None:
    """Return the lattice whose sides are seen best, of those whose inner lines pairs of guesses may be or a few steps beside."""
    glances = zip(
        _sides_of(across, pairs, samples=_GLANCED),
        _sides_of(down, [pair[::-1] for pair in pairs], samples=_GLANCED),
        strict=True,
    )
    pairs = [
        pair
        for pair, (upright, level) in zip(pairs, glances, strict=True)
        if (upright[3:-3, 3:-3].mean() + level[3:-3, 3:-3].mean()) / 2 >= _LEAST_GLANCED
    ]
    if not pairs:
        return None
    # Of each lattice: its lines with one before it and one after it, and of those the squares beside it.
    uprights = _windows(np.stack(_sides_of(across, pairs)))
    levels = _windows(np.stack(_sides_of(down, [pair[::-1] for pair in pairs]))).swapaxes(1, 2)
    lines = (uprights + levels) / (2 * SQUARES)
    inner = lines[..., 2:-2].mean(axis=3)
    scores = inner + 0.15 * (lines[..., 1] + lines[..., -2] - lines[..., 0] - lines[..., -1])
    best: tuple[float, Lattice] | None = None
    for (column, row), score, sides in zip(pairs, scores, inner, strict=True):
        right, below = np.unravel_index(int(score.argmax()), score.shape)
        grid = Grid(
            column[2] + 1 + (right - _BESIDE - 1) * column[1],
            row[2] + 1 + (below - _BESIDE - 1) * row[1],
            column[1],
            row[1],
            SQUARES,
            SQUARES,
        )
        here = float(score[right, below])
        if (best is None or here > best[0]) and grid.is_within(down.shape[0], across.shape[0]):
            best = here, Lattice(grid, float(sides[right, below]))
    return None if best is None else best[1]


def _mirrored(small: Pixels, pairs: list[tuple[Guess, Guess]]) -> Lattice | None:
    """Return the lattice with most bonus squares that mirrored squares are like, if these are many."""
    height, width = small.shape[:2]
    squares = np.arange(-_BESIDE - 1, SQUARES + _BESIDE - 1)
    inside = np.array((0.14, 0.24, 0.76, 0.86))
    best: tuple[int, Lattice] | None = None
    for column, row in pairs:
        x, y = (
            (line[2] + 1 + line[1] * np.add.outer(squares, inside)).astype(np.int64) for line in (column, row)
        )
        x, y = np.clip(x, 0, width - 1).ravel(), np.clip(y, 0, height - 1).ravel()
        count = len(squares)
        corners = (
            small[y[:, None], x].reshape(count, 4, count, 4, 3).swapaxes(1, 2).reshape(count, count, 16, 3)
        )
        colours = np.median(corners, axis=2)
        for down, right in np.ndindex(2 * _BESIDE + 1, 2 * _BESIDE + 1):
            alike, others = _mirrored_squares(colours[down : down + SQUARES, right : right + SQUARES])
            score = 2 * alike - others
            if not _FEWEST_MIRRORED <= alike <= _MOST_MIRRORED or (best is not None and score <= best[0]):
                continue
            left, top = (
                line[2] + 1 + (at - _BESIDE - 1) * line[1] for line, at in ((column, right), (row, down))
            )
            grid = Grid(left, top, column[1], row[1], SQUARES, SQUARES)
            if grid.is_within(width, height):
                best = score, Lattice(grid, 0.0)
    return None if best is None else best[1]


def _mirrored_squares(colours: Doubles) -> tuple[int, int]:
    """Return how many squares of an unusual colour are like most of the squares that mirror them, and how many are not."""
    usual = np.median(colours.reshape(-1, 3), axis=0)
    special = np.abs(colours - usual).max(axis=2) > _SAME
    turned = [np.rot90(colours, times) for times in range(4)]
    others = [one for way in turned for one in (way, way.swapaxes(0, 1))][1:]
    alike = sum((np.abs(colours - other).max(axis=2) <= _SAME).astype(np.int64) for other in others)
    mirrored = special & (alike >= _MIRRORED)
    return int(mirrored.sum()), int(special.sum() - mirrored.sum())


def _windows(sides: Mask) -> Floats:
    """Return how many sides each line has, for lattices so many steps along and across the lines.

    ``sides`` are guesses × lines × squares; what is returned, guesses × steps × steps × lines.
    """
    total = np.pad(np.cumsum(sides, axis=2), ((0, 0), (0, 0), (1, 0)))
    steps = np.arange(2 * _BESIDE + 1)
    counts: Integers = total[:, :, steps + 1 + SQUARES] - total[:, :, steps + 1]
    lines = steps[:, None] + np.arange(SQUARES + 3)
    return np.asarray(counts[:, lines].swapaxes(2, 3), np.float32)


def _sides_of(differences: Pixels, pairs: list[tuple[Guess, Guess]], samples: int = _LOOKED) -> list[Mask]:
    """Return which sides of squares are seen, of each pair of lines and of what is across them: see :func:`_sides`.

    What is seen between two lines depends on these alone, and many pairs have the same.
    """
    seen = {
        other: _seen_beside(differences, other, _BESIDE, samples) for other in {other for _, other in pairs}
    }
    return [_sides(seen[other], line, _BESIDE) for line, other in pairs]


def _seen_beside(differences: Pixels, other: Guess, beside: int, samples: int = _LOOKED) -> Mask:
    """Return where there is a line in each row of squares of a guess: squares × pixels, from one pixel before the picture on.

    There is one where pixels differ in so many places of a square's side, within a pixel.
    """
    height, width = differences.shape
    _, step, first = other
    squares = np.arange(-beside - 1, SQUARES + beside + 1)
    along = first + 1 + step * (np.add.outer(squares, np.linspace(0.2, 0.8, samples)) - 1)
    rows = np.floor(along).astype(np.int64)
    values = differences[np.clip(rows, 0, height - 1)]
    values[(rows < 0) | (rows >= height)] = 0
    # So few of them that their sum is no larger than a byte.
    total = np.zeros((len(squares), width + 4), np.uint8)
    values.sum(axis=1, dtype=np.uint8, out=total[:, 2:-2])
    near = np.maximum(np.maximum(total[:, :-2], total[:, 1:-1]), total[:, 2:])
    return np.asarray(near >= _SEEN * samples)


def _sides(seen: Mask, guess: Guess, beside: int) -> Mask:
    """Return which sides of squares are seen: lines × squares, from ``beside`` + 1 before the board on."""
    _, step, first = guess
    lines = np.arange(-beside - 1, SQUARES + beside + 2)
    places = np.rint(first + step * (lines - 1)).astype(np.int64) + 1
    sides = seen[:, np.clip(places, 0, seen.shape[1] - 1)]
    sides[:, (places < 0) | (places >= seen.shape[1])] = False
    return sides.T


def _grown(lattice: Lattice, across: Pixels, down: Pixels) -> Lattice:
    """Return the larger board that a lattice is a part of, if it is one."""
    grid, more = lattice.grid, MORE_SQUARES - SQUARES
    column = (0.0, grid.width, grid.left + grid.width - 1)
    row = (0.0, grid.height, grid.top + grid.height - 1)
    upright = _sides(_seen_beside(across, row, more), column, more)
    level = _sides(_seen_beside(down, column, more), row, more)
    best: tuple[float, Lattice] | None = None
    for right in range(more + 1):
        for below in range(more + 1):
            uprights = upright[right + 1 : right + 2 + MORE_SQUARES, below + 1 : below + 1 + MORE_SQUARES]
            levels = level[below + 1 : below + 2 + MORE_SQUARES, right + 1 : right + 1 + MORE_SQUARES]
            lines = np.concatenate((uprights, levels)).mean(axis=1).reshape(2, -1)
            if lines[:, 1:-1].min() < MIN_LINE:
                continue
            sides = float(lines[:, 1:-1].mean())
            # Of several the one whose edges are there, too.
            score = sides + 0.3 * float(lines[:, [0, -1]].mean())
            wide = Grid(
                grid.left + (right - more) * grid.width,
                grid.top + (below - more) * grid.height,
                grid.width,
                grid.height,
                MORE_SQUARES,
                MORE_SQUARES,
            )
            # A page of 20 × 20 squares has as many lines as such a board, and one column or row too few.
            if (best is None or score > best[0]) and wide.is_within(down.shape[0], across.shape[0]):
                best = score, Lattice(wide, sides)
    if best is not None:
        return replace(best[1], grid=_refined(best[1].grid, across, down))
    return lattice


def _refined(grid: Grid, across: Pixels, down: Pixels) -> Grid:
    """Move a grid's lines to where the differences of its own squares are."""
    left, top, right, bottom = (max(0, round(part)) for part in grid.box)
    start_x, step_x = fitted(_profile(across[top:bottom]), grid.left, grid.width, grid.columns)
    start_y, step_y = fitted(_profile(down[left:right]), grid.top, grid.height, grid.rows)
    return Grid(start_x, start_y, step_x, step_y, grid.columns, grid.rows)
