"""Verdicts on a turn: by a simulation of its plays with common draws, and with at most one tile in the bag by a solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play, tiles_laid
from bot.domain.crossword.rules import EndCount
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.endgame.outcomes import PreEndgamePlay
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import RankedPlay
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.equity import rate
from bot.engine.plays.values import RatedPlay, letters_of
from bot.engine.simulation.paired import Difference, PairedPlays, PairedSimulation
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import learnt_win_table
from bot.features.review.crossword.judging import (
    BY_POINTS,
    DECIDED,
    MAX_WHY,
    Clock,
    Effort,
    Verdict,
    adjusted_points,
    borders_of,
    effort_of,
    graded,
    phase_of,
    reasons,
    size_of,
    tiles_taken,
    turn_review,
)
from bot.features.review.crossword.moments import Moment, chance_of_points, moments
from bot.features.review.crossword.values import (
    BY_WIN,
    Z_95,
    JudgedPlay,
    Method,
    Phase,
    Size,
    TurnReview,
    Why,
    WhyKind,
)
from bot.features.review.values import Depth

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
        by_points = self._by_points(best)
        if by_points:
            size, approximate = graded(*_interval(paired.points), borders_of(self._phase))
            established = paired.points.mean > Z_95 * paired.points.error
        else:
            size, approximate = graded(*_interval(win), BY_WIN)
            established = win.mean > Z_95 * win.error
        return Verdict(
            Method.SIMULATION,
            _judged(rival),
            _judged(played),
            loss_win=max(0.0, paired.win.mean),
            loss_win_error=paired.win.error,
            loss_points=adjusted_points(paired.points.mean, win.mean),
            lost=win.mean if established else 0.0,
            size=size,
            approximate=approximate,
            by_points=by_points,
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


def _interval(difference: Difference) -> tuple[float, float]:
    """Return the interval that holds a difference 95 times in 100."""
    return difference.mean - Z_95 * difference.error, difference.mean + Z_95 * difference.error


def _judged(play: SimulatedPlay) -> JudgedPlay:
    return JudgedPlay(play.play.play, play.play.score, play.win, play.equity)


_TIED = 1e-6
"""Shares of draws won that differ by less are equal."""


def judge_endgame(
    moment: Moment, graph: WordGraph, *, seconds: float, cancelled: Callable[[], bool]
) -> Verdict:
    """Judge a turn with no tile in the bag.

    Raises:
        AnalysisError: it cannot be solved.
        StoppedError: it was cancelled, or time was up, before any line was found.

    """
    found = solve_endgame(moment.position, graph, seconds=seconds, judged=moment.play, cancelled=cancelled)
    lead = moment.lead
    best = found.ranking[0]
    if found.judged is None:
        return Verdict(Method.ENDGAME, _endgame_play(best, lead), None)
    played = found.judged
    if played.value >= best.value:
        best = played
    lost = best.value - played.value
    outcomes = _outcome(lead + best.value), _outcome(lead + played.value)
    blown = outcomes[0] > outcomes[1]
    sure = best.exact and played.exact
    size = Size.LARGE if blown else size_of(lost, BY_POINTS)
    if not sure:
        size = _LOWER[size]
    drop = outcomes[0] - outcomes[1]
    return Verdict(
        Method.ENDGAME,
        _endgame_play(best, lead),
        _endgame_play(played, lead),
        loss_win=drop,
        loss_points=float(lost),
        lost=100 * (drop or lost * chance_of_points(moment)),
        size=size,
        approximate=not sure and lost > 0,
        by_points=not drop,
        blown=blown and sure,
        why=_endgame_why(moment, best, played, outcomes) if size is not Size.BEST else (),
    )


_LOWER = {Size.LARGE: Size.MEDIUM, Size.MEDIUM: Size.SMALL, Size.SMALL: Size.BEST, Size.BEST: Size.BEST}
"""What is said of a loss that is not proved: the next lower class."""


def _outcome(final: float) -> float:
    return 1.0 if final > 0 else 0.5 if final == 0 else 0.0


def _endgame_play(ranked: RankedPlay, lead: int) -> JudgedPlay:
    return JudgedPlay(ranked.play, ranked.score, _outcome(lead + ranked.value), float(ranked.value))


def _endgame_why(
    moment: Moment, best: RankedPlay, played: RankedPlay, outcomes: tuple[float, float]
) -> tuple[Why, ...]:
    found = []
    if outcomes[0] != outcomes[1]:
        found.append(Why(WhyKind.OUTCOME, *outcomes))
    found.append(Why(WhyKind.SPREAD, best.value, played.value))
    counts = moment.position.rules.end_count is not EndCount.EQUAL_TURNS
    if counts and tiles_taken(best.play) == moment.rack_size != tiles_taken(played.play):
        found.append(Why(WhyKind.OUT, 1, 0))
    if best.score > played.score:
        found.append(Why(WhyKind.POINTS, best.score, played.score))
    return tuple(found[:MAX_WHY])


def judge_pre_endgame(
    moment: Moment, graph: WordGraph, *, seconds: float, cancelled: Callable[[], bool]
) -> Verdict | None:
    """Judge a turn with one tile in the bag; None when the play that was made is not among those that are tried.

    Raises:
        AnalysisError: it cannot be solved.
        StoppedError: it was cancelled, or time was up, before any play was looked at with all draws.

    """
    found = solve_pre_endgame(moment.position, graph, seconds=seconds, threads=1, cancelled=cancelled)
    laid = tiles_laid(moment.play)
    played = next(
        (one for one in found.plays if tiles_laid(one.play) == laid and type(one.play) is type(moment.play)),
        None,
    )
    if played is None:
        return None
    best = found.plays[0]
    if abs(best.points - played.points) < _TIED and played.gain > best.gain:
        best = played
    amount = best.points - played.points
    low = best.bounds[0] - played.bounds[1] if best is not played else 0.0
    high = best.bounds[1] - played.bounds[0] if best is not played else 0.0
    points = max(0.0, best.gain - played.gain)
    by_points = amount < _TIED and high - low < _TIED
    if by_points:
        size, approximate = size_of(points, BY_POINTS), not (best.exact and played.exact) and points > 0
        size = _LOWER[size] if approximate else size
    else:
        size, approximate = graded(100 * min(low, amount), 100 * high, BY_WIN)
    return Verdict(
        Method.PRE_ENDGAME,
        _pre_endgame_play(best),
        _pre_endgame_play(played),
        loss_win=amount,
        loss_win_error=(high - low) / (2 * Z_95),
        loss_points=points,
        lost=100 * (amount if amount > _TIED else points * chance_of_points(moment)),
        size=size,
        approximate=approximate,
        by_points=by_points,
        why=_pre_endgame_why(best, played, found.draws) if size is not Size.BEST else (),
    )


def _pre_endgame_play(play: PreEndgamePlay) -> JudgedPlay:
    return JudgedPlay(play.play, play.score, play.points, play.gain)


def _pre_endgame_why(best: PreEndgamePlay, played: PreEndgamePlay, draws: int) -> tuple[Why, ...]:
    found = []
    if best.points - played.points > _TIED:
        found.append(Why(WhyKind.DRAWS, best.points * draws, played.points * draws, of=draws))
    if best.gain > played.gain:
        found.append(Why(WhyKind.SPREAD, best.gain, played.gain))
    if best.score > played.score:
        found.append(Why(WhyKind.POINTS, best.score, played.score))
    return tuple(found[:MAX_WHY])


def judge_attempt(
    game: Game,
    turn: int,
    play: Play,
    best: Play,
    lexicon: Lexicon,
    *,
    seconds: float,
    progress: Callable[[float], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> TurnReview:
    """Compare a play with the best of a turn by paired draws, where at most one tile is in the bag by a solution.

    Never call it on an event loop.

    Args:
        game: The game.
        turn: The turn's number, from 1.
        play: A play that can be made from the rack; its words are in the lexicon.
        best: The best play by the review.
        lexicon: The lexicon of the review.
        seconds: Seconds of a processor that it may take.
        progress: Takes how much of them is over, from 0 to 1, on the calling thread.
        cancelled: Is asked every 20 ms or so; once true, it is judged by what there is.

    Returns:
        The turn as if the play had been made; it is not judged when there was no time to.

    Raises:
        RuleError: the play cannot be made.
        AnalysisError: the position cannot be simulated.

    """
    [before] = (one for one in moments(game, lexicon.graph) if one.number == turn - 1)
    moment = replace(before, play=play, flags=(), reason=None, unknown=0)
    clock = Clock(seconds, cancelled)
    verdict = None
    with suppress(AnalysisError, StoppedError):
        verdict = _solved(moment, lexicon, clock)
    if verdict is None or verdict.played is None:
        verdict = _simulated(moment, best, lexicon, clock, progress)
    return turn_review(moment, None, verdict, None)


def _solved(moment: Moment, lexicon: Lexicon, clock: Clock) -> Verdict | None:
    phase = phase_of(moment.bag)
    if phase is Phase.ENDGAME:
        return judge_endgame(moment, lexicon.graph, seconds=clock.seconds / 2, cancelled=clock.cancelled)
    if phase is Phase.PRE_ENDGAME:
        return judge_pre_endgame(moment, lexicon.graph, seconds=clock.seconds / 2, cancelled=clock.cancelled)
    return None


def _simulated(
    moment: Moment, best: Play, lexicon: Lexicon, clock: Clock, progress: Callable[[float], None]
) -> Verdict | None:
    effort = effort_of(Depth.QUICK, clock.seconds)
    plays = [rate(moment.position, one, lexicon.leaves) for one in (moment.play, best)]
    match = Match(moment, plays, lexicon, effort)
    while match.iterations < effort.iterations and not (match.iterations and match.is_decided):
        if not match.run(effort.first, clock.is_over):
            break
        progress(min(1.0, clock.taken / clock.seconds))
    return match.verdict if match.is_compared else None
