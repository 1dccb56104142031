"""Made-up names of players as screens show them, in all fonts, sizes and colours, to learn reading lines from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bot.sight.learning.crossword.canvas import apart, soft
from bot.sight.learning.names.training import beside_sign
from bot.sight.learning.spoiling import Colour, Random, colour, spoil
from bot.sight.scores.names.line import MARGIN, STEP, WIDEST, Box, cut_line, line_features, scale_of, width_of
from bot.sight.scores.names.network import NONE, SIGNS, STRANGE
from bot.sight.squares import Floats

_HARD: Final = "bcdfghjklmnpqrstvwxyz"
_CLUSTERS = (
    "ll",
    "rr",
    "ss",
    "tt",
    "nn",
    "ff",
    "mm",
    "ch",
    "sh",
    "th",
    "st",
    "br",
    "gr",
    "cl",
    "fl",
    "il",
    "rn",
    "tr",
    "li",
)
_SOFT = ("a", "e", "i", "o", "u", "a", "e", "i", "o", "y", "ie", "ai", "ou", "oo", "ee")
_PARTS: Final = "0123456789.-_'"
_ODD: Final = '()[]:,;!?@#&*+/"%=<>|éüñöåçÉÄØß'
"""Signs that no name is stated with."""
_SIZE = (440, 300)
_SMALLEST, _LARGEST = 9, 44
"""Sizes of fonts, in pixels."""
_ASTRAY = 0.03
"""How far from its place a line is cut, in heights: its standard deviation."""
_LOWEST = 5
"""Pixels of a line's height, at least."""
_WHOLE = 0.8
"""The share of a sign's ink that must be seen for it to be told."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line that was drawn: its ink, and the signs with the ink of each from left to right."""

    box: Box
    signs: tuple[tuple[str, float, float], ...]


def lines_to_learn(random: Random, files: Sequence[Path]) -> Iterator[tuple[Floats, npt.NDArray[np.int64]]]:
    """Yield lines of a made-up page as the network sees them, and the classes of their steps."""
    picture, lines = text_page(random, files)
    grey = np.asarray(picture.convert("L"))
    for line in lines:
        box = _astray(line.box, random)
        if box[3] - box[1] < _LOWEST or box[2] - box[0] < 2 or width_of(box) > WIDEST:
            continue
        wanted = _steps(line, box)
        if wanted is not None:
            yield line_features(cut_line(grey, box)), wanted


def text_page(random: Random, files: Sequence[Path]) -> tuple[Image.Image, list[Drawn]]:
    """Return a picture of lines of text, and what stands there."""
    ground = soft(random)
    picture = Image.new("RGB", _SIZE, ground)
    pen = ImageDraw.Draw(picture)
    lines: list[Drawn] = []
    top = 8.0
    while top < _SIZE[1] - 20:
        size = int(_SMALLEST * (_LARGEST / _SMALLEST) ** random.random())
        font = ImageFont.truetype(files[int(random.integers(len(files)))], size)
        left = random.uniform(6, 40)
        while left < _SIZE[0] - 4 * size:
            here = ground
            text = made_up_name(random)
            if random.random() < 0.25:
                here = colour(random)
                pen.rectangle(
                    (left - 0.3 * size, top - 2, left + font.getlength(text) + 0.4 * size, top + 1.4 * size),
                    here,
                )
            with_ = _Pen(pen, font, apart(random, here, 55), random)
            line = _draw(with_, (left, top + 1.05 * size), text)
            if random.random() < 0.07:
                line = _with_figure(with_, line)
            if line.box[2] < _SIZE[0] - 3 and line.box[3] < _SIZE[1] - 3 and line.box[0] > 3:
                lines.append(line)
            left = line.box[2] + random.uniform(0.9, 2) * size
        top += 1.6 * size
    return spoil(picture, random), lines


@dataclass(frozen=True, slots=True)
class _Pen:
    """What a line is written with."""

    pen: ImageDraw.ImageDraw
    font: ImageFont.FreeTypeFont
    ink: Colour
    random: Random


def _draw(with_: _Pen, at: tuple[float, float], text: str) -> Drawn:
    """Write a line from a point on, at times with its signs farther apart."""
    (x, y), pen, font, random = at, with_.pen, with_.font, with_.random
    spread = random.uniform(-0.02, 0.12) * font.size if random.random() < 0.15 else 0.0
    signs: list[tuple[str, float, float]] = []
    if spread:
        boxes: list[Box] = []
        for sign in text:
            pen.text((x, y), sign, with_.ink, font, anchor="ls")
            boxes.append(pen.textbbox((x, y), sign, font, anchor="ls"))
            signs.append((sign, boxes[-1][0], boxes[-1][2]))
            x += font.getlength(sign) + spread
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        box: Box = (min(lefts), min(tops), max(rights), max(bottoms))
    else:
        pen.text((x, y), text, with_.ink, font, anchor="ls")
        box = pen.textbbox((x, y), text, font, anchor="ls")
        for number, sign in enumerate(text):
            begin = x + font.getlength(text[: number + 1]) - font.getlength(sign)
            left, _, right, _ = font.getbbox(sign, anchor="ls")
            signs.append((sign, begin + left, begin + right))
    # A space has no ink: it lies between its neighbours.
    for number, (sign, _, _) in enumerate(signs):
        if sign == " ":
            signs[number] = (sign, signs[number - 1][2], signs[number + 1][1])
    return Drawn(box, tuple(signs))


def _with_figure(with_: _Pen, line: Drawn) -> Drawn:
    """Draw a disc, a box or a triangle before or behind a line, and make it a part of it: what stands there is no sign."""
    pen, ink, random = with_.pen, with_.ink, with_.random
    left, top, right, bottom = line.box
    high = bottom - top
    side = high * random.uniform(0.5, 1.1)
    gap = high * random.uniform(0.15, 0.5)
    before = random.random() < 0.6
    x = left - gap - side if before else right + gap
    y = top + random.uniform(0, 1) * (high - side)
    box = (x, y, x + side, y + side)
    kind = int(random.integers(4))
    if kind == 0:
        pen.ellipse(box, ink)
    elif kind == 1:
        pen.rectangle(box, ink)
    elif kind == 2:
        pen.polygon([(x, y + side), (x + side / 2, y), (x + side, y + side)], ink)
    else:
        pen.line([(x, y + side), (x + side, y)], ink, max(1, round(side / 4)))
    one = ("", x, x + side)
    signs = (one, *line.signs) if before else (*line.signs, one)
    return Drawn((min(left, x), min(top, y), max(right, x + side), max(bottom, y + side)), signs)


def _astray(box: Box, random: Random) -> Box:
    """Return a line's place as it may be found: a little beside it, at times with its ends or its feet cut off."""
    left, top, right, bottom = box
    high, wide = bottom - top, right - left
    astray = random.normal(0, _ASTRAY, 4) * high
    left, top, right, bottom = left + astray[0], top + astray[1], right + astray[2], bottom + astray[3]
    if random.random() < 0.05:
        left += wide * random.uniform(0, 0.4)
    if random.random() < 0.05:
        right -= wide * random.uniform(0, 0.4)
    if random.random() < 0.04:
        shift = high * random.choice((-1, 1)) * random.uniform(0.25, 0.5)
        return (left, top + shift, right, bottom + shift)
    return (left, top, right, bottom)


def _steps(line: Drawn, box: Box) -> npt.NDArray[np.int64] | None:
    """Return the class of each step of a line that is cut at a place; None where two signs share one."""
    across = scale_of(box)[0]
    steps = width_of(box) // STEP
    upright = min(line.box[3], box[3]) - max(line.box[1], box[1]) > _WHOLE * (line.box[3] - line.box[1])
    places: list[tuple[float, int]] = []
    for sign, left, right in line.signs:
        seen_left, seen_right = max(left, box[0] - 0.5), min(right, box[2] + 0.5)
        seen = (seen_right - seen_left) / max(right - left, 0.5)
        if seen < 0.25:
            continue
        known = sign and sign in SIGNS and seen > _WHOLE and upright
        number = SIGNS.index(sign) + 1 if known else STRANGE
        places.append((((seen_left + seen_right) / 2 - box[0]) * across + MARGIN, number))
    wanted = np.full(steps, NONE, np.int64)
    for place, number in places:
        middle = int(place / STEP)
        wanted[max(0, middle - 1) : middle + 2] = beside_sign(number)
    for (one, _), (other, _) in pairwise(places):
        wanted[min(steps - 1, max(0, int((one + other) / 2 / STEP)))] = NONE
    last = -2
    for place, number in places:
        middle = int(place / STEP)
        if not last + 1 < middle < steps:
            return None
        wanted[middle] = number
        last = middle
    return wanted


def made_up_name(random: Random) -> str:
    """Return what a player may be called, or another word that stands on screens."""
    kind = random.random()
    if kind < 0.3:
        name = " ".join(_word(random).capitalize() for _ in range(int(random.integers(1, 3))))
    elif kind < 0.45:
        name = _word(random) + _digits(random)
    elif kind < 0.55:
        name = _word(random).capitalize() + _word(random).capitalize() + _digits(random)
    elif kind < 0.63:
        name = _word(random).upper() + _digits(random)
    elif kind < 0.75:
        name = _word(random) + _of(random, "._- -_") + _word(random) + _digits(random)
    elif kind < 0.8:
        name = (
            _word(random).capitalize()
            + " "
            + _digits(random)
            + _of(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.")
        )
    elif kind < 0.85:
        name = "".join(_of(random, _PARTS) for _ in range(int(random.integers(1, 6))))
    else:
        name = "".join(_of(random, SIGNS[:-1]) for _ in range(int(random.integers(1, 12))))
    if random.random() < 0.12:
        place = int(random.integers(len(name) + 1))
        name = name[:place] + _of(random, _ODD) + name[place:]
    return " ".join(name.split())[:22].strip()


def _word(random: Random) -> str:
    parts = []
    for _ in range(int(random.integers(1, 4))):
        parts += [_of(random, _HARD if random.random() < 0.75 else _CLUSTERS), _of(random, _SOFT)]
    if random.random() < 0.5:
        parts.append(_of(random, _HARD))
    return "".join(parts[int(random.random() < 0.2) :])


def _digits(random: Random) -> str:
    count = int(random.integers(1, 5)) if random.random() < 0.4 else 0
    return "".join(_of(random, "0123456789") for _ in range(count))


def _of(random: Random, some: Sequence[str]) -> str:
    return some[int(random.integers(len(some)))]
