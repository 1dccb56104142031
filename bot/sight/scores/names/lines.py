"""Where lines of text stand around a score: signs that are side by side, with their dots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from bot.sight.scores.names.line import WIDEST, Box, width_of
from bot.sight.scores.numbers import Number
from bot.sight.scores.signs import BOTTOM, LEFT, LIGHT, RIGHT, TOP, Boxes

_ASIDE, _ABOVE = 18.0, 4.2
"""How far beside, and above or below, a score its player's name is looked for, in heights of the score."""
_SMALLEST, _LARGEST = 0.2, 2.2
"""Heights of signs of a name, in heights of the score."""
_SPACE = 0.85
"""How far apart two signs of a line are at most, in heights of the higher one."""
_SHARED = 0.35
"""The share of the lower one's height in which two signs of a line lie beside each other."""
_NARROWEST = 0.9
"""How many times as wide as high a line of two signs is at least."""
_COMMON = 0.4
"""The share of the smaller of two lines that they have in common at most."""
_SMALL = 0.5
"""Signs so much lower than a line may lie above or below its letters: dots, commas, dashes."""
_OUT = 0.45
"""How far they may lie outside, in heights of the line."""
_MOST_SIGNS = 400
"""Signs around a score that are looked at: the nearest."""
HIGHER: Final = 1.5
"""So many times as high as a name, what stands beside it is a figure or tiles."""
_SPLIT = 1.2
"""What is closer to a line's end than this, in heights, and no sign of it, may be a part of the name."""


def find_lines(
    grey: npt.NDArray[np.uint8], signs: Boxes, number: Number, scores: tuple[Number, Number]
) -> dict[Box, bool]:
    """Return the boxes of the lines of text around one of two scores, the nearest first, and whether each can be read."""
    high = number.height
    x, y = (signs[:, LEFT] + signs[:, RIGHT]) / 2, (signs[:, TOP] + signs[:, BOTTOM]) / 2
    across = np.maximum(0, np.maximum(number.left - x, x - number.right)) / high
    down = np.maximum(0, np.maximum(number.top - y, y - number.bottom)) / high
    near = (across <= _ASIDE) & (down <= _ABOVE) & (signs[:, BOTTOM] - signs[:, TOP] <= _LARGEST * high)
    for score in scores:
        near &= ~(
            (x > score.left)
            & (x < score.right)
            & (y > score.top - 0.1 * high)
            & (y < score.bottom + 0.1 * high)
        )
    chosen = np.flatnonzero(near)
    chosen = chosen[np.argsort((across + 2 * down)[chosen], kind="stable")[:_MOST_SIGNS]]
    near_signs = signs[chosen]
    found: list[Box] = []
    kept: list[Box] = []
    clear: set[Box] = set()
    for light in (0, 1):
        some, all_signs = near_signs[near_signs[:, LIGHT] == light], signs[signs[:, LIGHT] == light]
        for line in _joined(some[some[:, BOTTOM] - some[:, TOP] >= _SMALLEST * high]):
            box = _with_dots(line, some)
            if _is_light(grey, box) == light:
                found.append(box)
                if box[2] - box[0] > _NARROWEST * (box[3] - box[1]) and _is_clear(box, all_signs):
                    clear.add(box)
    # A dot is a part of the line in which it lies.
    for box in sorted(found, key=lambda one: (one[0] - one[2]) * (one[3] - one[1])):
        if not any(overlap(box, other) for other in kept):
            kept.append(box)
    kept.sort(key=lambda box: away(box, number))
    return {box: box in clear and width_of(box) <= WIDEST for box in kept}


def _is_light(grey: npt.NDArray[np.uint8], box: Box) -> bool:
    """Tell whether letters of a line are lighter than what is around them: what is between dark ones is light, but less so."""
    left, top, right, bottom = (round(side) for side in box)
    pixels = grey[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2]
    ground = np.median(np.concatenate((pixels[:2], pixels[-2:])))
    low, high = np.percentile(pixels, (3, 97))
    return bool(high - ground > ground - low)


def overlap(one: Box, other: Box) -> bool:
    """Tell whether two lines share more than a corner."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    least = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return across > 0 and down > 0 and across * down > _COMMON * least


def _joined(tall: Boxes) -> Iterator[Boxes]:
    """Yield the signs that stand side by side in a line."""
    if not len(tall):
        return
    left, top, right, bottom = (tall[:, side].astype(np.float32) for side in (LEFT, TOP, RIGHT, BOTTOM))
    high = bottom - top
    gap = np.maximum(left[:, None], left) - np.minimum(right[:, None], right)
    shared = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    joined = (gap <= _SPACE * np.maximum(high[:, None], high)) & (
        shared >= _SHARED * np.minimum(high[:, None], high)
    )
    label = np.arange(len(tall))
    while True:
        least = np.where(joined, label, len(tall)).min(axis=1)
        if (least == label).all():
            break
        label = least
    for one in np.unique(label):
        yield tall[label == one]


def _with_dots(line: Boxes, signs: Boxes) -> Box:
    """Return the box of a line with what is small and a part of its signs: dots, dashes, commas."""
    left, top, right, bottom = (
        line[:, LEFT].min(),
        line[:, TOP].min(),
        line[:, RIGHT].max(),
        line[:, BOTTOM].max(),
    )
    high = bottom - top
    parts = signs[
        (signs[:, LEFT] >= left - _OUT * high)
        & (signs[:, RIGHT] <= right + _OUT * high)
        & (signs[:, TOP] >= top - _OUT * high)
        & (signs[:, BOTTOM] <= bottom + _OUT * high)
        & (signs[:, BOTTOM] - signs[:, TOP] <= _SMALL * high)
    ]
    whole = np.concatenate((line, parts))
    return (
        float(whole[:, LEFT].min()),
        float(whole[:, TOP].min()),
        float(whole[:, RIGHT].max()),
        float(whole[:, BOTTOM].max()),
    )


def _is_clear(box: Box, signs: Boxes) -> bool:
    """Tell whether nothing stands so close to a line's ends that it may be a part of it."""
    high = box[3] - box[1]
    inside = (signs[:, LEFT] >= box[0]) & (signs[:, RIGHT] <= box[2])
    close = (
        ~inside
        & (signs[:, RIGHT] > box[0] - _SPLIT * high)
        & (signs[:, LEFT] < box[2] + _SPLIT * high)
        & (signs[:, TOP] < box[3] - 0.2 * high)
        & (signs[:, BOTTOM] > box[1] + 0.2 * high)
        & (signs[:, BOTTOM] - signs[:, TOP] > 0.3 * high)
        & (signs[:, BOTTOM] - signs[:, TOP] <= HIGHER * high)
    )
    return not close.any()


def away(box: Box, number: Number) -> float:
    """Return how far a line is from a score."""
    across = max(0.0, box[0] - number.right, number.left - box[2])
    down = max(0.0, box[1] - number.bottom, number.top - box[3])
    return across + down
