"""Another play in a turn that was reviewed, compared with the best: as good, or how much worse."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.equity import rate
from bot.features.review.crossword.classes import phase_of
from bot.features.review.crossword.effort import Clock, effort_of
from bot.features.review.crossword.judging import Verdict, turn_review
from bot.features.review.crossword.match import Match
from bot.features.review.crossword.moments import Moment, moments
from bot.features.review.crossword.solved import judge_endgame, judge_pre_endgame
from bot.features.review.crossword.values import Phase, TurnReview
from bot.features.review.depth import Depth


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
