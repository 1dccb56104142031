"""What is more than a ranking by equity: simulating and solving."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import ReadWarning
from bot.engine.analysis import AnalysisError
from bot.engine.analysis import StoppedError as OutOfTimeError
from bot.engine.endgame.draws import MAX_IN_BAG
from bot.engine.plays.values import RatedPlay
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon
from bot.jobs.analysis.values import MAX_PLAYS, MAX_SECONDS, AnalysisResult, Progress

_WITH_BLANK = 3


def simulated(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Simulate the best plays."""
    from bot.engine.simulation.inference import infer  # noqa: PLC0415 - as in perform
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415
    from bot.engine.simulation.win_chances import learnt_win_table  # noqa: PLC0415

    request, options = result.request, result.request.options
    seconds = min(options.seconds, MAX_SECONDS)
    until = time.monotonic() + seconds
    guessed = request.before.opponent_leaves if request.before is not None else ()
    if options.infer and request.before is None:
        guessed = infer(
            request.position,
            lexicon.graph,
            lexicon.leaves,
            seconds=seconds / 4,
            seed=options.seed,
            cancelled=lambda: control.is_stopped,
        ).leaves
        seconds = max(0.0, until - time.monotonic())
    simulation = simulate(
        request.position,
        _candidates(result.plays, None if result.made_phony else result.made),
        lexicon.graph,
        lexicon.leaves,
        replace(options, seconds=seconds),
        opponent_leaves=guessed,
        table=learnt_win_table(),
        before=request.before,
        progress=control.report,
        cancelled=lambda: control.is_stopped,
    )
    return replace(result, simulation=simulation, inferred=len(guessed))


def solve(result: AnalysisResult, lexicon: Lexicon, control: Control[Progress]) -> AnalysisResult:
    """Prove which play is best, as far as time allows; stopped too early, return the result without a solution.

    What cannot be solved is simulated instead.
    """
    from bot.engine.endgame.pre_endgame import solve_pre_endgame  # noqa: PLC0415
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415 - as in perform

    request = result.request
    seconds = min(request.options.seconds, MAX_SECONDS)
    try:
        if 1 <= request.position.bag_count <= MAX_IN_BAG:
            pre_endgame = solve_pre_endgame(
                request.position,
                lexicon.graph,
                seconds=seconds,
                progress=control.report,
                cancelled=lambda: control.is_stopped,
            )
            return replace(result, pre_endgame=pre_endgame)
        endgame = solve_endgame(
            request.position,
            lexicon.graph,
            seconds=seconds,
            # Of those that differ only in which tile is the blank, one is shown.
            ranked=(request.options.plays or MAX_PLAYS)
            * (_WITH_BLANK if BLANK in _rack(request.position) else 1),
            progress=control.report,
            cancelled=lambda: control.is_stopped,
        )
    except OutOfTimeError:
        return result
    except AnalysisError as error:
        return _simulate_instead(result, error, lexicon, control)
    return replace(result, endgame=endgame)


def _simulate_instead(
    result: AnalysisResult, error: AnalysisError, lexicon: Lexicon, control: Control[Progress]
) -> AnalysisResult:
    """Simulate what cannot be solved and note why; if that is impossible too, keep the ranking by equity."""
    why = ReadWarning(error.code, error.template, values=tuple(error.values.items()))
    result = replace(result, unsolved=why)
    try:
        return simulated(result, lexicon, control)
    except AnalysisError:
        return result


def _rack(position: Position) -> tuple[int, ...]:
    return position.players[position.on_turn].rack


def _candidates(best: Sequence[RatedPlay], made: RatedPlay | None) -> tuple[RatedPlay, ...]:
    """Return the plays to simulate: the best, and the one that was made if it is not among them."""
    shown = tuple(best[:MAX_PLAYS])
    return shown if made is None or any(play.play == made.play for play in shown) else (*shown[:-1], made)
