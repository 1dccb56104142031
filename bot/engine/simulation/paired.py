"""A simulation that runs in steps and reports the difference between two plays.

Iteration k deals the same tiles to every play, so the difference of two plays is the mean of the differences of
their iterations. Its error is much smaller than the errors of the two plays suggest.
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
from bot.engine.simulation.arrays import leave_arrays, plan_of, require_two, workspace
from bot.engine.simulation.candidates import (
    POINTS,
    WINS,
    Candidate,
    candidate_of,
    deciding_column,
    is_worse,
    ranked,
    roll_out,
    simulated_play,
)
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import WinTable

BATCH = 16
"""Number of iterations of one play between two checks whether to stop: about 5 ms with two plies, 20 ms to the
end."""
_KEPT_PLIES = 3
"""Number of plies with their own batches: the play itself, the reply, and the player's next turn."""
_MIN_BATCHES = 4
"""Minimum number of batches for estimating their common error."""
_DOUBT = 1.9
"""This number divided by the degrees of freedom is the relative increase of an error from few batches: Student's t at
95%."""
_RARE = 0.25


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of paired differences and its standard error."""

    mean: float
    error: float
    """The standard error; infinite with fewer than two pairs."""


@dataclass(frozen=True, slots=True)
class PairedPlays:
    """The difference between two plays. All values are those of the first minus those of the second."""

    iterations: int
    win: Difference
    """Probabilities of winning, from 0 to 1."""
    points: Difference
    """Points gained from now on, with the values of the tiles left."""
    reply: Difference
    """Points of the opponent's reply."""
    reply_bingos: Difference
    """Frequency of a bingo in the reply."""
    bingos: Difference
    """Frequency of a bingo in the player's next turn."""


class PairedSimulation:
    """A simulation of plays in a game of two. Only one thread may use it at a time."""

    def __init__(
        self,
        position: Position,
        plays: Sequence[RatedPlay],
        graph: WordGraph,
        leaves: LeaveValues,
        *,
        plies: int,
        table: WinTable,
        seed: int = 0,
    ) -> None:
        """Set up a simulation without iterations. The tiles of the opponent's rack that the position shows count as known.

        Raises:
            AnalysisError: the position cannot be simulated, or the game is not one of two.
            RuleError: the rules do not allow a play.

        """
        require_two(position)
        self._plan = plan_of(position, plies=plies, seed=seed, opponent_leaves=())
        self._candidates = [candidate_of(position, play, leaves, self._plan) for play in plays]
        self._batches: list[list[Numbers]] = [[] for _ in plays]
        self._leaves = leave_arrays(leaves)
        self._table = table
        self._space = workspace(
            board_arrays(position, graph),
            rack_size=max(position.rules.rack_size, *(len(player.rack) for player in position.players)),
            tiles=self._plan.tiles,
            plies=self._plan.plies,
            stop=Stop(),
        )

    def run(self, iterations: int, is_over: Callable[[], bool]) -> bool:
        """Run more iterations of every play that was not dropped, rounded up to whole batches.

        ``is_over`` is called before each batch. Once it returns true, the simulation stops and returns False.
        """
        for _ in range(-(-iterations // BATCH)):
            for number, candidate in enumerate(self._candidates):
                if candidate.dropped:
                    continue
                if is_over():
                    return False
                self._roll_out(number, candidate)
        return True

    def _roll_out(self, number: int, candidate: Candidate) -> None:
        iterations = range(candidate.iterations, candidate.iterations + BATCH)
        samples, plies = roll_out(
            candidate, self._space, self._leaves, self._plan, table=self._table, iterations=iterations
        )
        candidate.add(samples, plies)
        batch = np.zeros(_KEPT_PLIES * rollouts.PLY_STRIDE, dtype=np.int64)
        batch[: len(plies)] = plies[: len(batch)]
        self._batches[number].append(batch)

    def drop(self, risk: float, keep: int) -> None:
        """Drop plays that are worse than the best at the given ``risk`` of error, except the play number ``keep``."""
        live = [candidate for candidate in self._candidates if not candidate.dropped]
        in_order = ranked(live)
        best = in_order[0]
        column = deciding_column(in_order)
        for other in in_order[1:]:
            if other is not self._candidates[keep] and min(best.iterations, other.iterations):
                other.dropped = is_worse(best, other, column, risk / max(1, len(self._candidates) - 1))

    def leave_out(self, number: int) -> None:
        """Exclude a play from further iterations."""
        self._candidates[number].dropped = True

    @property
    def live(self) -> tuple[int, ...]:
        """The numbers of the plays that were not dropped, best first."""
        in_order = ranked([candidate for candidate in self._candidates if not candidate.dropped])
        return tuple(
            next(n for n, candidate in enumerate(self._candidates) if candidate is wanted)
            for wanted in in_order
        )

    @property
    def iterations(self) -> int:
        """The number of iterations of the plays that were not dropped."""
        return max(candidate.iterations for candidate in self._candidates)

    @property
    def by_points(self) -> bool:
        """Whether all plays win or lose the game anyway, so that points decide between the plays."""
        return (
            deciding_column([candidate for candidate in self._candidates if not candidate.dropped]) == POINTS
        )

    def play(self, number: int) -> SimulatedPlay:
        """Return the results of a play so far."""
        return simulated_play(self._candidates[number])

    def paired(self, first_number: int, second_number: int) -> PairedPlays:
        """Compare two plays on the iterations of both."""
        first, second = self._candidates[first_number], self._candidates[second_number]
        count = min(first.iterations, second.iterations)
        samples = first.all_samples()[:count] - second.all_samples()[:count]
        batches = [
            np.array(self._batches[number][: count // BATCH], dtype=np.float64).reshape(
                -1, _KEPT_PLIES, rollouts.PLY_STRIDE
            )
            for number in (first_number, second_number)
        ]

        def per_turn(ply: int, column: int, least: float = 0.0) -> Difference:
            shares = [
                part[:, ply, column] / np.maximum(part[:, ply, rollouts.T_TURNS], 1) for part in batches
            ]
            found = _difference(shares[0] - shares[1])
            if len(shares[0]) < _MIN_BATCHES:
                return Difference(found.mean, math.inf)
            return Difference(found.mean, max(least, found.error * (1 + _DOUBT / (len(shares[0]) - 1))))

        # If a rare event happens equally often in all batches, their error seems too small.
        rare = _RARE / math.sqrt(max(1, count))

        return PairedPlays(
            count,
            _difference(samples[:, WINS] / rollouts.CERTAIN),
            _difference(samples[:, POINTS] / MILLIPOINTS),
            per_turn(1, rollouts.T_SCORE),
            per_turn(1, rollouts.T_BINGOS, rare),
            per_turn(2, rollouts.T_BINGOS, rare),
        )


def _difference(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Difference:
    count = len(values)
    if not count:
        return Difference(0.0, math.inf)
    error = float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else math.inf
    return Difference(float(values.mean()), error)
