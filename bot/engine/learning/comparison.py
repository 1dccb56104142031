"""Two ways of playing compared by pairs of games: the same bag twice, with the seats exchanged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.engine.learning.self_play import Strategy, Table

Z_95 = 1.959964
"""Standard errors on either side of a mean that hold the truth 95 times in 100."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What the first player did in the two games of a pair, together."""

    wins: float
    """0 to 2; a tie is half a win."""
    spread: int
    """By how many points the first player was ahead."""
    scores: tuple[int, int]
    """Points of the first and of the second player."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and half the width of its 95 % interval."""

    mean: float
    margin: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the first player did against the second, per game."""

    pairs: int
    win_rate: Estimate
    """From 0 to 1."""
    spread: Estimate
    """Points."""
    scores: tuple[float, float]
    """Mean points of the first and of the second player."""


def play_pair(table: Table, first: Strategy, second: Strategy, seed: int) -> Pair:
    """Play a game twice, each player beginning once. What is drawn follows from ``seed`` and from the plays.

    Raises:
        StoppedError: it was stopped.

    """
    own, other = table.play((first, second), seed).scores
    other_again, own_again = table.play((second, first), seed).scores
    wins = _wins(own, other) + _wins(own_again, other_again)
    scores = own + own_again, other + other_again
    return Pair(wins, scores[0] - scores[1], scores)


def _wins(own: int, other: int) -> float:
    return 1.0 if own > other else 0.5 if own == other else 0.0


def compare(pairs: Sequence[Pair]) -> Comparison:
    """Sum pairs up; the two games of a pair have luck in common, so the errors are those of pairs."""
    games = 2 * len(pairs)
    scores = sum(pair.scores[0] for pair in pairs) / games, sum(pair.scores[1] for pair in pairs) / games
    return Comparison(
        len(pairs),
        _estimate([pair.wins / 2 for pair in pairs]),
        _estimate([pair.spread / 2 for pair in pairs]),
        scores,
    )


def _estimate(values: Sequence[float]) -> Estimate:
    mean = sum(values) / len(values)
    if len(values) < 2:
        return Estimate(mean, math.inf)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return Estimate(mean, Z_95 * math.sqrt(variance / len(values)))
