"""Boards of crossword games."""

from __future__ import annotations

from dataclasses import dataclass

from render.scene.sides import Layout, PlayerRow, Section
from render.scene.squares import Grid


@dataclass(frozen=True, slots=True)
class Badge:
    """A small text, such as the number of a proposed play, over a corner of a square."""

    row: int
    """From 0, downwards."""
    column: int
    """From 0, to the right."""
    text: str
    end: tuple[int, int] | None = None
    """For what a play scores: the row and column of the last square of its word, which begins at the badge's. Such
    a badge is never smaller than can be read, and stands beside the word where it hides the least. Any other is cut
    to the square's width and stands in its upper left corner."""


@dataclass(frozen=True, slots=True)
class BoardScene:
    """A crossword board with its panel."""

    grid: Grid
    players: tuple[PlayerRow, ...] = ()
    sections: tuple[Section, ...] = ()
    layout: Layout = Layout.TALL
    theme: str = "light"
    cell: int | None = None
    """Pixels from one square to the next; None lets the metrics choose for the board's size."""
    badges: tuple[Badge, ...] = ()
    heat: tuple[float, ...] = ()
    """One value from 0 (nothing is drawn) to 1 for each square, drawn on the empty ones; none for no overlay."""
    coordinates: bool = True
    """Whether the grid's labels are drawn."""
    caption: str = ""
    """One line below the whole picture, such as what a replay shows at this turn; empty for none."""
    carried: str = ""
    """What a picture of this alone says to programs, never more than it shows; empty for nothing."""
    doubts: tuple[int, ...] = ()
    """Squares that may be wrong, by their places in the grid: brackets stand at their corners."""

    def __post_init__(self) -> None:
        grid = self.grid
        if any(not 0 <= place < grid.rows * grid.columns for place in self.doubts):
            raise ValueError("a doubtful square is not on the board")
        if self.heat and len(self.heat) != grid.rows * grid.columns:
            raise ValueError(
                f"{len(self.heat)} heat values are not one for each of {grid.rows} × {grid.columns} squares"
            )
        for value in self.heat:
            if not 0 <= value <= 1:
                raise ValueError(f"a heat value is between 0 and 1, not {value}")
        for badge in self.badges:
            for row, column in ((badge.row, badge.column), badge.end or (0, 0)):
                if not (0 <= row < grid.rows and 0 <= column < grid.columns):
                    raise ValueError(f"the badge {badge.text!r} is not on the board")
