"""Finds the two numbers beside a board that are the scores, and the player who is highlighted."""

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
"""Minimum probability of each digit of certain scores."""
LIKELY: Final = 0.6
"""Minimum probability of each digit of scores."""

_MOST: Final = 1_500
"""Maximum score of a player."""
_A_TILE, _FIRST = 25, 20
"""Maximum number of points for each tile on the board, and the most in addition."""
_SAFE = 0.8
"""The share of the least sum that penalties leave."""
_ALIKE = 0.12
"""Maximum difference between the heights of two scores, in digit heights."""
_IN_LINE, _IN_COLUMN = 0.7, 0.4
"""Maximum offset of two scores from one line or one column, in digit heights."""
_APART = 1.2
"""Minimum distance between two scores, in digit heights."""
_SERIES = 3
"""Count of numbers in a column that makes them a table rather than scores."""
_LABEL, _CENTRED = 1.2, 0.2
"""Maximum distance of coordinates from a board and from the middle of a square's side, in squares."""
_FOLLOWED = 1.3
"""Maximum gap between a number and its unit, in digit heights."""
_RIVAL = 0.85
"""A pair whose digits have this share of the largest height may also be the scores."""
_FARTHER = 1.8
"""A score and a number farther away than the scores by this factor are not the scores."""
_BANDS = ((0.9, 1.6), (0.15, 0.5))
"""Distances in heights at which the ground above and below a score is sampled: beyond its own ground, and on it."""
_ASIDE = 2.0
"""Distances in heights at which the ground on both sides of a score is sampled."""
_COLOURS = 8
"""Minimum difference between two grounds, from 0 to 255."""


@dataclass(frozen=True, slots=True)
class ScoresSight:
    """The scores beside a board."""

    scores: tuple[int, int]
    """The scores, from the left or from above."""
    confident: bool
    """Whether the scores are certain."""
    marked: int | None
    """The place of the player who is highlighted by another ground, or None."""

    @property
    def mover_first(self) -> tuple[int, int]:
        """The scores in the order of CGP: the highlighted player first, or else the first."""
        return self.scores[::-1] if self.marked else self.scores


def read_scores(picture: Image.Image, board: Grid, rows: Sequence[str]) -> ScoresSight | None:
    """Return the scores of two players beside a board in an RGB picture; ``rows`` are the board's squares."""
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
        (first, other)
        for first, other in combinations([number for number in numbers if number.value <= _MOST], 2)
        if least <= first.value + other.value <= most
        and _are_beside(first, other)
        and _same_side(first, other, place)
        and not _is_table((first, other), numbers)
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
        best, key=lambda first: (first.left, first.top) if _in_line(*best) else (first.top, first.left)
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


def _same_side(first: Number, other: Number, board: _Box) -> bool:
    """Return whether two numbers in a line are both above or below the board, or both beside it."""
    left, _, right, _ = board
    within = [left <= (number.left + number.right) / 2 <= right for number in (first, other)]
    return not _in_line(first, other) or within[0] == within[1]


def _values(pair: tuple[Number, Number]) -> tuple[int, int]:
    return min(pair[0].value, pair[1].value), max(pair[0].value, pair[1].value)


def _is_followed(number: Number, signs: Boxes) -> bool:
    """Return whether text follows a number closely: the name of its unit."""
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
    """Return whether a number is a row's coordinate, or a letter that is a column's."""
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


def _in_line(first: Number, other: Number) -> bool:
    return abs(first.bottom - other.bottom) <= _IN_LINE * max(first.height, other.height)


def _in_column(first: Number, other: Number) -> bool:
    near = _IN_COLUMN * max(first.height, other.height)
    middle = (first.left + first.right - other.left - other.right) / 2
    return min(abs(first.left - other.left), abs(first.right - other.right), abs(middle)) <= near


def _are_beside(first: Number, other: Number) -> bool:
    """Return whether two numbers have one height, and are in one line or one column."""
    high = max(first.height, other.height)
    if abs(first.height - other.height) > max(1.0, _ALIKE * high):
        return False
    across = max(first.left, other.left) - min(first.right, other.right)
    down = max(first.top, other.top) - min(first.bottom, other.bottom)
    return (_in_line(first, other) and across >= _APART * high) or (
        _in_column(first, other) and down >= (_APART - 1) * high
    )


def _is_table(pair: tuple[Number, Number], numbers: Sequence[Number]) -> bool:
    """Return whether two numbers are part of a column of numbers."""
    if _in_line(*pair):
        return False
    same = [
        number
        for number in numbers
        if _in_column(pair[0], number) and abs(number.height - pair[0].height) <= _ALIKE * pair[0].height + 1
    ]
    return len(same) >= _SERIES


def _bounds(rows: Sequence[str]) -> tuple[float, float]:
    """Return the least and the highest sum of the scores of a board's players.

    Each tile but a blank is worth at least a point in each of its words. Without a tile both scores are 0.
    """
    columns = ["".join(row[column] for row in rows) for column in range(len(rows[0]))]
    words = [word for line in (*rows, *columns) for word in line.split(EMPTY) if len(word) > 1]
    tiles = sum(square != EMPTY for row in rows for square in row)
    if not tiles:
        return 0, 0
    return _SAFE * sum(letter.isupper() for word in words for letter in word), _A_TILE * tiles + _FIRST


def _marked(picture: Pixels, board: _Box, pair: tuple[Number, Number]) -> int | None:
    """Return which of two numbers has its own ground, while the other has the ground of the panel around both."""
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
    """Return the usual colour above and below a number, at a distance in heights."""
    high = number.height
    left, right = number.left - _ASIDE * high, number.right + _ASIDE * high
    near, far = band
    ends = beside.copy()
    ends[max(0, round(number.top - near * high)) : max(0, round(number.bottom + near * high))] = False
    return _usual(picture, ends, (left, number.top - far * high, right, number.bottom + far * high))


def _usual(picture: Pixels, where: Mask, box: _Box) -> npt.NDArray[np.int16]:
    """Return the most common colour of the pixels of a box that count."""
    left, top, right, bottom = (max(0, round(side)) for side in box)
    pixels = picture[top:bottom, left:right][where[top:bottom, left:right]]
    if not len(pixels):
        return np.zeros(3, np.int16)
    shades = (pixels >> 3).astype(np.int32)
    keys = (shades[:, 0] << 10) | (shades[:, 1] << 5) | shades[:, 2]
    values, counts = np.unique(keys, return_counts=True)
    return np.asarray(np.median(pixels[keys == values[counts.argmax()]], axis=0), np.int16)
