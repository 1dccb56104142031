"""Themes: the colours of a picture, read from ``themes/*.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files

RGB = tuple[int, int, int]
"""Red, green and blue, each 0 … 255, in sRGB."""

_HEX = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")


class Colour(Enum):
    """Every colour a theme names; the value is its place in the theme's file."""

    PAGE = "page.ground"
    INK = "page.ink"
    QUIET = "page.quiet"
    TURN = "turn.ground"
    TURN_INK = "turn.ink"
    TURN_QUIET = "turn.quiet"
    TURN_BAR = "turn.bar"
    LINE = "board.line"
    PLAIN = "square.plain.ground"
    PLAIN_INK = "square.plain.ink"
    LETTER_2 = "square.letter-2.ground"
    LETTER_2_INK = "square.letter-2.ink"
    LETTER_3 = "square.letter-3.ground"
    LETTER_3_INK = "square.letter-3.ink"
    LETTER_4 = "square.letter-4.ground"
    LETTER_4_INK = "square.letter-4.ink"
    WORD_2 = "square.word-2.ground"
    WORD_2_INK = "square.word-2.ink"
    WORD_3 = "square.word-3.ground"
    WORD_3_INK = "square.word-3.ink"
    WORD_4 = "square.word-4.ground"
    WORD_4_INK = "square.word-4.ink"
    TILE = "tile.face"
    TILE_EDGE = "tile.edge"
    TILE_INK = "tile.ink"
    DISC = "blank.disc"
    DISC_INK = "blank.ink"
    LAST = "last.face"
    LAST_EDGE = "last.edge"
    GHOST = "ghost.face"
    GHOST_EDGE = "ghost.edge"
    GHOST_INK = "ghost.ink"
    PHONY = "phony.face"
    PHONY_EDGE = "phony.edge"
    PHONY_INK = "phony.ink"
    CHESS_LIGHT = "chess.light"
    CHESS_DARK = "chess.dark"
    CHESS_LIGHT_LAST = "chess.light-last"
    CHESS_DARK_LAST = "chess.dark-last"
    CHESS_CHECK = "chess.check"
    CHESS_FRAME = "chess.frame"
    CHESS_WHITE = "chess.white"
    CHESS_BLACK = "chess.black"
    CHESS_ARROW = "chess.arrow"
    CHESS_GREEN = "chess.green"
    CHESS_RED = "chess.red"
    CHESS_YELLOW = "chess.yellow"

    __hash__ = object.__hash__  # Part of every sprite's key; a member's name takes longer to hash.


class ThemeError(ValueError):
    """A theme's file is not what it should be."""


class UnknownThemeError(ValueError):
    """There is no theme of that name."""


@dataclass(frozen=True, slots=True)
class Theme:
    """A complete set of colours."""

    name: str
    """How scenes call it: the file's name without its ending."""
    title: str
    """How English-speaking people call it."""
    colours: Mapping[Colour, RGB]


def _leaves(table: Mapping[str, object], place: str) -> Iterator[tuple[str, object]]:
    """Flatten nested tables to dotted places."""
    for key, value in table.items():
        here = f"{place}.{key}" if place else key
        if isinstance(value, dict):
            yield from _leaves(value, here)
        else:
            yield here, value


def read_theme(name: str, text: str) -> Theme:
    """Read a theme's file.

    Every colour must be there and nothing else may be: a misspelt key would otherwise be a silent black.
    Raises :exc:`ThemeError` with the place of the fault.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"theme {name!r} is not TOML: {error}") from None
    title = table.pop("title", None)
    if not isinstance(title, str):
        raise ThemeError(f"theme {name!r} has no title")
    colours: dict[Colour, RGB] = {}
    places = {colour.value: colour for colour in Colour}
    for place, value in _leaves(table, ""):
        if place not in places:
            raise ThemeError(f"theme {name!r} names the unknown colour {place!r}")
        match = _HEX.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise ThemeError(f"theme {name!r} has {value!r} for {place!r}, which is not #rrggbb")
        red, green, blue = (int(part, 16) for part in match.groups())
        colours[places[place]] = (red, green, blue)
    for colour in Colour:
        if colour not in colours:
            raise ThemeError(f"theme {name!r} lacks the colour {colour.value!r}")
    return Theme(name, title, colours)


@cache
def theme_names() -> tuple[str, ...]:
    """Return the names a scene may ask for, in alphabetical order."""
    found = (entry.name for entry in (files("render") / "themes").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def _load(name: str) -> Theme:
    return read_theme(name, (files("render") / "themes" / f"{name}.toml").read_text(encoding="utf-8"))


def load_theme(name: str) -> Theme:
    """Return a shipped theme.

    Raises :exc:`UnknownThemeError` for any name that :func:`theme_names` does not give.
    """
    if name not in theme_names():
        raise UnknownThemeError(f"there is no theme {name!r}; there are {', '.join(theme_names())}")
    return _load(name)
