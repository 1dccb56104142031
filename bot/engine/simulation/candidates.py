"""The candidates of a simulation: their statistics, the choice of those for the next iterations, and when to stop.

Every candidate first gets a few iterations. After that, more iterations go to the best, and to the challengers that
are hardest to distinguish from it: top-two sampling after Garivier and Kaufmann (2016), with MAGPIE's penalty for
plays that have had many iterations. Iteration k deals the same tiles to every candidate, so a challenger is compared
with the best on the iterations that both have. The best always has at least as many as its challengers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Coordinate, Placement
from bot.domain.crossword.position import Position
from bot.engine.analysis import MILLIPOINTS
from bot.engine.kernels import rack, rollouts
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.turn import LeaveArrays
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.equity import rate
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import Plan, Workspace, record_of
from bot.engine.simulation.result import PlyAverage, SimulatedPlay
from bot.engine.simulation.win_chances import WinTable

_CUTOFF = 0.005
"""If all plays win, or all lose, except in this share of games, equity decides."""
POINTS, WINS = 0, 1
"""The columns of samples."""
_DOUBT = 12.0
"""This number divided by the number of iterations is the relative increase of reported errors. A play that is dropped
early has had a bad run. At four plies, plays dropped after the first 48 iterations are on average 0.65 errors too
low, which the variance of their own iterations does not show. Compared with 2,300 other draws each, 3.6% of 2,800
results at two plies are outside 1.96 errors, and 4.4% of 7,000 results at four plies (4.0% to 5.3% depending on the
number of iterations; without this correction, 8.1% at 48)."""
_UNSEEN = 0.5
"""Share of an iteration that is assumed to have the opposite result, in addition to the observed error. In games that
are practically won, most runs of a few hundred iterations do not contain a loss, so their error is too low: without
this, 16% of results were outside 1.96 errors at four plies, and 8% at two."""

Samples = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Candidate:
    """A play under simulation."""

    play: RatedPlay
    record: Records
    worth: Numbers
    """The score of the play in points, and the value of its leave in millipoints."""
    plies: Numbers
    samples: list[Samples] = field(default_factory=list)
    """Results by iteration: gain in millipoints, and win probability in millionths."""
    iterations: int = 0
    dropped: bool = False
    joined: Samples | None = None

    def all_samples(self) -> Samples:
        """Return the samples of all iterations, one row for each."""
        if self.joined is None or len(self.joined) != self.iterations:
            self.samples = [np.concatenate(self.samples)] if self.samples else [np.zeros((0, 2), np.int64)]
            self.joined = self.samples[0]
        return self.joined

    def add(self, samples: Samples, plies: Numbers) -> None:
        """Add the results of further iterations."""
        self.samples.append(samples)
        self.iterations += len(samples)
        self.plies += plies


def roll_out(
    candidate: Candidate,
    space: Workspace,
    leaves: LeaveArrays,
    plan: Plan,
    *,
    table: WinTable,
    iterations: range,
) -> tuple[Samples, Numbers]:
    """Compute some iterations of a candidate. The result is incomplete if the search was stopped."""
    samples = np.zeros((len(iterations), 2), dtype=np.int64)
    plies = np.zeros_like(candidate.plies)
    rollouts.roll_out(
        *space,
        leaves,
        plan.numbers,
        candidate.record,
        candidate.worth,
        plan.leaves,
        table,
        iterations.start,
        samples.reshape(-1),
        plies,
    )
    return samples, plies


def candidate_of(position: Position, rated: RatedPlay, leaves: LeaveValues, plan: Plan) -> Candidate:
    """Return a candidate without iterations for a legal play.

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


def _variance(samples: Samples) -> float:
    """Return the variance of a column of samples, computed exactly from whole numbers."""
    count = len(samples)
    total, squares = int(samples.sum()), int(np.square(samples).sum())
    return max(0, count * squares - total * total) / (count - 1) / count


def reference_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the play with the most iterations, by which the means of the others are adjusted."""
    return max(candidates, key=lambda candidate: (candidate.iterations, _mean(candidate, WINS)))


def estimate(candidate: Candidate, reference: Candidate, column: int) -> tuple[float, float]:
    """Return the mean of a column and its standard error, from the iterations of the play and of the reference.

    The reference is a control variate. It has N iterations, and shares n of them with the play. The estimate is the
    reference's mean over all N, plus the mean difference over the n. This varies less than the play's own mean over
    n, because it is known how lucky these n were. The variance is var(d)/n + var(r)/N + 2 cov(d, r)/N for results r
    of the reference and differences d.
    """
    own = candidate.all_samples()[:, column]
    count = len(own)
    if count < 2:
        return _mean(candidate, column), math.inf
    doubt = 1 + _DOUBT / count
    if reference.iterations == count:
        return _mean(candidate, column), doubt * math.sqrt(_variance(own) / count)
    others = reference.all_samples()[:, column]
    total = len(others)
    common = others[:count]
    differences = own - common
    # cov(d, r) = (var(d + r) - var(d) - var(r)) / 2, where d + r is the play's own result.
    between = _variance(own) - _variance(differences) - _variance(common)
    variance = _variance(differences) / count + (_variance(others) + between) / total
    mean = int(others.sum()) / total + int(differences.sum()) / count
    return mean, doubt * math.sqrt(max(0.0, variance))


def deciding_column(candidates: Sequence[Candidate]) -> int:
    """Return the column that decides: win probability, or points if the win probability is nearly the same for all."""
    wins = [_mean(candidate, WINS) / rollouts.CERTAIN for candidate in candidates]
    return POINTS if min(wins) >= 1 - _CUTOFF or max(wins) <= _CUTOFF else WINS


def ranked(candidates: Sequence[Candidate], reference: Candidate | None = None) -> list[Candidate]:
    """Return candidates, best first and dropped candidates last. At least one is not dropped.

    With a reference, :func:`estimate` ranks them; otherwise, their own iterations do.
    """
    by_points = deciding_column([candidate for candidate in candidates if not candidate.dropped]) == POINTS

    def mean(candidate: Candidate, column: int) -> float:
        return _mean(candidate, column) if reference is None else estimate(candidate, reference, column)[0]

    return sorted(
        candidates,
        key=lambda candidate: (
            candidate.dropped,
            0 if by_points else -mean(candidate, WINS),
            -mean(candidate, POINTS),
            -candidate.play.equity,
        ),
    )


def evidence(best: Candidate, other: Candidate, column: int) -> float:
    """Return the evidence that a play is worse than the best, from the iterations of both; 0 for none.

    Each iteration is a pair with the same tiles, so the variance of their differences counts. The result is the
    logarithm of a likelihood ratio: n·mean²/(2·variance).
    """
    count = min(best.iterations, other.iterations)
    differences = best.all_samples()[:count, column] - other.all_samples()[:count, column]
    total = int(differences.sum())
    if total <= 0:
        return 0.0
    variance = (int(np.square(differences).sum()) - total * total / count) / count
    return total * total / count / (2 * variance) if variance > 0 else math.inf


def is_worse(best: Candidate, other: Candidate, column: int, risk: float) -> bool:
    """Return whether a play is worse than the best, judged by the iterations of both.

    The threshold for the evidence grows with the number of iterations, since the test is repeated: the threshold of
    Garivier and Kaufmann (2016), as MAGPIE uses it.
    """
    found = evidence(best, other, column)
    count = min(best.iterations, other.iterations)
    return found > 0 and found > math.log((math.log(count) + 1) / risk)


def spot_of(rated: RatedPlay) -> tuple[Coordinate, int, tuple[int, ...]] | RatedPlay:
    """Return a key that is equal for practically equivalent plays: anagrams of the same tiles in the same place."""
    play = rated.play
    if isinstance(play, Placement):
        return play.start, len(play.tiles), tuple(sorted(tiles_used(play)))
    return rated


def simulated_play(candidate: Candidate, reference: Candidate | None = None) -> SimulatedPlay:
    """Return the results of a candidate so far; with a reference, from :func:`estimate`."""
    win, win_error = estimate(candidate, reference or candidate, WINS)
    points, points_error = estimate(candidate, reference or candidate, POINTS)
    if points_error:  # otherwise the result does not depend on chance
        win_error = math.hypot(win_error, _UNSEEN * rollouts.CERTAIN / max(1, candidate.iterations))
    return SimulatedPlay(
        candidate.play,
        candidate.iterations,
        # An adjusted mean may be outside this range.
        min(1.0, max(0.0, win / rollouts.CERTAIN)),
        win_error / rollouts.CERTAIN,
        points / MILLIPOINTS,
        points_error / MILLIPOINTS,
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


FIRST = 48
"""Number of iterations of every play before any is dropped. With 32, measured errors exceeded the reported errors."""
_SHORTEST = 4
"""Number of iterations in the first round."""
_ROUND = 64
"""Number of iterations for a play in a round."""
_CHALLENGERS = 2
"""Number of plays that get iterations in a round, in addition to the best."""
_ENOUGH = 100
"""Minimum number of iterations of the best play before any play is dropped."""


def judge(candidates: list[Candidate], risk: float, *, keep: int = 0) -> list[Candidate]:
    """Drop plays that are worse than the best, at the given risk of error; return all plays, best first.

    A dropped play returns if it is no longer worse than the current best. The ``keep`` plays next
    to the best are never dropped.
    """
    reference = reference_of(candidates)
    best, *others = ranked(candidates, reference)
    column = deciding_column([candidate for candidate in candidates if not candidate.dropped])
    for place, other in enumerate(others):
        enough = min(best.iterations, other.iterations) >= FIRST
        other.dropped = place >= keep and enough and is_worse(best, other, column, risk / len(others))
    return ranked(candidates, reference)


def is_decided(in_order: list[Candidate]) -> bool:
    """Return whether only the best play and its equivalents are left."""
    best, *others = in_order
    spot = spot_of(best.play)
    return best.iterations >= _ENOUGH and all(
        other.dropped or spot_of(other.play) == spot for other in others
    )


def shares(in_order: list[Candidate], most: int, *, evenly: bool) -> list[tuple[Candidate, int]]:
    """Return the plays that get iterations next, and their total number of iterations after that, at most ``most``.

    With ``evenly``, and at the beginning, all remaining plays get the same number; plays that missed some come first.
    The result is empty if all plays have had their iterations.
    """
    best, *others = live = [candidate for candidate in in_order if not candidate.dropped]
    level = min(candidate.iterations for candidate in live)
    if evenly or level < FIRST:
        done = max(candidate.iterations for candidate in live)
        step = min(_ROUND, done - level if level < done else max(_SHORTEST, done))
        chosen = [(candidate, level + step if evenly else min(level + step, FIRST)) for candidate in live]
    else:
        column = deciding_column(live)
        paired = {candidate: min(best.iterations, candidate.iterations) for candidate in others}
        waiting = [candidate for candidate in others if paired[candidate] < most]
        waiting.sort(key=lambda candidate: evidence(best, candidate, column) + math.log(paired[candidate]))
        chosen = [(candidate, paired[candidate] + _ROUND) for candidate in waiting[:_CHALLENGERS]]
        if chosen or not others:
            chosen.append((best, max([upto for _, upto in chosen] or [best.iterations + _ROUND])))
    return [
        (candidate, min(upto, most)) for candidate, upto in chosen if candidate.iterations < min(upto, most)
    ]
