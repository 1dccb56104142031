"""A turn that is simulated: its plays, the draws they had in common, and the verdict so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from bot.domain.crossword.play import tiles_laid
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.values import RatedPlay, letters_of
from bot.engine.simulation.paired import Difference, PairedPlays, PairedSimulation
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import learnt_win_table
from bot.features.review.crossword.classes import (
    BY_WIN,
    DECIDED,
    Z_95,
    Loss,
    adjusted_points,
    borders_of,
    graded,
    loss,
    phase_of,
)
from bot.features.review.crossword.effort import Effort
from bot.features.review.crossword.judging import Verdict
from bot.features.review.crossword.moments import Moment
from bot.features.review.crossword.reasons import reasons
from bot.features.review.crossword.values import JudgedPlay, Method, Phase, Size, Why

RISK = 0.1
"""How likely at most the best play is dropped."""
CLEAR_LEAD = 8_000
"""Millipoints that the play that was made must be ahead of all others to need no simulation."""


class Match:
    """The plays of a turn under simulation. One thread at a time."""

    def __init__(
        self,
        moment: Moment,
        plays: Sequence[RatedPlay],
        lexicon: Lexicon,
        effort: Effort,
    ) -> None:
        """Begin without an iteration; the first of the plays is the one that is judged.

        Raises:
            AnalysisError: the position cannot be simulated.

        """
        self.moment = moment
        self._leaves = lexicon.leaves
        self.plays = tuple(plays)
        self._simulation = PairedSimulation(
            moment.position,
            self.plays,
            lexicon.graph,
            lexicon.leaves,
            plies=effort.plies_of(phase_of(moment.bag)),
            table=learnt_win_table(),
            seed=effort.seed * 1_000_003 + moment.number,
        )

    @property
    def is_clear(self) -> bool:
        """Whether there is nothing to compare with."""
        return len(self.plays) == 1

    @property
    def iterations(self) -> int:
        """How many iterations the plays in question have had."""
        return self._simulation.iterations

    @property
    def is_compared(self) -> bool:
        """Whether all plays have had iterations."""
        return all(self._simulation.play(number).iterations for number in range(len(self.plays)))

    def run(self, iterations: int, is_over: Callable[[], bool]) -> bool:
        """Play all plays in question on some times more; False when it ended before, with what it had."""
        done = self._simulation.run(iterations, is_over)
        self._simulation.drop(RISK, keep=0)
        self.__dict__.pop("verdict", None)
        return done

    @property
    def is_decided(self) -> bool:
        """Whether more iterations are not expected to change the class."""
        if self.is_clear:
            return self.iterations > 0
        verdict = self.verdict
        if verdict.approximate:
            return False
        if verdict.size is not Size.BEST or verdict.loss_win_error:
            return True
        return all(self._is_no_threat(rival) for rival in self._simulation.live if rival)

    def _is_no_threat(self, rival: int) -> bool:
        """Whether a play is established not to be better than the one that was made by what counts."""
        difference = self._simulation.paired(rival, 0)
        if self._by_points(rival):
            return difference.points.mean + Z_95 * difference.points.error < borders_of(self._phase)[0]
        return 100 * (difference.win.mean + Z_95 * difference.win.error) < BY_WIN[0]

    @property
    def _phase(self) -> Phase:
        return phase_of(self.moment.bag)

    def _by_points(self, rival: int) -> bool:
        """Whether a game is won or lost with either of the rival and the play that was made, so that points decide."""
        wins = self._simulation.play(rival).win, self._simulation.play(0).win
        return max(wins) < DECIDED or min(wins) > 1 - DECIDED

    @cached_property
    def verdict(self) -> Verdict:
        """What the iterations so far say; there has to be one."""
        best = self._best()
        played, rival = self._simulation.play(0), self._simulation.play(best)
        if not best:
            judged = _judged(played)
            method = Method.EQUITY if self.is_clear else Method.SIMULATION
            return Verdict(method, judged, judged, ahead=self._ahead(), iterations=played.iterations)
        paired = self._simulation.paired(best, 0)
        win = Difference(100 * paired.win.mean, 100 * paired.win.error)
        if self._by_points(best):
            size, approximate = graded(_loss(paired.points), borders_of(self._phase))
            established = paired.points.mean > Z_95 * paired.points.error
        else:
            size, approximate = graded(_loss(win), BY_WIN)
            established = win.mean > Z_95 * win.error
        return Verdict(
            Method.SIMULATION,
            _judged(rival),
            _judged(played),
            loss_win=paired.win.mean,
            loss_win_error=paired.win.error,
            loss_points=adjusted_points(paired.points.mean, win.mean),
            lost=win.mean if established else 0.0,
            size=size,
            approximate=approximate,
            iterations=paired.iterations,
            why=self._why(best, paired) if size is not Size.BEST else (),
        )

    def _ahead(self) -> float:
        """Return by how much of a win the play that was made is ahead of all others."""
        others = [self._simulation.paired(0, rival).win for rival in range(1, len(self.plays))]
        return max(0.0, min((rival.mean - Z_95 * rival.error for rival in others), default=0.0))

    def _best(self) -> int:
        """Return the number of the best play: by wins or, where the game is decided, by points."""
        plays = {number: self._simulation.play(number) for number in self._simulation.live}
        most = max(play.win for play in plays.values())
        if most < DECIDED:
            contenders = plays
        elif most > 1 - DECIDED:
            contenders = {number: play for number, play in plays.items() if play.win > 1 - DECIDED}
        else:
            return max(plays, key=lambda number: (plays[number].win, plays[number].equity))
        return max(contenders, key=lambda number: contenders[number].equity)

    def _why(self, number: int, paired: PairedPlays) -> tuple[Why, ...]:
        return reasons(self._simulation.play(number), self._simulation.play(0), paired, self._leaves)


def contenders(
    moment: Moment, ranking: Sequence[RatedPlay], played: RatedPlay, effort: Effort
) -> tuple[RatedPlay, ...]:
    """Return the plays of a turn that are worth a simulation, the one that was made first."""
    others = [one for one in ranking if not is_same(one, played)]
    # Of a play that is not judged only its chance to win is of interest.
    if not others or moment.reason is not None or played.equity - others[0].equity >= CLEAR_LEAD:
        return (played,)
    best = max(played.equity, ranking[0].equity)
    near = [one for one in others if one.equity >= best - effort.margin]
    # The best by equity is always looked at, also where the play that was made is far behind it.
    return (played, *near[: effort.candidates])


def is_same(one: RatedPlay, other: RatedPlay) -> bool:
    """Return whether two plays are the same, but for how they are written and which of equal tiles is the blank."""
    if letters_of(one.play) == letters_of(other.play):
        return one.leave == other.leave
    laid = tiles_laid(one.play)
    return bool(laid) and laid == tiles_laid(other.play)


def _loss(difference: Difference) -> Loss:
    return loss(difference.mean, difference.error)


def _judged(play: SimulatedPlay) -> JudgedPlay:
    return JudgedPlay(play.play.play, play.play.score, play.win, play.equity)
