"""Judges turns by simulation or, with at most one tile in the bag, by solving the position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeAlias

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play, tiles_laid
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import PreEndgamePlay
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.equity import rate
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.paired import Difference, PairedSimulation
from bot.features.review.crossword.judging import (
    DECIDED_MARGIN,
    EARLY_POINT_THRESHOLDS,
    MAX_REASONS,
    POINT_THRESHOLDS,
    Effort,
    TimeBudget,
    add_accuracy_and_flags,
    adjusted_points,
    classify_loss,
    classify_uncertain_loss,
    effort_of,
    endgame_reasons,
    judge_endgame_play,
    judge_simulated_play,
    outcome_of_lead,
    simulation_reasons,
)
from bot.features.review.crossword.turns import PlayedTurn, played_turns
from bot.features.review.crossword.values import (
    WIN_THRESHOLDS,
    Z_95,
    JudgedPlay,
    JudgingMethod,
    MistakeSize,
    Phase,
    Reason,
    ReasonKind,
    TurnReview,
    UnjudgedReason,
)
from bot.features.review.values import Depth

MAX_DROP_RISK = 0.1
"""Maximum probability of dropping the best play, each time that plays are dropped."""
CLEAR_LEAD = 8_000
"""If the play made leads by at least this much equity, in millipoints, no other play is simulated."""


class TurnSimulation:
    """The simulation of the plays in a turn. Only one thread may use it at a time."""

    def __init__(
        self, turn: PlayedTurn, plays: Sequence[RatedPlay], lexicon: Lexicon, effort: Effort
    ) -> None:
        """Prepare the simulation. ``plays[0]`` is the play made. Raise AnalysisError if the position cannot be simulated."""
        self.turn = turn
        self._leaves = lexicon.leaves
        self._play_count = len(plays)
        is_middlegame = turn.review.phase is Phase.MIDDLEGAME
        self._thresholds = EARLY_POINT_THRESHOLDS if is_middlegame else POINT_THRESHOLDS
        self._simulation = PairedSimulation(
            turn.position,
            plays,
            lexicon.graph,
            lexicon.leaves,
            plies=effort.plies if is_middlegame else effort.late_plies,
            seed=effort.seed * 1_000_003 + turn.review.turn - 1,
        )

    def run(self, iterations: int, must_stop: Callable[[], bool]) -> bool:
        """Run more iterations. Return whether every play has had at least one iteration."""
        self._simulation.run(iterations, must_stop)
        self._simulation.drop_worse_plays(MAX_DROP_RISK)
        self.__dict__.pop("verdict", None)
        return all(self._simulation.result_of(number).iterations for number in range(self._play_count))

    @property
    def is_decided(self) -> bool:
        """Whether more iterations are unlikely to change the mistake's size."""
        if self._play_count == 1:
            return True
        verdict = self.verdict
        if verdict.may_be_larger:
            return False
        if verdict.mistake_size is not MistakeSize.NONE or verdict.win_chance_lost_error:
            return True
        return all(self._cannot_be_better(rival) for rival in self._simulation.remaining_plays if rival != 0)

    def _cannot_be_better(self, rival: int) -> bool:
        difference = self._simulation.compare(rival, 0)
        if self._is_game_decided(rival):
            return difference.points.mean + Z_95 * difference.points.error < self._thresholds[0]
        return 100 * (difference.win.mean + Z_95 * difference.win.error) < WIN_THRESHOLDS[0]

    def _is_game_decided(self, rival: int) -> bool:
        win_chances = self._simulation.result_of(rival).win, self._simulation.result_of(0).win
        return max(win_chances) < DECIDED_MARGIN or min(win_chances) > 1 - DECIDED_MARGIN

    @cached_property
    def verdict(self) -> TurnReview:
        """The review of the turn. Every play must have had at least one iteration."""
        best_index = self._best_index()
        played, best = self._simulation.result_of(0), self._simulation.result_of(best_index)
        review = replace(
            self.turn.review,
            best=judge_simulated_play(best),
            played=judge_simulated_play(played),
            method=JudgingMethod.EQUITY if self._play_count == 1 else JudgingMethod.SIMULATION,
        )
        if best_index == 0:  # the play made
            leads = [self._simulation.compare(0, other).win for other in range(1, self._play_count)]
            certain_lead = max(0.0, min((lead.mean - Z_95 * lead.error for lead in leads), default=0.0))
            review = replace(
                review, mistake_size=MistakeSize.NONE, certain_lead=certain_lead, iterations=played.iterations
            )
            return add_accuracy_and_flags(self.turn, review, 0.0)
        paired = self._simulation.compare(best_index, 0)
        is_judged_by_points = self._is_game_decided(best_index)
        win = Difference(100 * paired.win.mean, 100 * paired.win.error)
        deciding_difference = paired.points if is_judged_by_points else win
        low, high = (deciding_difference.mean + sign * Z_95 * deciding_difference.error for sign in (-1, 1))
        size, may_be_larger = classify_uncertain_loss(
            low, high, self._thresholds if is_judged_by_points else WIN_THRESHOLDS
        )
        review = replace(
            review,
            win_chance_lost=max(0.0, paired.win.mean),
            win_chance_lost_error=paired.win.error,
            points_lost=adjusted_points(paired.points.mean, win.mean),
            mistake_size=size,
            may_be_larger=may_be_larger,
            is_judged_by_points=is_judged_by_points,
            iterations=paired.iterations,
            reasons=()
            if size is MistakeSize.NONE
            else simulation_reasons(best, played, paired, self._leaves),
        )
        return add_accuracy_and_flags(self.turn, review, win.mean if low > 0 else 0.0)

    def _best_index(self) -> int:
        plays = {number: self._simulation.result_of(number) for number in self._simulation.remaining_plays}
        best_win = max(play.win for play in plays.values())
        if DECIDED_MARGIN <= best_win <= 1 - DECIDED_MARGIN:
            return max(plays, key=lambda number: (plays[number].win, plays[number].equity))
        equal_plays = [
            number
            for number, play in plays.items()
            if best_win < DECIDED_MARGIN or play.win > 1 - DECIDED_MARGIN
        ]
        return max(equal_plays, key=lambda number: plays[number].equity)


def plays_to_simulate(
    turn: PlayedTurn, ranking: Sequence[RatedPlay], played: RatedPlay, effort: Effort
) -> tuple[RatedPlay, ...]:
    """Return the plays worth simulating, starting with the play made."""
    other_plays = [play for play in ranking if not are_same_play(play, played)]
    # Simulate the play made even if the turn cannot be judged, because the curve shows its win chance.
    if not other_plays or not turn.needs_judgement or played.equity - other_plays[0].equity >= CLEAR_LEAD:
        return (played,)
    best_equity = max(played.equity, ranking[0].equity)
    near_plays = [play for play in other_plays if play.equity >= best_equity - effort.max_equity_gap]
    return (played, *near_plays[: effort.max_candidates])


def are_same_play(play: RatedPlay, other: RatedPlay) -> bool:
    """Return whether two plays are equal, ignoring their notation and which of two equal letters is the blank."""
    if play.letters_key == other.letters_key:
        return play.leave == other.leave
    laid_tiles, other_laid_tiles = map(tiles_laid, (play.play, other.play))
    return bool(laid_tiles) and laid_tiles == other_laid_tiles


_TIE_TOLERANCE = 1e-6
"""Shares of winning tile draws count as equal if they differ by at most this much."""


def judge_endgame(
    turn: PlayedTurn, graph: WordGraph, *, seconds: float, cancelled: Callable[[], bool]
) -> TurnReview | None:
    """Judge a turn with an empty bag. Return None if the solver rejects the play.

    Raises:
        AnalysisError: the endgame cannot be solved.
        StoppedError: no line was found in time.
    """
    solution = solve_endgame(
        turn.position, graph, seconds=seconds, requested_play=turn.play, cancelled=cancelled
    )
    best, played = solution.ranking[0], solution.requested_play
    if played is None:
        return None
    if played.value >= best.value:
        best = played
    points_lost = best.value - played.value
    win_share_lost = outcome_of_lead(turn.lead + best.value) - outcome_of_lead(turn.lead + played.value)
    is_proved = best.exact and played.exact
    size = MistakeSize.LARGE if win_share_lost > 0 else classify_loss(points_lost, POINT_THRESHOLDS)
    if not is_proved:
        size = _NEXT_SMALLER_SIZE[size]
    reasons = endgame_reasons(turn.position, best, played)
    if best.score > played.score:
        reasons.append(Reason(ReasonKind.POINTS, best.score, played.score))
    review = replace(
        turn.review,
        method=JudgingMethod.ENDGAME,
        best=judge_endgame_play(best, turn.lead),
        played=judge_endgame_play(played, turn.lead),
        win_chance_lost=win_share_lost,
        points_lost=float(points_lost),
        mistake_size=size,
        may_be_larger=not is_proved and points_lost > 0,
        is_judged_by_points=not win_share_lost,
        reasons=() if size is MistakeSize.NONE else tuple(reasons[:MAX_REASONS]),
    )
    return add_accuracy_and_flags(
        turn,
        review,
        100 * (win_share_lost or points_lost * turn.win_per_point),
        gave_away_endgame=win_share_lost > 0 and is_proved,
    )


_NEXT_SMALLER_SIZE = {
    MistakeSize.LARGE: MistakeSize.MEDIUM,
    MistakeSize.MEDIUM: MistakeSize.SMALL,
    MistakeSize.SMALL: MistakeSize.NONE,
    MistakeSize.NONE: MistakeSize.NONE,
}
"""An unproven mistake counts as the next smaller size, so that no mistake is exaggerated."""


def judge_pre_endgame(
    turn: PlayedTurn, graph: WordGraph, *, seconds: float, cancelled: Callable[[], bool]
) -> TurnReview | None:
    """Judge a turn with one tile in the bag. Return None if the solver did not try the play.

    Raises:
        AnalysisError: the pre-endgame cannot be solved.
        StoppedError: time ran out before any play was tried with every draw.

    """
    solution = solve_pre_endgame(turn.position, graph, seconds=seconds, threads=1, cancelled=cancelled)
    laid_tiles = tiles_laid(turn.play)
    same_plays = (
        play
        for play in solution.plays
        if tiles_laid(play.play) == laid_tiles and type(play.play) is type(turn.play)
    )
    best, played = solution.plays[0], next(same_plays, None)
    if played is None:
        return None
    if abs(best.win_share - played.win_share) < _TIE_TOLERANCE and played.gain > best.gain:
        best = played
    win_share_lost = best.win_share - played.win_share
    low, high = (
        (best.bounds[0] - played.bounds[1], best.bounds[1] - played.bounds[0])
        if best is not played
        else (0.0, 0.0)
    )
    points_lost = max(0.0, best.gain - played.gain)
    is_judged_by_points = win_share_lost < _TIE_TOLERANCE and high - low < _TIE_TOLERANCE
    if is_judged_by_points:
        may_be_larger = not (best.exact and played.exact) and points_lost > 0
        size = classify_loss(points_lost, POINT_THRESHOLDS)
        size = _NEXT_SMALLER_SIZE[size] if may_be_larger else size
    else:
        size, may_be_larger = classify_uncertain_loss(
            100 * min(low, win_share_lost), 100 * high, WIN_THRESHOLDS
        )
    review = replace(
        turn.review,
        method=JudgingMethod.PRE_ENDGAME,
        best=JudgedPlay(best.play, best.score, best.win_share, best.gain),
        played=JudgedPlay(played.play, played.score, played.win_share, played.gain),
        win_chance_lost=max(0.0, win_share_lost),
        win_chance_lost_error=(high - low) / (2 * Z_95),
        points_lost=points_lost,
        mistake_size=size,
        may_be_larger=may_be_larger,
        is_judged_by_points=is_judged_by_points,
        reasons=() if size is MistakeSize.NONE else _pre_endgame_reasons(best, played, solution.total_weight),
    )
    return add_accuracy_and_flags(
        turn,
        review,
        100 * (win_share_lost if win_share_lost > _TIE_TOLERANCE else points_lost * turn.win_per_point),
    )


def _pre_endgame_reasons(best: PreEndgamePlay, played: PreEndgamePlay, draw_count: int) -> tuple[Reason, ...]:
    reasons = []
    if best.win_share - played.win_share > _TIE_TOLERANCE:
        reasons.append(
            Reason(
                ReasonKind.DRAWS,
                best.win_share * draw_count,
                played.win_share * draw_count,
                draw_count=draw_count,
            )
        )
    if best.gain > played.gain:
        reasons.append(Reason(ReasonKind.SPREAD, best.gain, played.gain))
    if best.score > played.score:
        reasons.append(Reason(ReasonKind.POINTS, best.score, played.score))
    return tuple(reasons[:MAX_REASONS])


Solver: TypeAlias = Callable[..., TurnReview | None]
"""A function like :func:`judge_endgame`."""

SOLVERS: Final[Mapping[Phase, Solver]] = {
    Phase.ENDGAME: judge_endgame,
    Phase.PRE_ENDGAME: judge_pre_endgame,
}


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
    """Judge a turn as if ``play`` had been made, by comparing ``play`` with the best play. Never call this on an event loop.

    With at most one tile in the bag, up to half the time is spent on solving the position. If it is not solved, both plays are
    simulated with the same draws. The play must not be a phony. If the time (``seconds`` of CPU time) is too short, the turn
    is not judged. ``progress`` is called on the calling thread with the fraction of the time used. ``cancelled`` is called about
    every 20 ms; if it returns True, the work stops with the result so far.

    Raises:
        RuleError: the play cannot be made.
        AnalysisError: the position cannot be simulated.
    """
    [played_turn] = (played for played in played_turns(game, lexicon.graph) if played.review.turn == turn)
    tried_turn = replace(played_turn, play=play).with_review(
        flags=(), unjudged_reason=UnjudgedReason.UNFINISHED
    )
    budget = TimeBudget(seconds, cancelled)
    verdict = None
    with suppress(AnalysisError, StoppedError):
        if solve := SOLVERS.get(tried_turn.review.phase):
            verdict = solve(tried_turn, lexicon.graph, seconds=seconds / 2, cancelled=cancelled)
    return verdict or _judge_by_simulation(tried_turn, best, lexicon, budget, progress) or tried_turn.review


def _judge_by_simulation(
    turn: PlayedTurn, best: Play, lexicon: Lexicon, budget: TimeBudget, progress: Callable[[float], None]
) -> TurnReview | None:
    effort = effort_of(Depth.QUICK, budget.seconds)
    plays = [rate(turn.position, play, lexicon.leaves) for play in (turn.play, best)]
    simulation = TurnSimulation(turn, plays, lexicon, effort)
    while simulation.run(effort.iterations_per_round, budget.must_stop):
        progress(min(1.0, budget.used_seconds / budget.seconds))
        if (
            simulation.is_decided
            or simulation.verdict.iterations >= effort.max_iterations
            or budget.must_stop()
        ):
            return simulation.verdict
    return None
