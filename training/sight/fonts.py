"""Finds fonts for synthetic boards."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PIL import ImageFont

from bot.sight.tiles import LETTERS


@cache
def find_fonts(packages: Path) -> tuple[Path, ...]:
    """Return the upright text fonts under ``packages`` that have the Latin letters and the digits, sorted by path."""
    paths = (path for ending in ("*.ttf", "*.otf", "*.t1") for path in packages.rglob(ending))
    return tuple(path for path in sorted(paths) if _is_usable(path))


@cache
def supported_characters(path: Path, characters: tuple[str, ...]) -> tuple[str, ...]:
    font = ImageFont.truetype(path, 24)
    missing_glyph = bytes(font.getmask("\uffff"))

    def has_glyph(letter: str) -> bool:
        mask = bytes(font.getmask(letter))
        return mask != missing_glyph and any(mask)

    return tuple(character for character in characters if all(map(has_glyph, character)))


def _is_usable(path: Path) -> bool:
    if any(
        part in path.stem
        for part in ("Italic", "Oblique", "Symbols", "Math", "Emoji", "Black-", "-Thin", "Hairline")
    ):
        return False
    try:
        font = ImageFont.truetype(path, 24)
        missing_glyph = font.getmask("\uffff")
        masks = [bytes(font.getmask(character)) for character in (*LETTERS, *LETTERS.lower(), *"0123456789")]
    except OSError:
        return False
    return bytes(missing_glyph) not in masks and len(set(masks)) >= 55 and all(any(mask) for mask in masks)
