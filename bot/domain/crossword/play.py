"""Plays, turns and coordinates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

THROUGH = 0
"""Marks a square of a placement that already had a tile."""


class Direction(Enum):
    """The direction of a word."""

    ACROSS = "across"
    DOWN = "down"

    @property
    def crossing(self) -> Direction:
        return Direction.DOWN if self is Direction.ACROSS else Direction.ACROSS


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A square and the direction of a word that starts there. Rows and columns are counted from 0.

    In text, ``8D`` is across and ``D8`` is down.
    """

    row: int
    column: int
    direction: Direction

    @property
    def transposed(self) -> Coordinate:
        return Coordinate(self.column, self.row, self.direction.crossing)

    def __str__(self) -> str:
        row, column = str(self.row + 1), column_name(self.column)
        return row + column if self.direction is Direction.ACROSS else column + row


class Placement(NamedTuple):
    """Tiles laid in a line from ``start``: machine letters (negative for blanks) or ``THROUGH``."""

    start: Coordinate
    tiles: tuple[int, ...]

    def squares(self) -> tuple[tuple[int, int], ...]:
        """Return the (row, column) of each square of the word."""
        row, column = self.start.row, self.start.column
        if self.start.direction is Direction.ACROSS:
            return tuple((row, column + step) for step in range(len(self.tiles)))
        return tuple((row + step, column) for step in range(len(self.tiles)))


class Exchange(NamedTuple):
    """An exchange of tiles."""

    tiles: tuple[int, ...] = ()
    unknown_count: int = 0
    """Number of exchanged tiles that are not in ``tiles``."""

    @property
    def size(self) -> int:
        return len(self.tiles) + self.unknown_count


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass, or a turn lost to an unsuccessful challenge under the ``double`` rule."""


Play: TypeAlias = Placement | Pass | Exchange


def tiles_laid(play: Play) -> frozenset[tuple[int, int, int]]:
    """Return the (row, column, tile) of each tile that a play lays down."""
    if not isinstance(play, Placement):
        return frozenset()
    return frozenset(
        (row, column, tile)
        for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
        if tile != THROUGH
    )


_ACROSS_COORDINATE = re.compile(r"([1-9][0-9]?)([A-Za-z]{1,2})")
_DOWN_COORDINATE = re.compile(r"([A-Za-z]{1,2})([1-9][0-9]?)")


def read_coordinate(text: str) -> Coordinate | None:
    """Read a coordinate such as ``8D``, ``d8`` or ``21AA``."""
    if match := _ACROSS_COORDINATE.fullmatch(text):
        return Coordinate(int(match[1]) - 1, column_number(match[2]), Direction.ACROSS)
    if match := _DOWN_COORDINATE.fullmatch(text):
        return Coordinate(int(match[2]) - 1, column_number(match[1]), Direction.DOWN)
    return None


@cache
def column_name(column: int) -> str:
    """Return the name of a column: A for column 0, AA for 26."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def column_number(name: str) -> int:
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


class TurnKind(Enum):
    """The kinds of turns. GCG has an event line for each."""

    PLAY = "play"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    PHONY_WITHDRAWN = "phony-withdrawn"
    """The player's last placement was challenged off, and its tiles went back to the rack."""
    CHALLENGE_BONUS = "challenge-bonus"
    """The player's last placement was challenged unsuccessfully."""
    END_RACK_POINTS = "end-rack-points"
    """The player gained points for the tiles left on other racks."""
    END_RACK_PENALTY = "end-rack-penalty"
    """The player lost points for the tiles left on their own rack."""
    TIME_PENALTY = "time-penalty"


KIND_BY_PLAY_TYPE: dict[type, TurnKind] = {
    Placement: TurnKind.PLAY,
    Exchange: TurnKind.EXCHANGE,
    Pass: TurnKind.PASS,
}

ORDINARY_KINDS = frozenset(KIND_BY_PLAY_TYPE.values())
"""The kinds of regular turns. The other kinds record challenges and points counted after the game."""


@dataclass(frozen=True, slots=True)
class PlayerName:
    """A player's names."""

    nick: str = ""
    """Has no spaces."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A GCG ``#comment``. Each field may be empty."""

    text: str = ""
    author: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One event of a game. ``seat`` is the player's seat, counted from 0."""

    seat: int
    kind: TurnKind
    rack: tuple[int, ...] = ()
    """The known tiles before the turn. For a challenge bonus, new tiles have already been drawn."""
    rack_unknown_count: int = 0
    """Number of unknown tiles on the rack, or 0 if it is not stated."""
    play: Play | None = None
    """None unless the kind is in :data:`ORDINARY_KINDS`."""
    counted_tiles: tuple[int, ...] = ()
    """The tiles counted at the end of the game."""
    score: int = 0
    """The stated score; negative for lost points."""
    cumulative: int = 0
    """The player's stated total after the turn."""
    note: str = ""
    """One remark per line."""
    comments: tuple[Comment, ...] = ()
    line: int = field(default=0, compare=False)
    """Line of the turn in the text, counted from 1, or 0 if unknown."""

    def __post_init__(self) -> None:
        expected_kind = self.kind if self.kind in ORDINARY_KINDS else None
        if KIND_BY_PLAY_TYPE.get(type(self.play)) is not expected_kind:
            raise TypeError(f"the play of a {self.kind.value} turn can't be {self.play!r}")


@dataclass(frozen=True, slots=True)
class ShownRack:
    """A rack shown before, between or after the turns: GCG's ``#rack1`` and so on."""

    moment: int
    """Number of turns before the rack was shown."""
    seat: int
    tiles: tuple[int, ...] = ()
    unknown_count: int = 0
