"""Turns with at most one tile in the bag: solved, not simulated."""

from __future__ import annotations

from collections.abc import Callable

from bot.domain.crossword.play import tiles_laid
from bot.domain.crossword.rules import EndCount
from bot.engine.endgame.outcomes import PreEndgamePlay
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import RankedPlay
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.word_graph import WordGraph
from bot.features.review.crossword.classes import BY_POINTS, BY_WIN, Z_95, Loss, graded, size_of
from bot.features.review.crossword.judging import Verdict, chance_of_points, tiles_taken
from bot.features.review.crossword.moments import Moment
from bot.features.review.crossword.values import JudgedPlay, Method, Size, Why, WhyKind

MAX_WHY = 3
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
    if amount < _TIED and high - low < _TIED:
        size, approximate = size_of(points, BY_POINTS), not (best.exact and played.exact) and points > 0
        size = _LOWER[size] if approximate else size
    else:
        size, approximate = graded(Loss(100 * amount, 100 * min(low, amount), 100 * high), BY_WIN)
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
