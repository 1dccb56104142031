"""The results for each play and draw during the search of a pre-endgame.

Some bounds on a play's wins come from a random sample of its draws. They form a confidence sequence, so they hold whenever the
search stops. The sample is drawn without replacement, so each possible number of wins has a hypergeometric likelihood. With a
uniform prior, a number of wins is excluded when its posterior probability falls below ``error`` times its prior probability
(Waudby-Smith and Ramdas, Confidence sequences for sampling without replacement, 2020, theorem 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import exp, log, sqrt
from threading import Lock

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.play import Play
from bot.engine.endgame.draws import Draw
from bot.engine.endgame.result import CAUTION_FACTOR, PreEndgamePlay
from bot.engine.endgame.search import UNBOUNDED

ERROR_PROBABILITY = 0.01
"""Maximum probability that a play's true win probability is ever outside the reported bounds, for each play separately."""


@lru_cache(maxsize=4096)
def share_bounds(
    population: int, sample_size: int, min_hits: int, max_hits: int, error: float = ERROR_PROBABILITY
) -> tuple[float, float]:
    """Return the minimum and maximum proportion of hits in a population that are consistent with a random sample.

    The sample has between ``min_hits`` and ``max_hits`` hits. ``error`` is the maximum probability that either bound is
    ever wrong as the sample grows.
    """
    low = int(np.flatnonzero(_possible_hits(population, sample_size, min_hits, error / 2))[0])
    high = int(np.flatnonzero(_possible_hits(population, sample_size, max_hits, error / 2))[-1])
    return low / population, high / population


def _possible_hits(population: int, sample_size: int, hits: int, error: float) -> npt.NDArray[np.bool_]:
    """For each possible number of hits in the population, return whether it is consistent with the sample."""
    factorials = _log_factorials(population)
    first, last = hits, population - (sample_size - hits)
    hit_counts = np.arange(first, last + 1)
    log_ratios = factorials[hit_counts] - factorials[hit_counts - hits]
    misses = population - hit_counts
    log_ratios += factorials[misses] - factorials[misses - (sample_size - hits)]
    log_ratios -= log_ratios.max()
    log_ratios += log(population + 1) - log(float(np.exp(log_ratios).sum()))
    is_possible = np.zeros(population + 1, dtype=np.bool_)
    is_possible[first : last + 1] = log_ratios > log(error)
    return is_possible


@lru_cache(maxsize=8)
def _log_factorials(highest: int) -> npt.NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, highest + 1)))))


MAX_CELLS = 200_000
"""Maximum number of stored cells (about 60 MB)."""
_SAMPLED_PLAY_COUNT = 20
"""Number of top-ranked plays for which bounds are computed from samples."""
_DRAWS_BEFORE_BOUNDS = 8
"""The bounds are first computed after this many draws. They are computed again each time the number of draws has grown by a
quarter, and at the end of the sample.
"""
_ESTIMATE_ERROR = 8.0
"""Approximate error, in points, of an estimated gain."""
_POINTS_EQUAL_TO_A_WIN = 1_000.0
"""While it is unknown which play wins more often, a mean gain of this many points counts at most as much as a certain win."""
_PROVED_BONUS = 0.2
"""Priority bonus for a play that is proven to win after every draw. With fewer proven wins, the bonus is proportionally smaller."""
_LAID_BONUS = 0.005
"""Priority bonus for each tile laid. A proof takes less time when fewer tiles are left."""
_LEFT_IN_BAG_PENALTY = 0.03
"""Priority penalty for each tile left in the bag. Each such tile multiplies the number of draws."""


@dataclass(slots=True)
class Cell:
    """The results for a play and one of its draws. Gains are for the player to move, who leads by ``spread`` before the play."""

    gain: int = 0
    """The latest estimate of the gain, limited to the proven bounds. Estimates from searches that only decide who wins do not count."""
    estimate: int = 0
    """The latest estimate of the gain from any search."""
    is_estimated: bool = False
    tried_max_nodes: int = 0
    """The node limit of the last search that did not decide who wins."""
    lower: int = -UNBOUNDED
    """``lower`` and ``upper`` are the proven bounds of the gain."""
    upper: int = UNBOUNDED
    ran_out_of_room: bool = False
    """Whether a search found more plays than it could store."""

    def outcome(self, spread: int) -> int:
        """Return 1 for a win, 0 for a tie and -1 for a loss, according to the latest estimate."""
        final_spread = min(max(self.estimate, self.lower), self.upper) + spread
        return (final_spread > 0) - (final_spread < 0)

    def is_decided(self, spread: int) -> bool:
        return self.lower + spread > 0 or self.upper + spread < 0 or self.is_exact

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper

    def win_chance(self, spread: int) -> float:
        if self.is_decided(spread):
            return (1 + self.outcome(spread)) / 2
        return 1 / (1 + exp(-max(-80.0, min(80.0, (self.estimate + spread) / _ESTIMATE_ERROR))))

    def window(self, spread: int) -> tuple[int, int]:
        """Return the window for deciding whether the play wins.

        If a win seems unlikely and a tie is not proven, return the window for deciding whether the play at least ties.
        """
        tests_win = self.lower >= -spread or (self.upper > -spread and self.estimate > -spread)
        return (-spread, 1 - spread) if tests_win else (-spread - 1, -spread)

    def store_result(self, value: int, low: int, high: int, *, final: bool) -> None:
        """Store the result of a search with the window from ``low`` to ``high``. If ``final``, the result is proven."""
        self.estimate = value
        if low < value < high:
            self.gain = value
        if final and value > low:
            self.lower = max(self.lower, value)
        if final and value < high:
            self.upper = min(self.upper, value)
        self.gain = min(max(self.gain, self.lower), self.upper)


@dataclass(slots=True, eq=False)
class Candidate:
    """A play with its draws and results."""

    slot: int
    """The searcher's number for the play."""
    play: Play
    score: int
    laid_count: int
    left_in_bag: int
    draws: tuple[Draw, ...] = ()
    """Empty until the play is first searched."""
    sample: Sequence[int] = ()
    """Indexes into ``draws`` in random order. Each index occurs in proportion to the weight of its draw."""
    order: Sequence[int] = ()
    """All indexes into ``draws``, in the order in which the draws are searched."""
    cells: dict[int, Cell] = field(default_factory=dict)
    """Cells by index into ``draws``."""
    half_wins: int = 0
    """The weight of the proven half-wins: a win is two half-wins, and a tie is one. ``half_losses`` is the same for losses."""
    half_losses: int = 0
    estimated_count: int = 0

    def update_estimated_count(self) -> None:
        self.estimated_count = sum(cell.is_estimated for cell in self.cells.values())

    def estimated_cells(self) -> list[tuple[int, Cell]]:
        return [(self.draws[index].weight, cell) for index, cell in self.cells.items() if cell.is_estimated]

    def standard_error(self, share: float) -> float:
        if not self.estimated_count or self.estimated_count == len(self.draws):
            return 0.0
        posterior = (share * self.estimated_count + 1) / (self.estimated_count + 2)
        return sqrt(
            posterior * (1 - posterior) / self.estimated_count * (1 - self.estimated_count / len(self.draws))
        )


class Table:
    """The search results for all plays and draws. Several threads may store results at once."""

    def __init__(self, candidates: list[Candidate], total_weight: int, spread: int) -> None:
        self.candidates = candidates
        self.total_weight = total_weight
        self.spread = spread
        self.max_half_wins = 0
        """The highest :attr:`Candidate.half_wins` of all plays."""
        self.ranked: list[Candidate] = []
        """The estimated plays, best first, as of the last :meth:`rank`."""
        self._cell_count = 0
        self._lock = Lock()

    def rank(self) -> None:
        """Update :attr:`ranked`. No thread may store results at the same time."""
        for candidate in self.candidates:
            candidate.update_estimated_count()
        self.ranked = sorted(
            (candidate for candidate in self.candidates if candidate.estimated_count), key=self._sort_key
        )

    def find_or_create_cell(self, candidate: Candidate, index: int) -> Cell | None:
        """Return the cell of a draw. Create the cell if it is missing, or return None if there are too many cells."""
        with self._lock:
            cell = candidate.cells.get(index)
            if cell is None and self._cell_count < MAX_CELLS:
                cell = candidate.cells[index] = Cell()
                self._cell_count += 1
            return cell

    def store_result(
        self, candidate: Candidate, index: int, value: int, window: tuple[int, int], *, final: bool
    ) -> None:
        cell = candidate.cells[index]
        was_decided = cell.is_decided(self.spread)
        cell.store_result(value, *window, final=final)
        if was_decided or not cell.is_decided(self.spread):
            return
        weight, outcome = candidate.draws[index].weight, cell.outcome(self.spread)
        with self._lock:
            candidate.half_wins += weight * (1 + outcome)
            candidate.half_losses += weight * (1 - outcome)
            self.max_half_wins = max(self.max_half_wins, candidate.half_wins)

    def is_open(self, candidate: Candidate, index: int) -> bool:
        """Return whether a draw is undecided, can still be decided, and belongs to a play that :meth:`can_exceed_proved_wins`."""
        if not self.can_exceed_proved_wins(candidate):
            return False
        cell = candidate.cells.get(index)
        if cell is None:
            return self._cell_count < MAX_CELLS
        return not (cell.ran_out_of_room or cell.is_decided(self.spread))

    def can_exceed_proved_wins(self, candidate: Candidate) -> bool:
        """Return whether a play may have more wins than any play is proven to have."""
        return self.bounds(candidate)[1] > self.max_half_wins

    def bounds(self, candidate: Candidate) -> tuple[int, int]:
        """Return the proven minimum and maximum weight of a play's half-wins."""
        return candidate.half_wins, 2 * self.total_weight - candidate.half_losses

    def _sort_key(self, candidate: Candidate) -> tuple[float, ...]:
        total = half_wins = gain = 0
        for weight, cell in candidate.estimated_cells():
            total += weight
            half_wins += weight * (1 + cell.outcome(self.spread))
            gain += weight * cell.gain
        share, mean = half_wins / total / 2, gain / total
        error = candidate.standard_error(share)
        lower, upper = self.bounds(candidate)
        # If some draws have no estimate yet, a higher mean gain makes it more likely that the play wins after them.
        chance = (
            share
            - CAUTION_FACTOR * error
            + (4 * share * (1 - share) * mean / _POINTS_EQUAL_TO_A_WIN if error else 0.0)
        )
        return -chance, -lower, lower < upper, -mean, -candidate.score

    def _estimated_strength(self, candidate: Candidate) -> float:
        total = wins = 0.0
        for weight, cell in candidate.estimated_cells():
            total += weight
            wins += weight * (cell.win_chance(self.spread) + cell.gain / _POINTS_EQUAL_TO_A_WIN)
        share = wins / total if total else 0.0
        return share - candidate.standard_error(min(1.0, max(0.0, share)))

    def priority(self, candidate: Candidate) -> float:
        """Return a number that is higher for plays that seem good or are easy to prove."""
        if not candidate.estimated_count:
            return -1.0
        ease = _LAID_BONUS * candidate.laid_count - _LEFT_IN_BAG_PENALTY * candidate.left_in_bag
        return (
            self._estimated_strength(candidate)
            + _PROVED_BONUS * candidate.half_wins / (2 * self.total_weight)
            + ease
        )

    def is_best_proved(self, *, must_empty_bag: bool = False) -> bool:
        """Return whether the first play of the ranking is proven to win after at least as many draws as any other play.

        If ``must_empty_bag``, the first play must also empty the bag, and is compared only with other plays that empty it.
        """
        best = self.ranked[0]
        lower, upper = self.bounds(best)
        if lower != upper or (must_empty_bag and best.left_in_bag):
            return False
        return all(
            self.bounds(other)[1] <= lower
            for other in self.candidates
            if not (must_empty_bag and other.left_in_bag)
        )

    def is_best_decided(self) -> bool:
        lower, upper = self.bounds(self.ranked[0])
        return lower == upper

    def has_only_one_best(self) -> bool:
        best = self.ranked[0]
        lower = self.bounds(best)[0]
        return all(self.bounds(other)[1] < lower for other in self.candidates if other is not best)

    def plays(self) -> tuple[PreEndgamePlay, ...]:
        results: list[PreEndgamePlay] = []
        for candidate in self.ranked:
            play = self._create_result(candidate)
            if play.undecided_weight and len(results) < _SAMPLED_PLAY_COUNT:
                play = replace(play, sampled_bounds=self._sampled_bounds(candidate, play))
            results.append(play)
        return tuple(results)

    def _create_result(self, candidate: Candidate) -> PreEndgamePlay:
        examined_weights = [0, 0, 0]
        proved_weights = [0, 0, 0]
        total = gain = 0
        cells = candidate.estimated_cells()
        for weight, cell in cells:
            outcome = cell.outcome(self.spread)
            total += weight
            gain += weight * cell.gain
            examined_weights[outcome + 1] += weight
            if cell.is_decided(self.spread):
                proved_weights[outcome + 1] += weight
        return PreEndgamePlay(
            candidate.play,
            candidate.score,
            wins=examined_weights[2],
            ties=examined_weights[1],
            losses=examined_weights[0],
            undecided_weight=self.total_weight - sum(proved_weights),
            gain=gain / total,
            exact=total == self.total_weight and all(cell.is_exact for _, cell in cells),
            proved_weights=(proved_weights[2], proved_weights[1], proved_weights[0]),
            left_in_bag=candidate.left_in_bag,
            win_share_error=candidate.standard_error((examined_weights[2] + examined_weights[1] / 2) / total),
        )

    def _sampled_bounds(self, candidate: Candidate, play: PreEndgamePlay) -> tuple[float, float] | None:
        """Return bounds from a play's sample, or None if they are not tighter than the proven bounds.

        The sample ends before the first draw that no search has tried to decide. Bounds from shorter samples remain valid.
        """
        win_count = loss_count = 0
        proved_lower, proved_upper = lower, upper = play.bounds
        next_evaluation = _DRAWS_BEFORE_BOUNDS
        for tried_count, index in enumerate((*candidate.sample, -1)):
            cell = candidate.cells.get(index)
            is_decided = cell is not None and cell.is_decided(self.spread)
            is_sample_over = cell is None or not (is_decided or cell.tried_max_nodes or cell.ran_out_of_room)
            if tried_count and (is_sample_over or tried_count == next_evaluation):
                next_evaluation += 1 + next_evaluation // 4
                # To be safe, a tie or an undecided draw counts as a loss for the lower bound, and as a win for the upper bound.
                bounds = share_bounds(len(candidate.sample), tried_count, win_count, tried_count - loss_count)
                lower, upper = max(lower, bounds[0]), min(upper, bounds[1])
            if cell is None or is_sample_over:
                break
            if is_decided:
                outcome = cell.outcome(self.spread)
                win_count += outcome > 0
                loss_count += outcome < 0
        is_tighter = lower > proved_lower or upper < proved_upper
        return (lower, upper) if is_tighter and lower <= upper else None
