"""Chooses the characters, fonts and glyphs for a string, and measures its width.

Text is set glyph by glyph, because Pillow's shaping engine, Raqm, is missing on some machines, and identical scenes must produce
identical bytes everywhere. Scripts other than Arabic that need a shaping engine (Devanagari and its relatives) are not drawn.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import as_file, files
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from bidi.algorithm import get_display
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from arabic_reshaper import ArabicReshaper

REPLACEMENT = "\ufffd"
"""The character drawn in place of a character that no font has."""
ELLIPSIS = "…"
_FIRST_RIGHT_TO_LEFT = "\u0590"
"""The lowest right-to-left character. Text with only lower code points needs no reordering."""

_FALLBACK_FILES = (
    "dejavu-sans-bold.ttf",
    "noto-sans-hebrew-bold.ttf",
    "noto-sans-arabic-bold.ttf",
    "noto-sans-thai-bold.ttf",
    "noto-sans-cjk-bold.otf",
    "noto-emoji-bold.ttf",
)
"""Fonts that are searched in this order for characters missing from the main font."""
_BOLD_FILES = ("noto-sans-bold.ttf", *_FALLBACK_FILES)
_MEDIUM_FILES = ("noto-sans-medium.ttf", *_FALLBACK_FILES)
FONT_FILES = ("noto-sans-medium.ttf", *_BOLD_FILES)
_SIZE_AND_LIFT = {"noto-sans-arabic-bold.ttf": (0.92, 0.13)}
"""Size and upward shift in ems, for fonts whose letters would otherwise extend below their line."""
_freetype_lock = Lock()  # A FreeType face is not safe to use from two threads at once.


class Font(NamedTuple):
    """Size and weight of text."""

    px: int
    """Size of the em in pixels."""
    bold: bool = True


@lru_cache(maxsize=512)
def ascent(font: Font) -> int:
    # The height of a capital with an accent.
    return round(font.px * 1.08)


@lru_cache(maxsize=512)
def descent(font: Font) -> int:
    return round(font.px * 0.30)


class Glyph(NamedTuple):
    """One character's picture."""

    advance: int
    """Pixels from this glyph's origin to the next glyph's."""
    left: int
    """Pixels from the origin to the left edge of the mask; may be negative."""
    top: int
    """Pixels from the baseline down to the top edge of the mask. Negative if the edge is above the baseline."""
    mask: Image.Image | None
    """The glyph's coverage (0 … 255, mode L), or None for white space."""


@cache
def _code_points_by_font() -> dict[str, frozenset[int]]:
    text = (files("render") / "assets" / "fonts" / "coverage.json").read_text(encoding="utf-8")
    return {
        file: frozenset(point for low, high in runs for point in range(low, high + 1))
        for file, runs in json.loads(text).items()
    }


@cache
def covered_code_points() -> frozenset[int]:
    return frozenset().union(*_code_points_by_font().values())


@lru_cache(maxsize=128)
def load_font(file: str, px: int) -> ImageFont.FreeTypeFont:
    with as_file(files("render") / "assets" / "fonts" / file) as path:
        return ImageFont.truetype(str(path), px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def glyph(char: str, font: Font) -> Glyph:
    """Return the picture of one printable character, moved so that it does not extend above or below its line."""
    font_files = _BOLD_FILES if font.bold else _MEDIUM_FILES
    file = next((file for file in font_files if ord(char) in _code_points_by_font()[file]), font_files[0])
    size, lift = _SIZE_AND_LIFT.get(file, (1, 0))
    with _freetype_lock:
        face = load_font(file, max(1, round(font.px * size)))
        advance = round(face.getlength(char))
        left, top, right, bottom = (round(side) for side in face.getbbox(char, anchor="ls"))
        if right <= left or bottom <= top:
            return Glyph(advance, 0, 0, None)
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), char, font=face, fill=255, anchor="ls")
    top = min(top - round(font.px * lift), descent(font) - mask.height)
    return Glyph(advance, left, max(top, -ascent(font)), mask)


@lru_cache(maxsize=1024)
def visual_order(text: str) -> str:
    """Return the characters of a line as displayed from left to right (Unicode Standard Annex #9)."""
    # Of python-bidi's two implementations, only this one mirrors brackets in right-to-left runs.
    return str(get_display(text)) if text and max(text) >= _FIRST_RIGHT_TO_LEFT else text


@lru_cache(maxsize=4096)
def overhang(text: str, font: Font) -> tuple[int, int]:
    """Return how many pixels a printable string extends before its origin (like ``j``) and past its end (like ``ď``)."""
    x = leftmost = rightmost = 0
    for char in visual_order(text):
        picture = glyph(char, font)
        if picture.mask is not None:
            leftmost = min(leftmost, x + picture.left)
            rightmost = max(rightmost, x + picture.left + picture.mask.width)
        x += picture.advance
    return -leftmost, max(0, rightmost - x)


@lru_cache(maxsize=4096)
def text_width(text: str, font: Font) -> int:
    """Return the width of a printable string in pixels, including the overhang at both ends."""
    return sum(glyph(char, font).advance for char in text) + sum(overhang(text, font))


@lru_cache(maxsize=512)
def cap_height(font: Font) -> int:
    return -glyph("H", font).top


def shorten(text: str, font: Font, max_width: int) -> str:
    """Shorten a printable string to ``max_width`` pixels with an ellipsis, or to nothing if not even the ellipsis fits."""
    if text_width(text, font) <= max_width:
        return text
    free_width = max_width - text_width(ELLIPSIS, font)
    if free_width < 0:
        return ""
    ends = list(accumulate(glyph(char, font).advance for char in text))
    short = text[: bisect_right(ends, free_width)].rstrip() + ELLIPSIS
    while short != ELLIPSIS and text_width(short, font) > max_width:
        short = short[:-2].rstrip() + ELLIPSIS
    return short


MAX_TEXT_LENGTH = 400
"""Only this many characters of a text are used. No picture has room for more."""

_STACKED_MARKS = range(0xE31, 0xE4F)
"""Thai vowel signs and tone marks above or below a letter. Leaving them out would change the word."""
_THAI_VOWELS_ABOVE = frozenset("\u0e31\u0e34\u0e35\u0e36\u0e37\u0e47\u0e4d")
_THAI_TONE_MARKS = frozenset("\u0e48\u0e49\u0e4a\u0e4b\u0e4c")
"""Tone marks are drawn higher if there is also a vowel above the letter."""
_MINUS = "\u2212"
"""No font has this minus sign, so an en dash is drawn instead."""
_SARA_AM = "\u0e33"
"""A Thai vowel with a ring above the letter before it."""
_LETTER_NAME = re.compile(
    r"(?:NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL|REGIONAL INDICATOR SYMBOL) LETTER ([A-Z])"
)
"""Unicode names of enclosed and flag letters, which are drawn as plain letters."""
_CONJOINING_NAME = re.compile(r"HANGUL (?:CHOSEONG|JUNGSEONG|JONGSEONG) (.+)")


@cache
def _standalone_jamo() -> dict[int, str]:
    """Map the conjoining Hangul letters (U+1100 …), which have a shape only within a syllable, to standalone letters (U+3131 …)."""
    table: dict[int, str] = {}
    for point in range(0x1100, 0x1200):
        if match := _CONJOINING_NAME.fullmatch(unicodedata.name(chr(point), "")):
            with suppress(KeyError):  # Archaic letters have no standalone form.
                table[point] = unicodedata.lookup(f"HANGUL LETTER {match[1]}")
    return table


@lru_cache(maxsize=4096)
def _text_to_draw(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Zs", "Zl", "Zp"} or char in "\t\n\v\f\r\x85":
        return " "
    if category in {"Cc", "Cf", "Mn", "Me"} and ord(char) not in _STACKED_MARKS:
        return ""  # Direction overrides must not reach the layout.
    if ord(char) in covered_code_points():
        return char
    return _fallback_text(char) or ("" if category[0] in "PS" else REPLACEMENT)


def _fallback_text(char: str) -> str:
    # People's names contain decorated letters: mathematical, full-width or circled letters, or flag emoji.
    if letter_name := _LETTER_NAME.fullmatch(unicodedata.name(char, "")):
        return letter_name[1]
    if char == _MINUS:
        return "–"
    for form in ("NFKC", "NFKD"):
        parts = (_standalone_jamo().get(ord(part), part) for part in unicodedata.normalize(form, char))
        similar_text = "".join(part for part in parts if ord(part) in covered_code_points()).strip()
        if similar_text:
            return similar_text
    return ""


_ARABIC = re.compile(r"[\u0620-\u06ff]")
_JOINER = "\u200d"
"""The zero-width joiner, which gives its neighbours their connected shapes."""


def shape_arabic(text: str) -> str:
    """Return a string with each Arabic letter in the shape that its neighbours require, and without vowel marks."""
    # After a zero-width joiner, the library puts ligatures on the wrong letters, or fails.
    return str(_reshaper(ligatures=_JOINER not in text).reshape(text)) if _ARABIC.search(text) else text


@cache
def _reshaper(*, ligatures: bool) -> ArabicReshaper:
    from arabic_reshaper import ArabicReshaper  # noqa: PLC0415 - few pictures need it

    return ArabicReshaper(
        {"delete_tatweel": False, "support_ligatures": ligatures, "ARABIC LIGATURE ALLAH": False}
    )


def is_raised(text: str, index: int) -> bool:
    """Return whether the character at ``index`` is a Thai tone mark above another mark."""
    return text[index] in _THAI_TONE_MARKS and (
        text[index - 1 : index] in _THAI_VOWELS_ABOVE or text[index + 1 : index + 2] == _SARA_AM
    )


@lru_cache(maxsize=4096)
def printable_text(text: str) -> str:
    """Return a string that can be drawn: one line of characters that the fonts have.

    The result has at most :data:`MAX_TEXT_LENGTH` characters. Symbols without a glyph are left out. Letters without a glyph become
    :data:`REPLACEMENT`. The result is empty only if ``text`` is empty or white space.
    """
    shaped_text = shape_arabic(unicodedata.normalize("NFC", text[:MAX_TEXT_LENGTH]))
    # A decorated letter may have become a plain Arabic letter.
    drawable_text = shape_arabic(" ".join("".join(map(_text_to_draw, shaped_text)).split()))
    # Some ligatures become several words.
    return drawable_text[:MAX_TEXT_LENGTH].rstrip() or (REPLACEMENT if text.strip() else "")
