"""Which lines of text beside two scores are the players' names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bot.sight.scores.names.line import Box
from bot.sight.scores.names.lines import HIGHER, away, find_lines, overlap
from bot.sight.scores.names.reading import MOST_CUTS, UNKNOWN, Text, read_line
from bot.sight.scores.numbers import Number
from bot.sight.scores.signs import Boxes

SURE: Final = 0.93
"""No sign of a name that is told may be less probable."""
SHORTEST: Final = 2
"""Signs of a name that is told, at least: one stands in many a badge."""

_ALIKE = 0.4
"""How much two names differ in height, and in their places to the scores, in heights of the higher one."""
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
_WORD = 1.5
"""How many times as wide as high a word is at least."""
_SAME = 0.75
"""How alike two texts are that are the same label, read twice."""


def read_names(
    grey: npt.NDArray[np.uint8], signs: Boxes, scores: tuple[Number, Number]
) -> tuple[str, str] | None:
    """Return the names of two players by their scores on a grey picture; None where they are not sure.

    Names stand at the same place beside both scores, or at mirrored ones. Where two other texts do, too, nobody can tell.
    """
    found = [find_lines(grey, signs, number, scores) for number in scores]
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
        if one in names and other in names and not overlap(one, other) and _are_alike(one, other)
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
    if box == line or not high <= others <= HIGHER * high or line[2] - line[0] < _WORD * others:
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
    return away(one, first) < away(one, second) and away(other, second) < away(other, first)


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
    return away(pair[0], scores[0]) + away(pair[1], scores[1])
