"""Finds the players' scores beside a board, and which score is highlighted: usually the score of the player to move.

Unless noted otherwise, distances and sizes are multiples of the height of the scores' digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.numbers import BOTTOM, LEFT, RIGHT, TOP, Boxes, Number, find_glyphs, find_numbers, search_scale
from bot.sight.squares import Grid, Mask, Pixels
from bot.sight.tiles import EMPTY

_Box: TypeAlias = "tuple[float, float, float, float]"

MIN_CERTAIN_PROBABILITY: Final = 0.9
"""Minimum probability of every digit in confident scores."""
MIN_PROBABILITY: Final = 0.6
"""If a digit's probability is below this, no scores are returned."""

_MAX_SCORE: Final = 1_500
_MAX_SUM_PER_TILE, _MAX_EXTRA_SUM = 25, 20
"""Maximum sum of both scores: ``_MAX_SUM_PER_TILE`` for each tile on the board, plus ``_MAX_EXTRA_SUM``."""
_MIN_SUM_PER_LETTER = 0.8
"""Minimum sum of both scores: this many points for each letter, except blanks, of each word. It is below 1 because of penalties."""
_MAX_HEIGHT_DIFFERENCE = 0.12
_MAX_LINE_OFFSET, _MAX_COLUMN_OFFSET = 0.7, 0.4
"""Maximum offset between the bottoms of two scores on one line, and between the left sides, right sides or middles of two scores in one column."""
_MIN_SPACE_ON_LINE, _MIN_SPACE_IN_COLUMN = 1.2, 0.2
"""Minimum space between two scores on one line, and between two scores in one column."""
_MIN_TABLE_LENGTH = 3
"""A column with at least this many numbers of one height is a table."""
_MAX_COORDINATE_DISTANCE, _MAX_COORDINATE_OFFSET = 1.2, 0.2
"""Maximum distance of a coordinate from the board, and of a column's coordinate from the middle of its column, in squares."""
_MAX_UNIT_GAP = 1.3
_MIN_RIVAL_HEIGHT_RATIO = 0.85
"""The height of the scores is at least this fraction of the height of the tallest pair of numbers that may be scores."""
_MAX_RIVAL_DISTANCE_RATIO = 1.8
"""Another pair that may be the scores (a rival) makes the scores uncertain if its values differ. A pair that contains one of the
scores is not a rival if its numbers are more than this many times as far apart as the scores."""
_BACKGROUND_BANDS = ((0.9, 1.6), (0.15, 0.5))
"""Distances above and below a score between which the background is sampled. The first band reaches a large field of another colour
around the highlighted score, and the second band a small field."""
_SIDE_DISTANCE = 2.0
"""The background is sampled up to this distance to the left and right of a score."""
_MIN_COLOUR_DIFFERENCE = 8
"""Minimum difference between background colours that count as different, from 0 to 255."""


@dataclass(frozen=True, slots=True)
class RecognizedScores:
    """The scores beside a board."""

    scores: tuple[int, int]
    """The scores from left to right or from top to bottom."""
    is_confident: bool
    """Whether the scores need no warning."""
    highlighted_index: int | None
    """The index of the only highlighted score, or None."""

    @property
    def mover_first(self) -> tuple[int, int]:
        """The scores with the highlighted score first, as in CGP. If no score is highlighted, the order is unchanged."""
        return self.scores[::-1] if self.highlighted_index else self.scores


def read_scores(picture: Image.Image, board: Grid, rows: Sequence[str]) -> RecognizedScores | None:
    """Return the two scores beside a board in an RGB picture, or None. ``rows`` has one character per square."""
    scale = search_scale(picture.size, min(board.square_width, board.square_height))
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    scaled_picture = picture.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    grey = np.asarray(scaled_picture.convert("L"))
    board = board.scaled(scale, scale)
    glyphs = find_glyphs(grey, board.box)
    numbers = [
        number
        for number in find_numbers(grey, glyphs)
        if not (_has_unit(number, glyphs) or _is_coordinate(number, board))
    ]
    lowest_sum, highest_sum = _sum_bounds(rows)
    pairs = [
        (first, other)
        for first, other in combinations([number for number in numbers if number.value <= _MAX_SCORE], 2)
        if lowest_sum <= first.value + other.value <= highest_sum
        and _may_be_pair(first, other)
        and _on_same_side(first, other, board.box)
        and not _in_table((first, other), numbers)
    ]
    if not pairs:
        return None
    max_height = max(map(_height, pairs))
    rivals = [pair for pair in pairs if _height(pair) >= _MIN_RIVAL_HEIGHT_RATIO * max_height]
    best_pair = min(rivals, key=_distance)
    rivals = [
        pair
        for pair in rivals
        if not (
            set(pair) & set(best_pair) and _distance(pair) > _MAX_RIVAL_DISTANCE_RATIO * _distance(best_pair)
        )
    ]
    first, second = sorted(
        best_pair,
        key=lambda number: (number.left, number.top) if _in_line(*best_pair) else (number.top, number.left),
    )
    min_probability = min(first.min_probability, second.min_probability)
    if min_probability < MIN_PROBABILITY:
        return None
    is_certain = all({number.value for number in pair} == {first.value, second.value} for pair in rivals)
    return RecognizedScores(
        (first.value, second.value),
        is_certain and min_probability >= MIN_CERTAIN_PROBABILITY,
        _highlighted_index(np.asarray(scaled_picture), board.box, (first, second)),
    )


def _height(pair: tuple[Number, Number]) -> float:
    return pair[0].height + pair[1].height


def _distance(pair: tuple[Number, Number]) -> float:
    return max(abs(pair[0].left - pair[1].left), abs(pair[0].top - pair[1].top))


def _on_same_side(first: Number, other: Number, board_box: _Box) -> bool:
    # Numbers on one line must both be beside the board, or both be above or below it.
    left, _, right, _ = board_box
    within_width = [left <= (number.left + number.right) / 2 <= right for number in (first, other)]
    return not _in_line(first, other) or within_width[0] == within_width[1]


def _has_unit(number: Number, glyphs: Boxes) -> bool:
    """Return whether text, such as the name of a unit, closely follows the number."""
    height = number.height
    is_after = (
        (glyphs[:, LEFT] > number.right)
        & (glyphs[:, LEFT] < number.right + _MAX_UNIT_GAP * height)
        & (glyphs[:, TOP] < number.bottom - 0.2 * height)
        & (glyphs[:, BOTTOM] > number.top + 0.2 * height)
        & (glyphs[:, BOTTOM] - glyphs[:, TOP] > 0.5 * height)
        & (glyphs[:, BOTTOM] - glyphs[:, TOP] < 1.5 * height)
        & (glyphs[:, RIGHT] - glyphs[:, LEFT] < 1.5 * height)
    )
    return int(is_after.sum()) > 1


def _is_coordinate(number: Number, board: Grid) -> bool:
    """Return whether a number is a row's coordinate, or a column's letter that was read as a digit."""
    left, top, right, bottom = board.box
    x, y = (number.left + number.right) / 2, (number.top + number.bottom) / 2
    within_width, within_height = left <= x <= right, top <= y <= bottom
    if not within_width:
        return within_height and max(left - x, x - right) <= _MAX_COORDINATE_DISTANCE * board.square_width
    middle = (x - left) / board.square_width % 1
    return (
        max(top - y, y - bottom) <= _MAX_COORDINATE_DISTANCE * board.square_height
        and number.value <= 9
        and abs(middle - 0.5) <= _MAX_COORDINATE_OFFSET
    )


def _in_line(first: Number, other: Number) -> bool:
    return abs(first.bottom - other.bottom) <= _MAX_LINE_OFFSET * max(first.height, other.height)


def _in_column(first: Number, other: Number) -> bool:
    max_offset = _MAX_COLUMN_OFFSET * max(first.height, other.height)
    middle = (first.left + first.right - other.left - other.right) / 2
    return min(abs(first.left - other.left), abs(first.right - other.right), abs(middle)) <= max_offset


def _may_be_pair(first: Number, other: Number) -> bool:
    height = max(first.height, other.height)
    if abs(first.height - other.height) > max(1.0, _MAX_HEIGHT_DIFFERENCE * height):
        return False
    across = max(first.left, other.left) - min(first.right, other.right)
    down = max(first.top, other.top) - min(first.bottom, other.bottom)
    return (_in_line(first, other) and across >= _MIN_SPACE_ON_LINE * height) or (
        _in_column(first, other) and down >= _MIN_SPACE_IN_COLUMN * height
    )


def _in_table(pair: tuple[Number, Number], numbers: Sequence[Number]) -> bool:
    if _in_line(*pair):
        return False
    column_numbers = [
        number
        for number in numbers
        if _in_column(pair[0], number)
        and abs(number.height - pair[0].height) <= _MAX_HEIGHT_DIFFERENCE * pair[0].height + 1
    ]
    return len(column_numbers) >= _MIN_TABLE_LENGTH


def _sum_bounds(rows: Sequence[str]) -> tuple[float, float]:
    # Each tile except a blank is worth at least one point in each of its words.
    columns = ["".join(row[column] for row in rows) for column in range(len(rows[0]))]
    words = [word for line in (*rows, *columns) for word in line.split(EMPTY) if len(word) > 1]
    tile_count = sum(square != EMPTY for row in rows for square in row)
    if not tile_count:
        return 0, 0
    min_points = sum(letter.isupper() for word in words for letter in word)
    return _MIN_SUM_PER_LETTER * min_points, _MAX_SUM_PER_TILE * tile_count + _MAX_EXTRA_SUM


def _highlighted_index(picture: Pixels, board_box: _Box, pair: tuple[Number, Number]) -> int | None:
    """Return the index of the only number whose background differs from the panel around both numbers, or None."""
    is_outside = np.ones(picture.shape[:2], bool)
    left, top, right, bottom = (max(0, round(side)) for side in board_box)
    is_outside[top:bottom, left:right] = False
    height = max(number.height for number in pair)
    panel = _most_common_colour(
        picture,
        is_outside,
        (
            min(number.left for number in pair) - 3 * height,
            min(number.top for number in pair) - 4 * height,
            max(number.right for number in pair) + 3 * height,
            max(number.bottom for number in pair) + 4 * height,
        ),
    )
    for band in _BACKGROUND_BANDS:
        backgrounds = [_background(picture, is_outside, number, band) for number in pair]
        differences = [float(np.abs(background - panel).max()) for background in backgrounds]
        if min(differences) < _MIN_COLOUR_DIFFERENCE <= max(differences):
            return int(differences[1] > differences[0])
    return None


def _background(
    picture: Pixels, is_outside: Mask, number: Number, band: tuple[float, float]
) -> npt.NDArray[np.int16]:
    """Return the most common colour above and below a number, between the two distances in ``band``."""
    height = number.height
    left, right = number.left - _SIDE_DISTANCE * height, number.right + _SIDE_DISTANCE * height
    inner, outer = band
    is_sampled = is_outside.copy()
    is_sampled[max(0, round(number.top - inner * height)) : max(0, round(number.bottom + inner * height))] = (
        False
    )
    return _most_common_colour(
        picture, is_sampled, (left, number.top - outer * height, right, number.bottom + outer * height)
    )


def _most_common_colour(picture: Pixels, selected: Mask, box: _Box) -> npt.NDArray[np.int16]:
    left, top, right, bottom = (max(0, round(side)) for side in box)
    pixels = picture[top:bottom, left:right][selected[top:bottom, left:right]]
    if not len(pixels):
        return np.zeros(3, np.int16)
    shades = (pixels >> 3).astype(np.int32)
    keys = (shades[:, 0] << 10) | (shades[:, 1] << 5) | shades[:, 2]
    values, counts = np.unique(keys, return_counts=True)
    return np.asarray(np.median(pixels[keys == values[counts.argmax()]], axis=0), np.int16)
