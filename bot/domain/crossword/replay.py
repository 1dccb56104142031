"""Checks the turns and scores of a game. Only a turn that cannot be played is an error; other faults are warnings."""

from __future__ import annotations

from collections import Counter
from typing import Literal, TypeAlias

from bot.domain.crossword.game import ReplayState, tiles_used
from bot.domain.crossword.play import ORDINARY_KINDS, Exchange, Placement, Turn, TurnKind
from bot.domain.crossword.position import unseen_tiles
from bot.domain.crossword.rules import EndScoring, LetterDistribution, Rules
from bot.domain.crossword.scoring import (
    check_exchange,
    check_on_rack,
    check_placement,
    rack_points,
    score_placement,
)
from bot.domain.reading.problems import Phrase, ReadWarning, RuleError

TurnPart = Literal["nick", "rack", "play", "score", "cumulative"]


Fault: TypeAlias = tuple[TurnPart, ReadWarning]
"""The part of a turn that is wrong, and a warning without a location."""


class Replay:
    """Plays turns one after the other, and checks each."""

    def __init__(self, rules: Rules, player_count: int) -> None:
        self.state = ReplayState(rules, player_count)
        self._faults: list[Fault] = []
        self._seats_with_time_penalty: set[int] = set()
        self._last_turn: Turn | None = None  # a play, exchange or pass
        self._overdrawn_tiles: set[int] = set()
        self._checks = {
            **dict.fromkeys(ORDINARY_KINDS, self._check_ordinary),
            TurnKind.PHONY_WITHDRAWN: self._check_withdrawal,
            TurnKind.CHALLENGE_BONUS: self._check_bonus,
            TurnKind.END_RACK_POINTS: self._check_end_points,
            TurnKind.END_RACK_PENALTY: self._check_end_penalty,
            TurnKind.TIME_PENALTY: self._check_time_penalty,
        }

    def play(self, turn: Turn) -> tuple[Fault, ...]:
        """Play the next turn, and return its faults.

        Raises:
            RuleError: a placement is illegal on the board, or there is no play to withdraw. The state is then
                unchanged.

        """
        self._faults = []
        self._check_order(turn)
        self._checks[turn.kind](turn)
        self._check_cumulative(turn)
        self.state.apply(turn)
        if turn.kind in ORDINARY_KINDS:
            self._last_turn = turn
        return tuple(self._faults)

    def _add_fault(self, code: str, template: str, part: TurnPart, **values: object) -> None:
        self._faults.append((part, ReadWarning(code, template, values=tuple(values.items()))))

    def _check_order(self, turn: Turn) -> None:
        state = self.state
        if self._seats_with_time_penalty and turn.kind is not TurnKind.TIME_PENALTY:
            self._add_fault("after-time-penalty", "time penalties come last", "nick")
        if turn.kind not in ORDINARY_KINDS:
            return
        if state.is_over:
            # Some programs write a pass if the opponent does not challenge the last play.
            if turn.kind is not TurnKind.PASS:
                self._add_fault("game-over", "the game had ended before this turn", "nick")
        elif state.last_seat is not None and turn.seat != state.next_seat:
            self._add_fault("off-turn", "it was another player's turn", "nick")

    def _check_ordinary(self, turn: Turn) -> None:
        state, play, computed_score = self.state, turn.play, 0
        if isinstance(play, Placement):
            check_placement(state.board, play, state.rules)
            computed_score = score_placement(state.board, play, state.rules).score
        self._check_rack(turn)
        try:
            if turn.rack or turn.rack_unknown_count:
                check_on_rack(
                    tiles_used(play),
                    turn.rack,
                    state.rules.distribution,
                    unknown_count=turn.rack_unknown_count,
                )
        except RuleError as error:
            self._add_fault(error.code, error.template, "rack", **error.values)
        try:
            if isinstance(play, Exchange):
                check_exchange(play, state.bag_count, state.rules)
        except RuleError as error:
            self._add_fault(error.code, error.template, "play", **error.values)
        self._check_score(turn, computed_score)

    def _check_withdrawal(self, turn: Turn) -> None:
        last_turn = self._last_turn
        if self.state.challengeable_play is None or last_turn is None or last_turn.seat != turn.seat:
            raise RuleError("nothing-to-withdraw", "this player has no play that can be withdrawn")
        if turn.rack and last_turn.rack and Counter(turn.rack) != Counter(last_turn.rack):
            self._add_fault(
                "phony-rack",
                "the rack {rack} differs from that of the withdrawn play, {expected}",
                "rack",
                rack=_tiles_text(turn.rack, self.state.rules.distribution),
                expected=_tiles_text(last_turn.rack, self.state.rules.distribution),
            )
        self._check_score(turn, -last_turn.score)

    def _check_bonus(self, turn: Turn) -> None:
        self._check_rack(turn)
        if self.state.challengeable_play is None or self.state.last_seat != turn.seat:
            self._add_fault("no-play-to-challenge", "this player has no play that can be challenged", "nick")
        if turn.score < 0:
            self._add_fault(
                "negative-bonus",
                "the bonus for a challenged play can't be negative: {score}",
                "score",
                score=turn.score,
            )

    def _check_end_points(self, turn: Turn) -> None:
        if not turn.counted_tiles:
            return
        state = self.state
        points = rack_points(turn.counted_tiles, state.rules.distribution)
        if state.rules.end_scoring is EndScoring.EQUAL_TURNS:
            self._check_score(turn, 0)
        elif turn.score not in {points, 2 * points}:
            self._check_score(turn, 2 * points)
        other_count = sum(size for seat, size in enumerate(state.rack_sizes) if seat != turn.seat)
        tiles_left = unseen_tiles(state.rules.distribution, state.board.squares, ()).counts
        if not state.bag_count and min(tiles_left) >= 0 and sum(tiles_left) == other_count:
            expected_tiles = tuple(tile for tile, count in enumerate(tiles_left) for _ in range(count))
            if expected_tiles != tuple(sorted(turn.counted_tiles)):
                self._add_fault(
                    "end-rack-differs",
                    "the tiles left are {expected}, not {tiles}",
                    "rack",
                    expected=_tiles_text(expected_tiles, state.rules.distribution),
                    tiles=_tiles_text(turn.counted_tiles, state.rules.distribution),
                )

    def _check_end_penalty(self, turn: Turn) -> None:
        self._check_rack(turn)
        distribution = self.state.rules.distribution
        if turn.rack and Counter(turn.rack) != Counter(turn.counted_tiles):
            self._add_fault(
                "end-rack-differs",
                "the tiles left are {expected}, not {tiles}",
                "rack",
                expected=_tiles_text(turn.rack, distribution),
                tiles=_tiles_text(turn.counted_tiles, distribution),
            )
        are_tiles_counted = self.state.rules.end_scoring is not EndScoring.EQUAL_TURNS
        self._check_score(turn, -rack_points(turn.counted_tiles, distribution) if are_tiles_counted else 0)

    def _check_time_penalty(self, turn: Turn) -> None:
        self._check_rack(turn)
        if turn.seat in self._seats_with_time_penalty:
            self._add_fault("second-time-penalty", "the player already had a time penalty", "nick")
        if turn.score > 0:
            self._add_fault(
                "positive-penalty", "a time penalty can't be positive: {score}", "score", score=turn.score
            )
        self._seats_with_time_penalty.add(turn.seat)

    def _check_score(self, turn: Turn, computed_score: int) -> None:
        if turn.score != computed_score:
            self._add_fault(
                "score-differs",
                "the score is {computed}, not {stated}",
                "score",
                computed=computed_score,
                stated=turn.score,
            )

    def _check_cumulative(self, turn: Turn) -> None:
        before = self.state.scores[turn.seat]
        is_withdrawal = turn.kind is TurnKind.PHONY_WITHDRAWN
        # For a withdrawal, some programs write +0, although they subtract the points of the play from the total.
        score = -self._last_turn.score if is_withdrawal and self._last_turn is not None else turn.score
        if turn.cumulative != before + score:
            self._add_fault(
                "cumulative-differs",
                "{before} plus {score} is {computed}, not {stated}",
                "cumulative",
                before=before,
                score=score,
                computed=before + score,
                stated=turn.cumulative,
            )

    def _check_rack(self, turn: Turn) -> None:
        state = self.state
        size = len(turn.rack) + turn.rack_unknown_count
        if size > state.rules.rack_size:
            self._add_fault(
                "long-rack",
                "a rack has {tiles} tiles; the usual size is {limit}",
                "rack",
                tiles=size,
                limit=state.rules.rack_size,
            )
        distribution = state.rules.distribution
        tiles_left = unseen_tiles(distribution, state.board.squares, ()).counts
        for tile in set(turn.rack) - self._overdrawn_tiles if distribution.has_known_bag else ():
            remaining_count = tiles_left[tile] - turn.rack.count(tile)
            if remaining_count < 0:
                self._overdrawn_tiles.add(tile)
                self._add_fault(
                    "too-many-tiles",
                    "the board and the rack have {shown} × {tile}; the {distribution!r} set has {has}",
                    "rack",
                    shown=distribution.counts[tile] - remaining_count,
                    tile=distribution.text(tile),
                    distribution=distribution.name,
                    has=distribution.counts[tile],
                )


def _tiles_text(tiles: tuple[int, ...], distribution: LetterDistribution) -> str:
    return "".join(distribution.text(tile) for tile in tiles[:20]) or Phrase("none")
