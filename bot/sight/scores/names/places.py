"""Which lines of text beside two scores are the players' names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bot.sight.scores.names.line import WIDEST, Box, width_of
from bot.sight.scores.names.reading import MOST_CUTS, UNKNOWN, Text, read_line
from bot.sight.scores.numbers import Number
from bot.sight.scores.signs import BOTTOM, LEFT, LIGHT, RIGHT, TOP, Boxes

SURE: Final = 0.93
"""No sign of a name that is told may be less probable."""
SHORTEST: Final = 2
"""Signs of a name that is told, at least: one stands in many a badge."""

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
_ALIKE = 0.4
"""How much two names differ in height, and in their places to the scores, in heights of the higher one."""
_MOST_SIGNS = 400
"""Signs around a score that are looked at: the nearest."""
_MOST_LINES = 5
"""Lines beside each score that are read: the nearest."""
_LIKE_DIGITS: Final = frozenset("OoDQIl")
"""Letters that digits of a clock may be taken for."""
_TITLE: Final = 3
"""So many capitals at most are a title or initials."""
_RATED: Final = re.compile(r" [0-9]{3}")
"""What a rating ends with, and hardly any name."""
_CLOSE = 1.6
"""How far apart a name and what stands beside or below it are at most, in heights."""
_HIGHER = 1.5
"""So many times as high as a name, what stands beside it is a figure or tiles."""
_WORD = 1.5
"""How many times as wide as high a word is at least."""
_SAME = 0.75
"""How alike two texts are that are the same label, read twice."""
_SPLIT = 1.2
"""What is closer to a line's end than this, in heights, and no sign of it, may be a part of the name."""


def read_names(
    grey: npt.NDArray[np.uint8], signs: Boxes, scores: tuple[Number, Number]
) -> tuple[str, str] | None:
    """Return the names of two players by their scores on a grey picture; None where they are not sure.

    Names stand at the same place beside both scores, or at mirrored ones. Where two other texts do, too, nobody can tell.
    """
    found = [_lines(grey, signs, number, scores) for number in scores]
    near = [[box for box, clear in lines.items() if clear][:_MOST_LINES] for lines in found]
    read = {box: read_line(grey, box) for box in dict.fromkeys((*near[0], *near[1]))}
    told = [box for box in read if _may_be_a_name(read[box].text)]
    names = [
        box
        for box in told
        if not any(_is_one_label(read[box], read[other]) for other in told if other != box)
    ]
    may_be = [
        (one, other)
        for one, other in product(*near)
        if one in names and other in names and not _overlap(one, other) and _are_alike(one, other)
    ]
    # In a mirrored card a name may be farther from its score than the other one is.
    pairs = [pair for pair in may_be if _at_one_place(*pair, scores)] or [
        pair for pair in may_be if _in_column(*pair) and _are_nearest(*pair, scores)
    ]
    # Of two that could be each other's, each is that of the nearer score.
    pairs = [
        pair
        for pair in pairs
        if pair[::-1] not in pairs or _distance(pair, scores) < _distance(pair[::-1], scores)
    ]
    if len(pairs) != 1 or any(
        _is_caption(box, line, read.get(line)) for box in pairs[0] for lines in found for line in lines
    ):
        return None
    one, other = (read_line(grey, box, cuts=MOST_CUTS) for box in pairs[0])
    if min(one.sure, other.sure) < SURE or not (_is_whole(one.text) and _is_whole(other.text)):
        return None
    return one.text, other.text


def _may_be_a_name(text: str) -> bool:
    """Tell whether a text may be a name, as far as it can be told: no number, clock, badge, title or rating."""
    letters = [sign for sign in text if sign.isalpha()]
    return (
        2 * len(letters) >= len(text) >= SHORTEST
        and not set(letters) <= _LIKE_DIGITS
        and not (len(text) <= _TITLE and text.isupper())
        and _RATED.search(text) is None
    )


def _is_caption(box: Box, line: Box, text: Text | None) -> bool:
    """Tell whether a line stands close to another one and is as high: then the name may be that one."""
    high = box[3] - box[1]
    others = line[3] - line[1]
    if box == line or not high <= others <= _HIGHER * high or line[2] - line[0] < _WORD * others:
        return False
    if text is not None and sum(sign.isdigit() for sign in text.text) * 2 >= len(text.text):
        return False
    return (
        line[0] < box[2] + _CLOSE * high
        and line[2] > box[0] - _CLOSE * high
        and line[1] < box[3] + _CLOSE * high
        and line[3] > box[1] - _CLOSE * high
    )


def _is_whole(name: str) -> bool:
    """Tell whether a name seems not to be cut off: of three dots one may be seen."""
    return UNKNOWN not in name and name == name.strip(" .-") and ".." not in name


def _is_one_label(one: Text, other: Text) -> bool:
    """Tell whether two texts are the same, read twice: they tell what they are, not whose."""
    return one.text == other.text or (
        min(one.sure, other.sure) < SURE
        and SequenceMatcher(None, one.text, other.text).ratio() > _SAME
        and not _is_numbered(one.text, other.text)
    )


def _is_numbered(one: str, other: str) -> bool:
    """Tell whether two texts differ in the number at their ends alone, as those of nameless players do."""
    return one[:-1] == other[:-1] and one[-1:].isdigit() and other[-1:].isdigit()


def _lines(
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
        if not any(_overlap(box, other) for other in kept):
            kept.append(box)
    kept.sort(key=lambda box: _away(box, number))
    return {box: box in clear and width_of(box) <= WIDEST for box in kept}


def _is_light(grey: npt.NDArray[np.uint8], box: Box) -> bool:
    """Tell whether letters of a line are lighter than what is around them: what is between dark ones is light, but less so."""
    left, top, right, bottom = (round(side) for side in box)
    pixels = grey[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2]
    ground = np.median(np.concatenate((pixels[:2], pixels[-2:])))
    low, high = np.percentile(pixels, (3, 97))
    return bool(high - ground > ground - low)


def _overlap(one: Box, other: Box) -> bool:
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
        & (signs[:, BOTTOM] - signs[:, TOP] <= _HIGHER * high)
    )
    return not close.any()


def _are_alike(one: Box, other: Box) -> bool:
    """Tell whether two lines are nearly of one height; small letters alone are lower than capitals."""
    high, others = one[3] - one[1], other[3] - other[1]
    return abs(high - others) <= _ALIKE * max(high, others)


def _at_one_place(one: Box, other: Box, scores: tuple[Number, Number]) -> bool:
    """Tell whether two lines are at the same place beside their scores, or at mirrored ones."""
    high = max(one[3] - one[1], other[3] - other[1])
    first, second = scores
    down = (
        _edges(one[1], one[3], first.top, first.bottom),
        _edges(other[1], other[3], second.top, second.bottom),
    )
    across = (
        _edges(one[0], one[2], first.left, first.right),
        _edges(other[0], other[2], second.left, second.right),
    )
    return all(
        any(_near(place, edges, high) for edges in (more, _mirrored(more))) for place, more in (down, across)
    )


def _in_column(one: Box, other: Box) -> bool:
    """Tell whether two lines begin or end below each other."""
    high = max(one[3] - one[1], other[3] - other[1])
    return any(abs(one[side] - other[side]) <= _ALIKE * high for side in (0, 2))


def _are_nearest(one: Box, other: Box, scores: tuple[Number, Number]) -> bool:
    """Tell whether two lines are each nearer to its score than to the other one."""
    first, second = scores
    return _away(one, first) < _away(one, second) and _away(other, second) < _away(other, first)


_Edges: TypeAlias = "tuple[float, ...]"
"""How far a line's first edge, middle and last edge are from a score's first edge, middle and last edge."""


def _edges(first: float, last: float, begin: float, end: float) -> _Edges:
    return tuple(
        side - edge for side in (first, (first + last) / 2, last) for edge in (begin, (begin + end) / 2, end)
    )


def _mirrored(edges: _Edges) -> _Edges:
    return tuple(-edge for edge in reversed(edges))


def _near(one: Sequence[float], other: Sequence[float], high: float) -> bool:
    """Tell whether some edges of two lines are as far from the same edges of their scores."""
    return any(abs(a - b) <= _ALIKE * high for a, b in zip(one, other, strict=True))


def _distance(pair: tuple[Box, Box], scores: tuple[Number, Number]) -> float:
    return _away(pair[0], scores[0]) + _away(pair[1], scores[1])


def _away(box: Box, number: Number) -> float:
    """Return how far a line is from a score."""
    across = max(0.0, box[0] - number.right, number.left - box[2])
    down = max(0.0, box[1] - number.bottom, number.top - box[3])
    return across + down
