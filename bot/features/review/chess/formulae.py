"""W, accuracy and judgements of chess moves, by lichess' definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import pstdev

from bot.features.review.accuracy import accuracy
from bot.features.review.chess.values import Evaluation, Judgement

MAX_CENTIPAWNS = 1000
"""Evaluations count as no more, and mates as so much."""
START = Evaluation(15)
"""What the usual start position is worth."""
BORDERS = ((15.0, Judgement.BLUNDER), (10.0, Judgement.MISTAKE), (5.0, Judgement.INACCURACY))
"""Points of W lost, from which a move is judged so."""
ONLY_MOVE = 10.0
"""Points of W that the second best move loses where there is an only move."""

_SLOPE = 0.00368208
_NEARLY_LOST, _LOST = -700, -999
_LEAST_WINDOW, _MOST_WINDOW = 2, 8
_LEAST_WEIGHT, _MOST_WEIGHT = 0.5, 12.0


def capped(evaluation: Evaluation) -> int:
    """Return the hundredths of a pawn that an evaluation counts as."""
    if evaluation.mate:
        return MAX_CENTIPAWNS if evaluation.mate > 0 else -MAX_CENTIPAWNS
    return max(-MAX_CENTIPAWNS, min(MAX_CENTIPAWNS, evaluation.centipawns or 0))


def win_percent(centipawns: float) -> float:
    """Return W for the player with an advantage of so many hundredths of a pawn."""
    centipawns = max(-MAX_CENTIPAWNS, min(MAX_CENTIPAWNS, centipawns))
    return 50 + 50 * (2 / (1 + math.exp(-_SLOPE * centipawns)) - 1)


def judge(before: Evaluation, after: Evaluation, *, white: bool) -> Judgement | None:
    """Return what a move is called that leads from one evaluation to another."""
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
    """Return how bad a lost mate, or being mated, is for the advantage that is left, or the disadvantage before."""
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
    """Return half the weighted and half the harmonic mean; accuracies under one count as one in the latter."""
    if not moves:
        return None
    weighted = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
    harmonic = len(moves) / sum(1 / max(1.0, value) for value, _ in moves)
    return (weighted + harmonic) / 2
