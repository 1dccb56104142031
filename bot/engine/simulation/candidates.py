"""Evaluates the candidates of a simulation, selects candidates for more iterations, and decides when to stop.

Every candidate first gets a few iterations. After that, only the best candidate and its *challengers* get more. The challengers
are the candidates that are hardest to distinguish from the best. They are chosen by top-two sampling (Garivier and Kaufmann,
2016), with the penalty of the engine MAGPIE for plays that already have many iterations.

Iteration k deals the same tiles to every candidate, so candidates are compared on their shared iterations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Coordinate
from bot.domain.crossword.position import Position
from bot.engine.analysis import MILLIPOINTS
from bot.engine.kernels import best_plays, rack, rollouts
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.board import Numbers
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.equity import rate
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import Plan, Workspace, create_record
from bot.engine.simulation.result import PlyAverage, SimulatedPlay
from bot.engine.simulation.win_chances import shipped_win_table

_DECIDED_MARGIN = 0.005
"""If all win probabilities are within this distance of 0, or all within this distance of 1, plays are compared by points."""
POINTS_COLUMN, WINS_COLUMN = 0, 1
"""The columns of samples."""
_ERROR_CORRECTION = 12.0
"""Reported errors are multiplied by 1 + x / n, where x is this number and n the number of iterations.

A play that is dropped early has had bad luck, which its own variance does not show. At four plies, this correction reduces the
percentage of results that are more than 1.96 standard errors off from 8.1% to 4.4%.
"""
_OPPOSITE_FRACTION = 0.5
"""The error of a win probability is increased as if this fraction of an iteration had had the opposite result.

If a game is practically won, a few hundred iterations often contain no loss, so the observed error is too small. Without the
increase, 16% of results at four plies were more than 1.96 standard errors off.
"""

Samples = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Candidate:
    """A play and the results of its simulation so far."""

    play: RatedPlay
    play_record: Records
    """The play in the format of the kernels."""
    score_and_leave: Numbers
    """The score of the play in points, and the value of the leave in millipoints."""
    ply_sums: Numbers
    """Sums of scores and bingos for each ply, indexed by the ``PLY_`` constants of :mod:`bot.engine.kernels.rollouts`."""
    sample_arrays: list[Samples] = field(default_factory=list)
    """Arrays with one row per iteration: the growth of the lead in millipoints, and the win probability in millionths."""
    iterations: int = 0
    dropped: bool = False

    def all_samples(self) -> Samples:
        if len(self.sample_arrays) != 1:
            self.sample_arrays = (
                [np.concatenate(self.sample_arrays)] if self.sample_arrays else [np.zeros((0, 2), np.int64)]
            )
        return self.sample_arrays[0]

    def add(self, samples: Samples, ply_sums: Numbers) -> None:
        self.sample_arrays.append(samples)
        self.iterations += len(samples)
        self.ply_sums += ply_sums


def roll_out(
    candidate: Candidate,
    workspace: Workspace,
    leaves: LeaveValues,
    plan: Plan,
    iterations: range,
) -> tuple[Samples, Numbers]:
    """Run iterations of a candidate, and return the samples and ply sums.

    Both are incomplete if the workspace's stop flag is set during the run.
    """
    samples = np.zeros((len(iterations), 2), dtype=np.int64)
    ply_sums = np.zeros_like(candidate.ply_sums)
    rollouts.roll_out(
        *workspace,
        leaves,
        plan.values,
        candidate.play_record,
        candidate.score_and_leave,
        plan.opponent_leaves,
        shipped_win_table(),
        iterations.start,
        samples.reshape(-1),
        ply_sums,
    )
    return samples, ply_sums


def create_candidate(position: Position, rated: RatedPlay, leaves: LeaveValues, plan: Plan) -> Candidate:
    """Create a candidate without iterations.

    Raises:
        RuleError: the rules do not allow the play.

    """
    rated = rate(position, rated.play, leaves)
    width = best_plays.R_TILES + max(position.board.rows, position.board.columns, rack.MAX_RACK)
    score_and_leave = np.array([rated.score, leaves.value(rated.leave)], dtype=np.int64)
    ply_sums = np.zeros(rollouts.PLY_STRIDE * (plan.plies + 1), dtype=np.int64)
    return Candidate(rated, create_record(rated, width), score_and_leave, ply_sums)


def _mean(candidate: Candidate, column: int) -> float:
    samples = candidate.all_samples()[:, column]
    return int(samples.sum()) / len(samples) if len(samples) else 0.0


def _variance(samples: Samples) -> float:
    count = len(samples)
    total, squares = int(samples.sum()), int(np.square(samples).sum())
    return max(0, count * squares - total * total) / (count - 1) / count


def choose_reference(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the most iterations, which is the reference for :func:`estimate`."""
    return max(candidates, key=lambda candidate: (candidate.iterations, _mean(candidate, WINS_COLUMN)))


def estimate(candidate: Candidate, reference: Candidate, column: int) -> tuple[float, float]:
    """Return the estimated mean of a candidate's column and the standard error, with the reference as a control variate.

    The reference ran for N iterations, and the candidate for the first n of them. The estimate is the mean of the reference
    over all N iterations, plus the mean difference between candidate and reference over the first n.

    The variance is var(d)/n + var(r)/N + 2 cov(d, r)/N, where r is a result of the reference and d a difference.
    """
    samples = candidate.all_samples()[:, column]
    count = len(samples)
    if count < 2:
        return _mean(candidate, column), math.inf
    correction = 1 + _ERROR_CORRECTION / count
    if reference.iterations == count:
        return _mean(candidate, column), correction * math.sqrt(_variance(samples) / count)
    reference_results = reference.all_samples()[:, column]
    reference_count = len(reference_results)
    shared_results = reference_results[:count]
    differences = samples - shared_results
    # 2 cov(d, r) = var(d + r) - var(d) - var(r), where d + r is the play's own result.
    double_covariance = _variance(samples) - _variance(differences) - _variance(shared_results)
    variance = (
        _variance(differences) / count + (_variance(reference_results) + double_covariance) / reference_count
    )
    mean = int(reference_results.sum()) / reference_count + int(differences.sum()) / count
    return mean, correction * math.sqrt(max(0.0, variance))


def deciding_column(candidates: Sequence[Candidate]) -> int:
    """Return the column for comparing candidates.

    This is ``POINTS_COLUMN`` if all candidates win, or all lose, nearly every game; otherwise ``WINS_COLUMN``.
    """
    wins = [_mean(candidate, WINS_COLUMN) / rollouts.PROBABILITY_ONE for candidate in candidates]
    return POINTS_COLUMN if min(wins) >= 1 - _DECIDED_MARGIN or max(wins) <= _DECIDED_MARGIN else WINS_COLUMN


def rank(candidates: Sequence[Candidate], reference: Candidate | None = None) -> list[Candidate]:
    """Sort candidates from best to worst, with dropped candidates last. There must be a candidate that is not dropped.

    Candidates are compared by :func:`estimate` or, without a reference, by their own means.
    """
    by_points = (
        deciding_column([candidate for candidate in candidates if not candidate.dropped]) == POINTS_COLUMN
    )

    def mean(candidate: Candidate, column: int) -> float:
        return _mean(candidate, column) if reference is None else estimate(candidate, reference, column)[0]

    return sorted(
        candidates,
        key=lambda candidate: (
            candidate.dropped,
            0 if by_points else -mean(candidate, WINS_COLUMN),
            -mean(candidate, POINTS_COLUMN),
            -candidate.play.equity,
        ),
    )


def evidence(best: Candidate, other: Candidate, column: int) -> float:
    """Return the strength of the evidence that a play is worse than the best, or 0 if there is none.

    This is the logarithm of a likelihood ratio, n·mean²/(2·variance), for the differences in the n shared iterations.
    """
    count = min(best.iterations, other.iterations)
    differences = best.all_samples()[:count, column] - other.all_samples()[:count, column]
    total = int(differences.sum())
    if total <= 0:
        return 0.0
    variance = (int(np.square(differences).sum()) - total * total / count) / count
    return total * total / count / (2 * variance) if variance > 0 else math.inf


def is_worse(best: Candidate, other: Candidate, column: int, risk: float) -> bool:
    """Return whether a play is worse than the best, at the given risk of error.

    The threshold grows with the number of iterations, as in Garivier and Kaufmann (2016), because the test is repeated.
    """
    strength = evidence(best, other, column)
    count = min(best.iterations, other.iterations)
    return strength > 0 and strength > math.log((math.log(count) + 1) / risk)


def equivalence_key(rated: RatedPlay) -> tuple[Coordinate, int, tuple[int, ...]] | RatedPlay:
    """Return a key shared by all plays that put the same tiles on the same squares, in any order."""
    if rated.start is None:
        return rated
    return rated.start, len(rated.tiles), tuple(sorted(tiles_used(rated.play)))


def simulated_play(candidate: Candidate, reference: Candidate | None = None) -> SimulatedPlay:
    """Return the results of a candidate so far. Without a reference (see :func:`estimate`), use only the candidate's iterations."""
    win, win_error = estimate(candidate, reference or candidate, WINS_COLUMN)
    points, points_error = estimate(candidate, reference or candidate, POINTS_COLUMN)
    if points_error:  # if it is 0, the result does not depend on chance
        win_error = math.hypot(
            win_error, _OPPOSITE_FRACTION * rollouts.PROBABILITY_ONE / max(1, candidate.iterations)
        )
    return SimulatedPlay(
        candidate.play,
        candidate.iterations,
        # With a reference, the estimate may be below 0 or above 1.
        min(1.0, max(0.0, win / rollouts.PROBABILITY_ONE)),
        win_error / rollouts.PROBABILITY_ONE,
        points / MILLIPOINTS,
        points_error / MILLIPOINTS,
        tuple(
            PlyAverage(
                sums[rollouts.PLY_SCORE] / iterations, sums[rollouts.PLY_BINGOS] / iterations, iterations
            )
            for sums in candidate.ply_sums.reshape(-1, rollouts.PLY_STRIDE).tolist()
            if (iterations := sums[rollouts.PLY_ITERATIONS])
        ),
        candidate.dropped,
    )


MIN_ITERATIONS = 48
"""Minimum number of iterations before a play is dropped. With 32, actual errors were larger than reported errors."""
_FIRST_ROUND_ITERATIONS = 4
"""Number of iterations of each play in the first round."""
_MAX_ROUND_ITERATIONS = 64
"""Maximum number of iterations of a play in a round."""
_CHALLENGER_COUNT = 2
_MIN_DECIDED_ITERATIONS = 100
"""Minimum number of iterations of the best play before a simulation counts as decided."""


def drop_worse_plays(candidates: list[Candidate], risk: float, *, keep_count: int = 0) -> list[Candidate]:
    """Drop plays that are worse than the best, at the given risk of error. Return all plays, best first.

    The best play and the next ``keep_count`` plays are never dropped. A dropped play returns if it is no longer worse than the best.
    """
    reference = choose_reference(candidates)
    best, *others = rank(candidates, reference)
    column = deciding_column([candidate for candidate in candidates if not candidate.dropped])
    for rank_below_best, other in enumerate(others):
        can_drop = rank_below_best >= keep_count and min(best.iterations, other.iterations) >= MIN_ITERATIONS
        other.dropped = can_drop and is_worse(best, other, column, risk / len(others))
    return rank(candidates, reference)


def is_decided(ranked_candidates: list[Candidate]) -> bool:
    """Return whether the best play has enough iterations, and all plays have been dropped except the best and equivalent plays."""
    best, *others = ranked_candidates
    key = equivalence_key(best.play)
    return best.iterations >= _MIN_DECIDED_ITERATIONS and all(
        other.dropped or equivalence_key(other.play) == key for other in others
    )


def plan_next_round(
    ranked_candidates: list[Candidate], max_iterations: int, *, evenly: bool
) -> list[tuple[Candidate, int]]:
    """Return the plays for the next round, each with its total number of iterations after the round.

    The total is at most ``max_iterations``, so the list can be empty. In the first rounds, or always if ``evenly``, plays with
    fewer iterations catch up, and then all plays get the same number.
    """
    best, *others = remaining = [candidate for candidate in ranked_candidates if not candidate.dropped]
    fewest_iterations = min(candidate.iterations for candidate in remaining)
    if evenly or fewest_iterations < MIN_ITERATIONS:
        most_iterations = max(candidate.iterations for candidate in remaining)
        step = min(
            _MAX_ROUND_ITERATIONS,
            most_iterations - fewest_iterations
            if fewest_iterations < most_iterations
            else max(_FIRST_ROUND_ITERATIONS, most_iterations),
        )
        target = fewest_iterations + step if evenly else min(fewest_iterations + step, MIN_ITERATIONS)
        targets = [(candidate, target) for candidate in remaining]
    else:
        column = deciding_column(remaining)
        shared_counts = {candidate: min(best.iterations, candidate.iterations) for candidate in others}
        challengers = sorted(
            (candidate for candidate in others if shared_counts[candidate] < max_iterations),
            key=lambda candidate: evidence(best, candidate, column) + math.log(shared_counts[candidate]),
        )
        targets = [
            (candidate, shared_counts[candidate] + _MAX_ROUND_ITERATIONS)
            for candidate in challengers[:_CHALLENGER_COUNT]
        ]
        if targets or not others:
            targets.append(
                (best, max([target for _, target in targets] or [best.iterations + _MAX_ROUND_ITERATIONS]))
            )
    return [
        (candidate, min(target, max_iterations))
        for candidate, target in targets
        if candidate.iterations < min(target, max_iterations)
    ]
