"""Palettes: every colour a picture of one theme can hold, and the index each has.

Pictures are drawn in palette indexes from the first pixel on, which makes them small and quick to write.
Smooth edges need colours between two others; a fixed list of such ramps is all there is, so that equal scenes
give equal bytes whatever was drawn before.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from render.theme import RGB, Colour, Theme, load_theme

TRANSPARENT = 0
"""The index no pixel of a still picture has; animations use it for what stays as it was."""

MAX_COLOURS = 128
"""Palette size that keeps one byte a pixel compressible and GIF codes at seven bits."""

_TEXT_STEPS = 3
"""Colours between paper and ink: three look the same as more and compress better."""
_EDGE_STEPS = 2

_SQUARES = tuple(
    (Colour[kind], Colour[f"{kind}_INK"])
    for kind in ("PLAIN", "LETTER_2", "LETTER_3", "LETTER_4", "WORD_2", "WORD_3", "WORD_4")
)
LINES = (Colour.LETTER_3, Colour.WORD_3, Colour.INK, Colour.QUIET)
"""Colours of a chart's lines on the page."""

_PANEL_TEXT = (
    (Colour.PAGE, Colour.INK),
    (Colour.PAGE, Colour.QUIET),
    (Colour.TURN, Colour.TURN_INK),
    (Colour.TURN, Colour.TURN_QUIET),
    (Colour.TILE, Colour.TILE_INK),
    (Colour.DISC, Colour.DISC_INK),
)
_PANEL_EDGES = (
    (Colour.PAGE, Colour.TURN),
    (Colour.PAGE, Colour.TURN_BAR),
    (Colour.PAGE, Colour.LINE),
    (Colour.PAGE, Colour.TILE_EDGE),
    (Colour.TURN, Colour.TILE_EDGE),
    (Colour.TILE_EDGE, Colour.TILE),
    (Colour.TILE, Colour.DISC),
)
BOARD_TEXT = (
    *_PANEL_TEXT,
    *_SQUARES,
    (Colour.LAST, Colour.TILE_INK),
    (Colour.GHOST, Colour.GHOST_INK),
    (Colour.GHOST_INK, Colour.GHOST),
    (Colour.PHONY, Colour.PHONY_INK),
)
"""Inks and what they stand on, in pictures of boards and charts."""
_BOARD_EDGES = (
    *_PANEL_EDGES,
    *product((Colour.LINE,), (Colour.TILE_EDGE, Colour.LAST_EDGE, Colour.GHOST_EDGE, Colour.PHONY_EDGE)),
    (Colour.LAST_EDGE, Colour.LAST),
    (Colour.GHOST_EDGE, Colour.GHOST),
    (Colour.PHONY_EDGE, Colour.PHONY),
    (Colour.PHONY, Colour.PHONY_EDGE),
    *product((Colour.LAST, Colour.PHONY), (Colour.DISC,)),
)
_TILES = (
    (Colour.LINE, Colour.TILE_EDGE),
    (Colour.TILE_EDGE, Colour.TILE),
    (Colour.TILE, Colour.TILE_INK),
    (Colour.LINE, Colour.LAST_EDGE),
    (Colour.LAST_EDGE, Colour.LAST),
    (Colour.LAST, Colour.TILE_INK),
)
_CHART = tuple((Colour.PAGE, line) for line in LINES)
CHESS_GROUNDS = (
    Colour.CHESS_LIGHT,
    Colour.CHESS_DARK,
    Colour.CHESS_LIGHT_LAST,
    Colour.CHESS_DARK_LAST,
    Colour.CHESS_CHECK,
)
"""Colours of squares that pieces stand on."""
CHESS_MARKS = (Colour.CHESS_ARROW, Colour.CHESS_GREEN, Colour.CHESS_RED, Colour.CHESS_YELLOW)
"""Colours of arrows and circles."""
_CHESS = (
    *product(CHESS_GROUNDS, (Colour.CHESS_BLACK, Colour.CHESS_WHITE)),
    (Colour.CHESS_WHITE, Colour.GHOST),
    (Colour.CHESS_BLACK, Colour.CHESS_WHITE),
    *product((Colour.CHESS_BLACK,), CHESS_MARKS),
    (Colour.PAGE, Colour.CHESS_FRAME),
)
Pairs = tuple[tuple[Colour, Colour], ...]


def _between(first: RGB, second: RGB, share: float) -> RGB:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


class Palette:
    """The indexes of one theme's colours and of the ramps between them.

    ``text`` and ``edges`` list the pairs of ground and ink that occur; text gets finer ramps. ``first`` are those
    of them whose colours get the lowest indexes, because animations write small pictures of just these.
    """

    __slots__ = ("_ramps", "_solid", "colours")

    def __init__(self, theme: Theme, text: Pairs, edges: Pairs, first: Pairs) -> None:
        self.colours: list[RGB] = [theme.colours[Colour.PAGE]]
        """The colours by index."""
        for ground, ink in first:
            steps = _TEXT_STEPS if (ground, ink) in text else _EDGE_STEPS
            self._ramp(theme, ground, ink, steps)
        used = {colour for pair in text + edges for colour in pair}
        self._solid = {colour: self._index(theme.colours[colour]) for colour in Colour if colour in used}
        self._ramps: dict[tuple[Colour, Colour], tuple[int, ...]] = {}
        for pairs, steps in ((text, _TEXT_STEPS), (edges, _EDGE_STEPS)):
            for ground, ink in pairs:
                self._ramps[ground, ink] = self._ramp(theme, ground, ink, steps)

    def _index(self, rgb: RGB) -> int:
        """Return the colour's index, equal colours sharing one; 0 stays out of it."""
        try:
            return self.colours.index(rgb, 1)
        except ValueError:
            self.colours.append(rgb)
            return len(self.colours) - 1

    def _ramp(self, theme: Theme, ground: Colour, ink: Colour, steps: int) -> tuple[int, ...]:
        """Return a table from coverage (0 … 255) to index."""
        low, high = theme.colours[ground], theme.colours[ink]
        indexes = [self._index(_between(low, high, step / (steps + 1))) for step in range(steps + 2)]
        return tuple(indexes[round(coverage * (steps + 1) / 255)] for coverage in range(256))

    def solid(self, colour: Colour) -> int:
        """Return the index of a colour."""
        return self._solid[colour]

    def ramp(self, ground: Colour, ink: Colour) -> tuple[int, ...]:
        """Return the table that turns the coverage (0 … 255) of ``ink`` on ``ground`` into an index.

        Raises :exc:`KeyError` for a pair that is not on the list: a mistake in the program.
        """
        return self._ramps[ground, ink]


@cache
def palette_of(name: str) -> Palette:
    """Return a shipped theme's palette for boards and charts.

    Raises what :func:`render.theme.load_theme` raises.
    """
    return Palette(load_theme(name), BOARD_TEXT + _CHART, _BOARD_EDGES, _TILES)


@cache
def mosaic_palette_of(name: str) -> Palette:
    """Return a shipped theme's palette for pictures that show boards, charts and chess boards; it raises the same."""
    return Palette(load_theme(name), BOARD_TEXT + _CHART + _CHESS, _BOARD_EDGES, _TILES)


@cache
def chess_palette_of(name: str) -> Palette:
    """Return a shipped theme's palette for chess boards; it raises the same."""
    return Palette(load_theme(name), _PANEL_TEXT + _CHESS, _PANEL_EDGES, _CHESS)
