"""Scenes: plain frozen values that hold everything that is drawn.

A scene holds finished texts, already in the reader's language, and finished faces. Equal scenes give equal bytes, so a
scene is also a cache key. The code that makes a scene knows the rules of the game; this module does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from render import theme

Layout = theme.Layout


class SquareKind(Enum):
    """A square's colour: the hue distinguishes letter from word, the lightness shows the multiplier."""

    PLAIN = "plain"
    LETTER_2 = "letter-2"
    LETTER_3 = "letter-3"
    LETTER_4 = "letter-4"
    WORD_2 = "word-2"
    WORD_3 = "word-3"
    WORD_4 = "word-4"
    MISSING = "missing"
    """No square at all: a hole in the board."""


@dataclass(frozen=True, slots=True)
class Square:
    """One square of a board without the tile on it."""

    kind: SquareKind = SquareKind.PLAIN
    label: str = ""
    """Short text printed on the empty square, such as ``2L``; empty for none."""
    start: bool = False
    """Whether a star, the sign of the start, is on the empty square."""


@dataclass(frozen=True, slots=True)
class TileFace:
    """The front of a tile, on the board or on a rack."""

    text: str
    """The letter or letters, as printed (``A``, ``CH``, ``L·L``); empty for an unassigned blank."""
    points: int | None = None
    """The points printed in the corner; None prints nothing."""
    blank: bool = False
    """Whether the tile is a blank, which looks unlike every lettered tile."""

    def __hash__(self) -> int:
        # Asked for every tile of every picture; few faces have the same text and are not equal.
        return hash(self.text)


class Mark(Enum):
    """The ways a tile stands out from the others, never by colour alone."""

    NONE = "none"
    LAST = "last"
    """Placed by the last play."""
    GHOST = "ghost"
    """Proposed, not on the board."""
    GHOST_2 = "ghost-2"
    """The second of several proposed plays; further plays have the marks after it."""
    GHOST_3 = "ghost-3"
    GHOST_4 = "ghost-4"
    GHOST_5 = "ghost-5"
    GHOST_6 = "ghost-6"
    PHONY = "phony"
    """Part of a word that is not in the lexicon."""
    CROSS = "cross"
    """Part of a cross-word of the play."""

    __hash__ = object.__hash__  # Part of every tile's key; a member's name takes longer to hash.


GHOSTS = (Mark.GHOST, Mark.GHOST_2, Mark.GHOST_3, Mark.GHOST_4, Mark.GHOST_5, Mark.GHOST_6)
"""The marks of several proposed plays on one board, each in a tint of its own."""


class PieceKind(Enum):
    """The six kinds of chess pieces."""

    KING = "K"
    QUEEN = "Q"
    ROOK = "R"
    BISHOP = "B"
    KNIGHT = "N"
    PAWN = "P"


@dataclass(frozen=True, slots=True)
class Piece:
    """A chess piece."""

    kind: PieceKind
    white: bool


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player in the panel."""

    name: str
    score: str
    """The score as text, such as ``335`` or ``-10``; empty when unknown."""
    to_move: bool = False
    note: str = ""
    """A short text beside the score: ``to move``, a clock, ``won``."""
    rack: tuple[TileFace, ...] | None = None
    """The tiles shown for this player; None when the rack is unknown or hidden."""
    rack_note: str = ""
    """Shown in the rack's place, or after a partial rack: ``rack hidden``, ``+3 unknown``."""
    captured: tuple[Piece, ...] = ()
    """The chess pieces this player has captured, instead of a rack; the note also follows these."""
    in_hand: bool = False
    """Whether the captured pieces can be dropped on the board. They are part of the position then, and larger."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled block of the panel: unbreakable words, wrapped to the panel's width."""

    title: str
    words: tuple[str, ...]
    strong: bool = True
    """Whether the words are set in the panel's main ink (True) or its quiet one (False)."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A small text, such as the number of a proposed play, over a corner of a square."""

    row: int
    """Row from 0, downwards."""
    column: int
    """Column from 0, to the right."""
    text: str
    end: tuple[int, int] | None = None
    """Row and column of the last square of the word that begins at the badge's square, for the score of a play.

    A score is always large enough to read, and beside the word where it hides the least. Any other badge is cut to the
    width of its square, in the upper left corner.
    """


@dataclass(frozen=True, slots=True)
class BoardScene:
    """A crossword board with its panel."""

    rows: int
    columns: int
    squares: tuple[Square, ...]
    """``rows`` × ``columns`` squares in row-major order; tiles and marks are parallel to them."""
    tiles: tuple[TileFace | None, ...]
    marks: tuple[Mark, ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    players: tuple[PlayerRow, ...] = ()
    sections: tuple[Section, ...] = ()
    layout: Layout = Layout.TALL
    theme: str = "light"
    cell: int | None = None
    """Pixels from one square to the next; None for the size that suits the board."""
    badges: tuple[Badge, ...] = ()
    heat: tuple[float, ...] = ()
    """A value from 0 (not drawn) to 1 for each square, drawn on empty squares; empty for no overlay."""
    coordinates: bool = True
    """Whether the labels are drawn."""
    carried: str = ""
    """The text for programs in a picture of this scene alone. Never more than the picture shows; empty for none."""
    doubts: tuple[int, ...] = ()
    """Places of squares that may be wrong, drawn with brackets at their corners."""

    def part(self, row: int, column: int, rows: int, columns: int) -> BoardScene:
        """Return a part of a board without overlays, by its first row and column and its size."""
        indices = [
            index * self.columns + other
            for index in range(row, row + rows)
            for other in range(column, column + columns)
        ]
        return replace(
            self,
            rows=rows,
            columns=columns,
            squares=tuple(self.squares[index] for index in indices),
            tiles=tuple(self.tiles[index] for index in indices),
            marks=tuple(self.marks[index] for index in indices),
            row_labels=self.row_labels[row : row + rows],
            column_labels=self.column_labels[column : column + columns],
        )


MAX_ARROWS = 32
"""Maximum number of arrows on one chess board; more would be unreadable."""


class Stroke(Enum):
    """Kinds of arrows and circles. Each has a colour, and a line of its own for colour-blind readers."""

    GREEN = "green"
    """Whole."""
    RED = "red"
    """Dashed."""
    YELLOW = "yellow"
    """Dotted."""
    BLUE = "blue"
    """Double: hollow within its outline."""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around a square of a chess board."""

    square: int
    """The square's place in :attr:`ChessScene.pieces`."""
    stroke: Stroke | None = None
    """Style of the line; None if there is only one."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow for a move on a chess board."""

    start: int
    """Place of the first square in :attr:`ChessScene.pieces`."""
    end: int
    """Place of the square it points to, another one."""
    best: bool = False
    """Whether it is the proposed move, which stands out from everything else on the board."""
    stroke: Stroke | None = None
    """Style of the line; None if there is only one."""
    label: str = ""
    """A short text, such as a number, on a tag at its middle; empty for none."""


@dataclass(frozen=True, slots=True)
class ChessScene:
    """A chess board with its panel."""

    pieces: tuple[Piece | None, ...]
    """64 squares as White sees them: a8, b8, … h1."""
    flipped: bool = False
    """Whether Black sits below."""
    last: tuple[int, ...] = ()
    """Places in ``pieces`` of the squares of the last move."""
    check: int | None = None
    """Place of a king in check."""
    players: tuple[PlayerRow, ...] = ()
    sections: tuple[Section, ...] = ()
    layout: Layout = Layout.TALL
    theme: str = "light"
    cell: int | None = None
    """Pixels of a square's side; None for the usual size."""
    arrows: tuple[Arrow, ...] = ()
    """Drawn over the pieces, later over earlier; at most :data:`MAX_ARROWS`."""
    circles: tuple[Circle, ...] = ()
    """Around one square, only the last is drawn."""
    coordinates: bool = True
    """Whether files and ranks are labelled."""
    carried: str = ""
    """The text for programs in a picture of this scene alone. Never more than the picture shows; empty for none."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    name: str
    values: tuple[int, ...]
    """The value before the first turn, then the value after each turn."""


@dataclass(frozen=True, slots=True)
class ChartScene:
    """Lines over turns: cumulative scores, a spread, or chances to win in per cent."""

    title: str
    series: tuple[Series, ...]
    theme: str = "light"
    width: int = 900
    height: int = 500
    """Size of the whole picture in pixels."""
    span: tuple[int, int] | None = None
    """Minimum and maximum value of the axis, such as 0 and 100; None for a span that holds the values and 0."""
    base: int = 0
    """The value with the thicker line across: 0 for scores, 50 for chances."""
    unit: str = ""
    """Follows every value, such as `` %``."""
    sides: tuple[str, str] | None = None
    """Names of the areas above and below the base, such as the player ahead. They are filled up to the first line, and
    values have signs."""
    stars: tuple[int, ...] = ()
    """Turns with a star on the first line, such as bingos."""
    star: str = ""
    """The meaning of a star."""
    axes: tuple[str, str] = ("", "")
    """Names of the vertical and the horizontal axis."""
    marks: tuple[tuple[int, int], ...] = ()
    """Marks on the first line: a turn, and a kind from 0 (disc, diamond, triangle)."""
    mark_names: tuple[str, ...] = ()
    """The meaning of each kind of mark."""
    bars: tuple[int, ...] = ()
    """Bars at the foot, one for each turn, such as the score of its play."""
    first: int = 0
    """The first number below the axis: 0 for values that start before the first turn."""
    bound: tuple[int, str] | None = None
    """A turn with a vertical line, such as the turn that emptied the bag, and the meaning of the line."""


TURN_DELAY = 1500
"""Milliseconds of a turn in a replay by default."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of a replay."""

    scene: BoardScene | ChessScene
    delay: int = TURN_DELAY
    """Milliseconds, in steps of 10."""


@dataclass(frozen=True, slots=True)
class ReplayScene:
    """Scenes shown in turn, all of one kind, layout, theme, and size of board and squares."""

    frames: tuple[Frame, ...]
    repeat: bool = True
    """Whether it starts again after the last frame."""


@dataclass(frozen=True, slots=True)
class Part:
    """A picture of a mosaic."""

    scene: BoardScene | ChessScene | ChartScene
    """Drawn in the mosaic's theme. Of a board, the panel is left out; the title replaces it."""
    title: str = ""
    """One line above it."""


@dataclass(frozen=True, slots=True)
class MosaicScene:
    """Several pictures in one, under the players: a finished game, or positions that came together."""

    rows: tuple[tuple[Part, ...], ...]
    """Rows from top to bottom, none of them empty; the parts of a row share its width."""
    players: tuple[PlayerRow, ...] = ()
    layout: Layout = Layout.TALL
    """Wide: the first row at the left, the other rows at its right."""
    theme: str = "light"
    even: bool = False
    """Whether all parts have the width of those in the fullest row."""


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """A finished picture; of a replay, also how it was reduced to fit a limit of bytes."""

    data: bytes
    width: int
    height: int
    mime: str = "image/png"
    cell: int = 0
    """Pixels from one square to the next, in a replay."""
    full_cell: int = 0
    """The value of ``cell`` without a limit."""
    frames: int = 0
    """Frames that the replay shows; 0 for a still picture."""
    left_out: int = 0
    """Frames of the scene that the replay leaves out: evenly spread, never the first or the last."""
