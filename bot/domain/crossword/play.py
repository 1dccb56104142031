"""Plays and turns, and the coordinates they are written with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

THROUGH = 0
"""Stands, in a placement, for a tile that was on the board already."""


class Direction(Enum):
    """Which way a word runs."""

    ACROSS = "across"
    DOWN = "down"

    @property
    def crossing(self) -> Direction:
        """The other direction."""
        return Direction.DOWN if self is Direction.ACROSS else Direction.ACROSS


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A square, from 0, and the direction of a word that starts there.

    Written the field's way: row number first for a word across (``8D``), column letter first for one down
    (``D8``). Columns past Z go on as AA, AB, …
    """

    row: int
    column: int
    direction: Direction

    @property
    def mirrored(self) -> Coordinate:
        """The coordinate on a board whose rows are the columns of this one."""
        return Coordinate(self.column, self.row, self.direction.crossing)

    def __str__(self) -> str:
        row, column = str(self.row + 1), column_name(self.column)
        return row + column if self.direction is Direction.ACROSS else column + row


class Placement(NamedTuple):
    """Tiles laid in a line from ``start``.

    ``tiles`` holds n for tile n, -n for a blank standing for it, and ``THROUGH`` where a tile lay already.
    """

    start: Coordinate
    tiles: tuple[int, ...]

    def squares(self) -> tuple[tuple[int, int], ...]:
        """Return the row and column of each square of the word, the through tiles included."""
        row, column = self.start.row, self.start.column
        if self.start.direction is Direction.ACROSS:
            return tuple((row, column + step) for step in range(len(self.tiles)))
        return tuple((row + step, column) for step in range(len(self.tiles)))


@dataclass(frozen=True, slots=True)
class Exchange:
    """Tiles exchanged for others from the bag: the known tiles, and the number of the others."""

    tiles: tuple[int, ...] = ()
    unknown: int = 0

    @property
    def count(self) -> int:
        """Number of tiles exchanged."""
        return len(self.tiles) + self.unknown


@dataclass(frozen=True, slots=True)
class Pass:
    """A turn without a play; also what a failed challenge costs under the double rule."""


Play: TypeAlias = Placement | Pass | Exchange


def tiles_laid(play: Play) -> frozenset[tuple[int, int, int]]:
    """Return row, column and tile of each tile that a play lays down: the same for two ways of writing one play."""
    if not isinstance(play, Placement):
        return frozenset()
    laid = zip(play.squares(), play.tiles, strict=True)
    return frozenset((row, column, tile) for (row, column), tile in laid if tile != THROUGH)


_ACROSS_COORDINATE = re.compile(r"([1-9][0-9]?)([A-Za-z]{1,2})")
_DOWN = re.compile(r"([A-Za-z]{1,2})([1-9][0-9]?)")


def read_coordinate(text: str) -> Coordinate | None:
    """Read ``8D``, ``d8`` or ``21AA``; None if it is not a coordinate."""
    if match := _ACROSS_COORDINATE.fullmatch(text):
        return Coordinate(int(match[1]) - 1, column_number(match[2]), Direction.ACROSS)
    if match := _DOWN.fullmatch(text):
        return Coordinate(int(match[2]) - 1, column_number(match[1]), Direction.DOWN)
    return None


@cache
def column_name(column: int) -> str:
    """Name a column, from 0: A to Z, then AA, AB and so on."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def column_number(name: str) -> int:
    """Return the column, from 0, of a name in either case."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


# One turn of a game, and what goes with it: notes, comments, racks that were shown.


class TurnKind(Enum):
    """The kinds of turns, in the terms of GCG's event lines."""

    PLAY = "play"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    PHONY_WITHDRAWN = "phony-withdrawn"
    """The player's placement right before was challenged off; its tiles went back to the rack."""
    CHALLENGE_BONUS = "challenge-bonus"
    """The player's placement right before was challenged and stood."""
    END_RACK_POINTS = "end-rack-points"
    """The player won points for the tiles left on other racks."""
    END_RACK_PENALTY = "end-rack-penalty"
    """The player lost points for the tiles left on the rack."""
    TIME_PENALTY = "time-penalty"
    """The player lost points for overtime."""


_PLAY_TYPE: dict[TurnKind, type[Placement] | type[Exchange] | type[Pass]] = {
    TurnKind.PLAY: Placement,
    TurnKind.EXCHANGE: Exchange,
    TurnKind.PASS: Pass,
}

ORDINARY = frozenset(_PLAY_TYPE)
"""The kinds of turn after which the next player moves; the others are outcomes of challenges or of the game."""


@dataclass(frozen=True, slots=True)
class PlayerName:
    """A player: a short name without spaces, and the full name."""

    nick: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its author and date, as GCG's ``#comment`` gives them; each may be empty."""

    text: str = ""
    author: str = ""
    date: str = ""
    """The date as written; ISO by the format."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One event of a game. ``player`` is a seat, from 0."""

    player: int
    kind: TurnKind
    rack: tuple[int, ...] = ()
    """The known tiles on the player's rack before the play; after it for a challenge bonus. Empty when not shown."""
    rack_unknown: int = 0
    """Number of tiles on the rack that ``rack`` does not show, if they were counted."""
    play: Play | None = None
    """The play of the ordinary kinds; None for the others."""
    tiles: tuple[int, ...] = ()
    """The tiles counted, for the two end-of-game kinds."""
    score: int = 0
    """Points won, below zero when lost, as stated."""
    cumulative: int = 0
    """The player's score after the turn, as stated."""
    note: str = ""
    """Remarks on the turn; several are on lines of their own."""
    comments: tuple[Comment, ...] = ()
    line: int = field(default=0, compare=False)
    """Line of the text that holds the turn, from 1; 0 when there is none."""

    def __post_init__(self) -> None:
        expected = _PLAY_TYPE.get(self.kind, type(None))
        if not isinstance(self.play, expected):
            raise TypeError(f"a turn of kind {self.kind.value} has no {type(self.play).__name__}")


@dataclass(frozen=True, slots=True)
class ShownRack:
    """A rack that was shown at a moment: GCG's ``#rack1``, ``#rack2`` and so on."""

    after: int
    """Number of turns taken before."""
    player: int
    tiles: tuple[int, ...] = ()
    unknown: int = 0
    """Number of further tiles that are not named."""
