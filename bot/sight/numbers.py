"""Finds numbers beside a board: digits side by side, with no other ink close by.

A pixel is ink if it is clearly lighter or darker than its surroundings. A glyph is a connected piece of ink, usually one character. A
word is a run of glyphs of similar height side by side. Lengths without another unit are in pixels of the scaled picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from PIL import Image, ImageFilter

from bot.sight.squares import SIDE, Floats, Integers, Mask, Pixels
from bot.sight.tiles import network

Boxes: TypeAlias = "Integers"
"""Glyphs × 5: left, top, right, bottom, and 1 for a glyph that is lighter than its surroundings, else 0."""
LEFT, TOP, RIGHT, BOTTOM, LIGHT = range(5)

_MAX_SQUARE_SIDE: Final = 32.0
"""Maximum side of a board square after scaling, in pixels."""
MAX_GLYPHS: Final = 4_000
"""Maximum number of glyphs of each shade, dark or light. A full page of text has fewer."""

_MAX_PIXELS, _MAX_SCALE = 1_200_000, 2.0
_BLUR_RADIUS = 14
_MIN_CONTRAST = 18
"""Minimum difference of ink from the mean brightness within ``_BLUR_RADIUS``, from 0 to 255."""
MAX_GLYPH_WIDTH: Final = 130
"""Maximum width of a glyph. Letters may touch, so a glyph may be several letters wide."""
_MIN_GLYPH_LENGTH, _MAX_GLYPH_HEIGHT = 2, 52
"""Minimum length of a glyph's longer side, and a glyph's maximum height."""
_MARGIN = 3
"""Margin around a glyph in the network's input, in pixels."""
_MAX_RUNS = 200_000
"""Maximum number of horizontal runs of ink of each shade, dark or light. A picture with more is noise."""
_MIN_PEAK = 8
"""The network's input is divided by the difference between ink and background (0 to 255), or by this minimum, which keeps noise weak."""

NOT_A_DIGIT: Final = 10
"""The class of glyphs that are not digits. Classes 0 to 9 are the digits."""
MAX_DIGITS: Final = 4

_MIN_DIGIT_HEIGHT = 6  # pixels
# The following lengths are multiples of the height of a digit or of a number.
_MAX_UNEVENNESS = 0.16
"""Maximum difference between the tops of neighbouring digits, and between their bottoms."""
_MAX_GLYPH_GAP = 0.55
"""Maximum gap between two glyphs of a word."""
_MAX_DIGIT_ASPECT, _DIGIT_ASPECT = 1.05, 0.6
"""Maximum and typical width of a digit. A wider glyph is several digits that touch."""
_MAX_SPECK_LENGTH = 0.12
"""A smaller glyph beside a number is ignored."""
_MAX_LINE_OFFSET = 0.3
"""Maximum offset between the bottoms, or the middles, of two glyphs on one line."""
_CLEAR_WIDTH = 1.5
"""Width of the space before a number. A glyph of the number's height in this space rules the number out, unless a colon follows the
glyph."""
_MAX_DOT_LENGTH = 0.35
_MIN_COLON_GAP_RATIO = 1.7
"""Minimum ratio of the space after a caption's colon to the space before it. On a clock, the two are equal."""
_MIN_PROBABILITY = 0.5
"""Minimum probability of each digit in a number."""
_MAX_WORDS_EXAMINED, _MAX_WORDS_READ = 250, 80
"""Maximum number of words examined, and maximum number of words read. The tallest words come first."""


def search_scale(picture_size: tuple[int, int], square_side: float) -> float:
    """Return the factor for scaling a picture before the search. ``square_side`` is the side of a board square in pixels."""
    return min(
        _MAX_SQUARE_SIDE / square_side,
        _MAX_SCALE,
        float((_MAX_PIXELS / (picture_size[0] * picture_size[1])) ** 0.5),
    )


def find_glyphs(grey: Pixels, board_box: tuple[float, float, float, float]) -> Boxes:
    """Return the glyphs of a greyscale picture outside a board (left, top, right and bottom)."""
    local_mean = np.asarray(Image.fromarray(grey).filter(ImageFilter.BoxBlur(_BLUR_RADIUS))).astype(np.int16)
    left, top, right, bottom = (max(0, round(side)) for side in board_box)
    glyphs = []
    for light in (0, 1):
        ink = (grey > local_mean + _MIN_CONTRAST) if light else (grey < local_mean - _MIN_CONTRAST)
        ink[top:bottom, left:right] = False
        boxes = _glyph_boxes(ink)
        glyphs.append(np.column_stack((boxes, np.full(len(boxes), light))))
    return np.concatenate(glyphs)


def _glyph_boxes(ink: Mask) -> Boxes:
    """Return the boxes of possible glyphs, without the last column of :data:`Boxes`."""
    padded = np.zeros((ink.shape[0], ink.shape[1] + 2), np.int8)
    padded[:, 1:-1] = ink
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    ends = np.nonzero(change == -1)[1]
    if not 0 < len(rows) <= _MAX_RUNS:
        return np.empty((0, 4), np.int64)
    pieces = _piece_indexes(rows, starts, ends, ink.shape[1])
    order = np.argsort(pieces, kind="stable")
    firsts = np.flatnonzero(np.diff(pieces[order], prepend=-1))
    left, right = np.minimum.reduceat(starts[order], firsts), np.maximum.reduceat(ends[order], firsts)
    top, bottom = np.minimum.reduceat(rows[order], firsts), np.maximum.reduceat(rows[order], firsts) + 1
    heights, widths = bottom - top, right - left
    is_plausible = (
        (np.maximum(heights, widths) >= _MIN_GLYPH_LENGTH)
        & (heights <= _MAX_GLYPH_HEIGHT)
        & (widths <= MAX_GLYPH_WIDTH)
    )
    boxes: Boxes = np.stack((left, top, right, bottom), axis=1)[is_plausible]
    return boxes if len(boxes) <= MAX_GLYPHS else boxes[:0]


def _piece_indexes(rows: Integers, starts: Integers, ends: Integers, width: int) -> Integers:
    """For each run of ink, return the index of its connected piece. Runs that touch only at a corner are also connected."""
    row_length = width + 2
    first = np.searchsorted(rows * row_length + ends, (rows - 1) * row_length + starts, side="left")
    last = np.searchsorted(rows * row_length + starts, (rows - 1) * row_length + ends, side="right")
    touching_counts = np.maximum(last - first, 0)
    lower_runs = np.repeat(np.arange(len(rows)), touching_counts)
    upper_runs = (
        np.arange(touching_counts.sum())
        - np.repeat(np.cumsum(touching_counts) - touching_counts, touching_counts)
        + np.repeat(first, touching_counts)
    )
    indexes = np.arange(len(rows))
    while True:
        previous = indexes.copy()
        minimum = np.minimum(indexes[lower_runs], indexes[upper_runs])
        np.minimum.at(indexes, indexes[lower_runs], minimum)
        np.minimum.at(indexes, indexes[upper_runs], minimum)
        np.minimum.at(indexes, lower_runs, minimum)
        indexes = indexes[indexes]
        indexes = indexes[indexes]
        if (indexes == previous).all():
            return indexes


def glyph_features(crops: Pixels) -> Floats:
    """Return the network's input: glyphs × SIDE × SIDE × 1. The background becomes 0, and ink becomes 1."""
    values = crops.astype(np.float32)
    edges = (values[:, :2].reshape(len(values), -1), values[:, -2:].reshape(len(values), -1))
    difference = values - np.median(np.concatenate(edges, axis=1), axis=1)[:, None, None]
    inner = difference[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN].reshape(len(values), -1)
    low, high = np.percentile(inner, (3, 97), axis=1)
    peak = np.where(np.abs(low) > np.abs(high), low, high)
    peak = np.where(np.abs(peak) < _MIN_PEAK, _MIN_PEAK, peak)[:, None, None]
    return np.clip(difference / peak, -0.5, 1.25)[:, :, :, None].astype(np.float32)


def cut_glyphs(grey: Pixels, boxes: Floats) -> Pixels:
    """Cut glyphs out of a greyscale picture, each centred in a square with a margin: glyphs × SIDE × SIDE.

    Beyond the picture, the pixels of its edge are repeated.
    """
    padding = _MAX_GLYPH_HEIGHT
    padded = Image.fromarray(np.pad(grey, padding, mode="edge"))
    cuts = []
    for left, top, right, bottom in (boxes + padding).tolist():
        half = max(bottom - top, right - left) * SIDE / (SIDE - 2 * _MARGIN) / 2
        x, y = (left + right) / 2, (top + bottom) / 2
        # The transform maps each pixel of the square to its position in the padded picture.
        transform = (2 * half / SIDE, 0.0, x - half, 0.0, 2 * half / SIDE, y - half)
        cuts.append(
            np.asarray(
                padded.transform((SIDE, SIDE), Image.Transform.AFFINE, transform, Image.Resampling.BILINEAR)
            )
        )
    return np.stack(cuts)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and its box in the scaled picture."""

    value: int
    min_probability: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top


def find_numbers(grey: Pixels, glyphs: Boxes) -> list[Number]:
    """Return the numbers with at most :data:`MAX_DIGITS` digits, tallest first."""
    glyphs = glyphs[np.argsort(glyphs[:, LEFT], kind="stable")]
    words = sorted(
        (word for word in _group_into_words(glyphs) if len(word) <= MAX_DIGITS),
        key=lambda word: -int((word[:, BOTTOM] - word[:, TOP]).max()),
    )
    words_with_digits = (
        (word, _digit_boxes(word))
        for word in words[:_MAX_WORDS_EXAMINED]
        if _stands_alone(word, _nearby_glyphs(word, glyphs))
    )
    pairs = [(word, boxes) for word, boxes in words_with_digits if len(boxes) <= MAX_DIGITS][:_MAX_WORDS_READ]
    if not pairs:
        return []
    words, boxes = [word for word, _ in pairs], [boxes for _, boxes in pairs]
    probabilities = network("digits").probabilities(glyph_features(cut_glyphs(grey, np.concatenate(boxes))))
    probabilities_by_word = np.split(probabilities, np.cumsum([len(digits) for digits in boxes])[:-1])
    numbers = (
        _read_number(word, digit_probabilities)
        for word, digit_probabilities in zip(words, probabilities_by_word, strict=True)
    )
    return [number for number in numbers if number is not None]


def _group_into_words(glyphs: Boxes) -> list[Boxes]:
    heights = glyphs[:, BOTTOM] - glyphs[:, TOP]
    tall_glyphs = glyphs[
        (heights >= _MIN_DIGIT_HEIGHT)
        & (glyphs[:, RIGHT] - glyphs[:, LEFT] <= MAX_DIGITS * _MAX_DIGIT_ASPECT * heights)
    ]
    heights = tall_glyphs[:, BOTTOM] - tall_glyphs[:, TOP]
    next_glyph: dict[int, int] = {}
    for index, box in enumerate(tall_glyphs):
        max_offset = max(1.5, _MAX_UNEVENNESS * heights[index])
        candidates = slice(
            index + 1,
            int(np.searchsorted(tall_glyphs[:, LEFT], box[RIGHT] + _MAX_GLYPH_GAP * heights[index], "right")),
        )
        is_beside = (
            (tall_glyphs[candidates, LIGHT] == box[LIGHT])
            & (np.abs(tall_glyphs[candidates, TOP] - box[TOP]) <= max_offset)
            & (np.abs(tall_glyphs[candidates, BOTTOM] - box[BOTTOM]) <= max_offset)
            & (tall_glyphs[candidates, LEFT] > box[LEFT] + 1)
        )
        if is_beside.any():
            next_glyph[index] = index + 1 + int(is_beside.argmax())
    words, later_glyphs = [], set(next_glyph.values())
    for first in range(len(tall_glyphs)):
        if first in later_glyphs:
            continue
        word = [first]
        while word[-1] in next_glyph:
            word.append(next_glyph[word[-1]])
        words.append(tall_glyphs[word])
    return words


def _nearby_glyphs(word: Boxes, glyphs: Boxes) -> Boxes:
    # ``glyphs`` are ordered from left to right.
    margin = _CLEAR_WIDTH * (word[:, BOTTOM].max() - word[:, TOP].min())
    start, end = np.searchsorted(
        glyphs[:, LEFT], (word[0, LEFT] - margin - MAX_GLYPH_WIDTH, word[-1, RIGHT] + margin)
    )
    return glyphs[start:end]


def _stands_alone(word: Boxes, glyphs: Boxes) -> bool:
    """Return whether a word may be a number, rather than text in brackets or part of a clock or a play."""
    left, top, right, bottom = word[0, LEFT], word[:, TOP].min(), word[-1, RIGHT], word[:, BOTTOM].max()
    height = bottom - top
    widths = glyphs[:, RIGHT] - glyphs[:, LEFT]
    encloses_word = (
        (glyphs[:, LEFT] <= left)
        & (glyphs[:, RIGHT] >= right)
        & (glyphs[:, TOP] <= top)
        & (glyphs[:, BOTTOM] >= bottom)
    )
    same_shade = glyphs[:, LIGHT] == word[0, LIGHT]
    bottom_distance = np.abs(glyphs[:, BOTTOM] - bottom)
    middle_distance = np.abs(glyphs[:, TOP] + glyphs[:, BOTTOM] - top - bottom) / 2
    # A name beside a score is usually in letters of another size, so neither bottoms nor middles are level.
    is_in_line = same_shade & (np.minimum(bottom_distance, middle_distance) <= _MAX_LINE_OFFSET * height)
    is_before = is_in_line & (glyphs[:, RIGHT] <= left) & (glyphs[:, RIGHT] > left - _CLEAR_WIDTH * height)
    is_near = (
        is_in_line
        & (~encloses_word | (widths == right - left))
        & (glyphs[:, RIGHT] > left - _MAX_GLYPH_GAP * height)
        & (glyphs[:, LEFT] < right + _MAX_GLYPH_GAP * height)
        & (glyphs[:, BOTTOM] > top + 0.1 * height)
        & (glyphs[:, TOP] < bottom + 0.15 * height)
        & (np.maximum(widths, glyphs[:, BOTTOM] - glyphs[:, TOP]) >= _MAX_SPECK_LENGTH * height)
    )
    if int((is_near & ~is_before).sum()) != len(word):
        return False
    if _ends_with_colon(glyphs[is_before], left, height):
        return True
    # Clocks show tenths of a second after a full stop.
    may_be_joined = (
        is_before
        & (bottom_distance <= _MAX_UNEVENNESS * height)
        & (np.abs(glyphs[:, BOTTOM] - glyphs[:, TOP] - height) <= _MAX_UNEVENNESS * height)
    )
    return not (is_near & is_before).any() and not may_be_joined.any()


def _ends_with_colon(glyphs_before: Boxes, left: float, height: float) -> bool:
    # The colon after a caption is closer to the caption than to the number.
    if not len(glyphs_before):
        return False
    colon_right = glyphs_before[:, RIGHT].max()
    is_dot = glyphs_before[:, RIGHT] >= colon_right - 0.1 * height
    colon = glyphs_before[is_dot]
    colon_left = colon[:, LEFT].min()
    if (
        colon_right - colon_left > _MAX_DOT_LENGTH * height
        or (colon[:, BOTTOM] - colon[:, TOP]).max() > _MAX_DOT_LENGTH * height
    ):
        return False
    word = glyphs_before[~is_dot & (glyphs_before[:, RIGHT] <= colon_left + 1)]
    return len(word) > 0 and bool(
        left - colon_right >= _MIN_COLON_GAP_RATIO * (colon_left - word[:, RIGHT].max()) + 1
    )


def _digit_boxes(word: Boxes) -> Floats:
    """Return the boxes of a word's digits: digits × 4. A wide glyph is several digits that touch."""
    digits = []
    for left, top, right, bottom, _ in word.tolist():
        count = (
            1
            if right - left <= _MAX_DIGIT_ASPECT * (bottom - top)
            else round((right - left) / _DIGIT_ASPECT / (bottom - top))
        )
        width = (right - left) / count
        digits += [(left + index * width, top, left + (index + 1) * width, bottom) for index in range(count)]
    return np.array(digits, np.float32)


def _read_number(word: Boxes, probabilities: Floats) -> Number | None:
    min_probability = float(probabilities[:, :NOT_A_DIGIT].max(axis=1).min())
    digits = "".join(str(digit) for digit in probabilities.argmax(axis=1))
    if min_probability < _MIN_PROBABILITY or (digits[0] == "0" and len(digits) > 1):
        return None
    return Number(
        int(digits),
        min_probability,
        float(word[0, LEFT]),
        float(word[:, TOP].min()),
        float(word[-1, RIGHT]),
        float(word[:, BOTTOM].max()),
    )
