"""Finds numbers beside a board: digits side by side, with no other ink close by. A glyph is a connected piece of ink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from PIL import Image, ImageFilter

from bot.sight.squares import SIDE, Floats, Integers, Mask, Pixels
from bot.sight.tiles import network

Boxes: TypeAlias = "Integers"
"""Glyphs × (left, top, right, bottom in pixels, and 1 for glyphs that are lighter than their surroundings)."""
LEFT, TOP, RIGHT, BOTTOM, LIGHT = range(5)
"""Columns of :data:`Boxes`."""

SQUARE: Final = 32.0
"""Side of a board square, in pixels, after the picture is scaled for the search."""
MAX_GLYPHS: Final = 4_000
"""Maximum number of glyphs of one colour in a picture; a full page of text has fewer."""

_MAX_PIXELS, _MAX_SCALE = 1_200_000, 2.0
"""Maximum number of pixels of the picture that is searched, and its largest enlargement."""
_BLUR_RADIUS = 14
"""Radius, in pixels, of the neighbourhood whose mean a pixel is compared with."""
_MIN_CONTRAST = 18
"""Minimum difference between a pixel of ink and the mean around it, from 0 to 255."""
MAX_GLYPH_WIDTH: Final = 130
"""Maximum width of a glyph in pixels: several letters may touch."""
_MIN_GLYPH, _MAX_GLYPH_HEIGHT = 2, 52
"""Minimum size and maximum height of a glyph, in pixels."""
_MARGIN = 3
"""Pixels around a glyph in the network's input."""
_MAX_RUNS = 200_000
"""Maximum number of runs of ink in a picture; a picture with more is noise."""
_MIN_PEAK = 8
"""Minimum difference between ink and the background, from 0 to 255."""

OTHER: Final = 10
"""The class of glyphs that are not digits, after the ten digits."""
MAX_DIGITS: Final = 4
"""Maximum number of digits of a number."""

_MIN_DIGIT_HEIGHT = 6
"""Minimum height of a digit in pixels."""
_MAX_UNEVENNESS = 0.16
"""Maximum difference between the tops, or between the bottoms, of a number's digits, as a fraction of the digit height."""
_MAX_GLYPH_GAP = 0.55
"""Maximum gap between two glyphs of a word, in digit heights."""
_MAX_DIGIT_ASPECT, _DIGIT_ASPECT = 1.05, 0.6
"""Maximum and typical width of a digit, in digit heights; wider glyphs may be several digits that touch."""
_MAX_SPECK = 0.12
"""Glyphs beside a number that are smaller than this fraction of its height are ignored as specks."""
_MAX_LINE_OFFSET = 0.3
"""Maximum difference between the lower edges or the middles of glyphs on one line, in digit heights."""
_CLEAR_WIDTH = 1.5
"""Width of the space before a number, in digit heights. It must not contain a glyph as tall as the number, except for a label
that ends with a colon."""
_MAX_DOT = 0.35
"""Maximum size of a colon's dots, in digit heights."""
_MIN_COLON_GAP_RATIO = 1.7
"""Minimum ratio of the space after a colon to the space before it. On a clock, the two are equal."""
_MIN_CONFIDENCE = 0.5
"""Minimum probability of each digit of a number."""
_MAX_WORDS, _MAX_READ = 250, 80
"""Maximum numbers of short words to examine and to read; taller words come first."""


def search_scale(size: tuple[int, int], square: float) -> float:
    """Return the factor by which a picture is scaled before it is searched for text.

    ``square`` is the side of a board square in the picture, in pixels.
    """
    return min(SQUARE / square, _MAX_SCALE, float((_MAX_PIXELS / (size[0] * size[1])) ** 0.5))


def find_glyphs(grey: Pixels, board: tuple[float, float, float, float]) -> Boxes:
    """Return the glyphs of a grey picture that are outside a board."""
    around = np.asarray(Image.fromarray(grey).filter(ImageFilter.BoxBlur(_BLUR_RADIUS))).astype(np.int16)
    left, top, right, bottom = (max(0, round(side)) for side in board)
    found = []
    for light in (0, 1):
        ink = (grey > around + _MIN_CONTRAST) if light else (grey < around - _MIN_CONTRAST)
        ink[top:bottom, left:right] = False
        boxes = _pieces(ink)
        found.append(np.column_stack((boxes, np.full(len(boxes), light))))
    return np.concatenate(found)


def _pieces(ink: Mask) -> Boxes:
    """Return the boxes of connected pieces of ink that may be glyphs: left, top, right, bottom."""
    padded = np.zeros((ink.shape[0], ink.shape[1] + 2), np.int8)
    padded[:, 1:-1] = ink
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    ends = np.nonzero(change == -1)[1]
    if not 0 < len(rows) <= _MAX_RUNS:
        return np.empty((0, 4), np.int64)
    numbers = _piece_numbers(rows, starts, ends, ink.shape[1])
    order = np.argsort(numbers, kind="stable")
    firsts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    left, right = np.minimum.reduceat(starts[order], firsts), np.maximum.reduceat(ends[order], firsts)
    top, bottom = np.minimum.reduceat(rows[order], firsts), np.maximum.reduceat(rows[order], firsts) + 1
    heights, widths = bottom - top, right - left
    plausible = (
        (np.maximum(heights, widths) >= _MIN_GLYPH)
        & (heights <= _MAX_GLYPH_HEIGHT)
        & (widths <= MAX_GLYPH_WIDTH)
    )
    boxes: Boxes = np.stack((left, top, right, bottom), axis=1)[plausible]
    return boxes if len(boxes) <= MAX_GLYPHS else boxes[:0]


def _piece_numbers(rows: Integers, starts: Integers, ends: Integers, width: int) -> Integers:
    """Return the number of the piece of ink that each run belongs to. Runs touch if one is directly above the other."""
    step = width + 2
    first = np.searchsorted(rows * step + ends, (rows - 1) * step + starts, side="left")
    last = np.searchsorted(rows * step + starts, (rows - 1) * step + ends, side="right")
    touching = np.maximum(last - first, 0)
    below = np.repeat(np.arange(len(rows)), touching)
    above = (
        np.arange(touching.sum())
        - np.repeat(np.cumsum(touching) - touching, touching)
        + np.repeat(first, touching)
    )
    numbers = np.arange(len(rows))
    while True:
        previous = numbers.copy()
        minimum = np.minimum(numbers[below], numbers[above])
        np.minimum.at(numbers, numbers[below], minimum)
        np.minimum.at(numbers, numbers[above], minimum)
        np.minimum.at(numbers, below, minimum)
        numbers = numbers[numbers]
        numbers = numbers[numbers]
        if (numbers == previous).all():
            return numbers


def glyph_features(crops: Pixels) -> Floats:
    """Return the network's input for glyphs on grey squares: glyphs × SIDE × SIDE × 1, 0 for the background and 1 for ink."""
    values = crops.astype(np.float32)
    edges = (values[:, :2].reshape(len(values), -1), values[:, -2:].reshape(len(values), -1))
    away = values - np.median(np.concatenate(edges, axis=1), axis=1)[:, None, None]
    inner = away[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN].reshape(len(values), -1)
    low, high = np.percentile(inner, (3, 97), axis=1)
    peak = np.where(np.abs(low) > np.abs(high), low, high)
    peak = np.where(np.abs(peak) < _MIN_PEAK, _MIN_PEAK, peak)[:, None, None]
    return np.clip(away / peak, -0.5, 1.25)[:, :, :, None].astype(np.float32)


def cut_glyphs(grey: Pixels, boxes: Floats) -> Pixels:
    """Return glyphs of a grey picture, each centred in a square of its own height: glyphs × SIDE × SIDE.

    ``boxes`` are left, top, right and bottom. Pixels beyond the picture repeat its edge.
    """
    room = _MAX_GLYPH_HEIGHT
    padded = Image.fromarray(np.pad(grey, room, mode="edge"))
    cuts = []
    for left, top, right, bottom in (boxes + room).tolist():
        half = max(bottom - top, right - left) * SIDE / (SIDE - 2 * _MARGIN) / 2
        x, y = (left + right) / 2, (top + bottom) / 2
        # The coordinates in the picture of each pixel of the square.
        transform = (2 * half / SIDE, 0.0, x - half, 0.0, 2 * half / SIDE, y - half)
        cuts.append(
            np.asarray(
                padded.transform((SIDE, SIDE), Image.Transform.AFFINE, transform, Image.Resampling.BILINEAR)
            )
        )
    return np.stack(cuts)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and its box in the scaled picture."""

    value: int
    min_probability: float
    """The probability of the least certain digit."""
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """The height of its digits."""
        return self.bottom - self.top


def find_numbers(grey: Pixels, glyphs: Boxes) -> list[Number]:
    """Return the numbers in a grey picture, given its glyphs; the tallest come first.

    Numbers with more than :data:`MAX_DIGITS` digits are left out.
    """
    glyphs = glyphs[np.argsort(glyphs[:, LEFT], kind="stable")]
    words = [word for word in _words(glyphs) if len(word) <= MAX_DIGITS]
    words.sort(key=lambda word: -int((word[:, BOTTOM] - word[:, TOP]).max()))
    split = (
        (word, _digit_boxes(word))
        for word in words[:_MAX_WORDS]
        if _stands_alone(word, _nearby_glyphs(word, glyphs))
    )
    pairs = [(word, boxes) for word, boxes in split if len(boxes) <= MAX_DIGITS][:_MAX_READ]
    if not pairs:
        return []
    words, boxes = [word for word, _ in pairs], [boxes for _, boxes in pairs]
    probabilities = network("digits").probabilities(glyph_features(cut_glyphs(grey, np.concatenate(boxes))))
    parts = np.split(probabilities, np.cumsum([len(digits) for digits in boxes])[:-1])
    found = (_number(word, part) for word, part in zip(words, parts, strict=True))
    return [number for number in found if number is not None]


def _words(glyphs: Boxes) -> list[Boxes]:
    """Return each run of neighbouring glyphs of similar height, ordered from left to right."""
    heights = glyphs[:, BOTTOM] - glyphs[:, TOP]
    tall = glyphs[
        (heights >= _MIN_DIGIT_HEIGHT)
        & (glyphs[:, RIGHT] - glyphs[:, LEFT] <= MAX_DIGITS * _MAX_DIGIT_ASPECT * heights)
    ]
    heights = tall[:, BOTTOM] - tall[:, TOP]
    follows: dict[int, int] = {}
    for number, box in enumerate(tall):
        max_offset = max(1.5, _MAX_UNEVENNESS * heights[number])
        after = slice(
            number + 1,
            int(np.searchsorted(tall[:, LEFT], box[RIGHT] + _MAX_GLYPH_GAP * heights[number], "right")),
        )
        beside = (
            (tall[after, LIGHT] == box[LIGHT])
            & (np.abs(tall[after, TOP] - box[TOP]) <= max_offset)
            & (np.abs(tall[after, BOTTOM] - box[BOTTOM]) <= max_offset)
            & (tall[after, LEFT] > box[LEFT] + 1)
        )
        if beside.any():
            follows[number] = number + 1 + int(beside.argmax())
    words, seen = [], set(follows.values())
    for first in range(len(tall)):
        if first in seen:
            continue
        word = [first]
        while word[-1] in follows:
            word.append(follows[word[-1]])
        words.append(tall[word])
    return words


def _nearby_glyphs(word: Boxes, glyphs: Boxes) -> Boxes:
    """Return the glyphs that may be close to a word. ``glyphs`` are ordered from left to right."""
    margin = _CLEAR_WIDTH * (word[:, BOTTOM].max() - word[:, TOP].min())
    first, last = np.searchsorted(
        glyphs[:, LEFT], (word[0, LEFT] - margin - MAX_GLYPH_WIDTH, word[-1, RIGHT] + margin)
    )
    return glyphs[first:last]


def _stands_alone(word: Boxes, glyphs: Boxes) -> bool:
    """Return whether a word has no neighbour that makes it something else, such as a clock, a play or a bracketed number."""
    left, top, right, bottom = word[0, LEFT], word[:, TOP].min(), word[-1, RIGHT], word[:, BOTTOM].max()
    height = bottom - top
    widths = glyphs[:, RIGHT] - glyphs[:, LEFT]
    around = (
        (glyphs[:, LEFT] <= left)
        & (glyphs[:, RIGHT] >= right)
        & (glyphs[:, TOP] <= top)
        & (glyphs[:, BOTTOM] >= bottom)
    )
    same_shade = glyphs[:, LIGHT] == word[0, LIGHT]
    bottom_distance = np.abs(glyphs[:, BOTTOM] - bottom)
    middle_distance = np.abs(glyphs[:, TOP] + glyphs[:, BOTTOM] - top - bottom) / 2
    # A name beside a score counts as another line if its size differs.
    in_line = same_shade & (np.minimum(bottom_distance, middle_distance) <= _MAX_LINE_OFFSET * height)
    before = in_line & (glyphs[:, RIGHT] <= left) & (glyphs[:, RIGHT] > left - _CLEAR_WIDTH * height)
    near = (
        in_line
        & (~around | (widths == right - left))
        & (glyphs[:, RIGHT] > left - _MAX_GLYPH_GAP * height)
        & (glyphs[:, LEFT] < right + _MAX_GLYPH_GAP * height)
        & (glyphs[:, BOTTOM] > top + 0.1 * height)
        & (glyphs[:, TOP] < bottom + 0.15 * height)
        & (np.maximum(widths, glyphs[:, BOTTOM] - glyphs[:, TOP]) >= _MAX_SPECK * height)
    )
    if int((near & ~before).sum()) != len(word):
        return False
    if _ends_with_colon(glyphs[before], left, height):
        return True
    # Text before a full stop belongs to the number: clocks show tenths of a second.
    parted = (
        before
        & (bottom_distance <= _MAX_UNEVENNESS * height)
        & (np.abs(glyphs[:, BOTTOM] - glyphs[:, TOP] - height) <= _MAX_UNEVENNESS * height)
    )
    return not (near & before).any() and not parted.any()


def _ends_with_colon(before: Boxes, left: float, height: float) -> bool:
    """Return whether the text before a number ends with a colon and a space wider than the space before it."""
    if not len(before):
        return False
    last = before[:, RIGHT].max()
    dots = before[:, RIGHT] >= last - 0.1 * height
    colon = before[dots]
    first = colon[:, LEFT].min()
    if last - first > _MAX_DOT * height or (colon[:, BOTTOM] - colon[:, TOP]).max() > _MAX_DOT * height:
        return False
    word = before[~dots & (before[:, RIGHT] <= first + 1)]
    return len(word) > 0 and bool(left - last >= _MIN_COLON_GAP_RATIO * (first - word[:, RIGHT].max()) + 1)


def _digit_boxes(word: Boxes) -> Floats:
    """Return the boxes of a word's digits: wide glyphs are several digits that touch."""
    parts = []
    for left, top, right, bottom, _ in word.tolist():
        count = (
            1
            if right - left <= _MAX_DIGIT_ASPECT * (bottom - top)
            else round((right - left) / _DIGIT_ASPECT / (bottom - top))
        )
        step = (right - left) / count
        parts += [(left + number * step, top, left + (number + 1) * step, bottom) for number in range(count)]
    return np.array(parts, np.float32)


def _number(word: Boxes, probabilities: Floats) -> Number | None:
    """Return the most probable number for a word."""
    min_probability = float(probabilities[:, :OTHER].max(axis=1).min())
    digits = "".join(str(digit) for digit in probabilities.argmax(axis=1))
    if min_probability < _MIN_CONFIDENCE or (digits[0] == "0" and len(digits) > 1):
        return None
    return Number(
        int(digits),
        min_probability,
        float(word[0, LEFT]),
        float(word[:, TOP].min()),
        float(word[-1, RIGHT]),
        float(word[:, BOTTOM].max()),
    )
