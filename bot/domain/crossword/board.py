"""The tiles on a board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
