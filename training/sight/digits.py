"""Draws synthetic text for training the network that reads digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from bot.sight.numbers import NOT_A_DIGIT
from training.sight.canvas import contrasting_colour, surface_colour
from training.sight.characters import DIGITS
from training.sight.degrading import Colour, degrade, random_colour

_NON_DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz+-/:.,()&%?#*ÄÉÑ"
"""Glyphs that are not digits. Letters that many fonts draw like a digit, such as O and l, are left out."""
_SIDE = 420
"""Width and height of a picture, in pixels."""
_MIN_FONT_SIZE, _MAX_FONT_SIZE = 9, 44
_CUT_DEVIATION = 0.035
"""Standard deviation of the random displacement of each edge of a glyph's crop, in glyph heights."""
_MIN_GLYPH_HEIGHT = 3
"""Minimum height of a glyph to learn from, in pixels."""
_COUNTEREXAMPLE_SHARE = 0.15
"""Share of digits for which a box without a complete digit is added as a counterexample."""

_Box: TypeAlias = "tuple[float, float, float, float]"
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class _Page:
    pen: ImageDraw.ImageDraw
    rng: Generator
    background: Colour


def text_picture(rng: Generator, font_files: Sequence[Path]) -> tuple[Image.Image, list[tuple[_Box, int]]]:
    """Return a greyscale picture of text, with the box and the class of each glyph that is completely visible."""
    background = surface_colour(rng)
    picture = Image.new("RGB", (_SIDE, _SIDE), background)
    page = _Page(ImageDraw.Draw(picture), rng, background)
    boxes: list[tuple[_Box, int]] = []
    top = 6.0
    while top < _SIDE - 12:
        file = font_files[int(rng.integers(len(font_files)))]
        size = int(_MIN_FONT_SIZE * (_MAX_FONT_SIZE / _MIN_FONT_SIZE) ** rng.random())
        font = ImageFont.truetype(file, size)
        left = rng.uniform(4, 30)
        while left < _SIDE - 3 * size:
            left, word_boxes = _draw_word(page, (left, top + size), _word(rng), font)
            boxes += [box for box in word_boxes if box[0][2] < _SIDE - 2 and box[0][3] < _SIDE - 2]
            left += rng.uniform(0.4, 1.5) * size
        top += 1.5 * size
    return degrade(picture, rng).convert("L"), boxes


def _word(rng: Generator) -> str:
    glyphs = DIGITS if rng.random() < 0.7 else _NON_DIGITS
    return "".join(glyphs[int(rng.integers(len(glyphs)))] for _ in range(int(rng.integers(1, 5))))


def _draw_word(
    page: _Page, start: tuple[float, float], word: str, font: ImageFont.FreeTypeFont
) -> tuple[float, list[tuple[_Box, int]]]:
    """Draw a word that starts at a point on the baseline. Return the x coordinate of its end, and each glyph's box and class."""
    (x, y), pen, rng, background, size = start, page.pen, page.rng, page.background, font.size
    spread = rng.uniform(0, 0.15) * size if rng.random() < 0.25 else 0.0
    if rng.random() < 0.3:
        background = random_colour(rng)
        width = font.getlength(word) + spread * len(word)
        edge = rng.uniform(0.15, 0.4) * size
        pen.rectangle((x - edge, y - 0.9 * size - edge / 2, x + width + edge, y + edge), background)
    ink = contrasting_colour(rng, background, 55)
    boxes: list[tuple[_Box, int]] = []
    for glyph in word:
        pen.text((x, y), glyph, ink, font, anchor="ls")
        glyph_class = DIGITS.find(glyph) if glyph in DIGITS else NOT_A_DIGIT
        boxes.append((pen.textbbox((x, y), glyph, font, anchor="ls"), glyph_class))
        x += font.getlength(glyph) + spread
    return x, boxes


def glyphs_to_learn(rng: Generator, boxes: Sequence[tuple[_Box, int]]) -> Iterator[tuple[_Box, int]]:
    """Yield the glyphs of a picture, slightly displaced, and boxes without a complete digit."""
    for (left, top, right, bottom), glyph_class in boxes:
        height = bottom - top
        if height < _MIN_GLYPH_HEIGHT:
            continue
        offsets = rng.normal(0, _CUT_DEVIATION, 4) * height
        box = (left + offsets[0], top + offsets[1], right + offsets[2], bottom + offsets[3])
        yield box, glyph_class
        if glyph_class < NOT_A_DIGIT and rng.random() < _COUNTEREXAMPLE_SHARE:
            yield _box_without_digit(rng, box), NOT_A_DIGIT


def _box_without_digit(rng: Generator, box: _Box) -> _Box:
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    kind = int(rng.integers(4))
    if kind == 0:
        return (left, top, right, top + height * rng.uniform(0.3, 0.6))
    if kind == 1:
        return (left, bottom - height * rng.uniform(0.3, 0.6), right, bottom)
    offset = width * rng.choice((-0.5, 0.5))
    return (left + offset, top, right + offset, bottom)
