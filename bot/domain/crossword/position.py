"""A position: the board, the players with their scores and racks, and the last play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.rules import BLANK, EndScoring, LetterDistribution, Rules

EMPTY = 0


@dataclass(frozen=True, slots=True)
class Board:
    """The machine letters on a board, in row-major order. See :mod:`bot.domain.crossword.rules`."""

    rows: int
    columns: int
    squares: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.squares) != self.rows * self.columns:
            raise ValueError(
                f"a board of {self.rows} × {self.columns} has {self.rows * self.columns} squares"
            )

    def at(self, row: int, column: int) -> int:
        return self.squares[row * self.columns + column]

    def row(self, row: int) -> tuple[int, ...]:
        return self.squares[row * self.columns : (row + 1) * self.columns]

    def contains_placement(self, placement: Placement) -> bool:
        start = placement.start
        row, column = placement.squares()[-1] if placement.tiles else (start.row, start.column)
        return row < self.rows and column < self.columns

    def with_tiles(self, tiles: Iterable[tuple[int, int]]) -> Board:
        """Return a copy with these (index, machine letter) pairs. ``EMPTY`` removes a tile."""
        squares = list(self.squares)
        for index, machine_letter in tiles:
            squares[index] = machine_letter
        return Board(self.rows, self.columns, tuple(squares))

    @property
    def tile_count(self) -> int:
        return len(self.squares) - self.squares.count(EMPTY)


def empty_board(rows: int, columns: int) -> Board:
    return Board(rows, columns, (EMPTY,) * (rows * columns))


@dataclass(frozen=True, slots=True)
class UnseenTiles:
    """The tiles that are neither on the board nor on a known rack."""

    counts: tuple[int, ...]
    """Number of unseen tiles, by machine letter; negative if more are in play than the distribution has."""
    total: int
    """Sum of the positive counts."""
    excess: int
    """Absolute value of the sum of the negative counts."""

    @property
    def overdrawn_letters(self) -> tuple[int, ...]:
        return tuple(letter for letter, count in enumerate(self.counts) if count < 0)


def unseen_tiles(
    distribution: LetterDistribution, board: Iterable[int], racks: Iterable[Iterable[int]]
) -> UnseenTiles:
    return _unseen_tiles(distribution, tuple(board), tuple(map(tuple, racks)))


@lru_cache(maxsize=64)
def _unseen_tiles(
    distribution: LetterDistribution, board: tuple[int, ...], racks: tuple[tuple[int, ...], ...]
) -> UnseenTiles:
    counts = list(distribution.counts)
    for machine_letter in filter(None, board):
        counts[machine_letter if machine_letter > BLANK else BLANK] -= 1  # noqa: FURB136 - max() takes twice as long
    for rack in racks:
        for machine_letter in rack:
            counts[machine_letter] -= 1
    total = sum(count for count in counts if count > 0)
    return UnseenTiles(tuple(counts), total, total - sum(counts))


MAX_PLAYERS = 100
"""Bounds hostile input."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player in a position."""

    score: int = 0
    rack: tuple[int, ...] = ()
    """The known tiles as machine letters, in the order shown."""
    name: str = ""
    clock_ms: int | None = None
    """Milliseconds left; negative in overtime."""


@dataclass(frozen=True, slots=True)
class LastPlay:
    """The last turn before the position."""

    play: Play
    challenge_bonus: int | None = None
    """Points for an unsuccessful challenge; 0 under the ``single`` rule. None if there was no unsuccessful challenge."""
    withdrawn: bool = False  # challenged off
    score: int | None = None
    seat: int | None = None
    """The player's seat (an index of ``Position.players``), or None if unknown."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position. ``players`` are in order of play, and ``players[on_turn]`` moves next."""

    rules: Rules
    board: Board
    players: tuple[Player, ...]
    on_turn: int = 0
    scoreless_turns: int = 0
    """Consecutive scoreless turns."""
    turns_left: int | None = None
    """None if not stated. See :func:`bot.domain.crossword.game.turns_left`."""
    last_play: LastPlay | None = None
    ignore_opponent_racks: bool = False
    """Whether an analysis must treat the opponents' racks as unknown."""
    game_id: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown CGP operations as (opcode, operand) pairs, written back unchanged."""

    @property
    def unseen(self) -> UnseenTiles:
        return _unseen_tiles(
            self.rules.distribution, self.board.squares, tuple(player.rack for player in self.players)
        )

    @property
    def bag_count(self) -> int:
        """Number of tiles in the bag after every player has drawn: the unseen tiles minus those needed to fill every rack."""
        missing_count = sum(max(0, self.rules.rack_size - len(player.rack)) for player in self.players)
        return max(0, self.unseen.total - missing_count)

    @property
    def is_over(self) -> bool:
        """Whether a player has gone out, no turn is left, or too many turns were scoreless."""
        if self.turns_left == 0 or self.scoreless_turns >= self.rules.scoreless_limit:
            return True
        has_tiles = [bool(player.rack) for player in self.players]
        # If every player gets a last turn, going out does not end the game.
        racks_end_game = (
            not any(has_tiles) if self.rules.end_scoring is EndScoring.EQUAL_TURNS else not all(has_tiles)
        )
        return racks_end_game and self.unseen.total == 0 and self.board.tile_count > 0

    def mover_first(self) -> Position:
        """Return the position with the player to move in the first seat."""
        if self.on_turn == 0:
            return self
        last_play = self.last_play
        if last_play is not None and last_play.seat is not None:
            last_play = replace(last_play, seat=(last_play.seat - self.on_turn) % len(self.players))
        return replace(
            self,
            players=self.players[self.on_turn :] + self.players[: self.on_turn],
            on_turn=0,
            last_play=last_play,
        )
