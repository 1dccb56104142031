"""The plays of a simulation and the statistics of their iterations, by which one is worse than another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.play import Coordinate, Placement
from bot.domain.crossword.position import Position
from bot.engine.kernels import rack, rollouts
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.board import Numbers
from bot.engine.lexicon.leaves.values import LeaveValues
from bot.engine.plays.equity import rate
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import Plan, record_of
from bot.engine.simulation.result import PlyAverage, SimulatedPlay
from bot.engine.units import MILLIPOINTS

_CUTOFF = 0.005
"""When the best wins but for so little, or hardly ever, equity decides."""
POINTS, WINS = 0, 1
"""The columns of samples."""

Samples = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Candidate:
    """A play under simulation."""

    play: RatedPlay
    record: Records
    worth: Numbers
    """Its score in points and its leave in millipoints."""
    plies: Numbers
    samples: list[Samples] = field(default_factory=list)
    """By iteration: points won in millipoints, probability of winning in millionths."""
    iterations: int = 0
    dropped: bool = False
    joined: Samples | None = None

    def all_samples(self) -> Samples:
        """Return the samples of all iterations, a row each."""
        if self.joined is None or len(self.joined) != self.iterations:
            self.samples = [np.concatenate(self.samples)] if self.samples else [np.zeros((0, 2), np.int64)]
            self.joined = self.samples[0]
        return self.joined


def candidate_of(position: Position, rated: RatedPlay, leaves: LeaveValues, plan: Plan) -> Candidate:
    """Return a play that the rules allow as a candidate without an iteration.

    Raises:
        RuleError: the rules do not allow it.

    """
    rated = rate(position, rated.play, leaves)
    width = 8 + max(position.board.rows, position.board.columns, rack.MAX_RACK)
    worth = np.array([rated.score, leaves.value(rated.leave)], dtype=np.int64)
    plies = np.zeros(rollouts.PLY_STRIDE * (plan.plies + 1), dtype=np.int64)
    return Candidate(rated, record_of(rated.play, width), worth, plies)


def _mean(candidate: Candidate, column: int) -> float:
    samples = candidate.all_samples()[:, column]
    return int(samples.sum()) / len(samples) if len(samples) else 0.0


def _error(samples: Samples) -> float:
    """Return the standard error of the mean, of whole numbers exactly."""
    count = len(samples)
    if count < 2:
        return math.inf
    total, squares = int(samples.sum()), int(np.square(samples).sum())
    return math.sqrt(max(0, count * squares - total * total) / (count - 1)) / count


def deciding_column(candidates: list[Candidate]) -> int:
    """Return what decides: the probability of winning, or the points when that is nearly the same for all."""
    wins = [_mean(candidate, WINS) / rollouts.CERTAIN for candidate in candidates]
    return POINTS if min(wins) >= 1 - _CUTOFF or max(wins) <= _CUTOFF else WINS


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates best first, those that were dropped last."""
    by_points = deciding_column(candidates) == POINTS
    return sorted(
        candidates,
        key=lambda one: (
            one.dropped,
            0 if by_points else -_mean(one, WINS),
            -_mean(one, POINTS),
            -one.play.equity,
        ),
    )


def is_worse(best: Candidate, other: Candidate, column: int, risk: float) -> bool:
    """Return whether a play is worse than the best, going by the iterations both had.

    Each iteration is a pair with the same tiles, so what counts is the spread of their differences. The bound grows
    with the number of iterations, since it is looked at again and again: the threshold of Garivier and Kaufmann
    (2016), as MAGPIE uses it.
    """
    count = min(best.iterations, other.iterations)
    differences = best.all_samples()[:count, column] - other.all_samples()[:count, column]
    total = int(differences.sum())
    if total <= 0:
        return False
    variance = (int(np.square(differences).sum()) - total * total / count) / count
    if variance <= 0:
        return True
    evidence = total * total / count / (2 * variance)
    return evidence > math.log((math.log(count) + 1) / risk)


def spot_of(rated: RatedPlay) -> tuple[Coordinate, int, tuple[int, ...]] | RatedPlay:
    """Return what plays have in common that are as good as the same: anagrams of the same tiles on the same spot."""
    play = rated.play
    if isinstance(play, Placement):
        return play.start, len(play.tiles), tuple(sorted(tiles_used(play)))
    return rated


def simulated_play(candidate: Candidate) -> SimulatedPlay:
    """Return what has come of a candidate so far."""
    samples = candidate.all_samples()
    return SimulatedPlay(
        candidate.play,
        candidate.iterations,
        _mean(candidate, WINS) / rollouts.CERTAIN,
        _error(samples[:, WINS]) / rollouts.CERTAIN,
        _mean(candidate, POINTS) / MILLIPOINTS,
        _error(samples[:, POINTS]) / MILLIPOINTS,
        tuple(_ply_averages(candidate.plies.reshape(-1, rollouts.PLY_STRIDE).tolist())),
        candidate.dropped,
    )


def _ply_averages(rows: list[list[int]]) -> list[PlyAverage]:
    averages = []
    for row in rows:
        turns, score = row[rollouts.T_TURNS], row[rollouts.T_SCORE]
        if turns:
            averages.append(PlyAverage(score / turns, row[rollouts.T_BINGOS] / turns, turns))
    return averages
