"""Simulation: which of some plays wins most, by playing each on many times.

Candidates are compared on the same draws: iteration k deals the same tiles to each. All of those still in question
get the same number of iterations, round by round; after a round those are dropped that are worse than the best by
the test of :func:`_worse`, and when only the best is left, or plays that are as good as the same, it is decided. The
result depends on the seed and the number of rounds only: not on the number of threads, since sums of whole numbers
have no order. Time and cancellation end a simulation between rounds or give up the round under way.
"""

from __future__ import annotations

import math
import os
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.play import Coordinate, Placement
from bot.domain.crossword.position import Position
from bot.engine.errors import AnalysisError
from bot.engine.kernels import rack, rollouts
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.turn import LeavesOf
from bot.engine.lexicon.leaves.values import MILLIPOINTS, LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.equity import rate
from bot.engine.plays.rated import RatedPlay
from bot.engine.simulation.arrays import MAX_PLIES, Plan, Workspace, leaves_of, plan_of, record_of, workspace
from bot.engine.simulation.result import Ending, PlyAverage, SimulatedPlay, SimulationResult
from bot.engine.simulation.win_table import WinTable, usual_win_table
from bot.engine.stop import Stop

DEFAULT_PLIES = 2
DEFAULT_ITERATIONS = 5_000
"""How many iterations a candidate gets at most, unless told otherwise."""
MAX_CANDIDATES = 100
MAX_THREADS = 64

_TASK = 16
"""Iterations of one candidate that a thread does at a time: some 5 ms."""
_ROUND = 64
"""Iterations of each candidate in a round, once it is under way; the first rounds are shorter."""
_ENOUGH = 100
"""No play is dropped on fewer iterations."""
_CUTOFF = 0.005
"""When the best wins but for so little, or hardly ever, equity decides."""
_LOOK = 0.02
"""Seconds between two looks at the clock and at ``cancelled``."""

Samples = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class _Candidate:
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
        if self.joined is None or len(self.joined) != self.iterations:
            self.samples = [np.concatenate(self.samples)] if self.samples else [np.zeros((0, 2), np.int64)]
            self.joined = self.samples[0]
        return self.joined


def simulate(
    position: Position,
    candidates: Sequence[RatedPlay],
    graph: WordGraph,
    leaves: LeaveValues,
    *,
    plies: int = DEFAULT_PLIES,
    iterations: int = DEFAULT_ITERATIONS,
    seconds: float | None = None,
    confidence: float | None = 0.99,
    seed: int = 0,
    threads: int | None = None,
    table: WinTable | None = None,
    opponent_leaves: Sequence[tuple[int, ...]] = (),
    progress: Callable[[SimulationResult], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SimulationResult:
    """Simulate plays of the player on turn, in a game of two.

    Args:
        position: The opponent's rack counts as known as far as it is shown, unless the position says otherwise.
        candidates: Plays the rules allow; their words may be in no lexicon.
        graph: The words both players know.
        leaves: What both think of leaves.
        plies: How many plies follow a candidate. When the bag is empty the game is played to its end.
        iterations: How many times each candidate is played on at most.
        seconds: How long it may take, about; None for as long as it takes.
        confidence: With what probability the best is to be the best before it ends early, such as 0.95 or 0.99;
            None for never.
        seed: What the random numbers begin with.
        threads: How many threads compute; None for one on each processor.
        table: Probabilities of winning where a rollout ends; None for :func:`usual_win_table`.
        opponent_leaves: Leaves one of which the opponent has, at random, besides what is known; such as
            :func:`bot.engine.simulation.inference.infer` finds. None means any tiles.
        progress: Is told the result so far after each round, on the calling thread.
        cancelled: Is asked every 20 ms; once true, what there is is returned.

    Raises:
        AnalysisError: the position cannot be simulated.
        RuleError: the rules do not allow a candidate.
        ValueError: a number is out of its range.

    """
    _check(candidates, plies, iterations, confidence)
    plan = plan_of(position, plies=plies, seed=seed, opponent_leaves=opponent_leaves)
    runners = min(MAX_THREADS, max(1, threads if threads is not None else os.cpu_count() or 1))
    simulation = _Simulation(
        [_candidate(position, play, leaves, plan) for play in candidates],
        plan,
        leaves_of(leaves),
        table or usual_win_table(),
        plies,
    )
    simulation.open(position, graph, opponent_leaves, runners)
    until = None if seconds is None else time.perf_counter() + seconds
    with ThreadPoolExecutor(runners, thread_name_prefix="kibitz-simulation") as executor:
        while True:
            ending = simulation.run_round(executor, iterations, until, cancelled)
            if ending is None and confidence is not None:
                ending = simulation.drop(1 - confidence)
            if ending is None and simulation.most_iterations() >= iterations:
                ending = Ending.ITERATIONS
            result = simulation.result(ending)
            if ending is not None:
                return result
            if progress is not None:
                progress(result)


def _check(candidates: Sequence[RatedPlay], plies: int, iterations: int, confidence: float | None) -> None:
    if not 1 <= len(candidates) <= MAX_CANDIDATES:
        raise ValueError(f"a simulation has 1 to {MAX_CANDIDATES} candidates, not {len(candidates)}")
    if not 1 <= plies <= MAX_PLIES:
        raise ValueError(f"a simulation goes 1 to {MAX_PLIES} plies deep, not {plies}")
    if iterations < 1:
        raise ValueError("a simulation has at least one iteration")
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError("confidence lies between 0 and 1")


def _candidate(position: Position, rated: RatedPlay, leaves: LeaveValues, plan: Plan) -> _Candidate:
    rated = rate(position, rated.play, leaves)
    width = 8 + max(position.board.rows, position.board.columns, rack.MAX_RACK)
    worth = np.array([rated.score, leaves.value(rated.leave)], dtype=np.int64)
    plies = np.zeros(rollouts.PLY_STRIDE * (plan.plies + 1), dtype=np.int64)
    return _Candidate(rated, record_of(rated.play, width), worth, plies)


class _Simulation:
    """The candidates and what computes them."""

    def __init__(
        self, candidates: list[_Candidate], plan: Plan, leaves: LeavesOf, table: WinTable, plies: int
    ) -> None:
        self._candidates = candidates
        self._plan = plan
        self._leaves = leaves
        self._table = table
        self._plies = plies
        self._stop = Stop()
        self._spaces: queue.SimpleQueue[Workspace] = queue.SimpleQueue()

    def open(
        self,
        position: Position,
        graph: WordGraph,
        opponent_leaves: Sequence[tuple[int, ...]],
        threads: int,
    ) -> None:
        """Make a workspace for each thread."""
        known = max(len(player.rack) for player in position.players)
        longest = known + max((len(leave) for leave in opponent_leaves), default=0)
        rack_size = max(longest, position.rules.rack_size)
        if rack_size > rack.MAX_RACK:
            raise AnalysisError(
                "rack-too-long",
                "a rack of {tiles} tiles is not analyzed; {limit} are the limit",
                tiles=rack_size,
                limit=rack.MAX_RACK,
            )
        arrays = board_arrays(position, graph)
        for _ in range(threads):
            self._spaces.put(
                workspace(
                    arrays,
                    rack_size=rack_size,
                    tiles=self._plan.tiles,
                    plies=self._plan.plies,
                    stop=self._stop,
                )
            )

    @property
    def _live(self) -> list[_Candidate]:
        return [candidate for candidate in self._candidates if not candidate.dropped]

    def most_iterations(self) -> int:
        """Return how many iterations the candidates in question have had."""
        return max(candidate.iterations for candidate in self._live)

    def run_round(
        self,
        executor: ThreadPoolExecutor,
        iterations: int,
        until: float | None,
        cancelled: Callable[[], bool] | None,
    ) -> Ending | None:
        """Give each candidate in question some iterations more; if there is no time, none of them any."""
        done = self.most_iterations()
        count = min(_ROUND, max(_TASK // 4, done), iterations - done)
        tasks = [
            (candidate, first, min(_TASK, done + count - first))
            for first in range(done, done + count, _TASK)
            for candidate in self._live
        ]
        futures = [executor.submit(self._roll_out, *task) for task in tasks]
        ending = self._watch(futures, until, cancelled)
        if ending is not None:
            return ending
        outcomes = [future.result() for future in futures]
        for (candidate, _, _), (samples, plies) in zip(tasks, outcomes, strict=True):
            candidate.samples.append(samples)
            candidate.iterations += len(samples)
            candidate.plies += plies
        return None

    def _watch(
        self,
        futures: list[Future[tuple[Samples, Numbers]]],
        until: float | None,
        cancelled: Callable[[], bool] | None,
    ) -> Ending | None:
        """Wait for the threads; when time is up or the work is cancelled, stop them and say why."""
        pending = set(futures)
        try:
            while pending:
                if cancelled is not None and cancelled():
                    return Ending.CANCELLED
                left = _LOOK if until is None else min(_LOOK, until - time.perf_counter())
                if left <= 0:
                    return Ending.TIME
                finished, pending = wait(pending, timeout=left, return_when=FIRST_EXCEPTION)
                if any(future.exception() for future in finished):
                    break
        finally:
            if pending:
                self._stop.set()
                for future in pending:
                    future.cancel()
                wait([future for future in pending if not future.cancelled()])
        return None

    def _roll_out(self, candidate: _Candidate, first: int, count: int) -> tuple[Samples, Numbers]:
        """Compute some iterations of a candidate, on a thread."""
        space = self._spaces.get()
        samples = np.zeros((count, 2), dtype=np.int64)
        plies = np.zeros_like(candidate.plies)
        try:
            rollouts.roll_out(
                space.board,
                space.search,
                self._leaves,
                self._plan.numbers,
                candidate.record,
                candidate.worth,
                self._plan.kept,
                self._table.millionths,
                first,
                samples,
                plies,
            )
        finally:
            self._spaces.put(space)
        return samples, plies

    def drop(self, risk: float) -> Ending | None:
        """Drop what is worse than the best but for the ``risk``; say when that decides it."""
        ranked = self._ranked(self._live)
        best = ranked[0]
        by = self._column(ranked)
        for other in ranked[1:]:
            if best.iterations >= _ENOUGH and _worse(
                best, other, by, risk / max(1, len(self._candidates) - 1)
            ):
                other.dropped = True
        spot = _spot(best.play)
        if best.iterations >= _ENOUGH and all(_spot(other.play) == spot for other in [*self._live, best]):
            return Ending.DECIDED
        return None

    def _column(self, ranked: list[_Candidate]) -> int:
        """Return what decides: 1 the probability of winning, 0 the points when that is nearly the same for all."""
        wins = [_mean(candidate, 1) / rollouts.CERTAIN for candidate in ranked]
        return 0 if min(wins) >= 1 - _CUTOFF or max(wins) <= _CUTOFF else 1

    def _ranked(self, candidates: list[_Candidate]) -> list[_Candidate]:
        by_points = not self._column(candidates)
        return sorted(
            candidates,
            key=lambda one: (
                one.dropped,
                0 if by_points else -_mean(one, 1),
                -_mean(one, 0),
                -one.play.equity,
            ),
        )

    def result(self, ending: Ending | None) -> SimulationResult:
        """Tell how it stands."""
        return SimulationResult(
            tuple(_simulated(candidate) for candidate in self._ranked(self._candidates)),
            self._plies,
            sum(candidate.iterations for candidate in self._candidates),
            ending,
        )


def _mean(candidate: _Candidate, column: int) -> float:
    samples = candidate.all_samples()[:, column]
    return int(samples.sum()) / len(samples) if len(samples) else 0.0


def _error(samples: Samples) -> float:
    """Return the standard error of the mean, of whole numbers exactly."""
    count = len(samples)
    if count < 2:
        return math.inf
    total, squares = int(samples.sum()), int(np.square(samples).sum())
    return math.sqrt(max(0, count * squares - total * total) / (count - 1)) / count


def _worse(best: _Candidate, other: _Candidate, column: int, risk: float) -> bool:
    """Tell whether a play is worse than the best, going by the iterations both had.

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


def _spot(rated: RatedPlay) -> tuple[Coordinate, int, tuple[int, ...]] | RatedPlay:
    """Return what plays have in common that are as good as the same: anagrams of the same tiles on the same spot."""
    play = rated.play
    if isinstance(play, Placement):
        return play.start, len(play.tiles), tuple(sorted(tiles_used(play)))
    return rated


def _simulated(candidate: _Candidate) -> SimulatedPlay:
    samples = candidate.all_samples()
    return SimulatedPlay(
        candidate.play,
        candidate.iterations,
        _mean(candidate, 1) / rollouts.CERTAIN,
        _error(samples[:, 1]) / rollouts.CERTAIN,
        _mean(candidate, 0) / MILLIPOINTS,
        _error(samples[:, 0]) / MILLIPOINTS,
        tuple(_ply_averages(candidate.plies.reshape(-1, rollouts.PLY_STRIDE).tolist())),
        candidate.dropped,
    )


def _ply_averages(rows: list[list[int]]) -> list[PlyAverage]:
    averages = []
    for row in rows:
        turns, score = row[rollouts.T_TURNS], row[rollouts.T_SCORE]
        if turns:
            variance = max(0, turns * row[rollouts.T_SQUARES] - score * score) / turns / turns
            averages.append(
                PlyAverage(score / turns, math.sqrt(variance), row[rollouts.T_BINGOS] / turns, turns)
            )
    return averages
