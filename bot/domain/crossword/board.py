"""The tiles on a board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from bot.domain.crossword.distributions import BLANK, LetterDistribution

EMPTY = 0
"""The machine letter of a square without a tile."""


@dataclass(frozen=True, slots=True)
class Board:
    """``rows`` × ``columns`` squares in row-major order: 0 empty, n tile n, -n a blank that stands for tile n."""

    rows: int
    columns: int
    squares: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.squares) != self.rows * self.columns:
            raise ValueError(
                f"a board of {self.rows} × {self.columns} has {self.rows * self.columns} squares"
            )

    def at(self, row: int, column: int) -> int:
        """Return what lies on a square; coordinates count from 0."""
        return self.squares[row * self.columns + column]

    def row(self, row: int) -> tuple[int, ...]:
        """Return one row, from 0."""
        return self.squares[row * self.columns : (row + 1) * self.columns]

    def with_tiles(self, tiles: Iterable[tuple[int, int]]) -> Board:
        """Return a copy with (index, machine letter) pairs laid down; ``EMPTY`` takes a tile up."""
        squares = list(self.squares)
        for index, machine_letter in tiles:
            squares[index] = machine_letter
        return Board(self.rows, self.columns, tuple(squares))

    @property
    def tile_count(self) -> int:
        """How many tiles lie on the board."""
        return len(self.squares) - self.squares.count(EMPTY)


def empty_board(rows: int, columns: int) -> Board:
    """Return a board without tiles."""
    return Board(rows, columns, (EMPTY,) * (rows * columns))


# Counting tiles: which of the distribution's tiles nobody has shown.


@dataclass(frozen=True, slots=True)
class UnseenTiles:
    """The tiles that are neither on the board nor on a rack that is shown, by machine letter (the blank first).

    A count below zero says that more of this tile are in play than the distribution has.
    """

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many tiles are unseen; tiles that are too many do not lower the count."""
        return sum(count for count in self.counts if count > 0)

    @property
    def excess(self) -> int:
        """How many tiles in play are more than the distribution has."""
        return -sum(count for count in self.counts if count < 0)

    @property
    def overdrawn(self) -> tuple[int, ...]:
        """The machine letters of which too many are in play."""
        return tuple(letter for letter, count in enumerate(self.counts) if count < 0)


def unseen_tiles(
    distribution: LetterDistribution, board: Iterable[int], racks: Iterable[Iterable[int]]
) -> UnseenTiles:
    """Take the tiles on the board and on the racks out of a full bag."""
    return _unseen_tiles(distribution, tuple(board), tuple(map(tuple, racks)))


@lru_cache(maxsize=64)
def _unseen_tiles(
    distribution: LetterDistribution, board: tuple[int, ...], racks: tuple[tuple[int, ...], ...]
) -> UnseenTiles:
    counts = list(distribution.counts)
    for machine_letter in filter(None, board):  # without the empty squares
        counts[machine_letter if machine_letter > BLANK else BLANK] -= 1  # noqa: FURB136 - max() takes twice the time
    for rack in racks:
        for machine_letter in rack:
            counts[machine_letter] -= 1
    return UnseenTiles(tuple(counts))
