"""How a game goes on: the state that follows from one turn to the next.

Nothing is checked here; turns are taken as they are told. :mod:`bot.domain.crossword.replay` checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.domain.crossword.board import EMPTY, Board, empty_board
from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.play import THROUGH, Exchange, Placement
from bot.domain.crossword.position import LastPlay
from bot.domain.crossword.rules import EndCount, Rules
from bot.domain.crossword.turn import ORDINARY, Turn, TurnKind


def tiles_used(placement: Placement) -> tuple[int, ...]:
    """Return the tiles that a placement takes from the rack, blanks as the blank."""
    return tuple(max(tile, BLANK) for tile in placement.tiles if tile != THROUGH)


def without(tiles: Iterable[int], taken: Iterable[int]) -> tuple[int, ...]:
    """Return ``tiles`` less one of each of ``taken``; what is not there is passed over."""
    left = list(tiles)
    for tile in taken:
        if tile in left:
            left.remove(tile)
    return tuple(left)


def board_before(board: Board, placement: Placement) -> Board | None:
    """Return a board without the tiles of a placement that was made on it; None when they do not lie there."""
    taken = []
    for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True):
        if row >= board.rows or column >= board.columns:
            return None
        if tile != THROUGH:
            if board.at(row, column) != tile:
                return None
            taken.append((row * board.columns + column, EMPTY))
    return board.with_tiles(taken) if taken else None


@dataclass(frozen=True, slots=True)
class _Before:
    """What a withdrawn phony brings back."""

    board: Board
    rack_size: int
    bag: int
    scoreless: int
    turns_left: int | None
    """As it is when the phony has come off: its player has had the turn."""


class Course:
    """The state of a game after the turns that were followed so far."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.board = empty_board(rules.layout.rows, rules.layout.columns)
        self.scores = [0] * players
        self.bag = rules.distribution.total
        """How many tiles the bag holds."""
        self.rack_sizes: list[int] = []
        """How many tiles each player has."""
        for _ in range(players):
            self.rack_sizes.append(min(rules.rack_size, self.bag))
            self.bag -= self.rack_sizes[-1]
        self.known: list[tuple[int, ...]] = [()] * players
        """The tiles of each rack that everybody knows: of withdrawn phonies, and what was left of a rack that
        could not be filled up."""
        self.scoreless_turns = 0
        self.turns_left: int | None = None
        """How many turns are left where players have equal last turns; None before the bag is empty, and elsewhere."""
        self._note_empty_bag()
        self.last_play: LastPlay | None = None
        self.last_seat: int | None = None
        """Who took the last ordinary turn."""
        self._before: _Before | None = None

    @property
    def next_seat(self) -> int:
        """Whose turn it is when the players move in order."""
        return 0 if self.last_seat is None else (self.last_seat + 1) % len(self.scores)

    @property
    def standing_play(self) -> Placement | None:
        """The placement that can be challenged now: made in the turn right before, and not yet ruled upon."""
        if self._before is None or self.last_play is None or self.last_play.challenge_bonus is not None:
            return None
        return self.last_play.play if isinstance(self.last_play.play, Placement) else None

    @property
    def is_over(self) -> bool:
        """Whether a player is out, nobody has a turn left, or the game has had too many scoreless turns."""
        if self.scoreless_turns >= self.rules.scoreless_limit:
            return True
        if self.rules.end_count is EndCount.EQUAL_TURNS:
            return self.turns_left == 0
        return self.bag == 0 and not all(self.rack_sizes) and self.last_seat is not None

    def follow(self, turn: Turn) -> None:
        """Take one more turn."""
        before = self.turns_left
        if turn.kind in ORDINARY:
            self.turns_left = before and before - 1
            self.last_play = LastPlay(turn.play, score=turn.score, player=turn.player) if turn.play else None
            self.last_seat = turn.player
            self._before = None
        if isinstance(turn.play, Placement):
            self._place(turn, turn.play, before)
        elif turn.kind is TurnKind.PHONY_WITHDRAWN:
            self._withdraw(turn)
        elif turn.kind in ORDINARY:
            self.scoreless_turns += 1
            if isinstance(turn.play, Exchange) and turn.play.count:
                self.known[turn.player] = ()
        elif turn.kind is TurnKind.CHALLENGE_BONUS and self.last_play is not None:
            self.last_play = replace(self.last_play, challenge_bonus=turn.score)
        self.scores[turn.player] = turn.cumulative

    def _place(self, turn: Turn, placement: Placement, turns_left: int | None) -> None:
        seat = turn.player
        used = tiles_used(placement)
        self._before = _Before(
            self.board, self.rack_sizes[seat], self.bag, self.scoreless_turns, turns_left and turns_left - 1
        )
        columns = self.board.columns
        self.board = self.board.with_tiles(
            (row * columns + column, tile)
            for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True)
            if tile != THROUGH
        )
        if not self.bag and len(turn.rack) == self.rack_sizes[seat]:
            self.known[seat] = turn.rack
        self.known[seat] = without(self.known[seat], used)
        drawn = min(len(used), self.bag)
        self.bag -= drawn
        self.rack_sizes[seat] = max(0, self.rack_sizes[seat] - len(used)) + drawn
        self.scoreless_turns = 0
        self._note_empty_bag()

    def _note_empty_bag(self) -> None:
        """Give every player one more turn when the bag has just become empty, where the rules say so."""
        if self.rules.end_count is EndCount.EQUAL_TURNS and not self.bag and self.turns_left is None:
            self.turns_left = len(self.scores)

    def _withdraw(self, turn: Turn) -> None:
        last, before = self.last_play, self._before
        if last is None or before is None or not isinstance(last.play, Placement):
            return
        seat = turn.player
        self.board = before.board
        self.bag = before.bag
        self.rack_sizes[seat] = before.rack_size
        self.scoreless_turns = before.scoreless + 1
        self.turns_left = before.turns_left
        # What was known before, less what the phony used, is known already: the phony's own tiles add to it.
        self.known[seat] = tuple((Counter(self.known[seat]) + Counter(tiles_used(last.play))).elements())
        self.last_play = replace(last, withdrawn=True)
        self._before = None
