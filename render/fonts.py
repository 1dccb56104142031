"""Letters: which font has which character, how wide text is, what a glyph looks like.

Text is set glyph by glyph with whole-pixel advances: widths are exact sums, and neither a shaping engine nor
what was drawn before can change a pixel.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib.resources import as_file, files
from threading import Lock
from typing import NamedTuple

from bidi.algorithm import get_display
from PIL import Image, ImageDraw, ImageFont

REPLACEMENT = "\ufffd"
"""Drawn for every character that no font has."""
ELLIPSIS = "…"
_FIRST_RIGHT_TO_LEFT = "\u0590"

_OTHERS = (
    "dejavu-sans-bold.ttf",
    "noto-sans-hebrew-bold.ttf",
    "noto-sans-arabic-bold.ttf",
    "noto-sans-thai-bold.ttf",
    "noto-sans-cjk-bold.otf",
    "noto-emoji-bold.ttf",
)
_STRONG = ("noto-sans-bold.ttf", *_OTHERS)
_LIGHT = ("noto-sans-medium.ttf", *_OTHERS)
_FITTED = {"noto-sans-arabic-bold.ttf": (0.92, 0.13)}
"""Size and lift, both in ems, of letters that would reach below their line."""
_drawing = Lock()  # A FreeType face is not safe to use from two threads at once.


class Font(NamedTuple):
    """Size and weight of text."""

    px: int
    """Size of the em in pixels."""
    strong: bool = True
    """Bold (True) or medium (False)."""


def ascent(font: Font) -> int:
    """Return the pixels of a line above its baseline: the height of a capital with an accent."""
    return round(font.px * 1.08)


def descent(font: Font) -> int:
    """Return the pixels of a line below its baseline."""
    return round(font.px * 0.30)


class Glyph(NamedTuple):
    """One character's picture."""

    advance: int
    """Pixels from this glyph's origin to the next one's."""
    left: int
    """Pixels from the origin to the left edge of the mask; may be negative."""
    top: int
    """Pixels from the baseline to the top edge of the mask, downwards: above the baseline is negative."""
    mask: Image.Image | None
    """Coverage 0 … 255, mode L; None for white space."""


@cache
def _coverage() -> dict[str, frozenset[int]]:
    """Return the code points of each shipped font."""
    text = (files("render") / "assets" / "fonts" / "coverage.json").read_text(encoding="utf-8")
    return {
        file: frozenset(point for low, high in runs for point in range(low, high + 1))
        for file, runs in json.loads(text).items()
    }


@cache
def covered() -> frozenset[int]:
    """Return the code points that have a glyph."""
    return frozenset().union(*_coverage().values())


@lru_cache(maxsize=128)
def load_font(file: str, px: int) -> ImageFont.FreeTypeFont:
    """Return a shipped font, by its file's name, of one size."""
    with as_file(files("render") / "assets" / "fonts" / file) as path:
        return ImageFont.truetype(str(path), px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def glyph(char: str, font: Font) -> Glyph:
    """Return the picture of one printable character, which stays within its line."""
    order = _STRONG if font.strong else _LIGHT
    file = next((file for file in order if ord(char) in _coverage()[file]), order[0])
    size, lift = _FITTED.get(file, (1, 0))
    with _drawing:
        face = load_font(file, max(1, round(font.px * size)))
        advance = round(face.getlength(char))
        left, top, right, bottom = (round(side) for side in face.getbbox(char, anchor="ls"))
        if right <= left or bottom <= top:
            return Glyph(advance, 0, 0, None)
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), char, font=face, fill=255, anchor="ls")
    top -= round(font.px * lift)
    lowest = descent(font) - mask.height
    return Glyph(advance, left, max(min(top, lowest), -ascent(font)), mask)


@lru_cache(maxsize=1024)
def visual(text: str) -> str:
    """Return a line's characters from left to right as they are seen (Unicode Standard Annex #9).

    The first letter with a direction decides where the line begins. Of the library's two implementations this one
    mirrors brackets in runs from right to left.
    """
    return str(get_display(text)) if text and max(text) >= _FIRST_RIGHT_TO_LEFT else text


@lru_cache(maxsize=4096)
def overhang(text: str, font: Font) -> tuple[int, int]:
    """Return how many pixels a printable text reaches left of its origin (``j``), and right of its end (``ď``)."""
    x = low = high = 0
    for char in visual(text):
        drawn = glyph(char, font)
        if drawn.mask is not None:
            low = min(low, x + drawn.left)
            high = max(high, x + drawn.left + drawn.mask.width)
        x += drawn.advance
    return -low, max(0, high - x)


@lru_cache(maxsize=4096)
def text_width(text: str, font: Font) -> int:
    """Return the width of a printable text in pixels: the sum of its advances and the overhang at both ends."""
    return sum(glyph(char, font).advance for char in text) + sum(overhang(text, font))


@lru_cache(maxsize=512)
def cap_height(font: Font) -> int:
    """Return the height of a capital letter in pixels."""
    return -glyph("H", font).top


def shorten(text: str, font: Font, width: int) -> str:
    """Return a printable text that is at most ``width`` pixels wide, ended by an ellipsis where cut.

    Empty when not even the ellipsis fits.
    """
    if text_width(text, font) <= width:
        return text
    left = width - text_width(ELLIPSIS, font)
    if left < 0:
        return ""
    end = 0
    for char in text:
        left -= glyph(char, font).advance
        if left < 0:
            break
        end += 1
    short = text[:end].rstrip() + ELLIPSIS
    while short != ELLIPSIS and text_width(short, font) > width:
        short = short[:-2].rstrip() + ELLIPSIS
    return short
