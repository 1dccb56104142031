"""Sizes in pixels, derived from the pitch of the squares (the distance from one square to the next) and the scale of the panel."""

from __future__ import annotations

from functools import cache

from render.fonts import Font, ascent, descent
from render.scene import BoardScene, ChessScene, Layout

MAX_SIDE = 2000
"""Maximum width and height of a picture in pixels."""
MAX_SQUARES_PER_SIDE = 50
MIN_CELL_SIZE, MAX_CELL_SIZE = 8, 128
"""Bounds of the squares' pitch, in pixels."""
_MIN_FITTED_CELL_SIZE, _MAX_FITTED_CELL_SIZE = 28, 60
"""Bounds of the default pitch, in pixels. At the lower bound, letters are legible in a picture opened at full size."""
_BOARD_SIDE = {Layout.WIDE: 716, Layout.TALL: 758, Layout.BOARD: 758}
"""Default length of a board's longer side in pixels."""
_MIN_UNIT, _MAX_UNIT = 24, 72
"""Bounds of the panel's scale."""
_MIN_SIDE_WITH_POINTS = 28  # On smaller tiles, points would be unreadable.
_MIN_SIDE_WITH_LABEL = 18
_MIN_SIDE_WITH_THICK_EDGE = 14


class ImpossibleSizeError(ValueError):
    """The picture cannot be drawn at the requested size, or at any size."""


class TileSizes:
    """Sizes in pixels of a tile or square, and of the parts drawn on it."""

    def __init__(self, side: int) -> None:
        self.side = side
        """Width and height without the gap, at least 7."""
        self.radius = round(side * 0.13)
        self.lip = max(1, round(side * 0.055))
        """Thickness of the lower edge, which gives a tile its depth."""
        self.thick_edge = max(2, round(side * 0.07)) if side >= _MIN_SIDE_WITH_THICK_EDGE else 1
        """Thickness of a marked tile's outline."""
        self.letter_font = Font(max(5, round(side * 0.70)))
        self.blank_letter_font = Font(max(5, round(side * 0.54)))
        """The font of the letter on a blank's disc."""
        self.points_font = Font(max(11, round(side * 0.29))) if side >= _MIN_SIDE_WITH_POINTS else None
        """The font of points, or None if there is no room for them."""
        self.label_font = Font(max(7, round(side * 0.36))) if side >= _MIN_SIDE_WITH_LABEL else None
        """The font of bonus squares' labels, or None if there is no room for them."""
        self.disc_diameter = round(side * 0.76)


tile_sizes = cache(TileSizes)


class Metrics:
    """The sizes used in one picture, in pixels."""

    def __init__(self, cell_size: int, unit: int) -> None:
        self.cell_size = cell_size
        """Pitch of the squares: the width of a square plus its gap, at least :data:`MIN_CELL_SIZE`."""
        self.unit = unit
        """Scale of the panel and its text, at least 24."""
        self.gap = max(1, round(cell_size / 26))
        """Gap between two squares."""
        self.frame = max(self.gap, round(cell_size / 11))
        """Width of the frame around the squares of a crossword board."""
        self.square_sizes = tile_sizes(cell_size - self.gap)
        self.margin = round(unit * 0.36)
        self.pad = round(unit * 0.28)
        self.bar_width = round(unit * 0.12)
        """Width of the bar at the left edge of the card for the player to move."""
        self.inset = self.bar_width + self.pad
        """Distance from the left edge of a card to its text, with which the panel's other text is aligned."""
        self.panel_width = round(unit * 7.5)
        self.rack_tile_sizes = tile_sizes(round(unit * 0.92))
        """Sizes of a rack's tiles if they all fit in a row."""
        self.rack_gap = round(unit / 22)
        self.coordinate_font = Font(min(max(9, round(cell_size * 0.36)), round(unit * 0.44)))
        """The font of row and column labels."""
        self.label_stride = -(-(ascent(self.coordinate_font) + descent(self.coordinate_font)) // cell_size)
        """Rows or columns from one label to the next; more than 1 if the squares are small."""
        self.name_font = Font(round(unit * 0.56))
        self.score_font = Font(round(unit * 0.88))
        self.title_font = Font(round(unit * 0.43), bold=False)
        """The font of section titles and notes."""
        self.section_font = Font(round(unit * 0.52))
        """The font of a section's words, and of the titles in a mosaic."""
        self.muted_section_font = Font(round(unit * 0.47), bold=False)
        """The font of a section's words if ``Section.is_strong`` is False."""


def unit_of(scene: BoardScene | ChessScene, cell_size: int, *, has_panel: bool = True) -> int:
    """Return the scale of the panel for squares with the pitch ``cell_size``."""
    if isinstance(scene, ChessScene):
        unit = round(cell_size * 8 / 15)
    else:
        unit = (
            max(cell_size, round(max(scene.rows, scene.columns) * cell_size / 15)) if has_panel else cell_size
        )
    return min(max(unit, _MIN_UNIT), _MAX_UNIT)


def cell_sizes(scene: BoardScene | ChessScene) -> tuple[int, ...]:
    """Return the pitches to try, best first.

    Raises:
        ImpossibleSizeError: the requested pitch or the number of squares is out of bounds.

    """
    if scene.cell_size is not None and not MIN_CELL_SIZE <= scene.cell_size <= MAX_CELL_SIZE:
        raise ImpossibleSizeError(
            f"squares must be {MIN_CELL_SIZE} to {MAX_CELL_SIZE} pixels wide, not {scene.cell_size}"
        )
    if isinstance(scene, ChessScene):
        return (
            (scene.cell_size,) if scene.cell_size else (86 if scene.layout is Layout.WIDE else 92, 60, 40, 24)
        )
    rows, columns = scene.rows, scene.columns
    if not (1 <= rows <= MAX_SQUARES_PER_SIDE and 1 <= columns <= MAX_SQUARES_PER_SIDE):
        raise ImpossibleSizeError(
            f"a board must have 1 × 1 to {MAX_SQUARES_PER_SIDE} × {MAX_SQUARES_PER_SIDE} squares, not {rows} × {columns}"
        )
    if scene.cell_size is not None:
        return (scene.cell_size,)
    longer_side = max(rows, columns)
    default_size = (
        45 if longer_side == 15 and scene.layout is Layout.WIDE else _BOARD_SIDE[scene.layout] // longer_side
    )
    default_size = min(max(default_size, _MIN_FITTED_CELL_SIZE), _MAX_FITTED_CELL_SIZE)
    return (default_size, *(cell_size for cell_size in (24, 20, 16, 12, 8) if cell_size < default_size))
