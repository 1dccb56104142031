"""Which two numbers beside a board are the players' scores, and which of the players is pointed out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.numbers import BOTTOM, LEFT, RIGHT, TOP, Boxes, Number, find_numbers, find_signs, fitted_scale
from bot.sight.squares import Grid, Mask, Pixels
from bot.sight.tiles import EMPTY

_Box: TypeAlias = "tuple[float, float, float, float]"

SURE: Final = 0.9
"""No digit of scores that are sure may be less probable."""
LIKELY: Final = 0.6
"""Nor of scores that are told."""

_MOST: Final = 1_500
"""The score of a player, at most."""
_A_TILE, _FIRST = 25, 20
"""Points for each tile on the board, at most, and beside."""
_SAFE = 0.8
"""The share of the least sum that penalties leave."""
_ALIKE = 0.12
"""How much two scores differ in height, in heights."""
_IN_LINE, _IN_COLUMN = 0.7, 0.4
"""How far two scores are from one line or from one column, in heights."""
_APART = 1.2
"""How far they are apart at least, in heights."""
_SERIES = 3
"""So many numbers at equal places are a table, and no scores."""
_LABEL, _CENTRED = 1.2, 0.2
"""How far from a board, and from the middle of a square's side, the names of rows and columns stand, in squares."""
_FOLLOWED = 1.3
"""How close behind a number the name of what it counts stands, in heights."""
_RIVAL = 0.85
"""A pair whose digits are as high as this share of the largest may be the scores, too."""
_FARTHER = 1.8
"""So many times as far apart, two numbers of which one is a score are not the scores."""
_BANDS = ((0.9, 1.6), (0.15, 0.5))
"""Where the ground above and below a score is looked at, in heights: beyond what it stands on, and on that."""
_ASIDE = 2.0
"""The same on both sides of it."""
_COLOURS = 8
"""How far apart two grounds are at least, of 255."""


@dataclass(frozen=True, slots=True)
class ScoresSight:
    """The scores beside a board as they were read from a picture."""

    scores: tuple[int, int]
    """From the left, or from above."""
    confident: bool
    """Whether it is clear that they are these."""
    marked: int | None
    """Which of the two players is pointed out by another ground, by place; None where none is."""

    @property
    def mover_first(self) -> tuple[int, int]:
        """The scores as a CGP has them, if who is pointed out is to move; where nobody is, the first is taken."""
        return self.scores[::-1] if self.marked else self.scores


def read_scores(picture: Image.Image, board: Grid, rows: Sequence[str]) -> ScoresSight | None:
    """Return the scores of two players beside a board on an RGB picture, if they can be read; ``rows`` are its squares."""
    scale = fitted_scale(picture.size, min(board.width, board.height))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    small = picture.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    grey = np.asarray(small.convert("L"))
    place = board.scaled(scale, scale).box
    signs = find_signs(grey, place)
    numbers = [
        number
        for number in find_numbers(grey, signs)
        if not (_is_followed(number, signs) or _is_label(number, board.scaled(scale, scale)))
    ]
    least, most = _bounds(rows)
    pairs = [
        (one, other)
        for one, other in combinations([number for number in numbers if number.value <= _MOST], 2)
        if least <= one.value + other.value <= most
        and _are_beside(one, other)
        and _same_side(one, other, place)
        and not _is_table((one, other), numbers)
    ]
    if not pairs:
        return None
    highest = max(map(_height, pairs))
    rivals = [pair for pair in pairs if _height(pair) >= _RIVAL * highest]
    best = min(rivals, key=_distance)
    rivals = [
        pair
        for pair in rivals
        if not (set(pair) & set(best) and _distance(pair) > _FARTHER * _distance(best))
    ]
    first, second = sorted(
        best, key=lambda one: (one.left, one.top) if _in_line(*best) else (one.top, one.left)
    )
    sure = min(first.sure, second.sure)
    if sure < LIKELY:
        return None
    clear = {_values(pair) for pair in rivals} == {_values(best)}
    return ScoresSight(
        (first.value, second.value),
        clear and sure >= SURE,
        _marked(np.asarray(small), place, (first, second)),
    )


def _height(pair: tuple[Number, Number]) -> float:
    return pair[0].height + pair[1].height


def _distance(pair: tuple[Number, Number]) -> float:
    return max(abs(pair[0].left - pair[1].left), abs(pair[0].top - pair[1].top))


def _same_side(one: Number, other: Number, board: _Box) -> bool:
    """Tell whether two numbers in a line are both above or below the board, or both beside it."""
    left, _, right, _ = board
    within = [left <= (number.left + number.right) / 2 <= right for number in (one, other)]
    return not _in_line(one, other) or within[0] == within[1]


def _values(pair: tuple[Number, Number]) -> tuple[int, int]:
    return min(pair[0].value, pair[1].value), max(pair[0].value, pair[1].value)


def _is_followed(number: Number, signs: Boxes) -> bool:
    """Tell whether text stands close behind a number: the name of what it counts."""
    high = number.height
    behind = (
        (signs[:, LEFT] > number.right)
        & (signs[:, LEFT] < number.right + _FOLLOWED * high)
        & (signs[:, TOP] < number.bottom - 0.2 * high)
        & (signs[:, BOTTOM] > number.top + 0.2 * high)
        & (signs[:, BOTTOM] - signs[:, TOP] > 0.5 * high)
        & (signs[:, BOTTOM] - signs[:, TOP] < 1.5 * high)
        & (signs[:, RIGHT] - signs[:, LEFT] < 1.5 * high)
    )
    return int(behind.sum()) > 1


def _is_label(number: Number, board: Grid) -> bool:
    """Tell whether a number names a row of a board, or is a letter that names a column."""
    left, top, right, bottom = board.box
    x, y = (number.left + number.right) / 2, (number.top + number.bottom) / 2
    within = left <= x <= right, top <= y <= bottom
    if not within[0]:
        return within[1] and max(left - x, x - right) <= _LABEL * board.width
    middle = (x - left) / board.width % 1
    return (
        max(top - y, y - bottom) <= _LABEL * board.height
        and number.value <= 9
        and abs(middle - 0.5) <= _CENTRED
    )


def _in_line(one: Number, other: Number) -> bool:
    return abs(one.bottom - other.bottom) <= _IN_LINE * max(one.height, other.height)


def _in_column(one: Number, other: Number) -> bool:
    near = _IN_COLUMN * max(one.height, other.height)
    middle = (one.left + one.right - other.left - other.right) / 2
    return min(abs(one.left - other.left), abs(one.right - other.right), abs(middle)) <= near


def _are_beside(one: Number, other: Number) -> bool:
    """Tell whether two numbers are of one height, and in one line or one column."""
    high = max(one.height, other.height)
    if abs(one.height - other.height) > max(1.0, _ALIKE * high):
        return False
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    return (_in_line(one, other) and across >= _APART * high) or (
        _in_column(one, other) and down >= (_APART - 1) * high
    )


def _is_table(pair: tuple[Number, Number], numbers: Sequence[Number]) -> bool:
    """Tell whether two numbers are part of a column of such."""
    if _in_line(*pair):
        return False
    same = [
        number
        for number in numbers
        if _in_column(pair[0], number) and abs(number.height - pair[0].height) <= _ALIKE * pair[0].height + 1
    ]
    return len(same) >= _SERIES


def _bounds(rows: Sequence[str]) -> tuple[float, float]:
    """Return how many points the players of a board have together, at least and at most.

    Each tile but a blank is worth a point at least in each word that it is part of. Without a tile nobody has any.
    """
    columns = ["".join(row[column] for row in rows) for column in range(len(rows[0]))]
    words = [word for line in (*rows, *columns) for word in line.split(EMPTY) if len(word) > 1]
    tiles = sum(square != EMPTY for row in rows for square in row)
    if not tiles:
        return 0, 0
    return _SAFE * sum(letter.isupper() for word in words for letter in word), _A_TILE * tiles + _FIRST


def _marked(picture: Pixels, board: _Box, pair: tuple[Number, Number]) -> int | None:
    """Return which of two numbers stands on a ground of its own, the other on that of the panel around both."""
    beside = np.ones(picture.shape[:2], bool)
    left, top, right, bottom = (max(0, round(side)) for side in board)
    beside[top:bottom, left:right] = False
    high = max(number.height for number in pair)
    panel = _usual(
        picture,
        beside,
        (
            min(number.left for number in pair) - 3 * high,
            min(number.top for number in pair) - 4 * high,
            max(number.right for number in pair) + 3 * high,
            max(number.bottom for number in pair) + 4 * high,
        ),
    )
    for band in _BANDS:
        grounds = [_ground(picture, beside, number, band) for number in pair]
        away = [float(np.abs(ground - panel).max()) for ground in grounds]
        if min(away) < _COLOURS <= max(away):
            return int(away[1] > away[0])
    return None


def _ground(
    picture: Pixels, beside: Mask, number: Number, band: tuple[float, float]
) -> npt.NDArray[np.int16]:
    """Return the usual colour above and below a number, so many of its heights away."""
    high = number.height
    left, right = number.left - _ASIDE * high, number.right + _ASIDE * high
    near, far = band
    ends = beside.copy()
    ends[max(0, round(number.top - near * high)) : max(0, round(number.bottom + near * high))] = False
    return _usual(picture, ends, (left, number.top - far * high, right, number.bottom + far * high))


def _usual(picture: Pixels, where: Mask, box: _Box) -> npt.NDArray[np.int16]:
    """Return the colour that most pixels of a box have, nearly, of those that count."""
    left, top, right, bottom = (max(0, round(side)) for side in box)
    pixels = picture[top:bottom, left:right][where[top:bottom, left:right]]
    if not len(pixels):
        return np.zeros(3, np.int16)
    shades = (pixels >> 3).astype(np.int32)
    keys = (shades[:, 0] << 10) | (shades[:, 1] << 5) | shades[:, 2]
    values, counts = np.unique(keys, return_counts=True)
    return np.asarray(np.median(pixels[keys == values[counts.argmax()]], axis=0), np.int16)
