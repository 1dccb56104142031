"""Chessboards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from render.scene.pieces import Piece
from render.scene.sides import Layout, PlayerRow, Section

MAX_ARROWS = 32
"""Arrows on one chess board; more could not be read."""


class Stroke(Enum):
    """What tells arrows and circles apart: a colour, and a line of its own for whom colours do not."""

    GREEN = "green"
    """Whole."""
    RED = "red"
    """Of dashes."""
    YELLOW = "yellow"
    """Of dots."""
    BLUE = "blue"
    """Double."""


@dataclass(frozen=True, slots=True)
class Circle:
    """A square that is circled on a chess board."""

    place: int
    """By its place in :attr:`ChessScene.pieces`."""
    stroke: Stroke | None = None
    """Which of several kinds it is; None where there is one."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A move that is pointed out on a chess board."""

    start: int
    """The square it starts from, by its place in :attr:`ChessScene.pieces`."""
    end: int
    """The square it points to."""
    best: bool = False
    """Whether it is the move that is proposed, and stands out from everything else on the board."""
    stroke: Stroke | None = None
    """Which of several kinds it is; None where there is one."""
    label: str = ""
    """A short text, such as a number, on a tag in its middle; empty for none."""


@dataclass(frozen=True, slots=True)
class ChessScene:
    """A chess board with its panel."""

    pieces: tuple[Piece | None, ...]
    """64 squares as White sees them: a8, b8, … h1."""
    flipped: bool = False
    """Whether Black sits below."""
    last: tuple[int, ...] = ()
    """The squares of the last move, by their place in ``pieces``."""
    check: int | None = None
    """The square of a king in check."""
    players: tuple[PlayerRow, ...] = ()
    sections: tuple[Section, ...] = ()
    layout: Layout = Layout.TALL
    theme: str = "light"
    cell: int | None = None
    """Pixels of a square's side; None lets the metrics choose."""
    arrows: tuple[Arrow, ...] = ()
    """Drawn over the pieces, later over earlier; at most :data:`MAX_ARROWS`."""
    circles: tuple[Circle, ...] = ()
    """At most one around a square: the last."""
    coordinates: bool = True
    """Whether files and ranks are labelled."""
    caption: str = ""
    """One line below the whole picture; empty for none."""
    carried: str = ""
    """What a picture of this alone says to programs, never more than it shows; empty for nothing."""

    def __post_init__(self) -> None:
        if len(self.pieces) != 64:
            raise ValueError(f"a chess board has 64 squares, not {len(self.pieces)}")
        if len(self.arrows) > MAX_ARROWS:
            raise ValueError(
                f"{len(self.arrows)} arrows are too many: a chess board has room for {MAX_ARROWS}"
            )
        ends = [place for arrow in self.arrows for place in (arrow.start, arrow.end)]
        ends += [circle.place for circle in self.circles]
        for place in (*self.last, *(() if self.check is None else (self.check,)), *ends):
            if not 0 <= place < 64:
                raise ValueError(f"a chess board has no square {place}")
        for arrow in self.arrows:
            if arrow.start == arrow.end:
                raise ValueError(f"an arrow needs two squares, not square {arrow.start} twice")
