"""Scenes: immutable objects that contain everything to be drawn, with texts in the reader's language.

Identical scenes produce identical bytes, so a scene can serve as a cache key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from render import theme

Layout = theme.Layout


class SquareKind(Enum):
    """The kinds of squares."""

    PLAIN = "plain"
    LETTER_2 = "letter-2"
    LETTER_3 = "letter-3"
    LETTER_4 = "letter-4"
    WORD_2 = "word-2"
    WORD_3 = "word-3"
    WORD_4 = "word-4"
    MISSING = "missing"
    """A hole in the board."""


@dataclass(frozen=True, slots=True)
class Square:
    """A square of a board without the tile on it."""

    kind: SquareKind = SquareKind.PLAIN
    label: str = ""
    """Short text printed on the empty square, such as ``2L``, or empty for none."""
    is_start: bool = False
    """Whether the empty square shows a star instead of its label."""


@dataclass(frozen=True, slots=True)
class TileFace:
    """The front of a tile."""

    text: str
    """The letter or letters, as printed (``A``, ``CH``, ``L·L``), or empty for an unassigned blank."""
    points: int | None = None
    """The points printed in the corner; None prints nothing."""
    is_blank: bool = False

    def __hash__(self) -> int:
        # This hash must be cheap, because it is computed for every tile of every picture. Few different faces have the same text.
        return hash(self.text)


class Mark(Enum):
    """The ways a tile can be marked. No mark relies on colour alone."""

    NONE = "none"
    LAST = "last"
    """Placed by the last play."""
    GHOST = "ghost"
    """Part of a proposed play, which is not on the board yet."""
    GHOST_2 = "ghost-2"
    """Part of the second proposed play. Further plays use the next marks."""
    GHOST_3 = "ghost-3"
    GHOST_4 = "ghost-4"
    GHOST_5 = "ghost-5"
    GHOST_6 = "ghost-6"
    PHONY = "phony"
    """Part of a word that is not in the lexicon."""
    CROSS = "cross"
    """Part of a cross-word that a proposed play forms."""

    # Every tile's cache key contains a mark, and the hash of an ``Enum`` is slower.
    __hash__ = object.__hash__


GHOSTS = (Mark.GHOST, Mark.GHOST_2, Mark.GHOST_3, Mark.GHOST_4, Mark.GHOST_5, Mark.GHOST_6)
"""The marks of several proposed plays on one board, each with its own tint."""


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
    """The score, such as ``335`` or ``-10``, or empty if it is unknown."""
    to_move: bool = False
    note: str = ""
    """Short text below or after the name: ``to move``, a clock, ``won``."""
    rack: tuple[TileFace, ...] | None = None
    """The tiles on the rack, or None if the rack is unknown or hidden."""
    rack_note: str = ""
    """Text instead of the rack, or after a partial rack or the captured pieces: ``rack hidden``, ``+3 unknown``."""
    captured: tuple[Piece, ...] = ()
    """The chess pieces this player has captured, shown instead of a rack."""
    can_drop_captured: bool = False
    """Whether the captured pieces can be dropped on the board. If so, they are drawn larger."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled block of words in the panel."""

    title: str
    words: tuple[str, ...]
    is_strong: bool = True
    """Whether the words are large and in the main text colour, rather than smaller and muted."""


@dataclass(frozen=True, slots=True)
class Badge:
    """Small text over a corner of a square, or near a word (such as its score or the label of a play)."""

    row: int
    column: int
    text: str
    word_end: tuple[int, int] | None = None
    """For text near a word: the row and column of the word's last square. ``row`` and ``column`` are those of its first square. None for
    text over a corner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PositionScene:
    """A board of any game with its panel."""

    players: tuple[PlayerRow, ...] = ()
    sections: tuple[Section, ...] = ()
    layout: Layout = Layout.TALL
    theme: str = "light"
    cell_size: int | None = None
    """Pixels from one square to the next, or None for the size that suits the board."""
    coordinates: bool = True
    """Whether the rows and columns, or the files and ranks, are labelled."""
    embedded_text: str = ""
    """Machine-readable text in the file, or empty. It must not describe anything that the picture does not show."""


@dataclass(frozen=True, slots=True)
class BoardScene(_PositionScene):
    """A crossword board with its panel."""

    rows: int
    columns: int
    squares: tuple[Square, ...]
    """Squares in row-major order. ``tiles`` and ``marks`` have the same order and length."""
    tiles: tuple[TileFace | None, ...]
    marks: tuple[Mark, ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    badges: tuple[Badge, ...] = ()
    doubtful_squares: tuple[int, ...] = ()
    """Indexes of squares that may have been read wrongly. They get brackets at their corners."""

    def crop(self, row: int, column: int, rows: int, columns: int) -> BoardScene:
        """Return ``rows`` × ``columns`` squares from ``row`` and ``column``. The board must have no badges or doubtful squares."""
        indexes = [
            square_row * self.columns + square_column
            for square_row in range(row, row + rows)
            for square_column in range(column, column + columns)
        ]
        return replace(
            self,
            rows=rows,
            columns=columns,
            squares=tuple(self.squares[index] for index in indexes),
            tiles=tuple(self.tiles[index] for index in indexes),
            marks=tuple(self.marks[index] for index in indexes),
            row_labels=self.row_labels[row : row + rows],
            column_labels=self.column_labels[column : column + columns],
        )


MAX_ARROWS = 32
"""Maximum number of arrows on one chessboard. More would be unreadable."""


class Stroke(Enum):
    """Kinds of arrows and circles. For colour-blind people, each has its own line style."""

    GREEN = "green"
    """Solid."""
    RED = "red"
    """Dashed."""
    YELLOW = "yellow"
    """Dotted."""
    BLUE = "blue"
    """Double: two lines with a gap between them."""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around a square of a chessboard."""

    square: int
    """Index in :attr:`ChessScene.pieces`."""
    stroke: Stroke | None = None
    """Style of the line; None on boards where all lines have the same style."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one square of a chessboard to another."""

    start: int
    """Index in :attr:`ChessScene.pieces` of the square at which the arrow starts."""
    end: int
    """Index of a different square, to which the arrow points."""
    is_proposed: bool = False
    """Whether the arrow shows a proposed move. If so, the arrow is thicker than the others and has its own colour."""
    stroke: Stroke | None = None
    """Style of the line; None on boards where all lines have the same style."""
    label: str = ""
    """Short text, such as a number, on a tag near the arrow's middle, or empty for none."""


@dataclass(frozen=True, slots=True)
class ChessScene(_PositionScene):
    """A chessboard with its panel."""

    pieces: tuple[Piece | None, ...]
    """The pieces on the 64 squares, from White's point of view: a8, b8, … h1."""
    flipped: bool = False
    """Whether Black is at the bottom."""
    last_move: tuple[int, ...] = ()
    """The squares of the last move, as indexes in ``pieces``."""
    king_in_check: int | None = None
    """Index in ``pieces``."""
    arrows: tuple[Arrow, ...] = ()
    """At most :data:`MAX_ARROWS` arrows. Later arrows cover earlier arrows."""
    circles: tuple[Circle, ...] = ()
    """The circles. Only the last of several circles around the same square is drawn."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    name: str
    values: tuple[int, ...]
    """The value before the first turn, followed by the value after each turn."""


@dataclass(frozen=True, slots=True)
class ChartScene:
    """A chart of values over turns."""

    title: str
    series: tuple[Series, ...]
    theme: str = "light"
    width: int = 900
    height: int = 500
    """Size of the whole picture in pixels."""
    span: tuple[int, int] | None = None
    """Minimum range of the vertical axis, such as 0 to 100. If None, the axis covers only the values and the base."""
    base: int = 0
    """The value with the thick grid line: 0 for scores, 50 for win chances."""
    unit: str = ""
    """Text after every value, such as `` %``."""
    side_names: tuple[str, str] | None = None
    """Names of the areas above and below the base, such as the name of the player who is ahead. If set, the areas between the base and the
    first line are filled. With base 0, positive values then have a plus sign."""
    stars: tuple[int, ...] = ()
    """Turns with a star on the first line, such as bingos."""
    star_name: str = ""
    axis_names: tuple[str, str] = ("", "")
    """Names of the vertical and the horizontal axis."""
    marks: tuple[tuple[int, int], ...] = ()
    """Marks on the first line, each with its turn and its kind (0 disc, 1 diamond, 2 triangle)."""
    mark_names: tuple[str, ...] = ()
    """Names of the kinds of marks, for the legend."""
    bars: tuple[int, ...] = ()
    """Values shown as bars at the bottom, one per turn, such as the scores of the plays."""
    first_number: int = 0
    """The first number on the horizontal axis."""
    divider: tuple[int, str] | None = None
    """The turn of a vertical line (such as the turn that emptied the bag), and the text beside the line."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of a replay."""

    scene: BoardScene | ChessScene
    delay: int
    """Milliseconds for which the scene is shown, rounded down to a multiple of 10."""


@dataclass(frozen=True, slots=True)
class ReplayScene:
    """Scenes in sequence. All have the same type, layout, theme, board size and ``cell_size``."""

    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class MosaicPart:
    """One of the pictures in a mosaic."""

    scene: BoardScene | ChessScene | ChartScene
    """The picture, which is drawn in the mosaic's theme and without a panel."""
    title: str = ""
    """One line of text above the picture."""


@dataclass(frozen=True, slots=True)
class MosaicScene:
    """Several pictures in one, with the players at the top."""

    rows: tuple[tuple[MosaicPart, ...], ...]
    """Rows from top to bottom, none of them empty. The parts of a row share its width."""
    players: tuple[PlayerRow, ...] = ()
    layout: Layout = Layout.TALL
    """In the wide layout, the first row is on the left, and the other rows are on the right."""
    theme: str = "light"
    has_equal_widths: bool = False
    """Whether all parts are as wide as those in the row with the most parts. This has no effect in the wide layout."""


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """A finished picture."""

    data: bytes
    width: int
    height: int
    mime: str = "image/png"
    cell_size: int = 0
    """In a replay, the pixels from one square to the next."""
    normal_cell_size: int = 0
    """In a replay, the value that ``cell_size`` would have without a size limit."""
    frame_count: int = 0
    """Number of frames in a replay, or 0 for a still picture."""


def evenly_spaced_indexes(count: int, max_count: int) -> list[int]:
    """Return at most ``max_count`` evenly spaced numbers from 0 to ``count - 1``, including the first and the last."""
    if count <= max_count:
        return list(range(count))
    return [number * (count - 1) // (max_count - 1) for number in range(max_count)]
