"""Numbers beside a board: digits side by side, with nothing else close to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from bot.sight.network import Network
from bot.sight.scores.signs import BOTTOM, LEFT, LIGHT, RIGHT, TOP, WIDEST, Boxes, cut_signs, sign_features
from bot.sight.squares import Floats

OTHER: Final = 10
"""The class of what is no digit, behind those of the digits."""
MOST_DIGITS: Final = 4

_DATA = Path(__file__).parents[1] / "data"
_LEAST = 6
"""Pixels of a digit's height, at least."""
_UNEVEN = 0.16
"""How far signs of a number stand from one line at their tops and at their feet, in heights."""
_NEAR = 0.55
"""How far apart two signs of a word are, in heights."""
_WIDEST, _WIDTH = 1.05, 0.6
"""The width of a digit at most, and usually, in heights: what is wider may be several that touch."""
_SPECK = 0.12
"""How large what stands beside a number must be to count, in heights."""
_LINE = 0.3
"""How far the feet or the middle of a sign are from those of a number on whose line it stands, in heights."""
_PARTED = 1.5
"""How far before a number nothing of its height stands in its line but what ends with a colon, in heights."""
_DOT = 0.35
"""How large the dots of a colon are at most, in heights."""
_BEHIND = 1.7
"""How much wider the space behind a colon is than the one before it; on a clock they are equal."""
_HALF = 0.5
_MOST_WORDS, _MOST_READ = 250, 80
"""Short words that are looked at, and those that are read: the largest."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number on a picture, and where it is in the picture in which it was searched."""

    value: int
    sure: float
    """How probable the least sure digit is."""
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """How high its digits are."""
        return self.bottom - self.top


@cache
def _digits() -> Network:
    return Network.load(_DATA / "digits.npz")


def find_numbers(grey: npt.NDArray[np.uint8], signs: Boxes) -> list[Number]:
    """Return the numbers of at most :data:`MOST_DIGITS` digits on a grey picture, by its signs; the largest first."""
    signs = signs[np.argsort(signs[:, LEFT], kind="stable")]
    words = [word for word in _words(signs) if len(word) <= MOST_DIGITS]
    words.sort(key=lambda word: -int((word[:, BOTTOM] - word[:, TOP]).max()))
    split = ((word, _split(word)) for word in words[:_MOST_WORDS] if _stands_alone(word, _close(word, signs)))
    pairs = [(word, boxes) for word, boxes in split if len(boxes) <= MOST_DIGITS][:_MOST_READ]
    if not pairs:
        return []
    words, boxes = [word for word, _ in pairs], [boxes for _, boxes in pairs]
    shares = _digits().probabilities(sign_features(cut_signs(grey, np.concatenate(boxes))))
    parts = np.split(shares, np.cumsum([len(one) for one in boxes])[:-1])
    found = (_number(word, part) for word, part in zip(words, parts, strict=True))
    return [number for number in found if number is not None]


def _words(signs: Boxes) -> list[Boxes]:
    """Return signs of one height side by side, from the left."""
    high = signs[:, BOTTOM] - signs[:, TOP]
    tall = signs[(high >= _LEAST) & (signs[:, RIGHT] - signs[:, LEFT] <= MOST_DIGITS * _WIDEST * high)]
    high = tall[:, BOTTOM] - tall[:, TOP]
    follows: dict[int, int] = {}
    for number, one in enumerate(tall):
        near = max(1.5, _UNEVEN * high[number])
        after = slice(
            number + 1, int(np.searchsorted(tall[:, LEFT], one[RIGHT] + _NEAR * high[number], "right"))
        )
        beside = (
            (tall[after, LIGHT] == one[LIGHT])
            & (np.abs(tall[after, TOP] - one[TOP]) <= near)
            & (np.abs(tall[after, BOTTOM] - one[BOTTOM]) <= near)
            & (tall[after, LEFT] > one[LEFT] + 1)
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


def _close(word: Boxes, signs: Boxes) -> Boxes:
    """Return the signs that may be close to a word, of signs in their order from the left."""
    around = _PARTED * (word[:, BOTTOM].max() - word[:, TOP].min())
    first, last = np.searchsorted(signs[:, LEFT], (word[0, LEFT] - around - WIDEST, word[-1, RIGHT] + around))
    return signs[first:last]


def _stands_alone(word: Boxes, signs: Boxes) -> bool:
    """Tell whether nothing stands close to a word that makes it something else: a clock, a play, brackets."""
    left, top, right, bottom = word[0, LEFT], word[:, TOP].min(), word[-1, RIGHT], word[:, BOTTOM].max()
    high = bottom - top
    wide = signs[:, RIGHT] - signs[:, LEFT]
    around = (
        (signs[:, LEFT] <= left)
        & (signs[:, RIGHT] >= right)
        & (signs[:, TOP] <= top)
        & (signs[:, BOTTOM] >= bottom)
    )
    same = signs[:, LIGHT] == word[0, LIGHT]
    lower = np.abs(signs[:, BOTTOM] - bottom)
    middle = np.abs(signs[:, TOP] + signs[:, BOTTOM] - top - bottom) / 2
    # A name of another size beside a score is on another line.
    in_line = same & (np.minimum(lower, middle) <= _LINE * high)
    before = in_line & (signs[:, RIGHT] <= left) & (signs[:, RIGHT] > left - _PARTED * high)
    near = (
        in_line
        & (~around | (wide == right - left))
        & (signs[:, RIGHT] > left - _NEAR * high)
        & (signs[:, LEFT] < right + _NEAR * high)
        & (signs[:, BOTTOM] > top + 0.1 * high)
        & (signs[:, TOP] < bottom + 0.15 * high)
        & (np.maximum(wide, signs[:, BOTTOM] - signs[:, TOP]) >= _SPECK * high)
    )
    if int((near & ~before).sum()) != len(word):
        return False
    if _ends_with_colon(signs[before], left, high):
        return True
    # What a full stop parts from a number is a part of it: clocks tell tenths of a second.
    parted = (
        before
        & (lower <= _UNEVEN * high)
        & (np.abs(signs[:, BOTTOM] - signs[:, TOP] - high) <= _UNEVEN * high)
    )
    return not (near & before).any() and not parted.any()


def _ends_with_colon(before: Boxes, left: float, high: float) -> bool:
    """Tell whether what stands before a number ends with a colon and a space, which is wider than the one before it."""
    if not len(before):
        return False
    last = before[:, RIGHT].max()
    dots = before[:, RIGHT] >= last - 0.1 * high
    colon = before[dots]
    first = colon[:, LEFT].min()
    if last - first > _DOT * high or (colon[:, BOTTOM] - colon[:, TOP]).max() > _DOT * high:
        return False
    word = before[~dots & (before[:, RIGHT] <= first + 1)]
    return len(word) > 0 and bool(left - last >= _BEHIND * (first - word[:, RIGHT].max()) + 1)


def _split(word: Boxes) -> Floats:
    """Return the boxes of a word's digits: wide signs are several that touch."""
    parts = []
    for left, top, right, bottom, _ in word.tolist():
        count = (
            1 if right - left <= _WIDEST * (bottom - top) else round((right - left) / _WIDTH / (bottom - top))
        )
        step = (right - left) / count
        parts += [(left + one * step, top, left + (one + 1) * step, bottom) for one in range(count)]
    return np.array(parts, np.float32)


def _number(word: Boxes, shares: Floats) -> Number | None:
    """Return the number that a word is, if most is to be said for that."""
    sure = float(shares[:, :OTHER].max(axis=1).min())
    digits = "".join(str(digit) for digit in shares.argmax(axis=1))
    if sure < _HALF or (digits[0] == "0" and len(digits) > 1):
        return None
    return Number(
        int(digits),
        sure,
        float(word[0, LEFT]),
        float(word[:, TOP].min()),
        float(word[-1, RIGHT]),
        float(word[:, BOTTOM].max()),
    )
