"""Letters: which font has which character, how wide text is, what a glyph looks like.

Text is set glyph by glyph with whole-pixel advances: widths are exact sums, and neither a shaping engine nor
what was drawn before can change a pixel.
"""

from __future__ import annotations

import json
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from threading import Lock

from PIL import Image, ImageDraw, ImageFont

REPLACEMENT = "\ufffd"
"""Drawn for every character that no font has."""
ELLIPSIS = "…"
LONGEST_TEXT = 400
"""Characters of a text that are looked at; no picture has room for more."""

_STRONG = ("noto-sans-bold.ttf", "dejavu-sans-bold.ttf", "noto-sans-kr-bold.otf")
_LIGHT = ("noto-sans-medium.ttf", "dejavu-sans-bold.ttf", "noto-sans-kr-bold.otf")
_drawing = Lock()  # A FreeType face is not safe to use from two threads at once.


@dataclass(frozen=True, slots=True)
class Style:
    """How text is set."""

    px: int
    """Size of the em in pixels."""
    strong: bool = True
    """Bold (True) or medium (False)."""


@dataclass(frozen=True, slots=True)
class Glyph:
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
    text = (files("render.assets") / "fonts" / "coverage.json").read_text(encoding="utf-8")
    return {
        file: frozenset(point for low, high in runs for point in range(low, high + 1))
        for file, runs in json.loads(text).items()
    }


@cache
def _covered() -> frozenset[int]:
    return frozenset().union(*_coverage().values())


@cache
def _standalone_jamo() -> dict[int, str]:
    """Map the conjoining Hangul letters (U+1100 …) to the letters that stand alone (U+3131 …).

    The conjoining ones have no shape of their own outside a syllable; Unicode names both by the same letter.
    """
    table: dict[int, str] = {}
    for point in range(0x1100, 0x1200):
        name = unicodedata.name(chr(point), "")
        for role in ("CHOSEONG", "JUNGSEONG", "JONGSEONG"):
            prefix = f"HANGUL {role} "
            if name.startswith(prefix):
                with suppress(KeyError):  # Old letters have no form that stands alone.
                    table[point] = unicodedata.lookup(f"HANGUL LETTER {name.removeprefix(prefix)}")
    return table


@lru_cache(maxsize=4096)
def _drawable(char: str) -> str:
    """Return what is drawn for one character: itself, something alike, nothing, or the replacement."""
    category = unicodedata.category(char)
    if category in {"Zs", "Zl", "Zp"} or char in "\t\n\v\f\r\x85":
        return " "
    if category in {"Cc", "Cf", "Mn", "Me"}:
        return ""  # No shape of its own; a direction override must not reach the layout either.
    if ord(char) in _covered():
        return char
    if ord(char) in _standalone_jamo():
        return _standalone_jamo()[ord(char)]
    # Letters dressed up, as people do in their names: mathematical, full-width, circled … And a Hangul
    # syllable falls apart into its letters, which can still be read.
    for form in ("NFKC", "NFKD"):
        parts = (_standalone_jamo().get(ord(part), part) for part in unicodedata.normalize(form, char))
        alike = "".join(part for part in parts if ord(part) in _covered()).strip()
        if alike:
            return alike
    return REPLACEMENT


@lru_cache(maxsize=4096)
def printable(text: str) -> str:
    """Return a text as it can be drawn: one line of characters that the fonts have, single spaces.

    Only the first :data:`LONGEST_TEXT` characters count. A text that was not empty does not become empty
    unless it was white space.
    """
    short = unicodedata.normalize("NFC", text[:LONGEST_TEXT])
    drawn = " ".join("".join(map(_drawable, short)).split())
    return drawn or (REPLACEMENT if text.strip() else "")


@lru_cache(maxsize=128)
def _font(file: str, px: int) -> ImageFont.FreeTypeFont:
    with as_file(files("render.assets") / "fonts" / file) as path:
        return ImageFont.truetype(str(path), px, layout_engine=ImageFont.Layout.BASIC)


def font_of(style: Style) -> ImageFont.FreeTypeFont:
    """Return the shipped Latin, Greek and Cyrillic font in a style, for captions outside of pictures."""
    return _font((_STRONG if style.strong else _LIGHT)[0], style.px)


def _font_for(char: str, style: Style) -> ImageFont.FreeTypeFont:
    order = _STRONG if style.strong else _LIGHT
    file = next((file for file in order if ord(char) in _coverage()[file]), order[0])
    return _font(file, style.px)


@lru_cache(maxsize=4096)
def glyph(char: str, style: Style) -> Glyph:
    """Return the picture of one printable character."""
    with _drawing:
        font = _font_for(char, style)
        advance = round(font.getlength(char))
        left, top, right, bottom = (round(side) for side in font.getbbox(char, anchor="ls"))
        if right <= left or bottom <= top:
            return Glyph(advance, 0, 0, None)
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), char, font=font, fill=255, anchor="ls")
    return Glyph(advance, left, top, mask)


@lru_cache(maxsize=4096)
def text_width(text: str, style: Style) -> int:
    """Return the width of a printable text in pixels: the sum of its advances."""
    return sum(glyph(char, style).advance for char in text)


@lru_cache(maxsize=512)
def cap_height(style: Style) -> int:
    """Return the height of a capital letter in pixels."""
    return -glyph("H", style).top


def shorten(text: str, style: Style, width: int) -> str:
    """Return a printable text that is at most ``width`` pixels wide, ended by an ellipsis where cut.

    Empty when not even the ellipsis fits.
    """
    if text_width(text, style) <= width:
        return text
    left = width - text_width(ELLIPSIS, style)
    if left < 0:
        return ""
    end = 0
    for char in text:
        left -= glyph(char, style).advance
        if left < 0:
            break
        end += 1
    return text[:end].rstrip() + ELLIPSIS
