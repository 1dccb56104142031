"""Themes, read from ``themes/*.toml``, and palettes: the indexed colours of pictures in a theme.

The intermediate colours of smooth edges come from a fixed list of ramps, so identical scenes produce identical bytes.

:class:`Layout` is here because commands that do not draw should not load :mod:`render.scene`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache, reduce
from importlib.resources import files
from itertools import product
from operator import getitem

RGB = tuple[int, int, int]
"""Red, green and blue, each 0 … 255, in sRGB."""

_THEMES = files("render") / "themes"


class Layout(Enum):
    """Where the panel is drawn."""

    WIDE = "wide"
    """The panel is to the right of the board, for screens that are wider than tall."""
    TALL = "tall"
    """The scores are above the board, and everything else is below it, for phones."""
    BOARD = "board"
    """No panel."""


class Colour(Enum):
    """The colours of a theme; the value is the path of the key in the theme's file."""

    PAGE = "page.background"
    INK = "page.ink"
    MUTED = "page.muted"
    TURN = "turn.background"
    TURN_INK = "turn.ink"
    TURN_MUTED = "turn.muted"
    TURN_BAR = "turn.bar"
    LINE = "board.line"
    PLAIN = "square.plain.background"
    PLAIN_INK = "square.plain.ink"
    LETTER_2 = "square.letter-2.background"
    LETTER_2_INK = "square.letter-2.ink"
    LETTER_3 = "square.letter-3.background"
    LETTER_3_INK = "square.letter-3.ink"
    LETTER_4 = "square.letter-4.background"
    LETTER_4_INK = "square.letter-4.ink"
    WORD_2 = "square.word-2.background"
    WORD_2_INK = "square.word-2.ink"
    WORD_3 = "square.word-3.background"
    WORD_3_INK = "square.word-3.ink"
    WORD_4 = "square.word-4.background"
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

    # Many sprites' cache keys contain colours, and the hash of an ``Enum`` is slower.
    __hash__ = object.__hash__


Theme = Mapping[Colour, RGB]


@cache
def theme_names() -> tuple[str, ...]:
    names = (entry.name for entry in _THEMES.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_theme(name: str) -> Theme:
    """Return a shipped theme.

    Raises:
        ValueError: there is no such theme.
        KeyError: the theme's file lacks a colour.

    """
    if name not in theme_names():
        raise ValueError(f"there is no theme {name!r}; the themes are {', '.join(theme_names())}")
    table = tomllib.loads((_THEMES / f"{name}.toml").read_text(encoding="utf-8"))
    colours = {}
    for colour in Colour:
        red, green, blue = bytes.fromhex(reduce(getitem, colour.value.split("."), table).removeprefix("#"))  # type: ignore[attr-defined]  # The last key leads to a string.
        colours[colour] = red, green, blue
    return colours


TRANSPARENT = 0
"""The index of unchanged pixels. Only animations use it."""

_TEXT_STEPS = 3
"""Colours between the background and the ink of text. With more, text would look the same but compress worse."""
_EDGE_STEPS = 2
"""Colours between the two colours of an edge."""

_SQUARE_PAIRS = tuple(
    (Colour[kind], Colour[f"{kind}_INK"])
    for kind in ("WORD_2", "WORD_3", "WORD_4", "LETTER_2", "LETTER_3", "LETTER_4", "PLAIN")
)
LINE_COLOURS = (Colour.LETTER_3, Colour.WORD_3, Colour.INK, Colour.MUTED)

# Backgrounds and inks of text.
_PANEL_TEXT_PAIRS = (
    (Colour.TILE, Colour.TILE_INK),
    (Colour.DISC, Colour.DISC_INK),
    (Colour.PAGE, Colour.INK),
    (Colour.PAGE, Colour.MUTED),
    (Colour.TURN, Colour.TURN_INK),
    (Colour.TURN, Colour.TURN_MUTED),
)
# Colours that meet at the edges of shapes.
_PANEL_EDGE_PAIRS = (
    (Colour.PAGE, Colour.TURN),
    (Colour.PAGE, Colour.TURN_BAR),
    (Colour.PAGE, Colour.LINE),
    (Colour.PAGE, Colour.TILE_EDGE),
    (Colour.TURN, Colour.TILE_EDGE),
    (Colour.TILE_EDGE, Colour.TILE),
    (Colour.TILE, Colour.DISC),
)
BOARD_TEXT_PAIRS = (
    *_SQUARE_PAIRS,
    *_PANEL_TEXT_PAIRS,
    (Colour.LAST, Colour.TILE_INK),
    (Colour.GHOST, Colour.GHOST_INK),
    (Colour.GHOST_INK, Colour.GHOST),
    (Colour.PHONY, Colour.PHONY_INK),
)
_BOARD_EDGE_PAIRS = (
    *_PANEL_EDGE_PAIRS,
    *product((Colour.LINE,), (Colour.TILE_EDGE, Colour.LAST_EDGE, Colour.GHOST_EDGE, Colour.PHONY_EDGE)),
    (Colour.LAST_EDGE, Colour.LAST),
    (Colour.GHOST_EDGE, Colour.GHOST),
    (Colour.PHONY_EDGE, Colour.PHONY),
    (Colour.PHONY, Colour.PHONY_EDGE),
    *product((Colour.LAST, Colour.PHONY), (Colour.DISC,)),
)
_TILE_PAIRS = (
    (Colour.LINE, Colour.TILE_EDGE),
    (Colour.TILE_EDGE, Colour.TILE),
    (Colour.TILE, Colour.TILE_INK),
    (Colour.LINE, Colour.LAST_EDGE),
    (Colour.LAST_EDGE, Colour.LAST),
    (Colour.LAST, Colour.TILE_INK),
)
"""Pairs whose ramps get the lowest indexes."""
_CHART_PAIRS = tuple((Colour.PAGE, line) for line in LINE_COLOURS)
CHESS_BACKGROUNDS = (
    Colour.CHESS_LIGHT,
    Colour.CHESS_DARK,
    Colour.CHESS_LIGHT_LAST,
    Colour.CHESS_DARK_LAST,
    Colour.CHESS_CHECK,
)
CHESS_MARK_COLOURS = (Colour.CHESS_ARROW, Colour.CHESS_GREEN, Colour.CHESS_RED, Colour.CHESS_YELLOW)
_CHESS_PAIRS = (
    *product(CHESS_BACKGROUNDS, (Colour.CHESS_BLACK, Colour.CHESS_WHITE)),
    (Colour.CHESS_WHITE, Colour.GHOST),
    (Colour.CHESS_BLACK, Colour.CHESS_WHITE),
    *product((Colour.CHESS_BLACK,), CHESS_MARK_COLOURS),
    (Colour.PAGE, Colour.CHESS_FRAME),
)


class Scope(Enum):
    """The kinds of pictures that are drawn with a palette.

    Each member has three groups of colour pairs: for text, for edges, and for the ramps with the lowest indexes.
    """

    BOARD = (BOARD_TEXT_PAIRS + _CHART_PAIRS, _BOARD_EDGE_PAIRS, _TILE_PAIRS)
    """Crossword boards and charts."""
    CHESS = (_PANEL_TEXT_PAIRS + _CHESS_PAIRS, _PANEL_EDGE_PAIRS, _CHESS_PAIRS)
    ALL = (BOARD_TEXT_PAIRS + _CHART_PAIRS + _CHESS_PAIRS, _BOARD_EDGE_PAIRS, _TILE_PAIRS)

    __hash__ = object.__hash__


class Palette:
    """The indexes of one theme's colours and of the ramps between them.

    The colours that a ramp adds have consecutive indexes, so that the edges of all letters compress well. A patch of an animation
    frame that contains only the lowest indexes takes fewer bits per pixel.
    """

    __slots__ = ("colours", "index_of", "ramps")

    def __init__(self, theme: Theme, scope: Scope) -> None:
        text_pairs, edge_pairs, lowest_index_pairs = scope.value
        self.colours: list[RGB] = [theme[Colour.PAGE]]
        self.ramps = {
            pair: self._ramp(theme, pair, _TEXT_STEPS if pair in text_pairs else _EDGE_STEPS)
            for pair in dict.fromkeys(lowest_index_pairs + text_pairs + edge_pairs)
        }
        """Tables from coverage (0 … 255) to a colour index, by background and ink."""
        self.index_of = {
            colour: self._add_colour(theme[colour]) for pair in self.ramps for colour in pair
        }.__getitem__

    def _add_colour(self, rgb: RGB) -> int:
        """Add a colour if it is missing. Return its index, which is at least 1."""
        if rgb not in self.colours[1:]:
            self.colours.append(rgb)
        return self.colours.index(rgb, 1)

    def _ramp(self, theme: Theme, pair: tuple[Colour, Colour], steps: int) -> tuple[int, ...]:
        """Return the table from coverage (0 … 255) to colour index, with ``steps`` colours between background and ink."""
        background, ink = (theme[colour] for colour in pair)
        channels = [
            [round(start + (end - start) * (step / (steps + 1))) for step in range(steps + 2)]
            for start, end in zip(background, ink, strict=True)
        ]
        indexes = list(map(self._add_colour, zip(*channels, strict=True)))
        return tuple(indexes[round(coverage * (steps + 1) / 255)] for coverage in range(256))


@cache
def palette_of(theme: str, scope: Scope = Scope.BOARD) -> Palette:
    """Return the palette of a shipped theme.

    Raises:
        ValueError: there is no such theme.

    """
    return Palette(load_theme(theme), scope)
