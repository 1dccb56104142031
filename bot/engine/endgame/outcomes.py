"""The results for each play and draw while a pre-endgame is being searched.

Bounds from a random sample of draws form a confidence sequence, which holds at any stopping time. For a sample
without replacement, the number of hits among all draws has a hypergeometric likelihood. A uniform prior over these
numbers gives posterior odds. A number stays possible unless its odds have fallen below ``error`` times its prior
odds. At any stopping time, the true number has been excluded with a probability of at most ``error`` (Waudby-Smith
and Ramdas, Confidence sequences for sampling without replacement, 2020, theorem 2.1).
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
from bot.engine.endgame.result import CAUTION, DrawOutcome, PreEndgamePlay
from bot.engine.endgame.search import UNBOUNDED

ERROR = 0.01
"""Maximum probability that a play's share is ever outside the reported bounds.

This holds for each play, not for all plays together. In 400 trials, forty plays that all win 70% of 720 draws were
followed as their samples suggested. In 2% of the trials, some bound was wrong at some time; the bound of the play
chosen in the end never was.
"""


@lru_cache(maxsize=4096)
def share_between(total: int, tried: int, least: int, most: int, error: float = ERROR) -> tuple[float, float]:
    """Return the minimum and maximum share of hits among ``total`` that is consistent with a sample of ``tried``.

    Args:
        total: The population size.
        tried: The size of the random sample.
        least: The number of known hits in the sample.
        most: The number of possible hits in the sample, undecided draws included.
        error: Maximum probability, over all samples, that either bound is ever wrong.

    """
    low = int(np.flatnonzero(_possible(total, tried, least, error / 2))[0])
    high = int(np.flatnonzero(_possible(total, tried, most, error / 2))[-1])
    return low / total, high / total


def _possible(total: int, tried: int, hits: int, error: float) -> npt.NDArray[np.bool_]:
    """Return, for each number of hits among all draws, whether it is consistent with ``hits`` in the sample."""
    factorials = _log_factorials(total)
    first, last = hits, total - (tried - hits)
    numbers = np.arange(first, last + 1)
    odds = factorials[numbers] - factorials[numbers - hits]
    rest = total - numbers
    odds += factorials[rest] - factorials[rest - (tried - hits)]
    odds -= odds.max()
    odds += log(total + 1) - log(float(np.exp(odds).sum()))
    possible = np.zeros(total + 1, dtype=np.bool_)
    possible[first : last + 1] = odds > log(error)
    return possible


@lru_cache(maxsize=8)
def _log_factorials(most: int) -> npt.NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1)))))


MAX_CELLS = 200_000
"""Maximum number of pairs of a play and a draw that are stored; they take about 60 MB."""
MAX_REPORTED = 2_000
"""Maximum number of such pairs in a result. Those of the best plays come first."""
_SAMPLED = 20
"""The number of best plays whose sampled bounds are reported."""
_FIRST_EVALUATION = 8
"""Number of tried draws of a sample before its first evaluation. Each further evaluation follows after a quarter
more."""
_ERROR = 8.0
"""Approximate error, in points, of a guess of the gain without search."""
_POINTS_FOR_ALL = 1_000.0
"""Number of points that are worth as much as winning instead of losing, while it is unknown which play wins more."""
_PROVED = 0.2
"""Added to a play's priority when it is proved to win all draws."""
_LAID_BONUS = 0.005
"""Added to a play's priority for each tile it lays: fewer remaining tiles take less proof."""
_LEFT_PENALTY = 0.03
"""Subtracted from a play's priority for each tile that it leaves in the bag: each tile multiplies the number of
draws."""


@dataclass(slots=True)
class Cell:
    """A play and a draw."""

    gain: int = 0
    """The latest estimate of the gain."""
    guess: int = 0
    """The latest estimate, which is reliable only as to which player wins."""
    is_guessed: bool = False
    """Whether the cell was examined, so that its estimates are valid."""
    effort: int = 0
    """Number of nodes that did not decide the draw."""
    lower: int = -UNBOUNDED
    """The proved lower bound of the gain; the next field is the upper bound."""
    upper: int = UNBOUNDED
    no_room: bool = False

    def outcome(self, spread: int) -> int:
        """Return 1, 0 or -1 for a win, a tie or a loss from a lead of ``spread``, by the latest estimate."""
        final = min(max(self.guess, self.lower), self.upper) + spread
        return (final > 0) - (final < 0)

    def is_decided(self, spread: int) -> bool:
        """Return whether the winner is proved."""
        return self.lower + spread > 0 or self.upper + spread < 0 or self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether the gain is proved."""
        return self.lower == self.upper

    def hope(self, spread: int) -> float:
        """Return the estimated chance to win."""
        if self.is_decided(spread):
            return (1 + self.outcome(spread)) / 2
        final = (self.guess + spread) / _ERROR
        return 1 / (1 + exp(-max(-80.0, min(80.0, final))))

    def question(self, spread: int) -> tuple[int, int]:
        """Return the window for a search whether the play wins or, if a win is unlikely, whether it avoids a loss."""
        asks_win = self.lower >= -spread or (self.upper > -spread and self.guess > -spread)
        return (-spread, 1 - spread) if asks_win else (-spread - 1, -spread)

    def learn(self, value: int, low: int, high: int, *, final: bool) -> None:
        """Store the result of a search in a window; see :attr:`bot.engine.endgame.search.Searcher.is_final`."""
        self.guess = value
        if low < value < high:
            self.gain = value
        if final and value > low:
            self.lower = max(self.lower, value)
        if final and value < high:
            self.upper = min(self.upper, value)
        self.gain = min(max(self.gain, self.lower), self.upper)


@dataclass(slots=True, eq=False)
class Candidate:
    """A play under search."""

    slot: int
    play: Play
    score: int
    laid: int
    """Number of tiles it lays."""
    left: int
    """Number of tiles it leaves in the bag."""
    draws: tuple[Draw, ...] = ()
    """The draws of the play; empty until the first evaluation."""
    sample: Sequence[int] = ()
    """Indexes of ``draws`` in the order of a random sample of all orders of the unseen tiles; empty without a
    sample."""
    order: Sequence[int] = ()
    """All indexes of ``draws``, in the order in which they are decided."""
    cells: dict[int, Cell] = field(default_factory=dict)
    """The results, by index in ``draws``."""
    least: int = 0
    """Twice the weight of the draws that are proved won, plus the weight of those proved tied."""
    lost: int = 0
    """Twice the weight of the draws that are proved lost, plus the weight of those proved tied."""
    seen: int = 0
    """Number of draws on which the play has been examined."""

    def count_seen(self) -> None:
        """Count the draws on which the play has been examined."""
        self.seen = sum(cell.is_guessed for cell in self.cells.values())

    def error(self, share: float) -> float:
        """Return the standard error of the share over all draws, given the draws that were examined."""
        if not self.seen or self.seen == len(self.draws):
            return 0.0
        likely = (share * self.seen + 1) / (self.seen + 2)
        return sqrt(likely * (1 - likely) / self.seen * (1 - self.seen / len(self.draws)))


class Table:
    """All plays with all draws. Several threads may store results at the same time."""

    def __init__(self, candidates: list[Candidate], total: int, spread: int) -> None:
        """Create a table of plays. The draws of each play weigh ``total``; the player to move leads by ``spread``."""
        self.candidates = candidates
        self.total = total
        self.spread = spread
        self.sure = 0
        """Twice the weight of the draws that a play is proved to win, ties counting half: the maximum over all
        plays."""
        self.ranked: list[Candidate] = []
        """The plays that were examined, best first, as sorted by :meth:`rank`."""
        self._count = 0
        self._lock = Lock()

    def rank(self) -> None:
        """Sort the plays. No thread may store results meanwhile."""
        for candidate in self.candidates:
            candidate.count_seen()
        self.ranked = sorted((candidate for candidate in self.candidates if candidate.seen), key=self._key)

    def cell(self, candidate: Candidate, draw: int) -> Cell | None:
        """Return the cell of a play with a draw, or None if there is no room for more."""
        with self._lock:
            cell = candidate.cells.get(draw)
            if cell is None and self._count < MAX_CELLS:
                cell = candidate.cells[draw] = Cell()
                self._count += 1
            return cell

    def learn(
        self, candidate: Candidate, draw: int, value: int, window: tuple[int, int], *, final: bool
    ) -> None:
        """Store the result of a search of a play with a draw in a window."""
        cell = candidate.cells[draw]
        was_decided = cell.is_decided(self.spread)
        cell.learn(value, *window, final=final)
        if was_decided or not cell.is_decided(self.spread):
            return
        weight, outcome = candidate.draws[draw].weight, cell.outcome(self.spread)
        with self._lock:
            candidate.least += weight * (1 + outcome)
            candidate.lost += weight * (1 - outcome)
            self.sure = max(self.sure, candidate.least)

    def is_open(self, candidate: Candidate, draw: int) -> bool:
        """Return whether a draw should still be decided: its winner is unknown, and the play may still be the best."""
        if not self.may_be_best(candidate):
            return False
        cell = candidate.cells.get(draw)
        if cell is None:
            return self._count < MAX_CELLS
        return not (cell.no_room or cell.is_decided(self.spread))

    def may_be_best(self, candidate: Candidate) -> bool:
        """Return whether a play may still win more than every play is proved to win."""
        return self.bounds(candidate)[1] > self.sure

    def bounds(self, candidate: Candidate) -> tuple[int, int]:
        """Return twice the minimum and twice the maximum weight of the draws that a play can win, ties counting half."""
        return candidate.least, 2 * self.total - candidate.lost

    def _key(self, candidate: Candidate) -> tuple[float, ...]:
        """Return the sort key of a play. If only a few draws were examined, an error is subtracted."""
        weight = points = gain = 0
        for place, cell in candidate.cells.items():
            if cell.is_guessed:
                amount = candidate.draws[place].weight
                weight += amount
                points += amount * (1 + cell.outcome(self.spread))
                gain += amount * cell.gain
        share, mean = points / weight / 2, gain / weight
        error = candidate.error(share)
        least, most = self.bounds(candidate)
        # Points indicate more wins only while some draws are won and others lost.
        chance = (
            share - CAUTION * error + (4 * share * (1 - share) * mean / _POINTS_FOR_ALL if error else 0.0)
        )
        # Among equally promising plays, a play with a proved result comes first.
        return -chance, -least, least < most, -mean, -candidate.score

    def hope(self, candidate: Candidate) -> float:
        """Return the estimated chance to win, plus a little for points, minus an error if few draws were examined."""
        weight = points = 0.0
        for place, cell in candidate.cells.items():
            if cell.is_guessed:
                amount = candidate.draws[place].weight
                weight += amount
                points += amount * (cell.hope(self.spread) + cell.gain / _POINTS_FOR_ALL)
        share = points / weight if weight else 0.0
        return share - candidate.error(min(1.0, max(0.0, share)))

    def promise(self, candidate: Candidate) -> float:
        """Return the key by which the next play to decide is chosen: its hope, and how easily that can be proved."""
        if not candidate.seen:
            return -1.0
        ease = _LAID_BONUS * candidate.laid - _LEFT_PENALTY * candidate.left
        return self.hope(candidate) + _PROVED * candidate.least / (2 * self.total) + ease

    def is_complete(self, *, emptying: bool = False) -> bool:
        """Return whether it is proved that no play, or no play that empties the bag, wins more than the first."""
        best = self.ranked[0]
        least, most = self.bounds(best)
        if least != most or (emptying and best.left):
            return False
        return all(
            self.bounds(other)[1] <= least for other in self.candidates if not (emptying and other.left)
        )

    def is_best_decided(self) -> bool:
        """Return whether the number of draws that the first play of the ranking wins is proved."""
        least, most = self.bounds(self.ranked[0])
        return least == most

    def is_alone(self) -> bool:
        """Return whether every other play is proved to win less than the first of the ranking."""
        best = self.ranked[0]
        least = self.bounds(best)[0]
        return all(self.bounds(other)[1] < least for other in self.candidates if other is not best)

    def plays(self) -> tuple[PreEndgamePlay, ...]:
        """Return the results of the plays, best first."""
        reported = 0
        found: list[PreEndgamePlay] = []
        for candidate in self.ranked:
            reported += len(candidate.cells)
            play = self._play(candidate, whole=reported <= MAX_REPORTED)
            sampled = self._sampled(candidate, play) if play.undecided and len(found) < _SAMPLED else None
            found.append(play if sampled is None else replace(play, sampled=sampled))
        return tuple(found)

    def _play(self, candidate: Candidate, *, whole: bool) -> PreEndgamePlay:
        seen = [0, 0, 0]
        sure = [0, 0, 0]
        weight = gain = 0
        exact = len(candidate.cells) == len(candidate.draws)
        for place, cell in candidate.cells.items():
            if not cell.is_guessed:
                exact = False
                continue
            amount, outcome = candidate.draws[place].weight, cell.outcome(self.spread)
            weight += amount
            gain += amount * cell.gain
            exact = exact and cell.is_exact
            seen[outcome + 1] += amount
            if cell.is_decided(self.spread):
                sure[outcome + 1] += amount
        return PreEndgamePlay(
            candidate.play,
            candidate.score,
            wins=seen[2],
            ties=seen[1],
            losses=seen[0],
            undecided=self.total - sum(sure),
            gain=gain / weight,
            exact=exact and weight == self.total,
            draws=self._outcomes(candidate) if whole else (),
            sure=(sure[2], sure[1], sure[0]),
            left=candidate.left,
            error=candidate.error((seen[2] + seen[1] / 2) / weight),
        )

    def _sampled(self, candidate: Candidate, play: PreEndgamePlay) -> tuple[float, float] | None:
        """Return bounds from the completely tried prefix of a play's random sample, or None if they add nothing.

        Bounds from a shorter prefix hold as well, and may be tighter when the rest has many undecided draws.
        """
        won = lost = 0
        low, high = least, most = play.bounds
        total = len(candidate.sample)
        looked = _FIRST_EVALUATION
        for tried, place in enumerate((*candidate.sample, -1)):
            cell = candidate.cells.get(place)
            is_decided = cell is not None and cell.is_decided(self.spread)
            is_over = cell is None or not (is_decided or cell.effort or cell.no_room)
            if tried and (is_over or tried == looked):
                looked += 1 + looked // 4
                # To be on the safe side, a tie counts as a loss for the lower bound and as a win for the upper bound.
                between = share_between(total, tried, won, tried - lost)
                least, most = max(least, between[0]), min(most, between[1])
            if cell is None or is_over:
                break
            if is_decided:
                outcome = cell.outcome(self.spread)
                won += outcome > 0
                lost += outcome < 0
        return (least, most) if low < least <= most or least <= most < high else None

    def _outcomes(self, candidate: Candidate) -> tuple[DrawOutcome, ...]:
        return tuple(
            DrawOutcome(candidate.draws[place], cell.gain, cell.is_exact, cell.is_decided(self.spread))
            for place, cell in sorted(candidate.cells.items())
            if cell.is_guessed
        )
