"""What can be drawn: plain frozen values, complete in themselves.

A scene holds finished texts (already in the reader's language) and finished faces. Equal scenes give equal
bytes, so a scene is also a cache key. The maker of a scene knows the rules of a game; nothing here does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum


class SquareKind(Enum):
    """How a square is coloured: its hue distinguishes letter from word, its lightness shows the multiplier."""

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
    """Whether the start sign (a star) is drawn on the empty square."""


@dataclass(frozen=True, slots=True)
class TileFace:
    """The front of one tile: on the board, or on a rack."""

    text: str
    """The letter or letters, as printed (``A``, ``CH``, ``L·L``); empty for an unassigned blank."""
    points: int | None = None
    """The points printed in the corner; None prints nothing."""
    blank: bool = False
    """Whether the tile is a blank (drawn so that it cannot be mistaken for a lettered tile)."""

    def __hash__(self) -> int:
        # Asked for every tile of every picture; few faces have the same text and are not equal.
        return hash(self.text)


class Mark(Enum):
    """How a tile stands out from the others. Never by colour alone."""

    NONE = "none"
    LAST = "last"
    """Laid down by the last play."""
    GHOST = "ghost"
    """Proposed, not on the board."""
    PHONY = "phony"
    """Part of a word that is not in the lexicon."""
    CROSS = "cross"
    """Part of another word that the play makes."""

    __hash__ = object.__hash__  # Part of every tile's key; a member's name takes longer to hash.


@dataclass(frozen=True, slots=True)
class Grid:
    """A board: ``rows`` × ``columns`` squares in row-major order, with tiles and marks parallel to them."""

    rows: int
    columns: int
    squares: tuple[Square, ...]
    tiles: tuple[TileFace | None, ...]
    marks: tuple[Mark, ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]

    def part(self, row: int, column: int, rows: int, columns: int) -> Grid:
        """Return a part of the board, by its first row and column and its size."""
        places = [
            place * self.columns + other
            for place in range(row, row + rows)
            for other in range(column, column + columns)
        ]
        return Grid(
            rows,
            columns,
            tuple(self.squares[place] for place in places),
            tuple(self.tiles[place] for place in places),
            tuple(self.marks[place] for place in places),
            self.row_labels[row : row + rows],
            self.column_labels[column : column + columns],
        )

    def __post_init__(self) -> None:
        size = self.rows * self.columns
        if not len(self.squares) == len(self.tiles) == len(self.marks) == size:
            raise ValueError(f"a grid of {self.rows} × {self.columns} needs {size} squares, tiles and marks")
        if len(self.row_labels) != self.rows or len(self.column_labels) != self.columns:
            raise ValueError("a grid needs one label for each row and each column")


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
    taken: tuple[Piece, ...] = ()
    """The chess pieces this player has captured, for a player without a rack; the note stands after them, too."""
    in_hand: bool = False
    """Whether they may be put on the board again, and are larger: they are a part of the position."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled block of the panel: unbreakable words, wrapped to the panel's width."""

    title: str
    words: tuple[str, ...]
    strong: bool = True
    """Whether the words are set in the panel's main ink (True) or its quiet one (False)."""


class Layout(Enum):
    """Where the panel stands."""

    WIDE = "wide"
    """Panel to the right of the board: for screens wider than tall."""
    TALL = "tall"
    """Scores above the board, racks and the rest below it: for telephones."""
    BOARD = "board"
    """No panel."""


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


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    name: str
    values: tuple[int, ...]
    """The value before the first turn, then the one after each turn."""


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
    """Lowest and highest value of the axis, such as 0 and 100; None for what the values need and 0."""
    base: int = 0
    """The value whose line across is drawn thicker: 0 for scores, 50 for chances."""
    unit: str = ""
    """Follows every value: `` %``."""
    sides: tuple[str, str] | None = None
    """Fills what lies between the first line and the base, and names what is above and what is below: who is ahead.
    Values have signs then."""
    stars: tuple[int, ...] = ()
    """Turns with a star on the first line, such as bingos."""
    star: str = ""
    """What a star means."""
    axes: tuple[str, str] = ("", "")
    """What the values stand for, and what they are counted over."""
    marks: tuple[tuple[int, int], ...] = ()
    """Turns that are pointed out on the first line, each with its kind from 0: disc, diamond, triangle."""
    mark_names: tuple[str, ...] = ()
    """What the kinds mean, in their order."""
    bars: tuple[int, ...] = ()
    """Bars at the foot, one for each turn from the first on, such as what a play scored."""
    first: int = 0
    """The number of the first value below the axis: 0 for a start before the first turn."""
    bound: tuple[int, str] | None = None
    """A turn with a line from top to bottom, such as the one that emptied the bag, and what it means."""


TURN_DELAY = 1500
"""Milliseconds a turn of a replay stands by default."""


END_DELAY = 5000
"""Milliseconds the last turn stands, so that the outcome can be read before the replay starts again."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of a replay."""

    scene: BoardScene | ChessScene
    delay: int = TURN_DELAY
    """Milliseconds it stands, in steps of 10."""


@dataclass(frozen=True, slots=True)
class ReplayScene:
    """Scenes shown one after the other; they share kind, layout, theme, size of board and of squares."""

    frames: tuple[Frame, ...]
    repeat: bool = True
    """Whether it starts again after the last frame."""


def replay_of(scenes: Iterable[BoardScene | ChessScene], delay: int = TURN_DELAY) -> ReplayScene:
    """Return a replay that shows each scene equally long and rests at the last one."""
    frames = [Frame(scene, delay) for scene in scenes]
    return ReplayScene((*frames[:-1], *(replace(last, delay=max(delay, END_DELAY)) for last in frames[-1:])))


@dataclass(frozen=True, slots=True)
class Part:
    """One of several pictures in one."""

    scene: BoardScene | ChessScene | ChartScene
    """Of a board, only the board is drawn: what would stand in its panel is the title's to say. Its theme is that of
    the whole."""
    title: str = ""
    """One line above it."""


@dataclass(frozen=True, slots=True)
class MosaicScene:
    """Several pictures in one, under a title and the players: a finished game, or positions that came together."""

    rows: tuple[tuple[Part, ...], ...]
    """What stands below each other; those of one row share its width."""
    title: str = ""
    """One large line above everything."""
    players: tuple[PlayerRow, ...] = ()
    layout: Layout = Layout.TALL
    """Wide: the first row at the left, everything else at its right."""
    theme: str = "light"
    even: bool = False
    """Whether all are as wide as those of the fullest row, and the others leave room."""

    def __post_init__(self) -> None:
        if not self.rows or not all(self.rows):
            raise ValueError("several pictures in one need at least one picture in every row")


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """A finished picture; of a replay, also what it took to keep it as small as it had to be."""

    data: bytes
    width: int
    height: int
    mime: str = "image/png"
    cell: int = 0
    """Of a replay: pixels from one square to the next."""
    full_cell: int = 0
    """What ``cell`` would be without a limit of bytes."""
    frames: int = 0
    """Frames of a replay that it shows; 0 for a still picture."""
    left_out: int = 0
    """Frames of the scene that it does not show: evenly spread, never the first or the last."""
