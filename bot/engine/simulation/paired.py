"""Simulates plays step by step, and reports the difference between two plays.

Iteration k deals the same tiles to every play, so differences between the iterations of two plays have small errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bot.domain.crossword.position import Position
from bot.engine.analysis import MILLIPOINTS, Stop
from bot.engine.kernels import rollouts
from bot.engine.kernels.board import Numbers
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import create_plan, create_workspace, require_two_players
from bot.engine.simulation.candidates import (
    POINTS_COLUMN,
    WINS_COLUMN,
    Candidate,
    create_candidate,
    deciding_column,
    is_worse,
    rank,
    roll_out,
    simulated_play,
)
from bot.engine.simulation.result import SimulatedPlay

BATCH_SIZE = 16
"""Number of iterations of one play between calls to ``is_time_up``. A batch takes about 5 ms with two plies, and 20 ms if the
game is played to the end.
"""
_STORED_PLY_COUNT = 3
"""Number of plies whose sums are stored for each batch: the play itself, the reply, and the player's next turn."""
_MIN_BATCHES = 4
"""Minimum number of batches for an estimate of the error."""
_STUDENT_CORRECTION = 1.9
"""Errors estimated from batches are multiplied by 1 + x / d, where x is this number and d the degrees of freedom. This
approximates Student's t at 95%.
"""
_MIN_ERROR_FACTOR = 0.25
"""The minimum error of a frequency is this number divided by the square root of the number of iterations."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of paired differences."""

    mean: float
    error: float
    """The standard error; infinite if there are too few pairs."""


@dataclass(frozen=True, slots=True)
class PlayDifferences:
    """The differences between two plays (the first minus the second)."""

    iterations: int
    """Number of shared iterations."""
    win: Difference
    """The difference in win probability, from -1 to 1."""
    points: Difference
    """The difference in points gained from this turn on, including leave values."""
    reply_error: float
    """Standard error of the difference in the points of the opponent's reply."""
    reply_bingo_error: float
    """Standard error of the difference in the frequency of bingos in the reply."""
    next_bingo_error: float
    """Standard error of the difference in the frequency of bingos in the player's next turn."""


class PairedSimulation:
    """A simulation of plays in a two-player game. Only one thread may use it at a time."""

    def __init__(
        self,
        position: Position,
        plays: Sequence[RatedPlay],
        graph: WordGraph,
        leaves: LeaveValues,
        *,
        plies: int,
        seed: int = 0,
    ) -> None:
        """Set up a simulation. The opponent's tiles are known if the position shows them.

        Raises:
            AnalysisError: the position cannot be simulated, or the game does not have two players.
            RuleError: a play is illegal.

        """
        require_two_players(position)
        self._plan = create_plan(position, plies=plies, seed=seed, opponent_leaves=())
        self._candidates = [create_candidate(position, play, leaves, self._plan) for play in plays]
        self._batches: list[list[Numbers]] = [[] for _ in plays]
        self._leaves = leaves
        self._workspace = create_workspace(
            board_arrays(position, graph),
            rack_size=max(position.rules.rack_size, *(len(player.rack) for player in position.players)),
            tile_count=self._plan.max_tiles,
            ply_count=self._plan.plies,
            stop=Stop(),
        )

    def run(self, iterations: int, is_time_up: Callable[[], bool]) -> bool:
        """Run ``iterations`` iterations (rounded up to whole batches) of every play that has not been dropped.

        Before each batch, ``is_time_up`` is called. If it returns true, stop and return False.
        """
        for _ in range(-(-iterations // BATCH_SIZE)):
            for number, candidate in enumerate(self._candidates):
                if candidate.dropped:
                    continue
                if is_time_up():
                    return False
                batch_range = range(candidate.iterations, candidate.iterations + BATCH_SIZE)
                samples, ply_sums = roll_out(
                    candidate, self._workspace, self._leaves, self._plan, batch_range
                )
                candidate.add(samples, ply_sums)
                batch = np.zeros(_STORED_PLY_COUNT * rollouts.PLY_STRIDE, dtype=np.int64)
                batch[: len(ply_sums)] = ply_sums[: len(batch)]
                self._batches[number].append(batch)
        return True

    def drop_worse_plays(self, risk: float) -> None:
        """Drop plays that are worse than the best, at the given risk of error. Play 0 is never dropped."""
        ranked_candidates = rank(self._remaining_candidates())
        best, *others = ranked_candidates
        column = deciding_column(ranked_candidates)
        for other in others:
            if other is not self._candidates[0] and min(best.iterations, other.iterations):
                other.dropped = is_worse(best, other, column, risk / max(1, len(self._candidates) - 1))

    def drop_play(self, number: int) -> None:
        self._candidates[number].dropped = True

    @property
    def remaining_plays(self) -> tuple[int, ...]:
        """The numbers of the plays that have not been dropped, best first."""
        return tuple(map(self._candidates.index, rank(self._remaining_candidates())))

    def _remaining_candidates(self) -> list[Candidate]:
        return [candidate for candidate in self._candidates if not candidate.dropped]

    @property
    def iterations(self) -> int:
        """The number of iterations of each play that was not dropped. If time ran out, some plays have one batch fewer."""
        return max(candidate.iterations for candidate in self._candidates)

    def result_of(self, number: int) -> SimulatedPlay:
        return simulated_play(self._candidates[number])

    def compare(self, first_number: int, second_number: int) -> PlayDifferences:
        first, second = self._candidates[first_number], self._candidates[second_number]
        count = min(first.iterations, second.iterations)
        samples = first.all_samples()[:count] - second.all_samples()[:count]
        ply_sums_by_play = [
            np.array(self._batches[number][: count // BATCH_SIZE], dtype=np.float64).reshape(
                -1, _STORED_PLY_COUNT, rollouts.PLY_STRIDE
            )
            for number in (first_number, second_number)
        ]

        def error_per_turn(ply: int, column: int, min_error: float = 0.0) -> float:
            means = [
                ply_sums[:, ply, column] / np.maximum(ply_sums[:, ply, rollouts.PLY_ITERATIONS], 1)
                for ply_sums in ply_sums_by_play
            ]
            if len(means[0]) < _MIN_BATCHES:
                return math.inf
            correction = 1 + _STUDENT_CORRECTION / (len(means[0]) - 1)
            return max(min_error, _difference(means[0] - means[1]).error * correction)

        # If a rare event happens equally often in all batches, the observed error is too small.
        min_error = _MIN_ERROR_FACTOR / math.sqrt(max(1, count))

        return PlayDifferences(
            count,
            _difference(samples[:, WINS_COLUMN] / rollouts.PROBABILITY_ONE),
            _difference(samples[:, POINTS_COLUMN] / MILLIPOINTS),
            error_per_turn(1, rollouts.PLY_SCORE),
            error_per_turn(1, rollouts.PLY_BINGOS, min_error),
            error_per_turn(2, rollouts.PLY_BINGOS, min_error),
        )


def _difference(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Difference:
    count = len(values)
    if not count:
        return Difference(0.0, math.inf)
    error = float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else math.inf
    return Difference(float(values.mean()), error)
