"""The review of a chess game as plain values.

Turns are numbered as in the viewer: turn n is the n-th half-move, from 1. ``W`` is the chance to win, from 0 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import pstdev

from bot.features.review.values import ChessPhase, PlayerReview, accuracy


class Judgement(StrEnum):
    """The class of a move that loses 5, 10 or 15 points of W, or a forced mate, as on lichess."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position for White: hundredths of a pawn, or moves until mate."""

    centipawns: int | None = None
    mate: int | None = None
    """Positive when White mates, negative when Black does; 0 after a mate, with the winner in ``centipawns``: ±1000."""

    def __str__(self) -> str:
        if self.mate is not None:
            return f"#{self.mate}" if self.mate else "#"
        return f"{(self.centipawns or 0) / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A half-move."""

    turn: int
    white: bool
    san: str
    phase: ChessPhase
    before: Evaluation | None
    """None if unknown."""
    after: Evaluation | None
    win_before: float | None = None
    """W of the player before the move."""
    win_after: float | None = None
    lost: float = 0.0
    """Points of W that the move lost, never below 0."""
    centipawns_lost: int = 0
    accuracy: float | None = None
    """None when it is not judged."""
    judgement: Judgement | None = None
    """None for a move that loses little or is not judged."""
    best: str = ""
    """The engine's move; empty without an engine."""
    only: bool = False
    """Whether every other move would have lost at least ten points of W."""
    clock: int | None = None
    """Milliseconds left after the move."""
    spent: int | None = None
    """Milliseconds the move took, less the increment."""

    @property
    def seat(self) -> int:
        """The player's seat: 0 for White, 1 for Black."""
        return 0 if self.white else 1

    @property
    def judged(self) -> bool:
        """Whether the values before and after are known."""
        return self.accuracy is not None


@dataclass(frozen=True, slots=True)
class ChessReview:
    """A game reviewed."""

    source: str
    """The engine's name; empty for evaluations from the game's text."""
    players: tuple[PlayerReview, ...]
    """White and Black."""
    moves: tuple[MoveReview, ...]
    curve: tuple[float | None, ...]
    """W of White at the start and after each move."""
    key_turns: tuple[int, ...]
    """The moves most worth a look."""


MAX_CENTIPAWNS = 1000
"""The limit of evaluations, and the value of a mate."""
START = Evaluation(15)
"""The value of the usual start position."""
BORDERS = ((15.0, Judgement.BLUNDER), (10.0, Judgement.MISTAKE), (5.0, Judgement.INACCURACY))
"""Points of W lost from which a move has each class."""
ONLY_MOVE = 10.0
"""Points of W that the second best move loses beside an only move."""

_SLOPE = 0.00368208
_NEARLY_LOST, _LOST = -700, -999
_LEAST_WINDOW, _MOST_WINDOW = 2, 8
_LEAST_WEIGHT, _MOST_WEIGHT = 0.5, 12.0


def capped(evaluation: Evaluation) -> int:
    """Return an evaluation in hundredths of a pawn, limited to :data:`MAX_CENTIPAWNS`."""
    if evaluation.mate:
        return MAX_CENTIPAWNS if evaluation.mate > 0 else -MAX_CENTIPAWNS
    return max(-MAX_CENTIPAWNS, min(MAX_CENTIPAWNS, evaluation.centipawns or 0))


def win_percent(centipawns: float) -> float:
    """Return W for the player with an advantage of ``centipawns``."""
    centipawns = max(-MAX_CENTIPAWNS, min(MAX_CENTIPAWNS, centipawns))
    return 50 + 50 * (2 / (1 + math.exp(-_SLOPE * centipawns)) - 1)


def judge(before: Evaluation, after: Evaluation, *, white: bool) -> Judgement | None:
    """Return the class of a move that leads from one evaluation to another."""
    sign = 1 if white else -1
    mates, mated = (sign * (one.mate or 0) for one in (before, after))
    if not mates and mated < 0:
        return _by_advantage(-sign * capped(before))
    if mates > 0 and (mated < 0 or not _is_won(after, sign)):
        return _by_advantage(sign * capped(after))
    if mates or mated:
        return None
    lost = win_percent(sign * capped(before)) - win_percent(sign * capped(after))
    return next((judgement for least, judgement in BORDERS if lost >= least), None)


def _is_won(evaluation: Evaluation, sign: int) -> bool:
    """Return whether a player mates, or has mated."""
    if evaluation.mate == 0:
        return sign * (evaluation.centipawns or 0) > 0
    return evaluation.mate is not None and sign * evaluation.mate > 0


def _by_advantage(advantage: int) -> Judgement:
    """Return the class of a missed mate by the advantage left, or of allowing one by the disadvantage before."""
    if advantage > -_LOST:
        return Judgement.INACCURACY
    return Judgement.MISTAKE if advantage > -_NEARLY_LOST else Judgement.BLUNDER


def game_accuracy(wins: Sequence[float], *, white_first: bool = True) -> tuple[float | None, float | None]:
    """Return the accuracy of White and Black over a game.

    Args:
        wins: W of White at the start and after each move.
        white_first: Whether White made the first move.

    """
    size = max(_LEAST_WINDOW, min(_MOST_WINDOW, (len(wins) - 1) // 10))
    size = min(size, len(wins))
    windows = [wins[:size]] * max(0, size - 2) + [
        wins[first : first + size] for first in range(len(wins) - size + 1)
    ]
    weights = [max(_LEAST_WEIGHT, min(_MOST_WEIGHT, pstdev(window))) for window in windows]
    found: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for number in range(len(wins) - 1):
        white = (number % 2 == 0) == white_first
        lost = (wins[number] - wins[number + 1]) * (1 if white else -1)
        found[0 if white else 1].append((accuracy(lost), weights[number]))
    return _mean(found[0]), _mean(found[1])


def _mean(moves: Sequence[tuple[float, float]]) -> float | None:
    """Return the average of the weighted and the harmonic mean; in the latter, accuracies below 1 count as 1."""
    if not moves:
        return None
    weighted = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
    harmonic = len(moves) / sum(1 / max(1.0, value) for value, _ in moves)
    return (weighted + harmonic) / 2
