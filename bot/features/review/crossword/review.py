"""Reviews a crossword game: first by equity alone, then by simulating or solving each turn as time allows.

Each simulated turn first gets a few iterations. Undecided turns then get more, in rotation. If the size of a mistake stays
undecided, the smallest possible size is used, and ``may_be_larger`` is set. Only one thread works on a turn at a time, and each
turn has its own random numbers, so the number of threads does not affect the results unless time runs out.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from bot.domain.crossword.game import Game, ReplayState
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import (
    AnalysisError,
    Meter,
    MeteredThreadPool,
    StoppedError,
    add_cpu_seconds,
    stop_after,
)
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.equity import rate
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay, deduplicate
from bot.engine.simulation.win_chances import shipped_win_chances
from bot.features.review.crossword.judging import (
    QUICK_EFFORT,
    Effort,
    TimeBudget,
    outcome_of_lead,
    rating_range,
    weigh_mistakes,
    win_chance_after,
)
from bot.features.review.crossword.turns import PlayedTurn, measure_luck, played_turns
from bot.features.review.crossword.values import (
    Flag,
    JudgingMethod,
    LexiconMismatch,
    MistakeSize,
    Phase,
    Review,
    StaticPlays,
    TurnReview,
    UnjudgedReason,
    severity,
)
from bot.features.review.crossword.verdicts import (
    SOLVERS,
    Solver,
    TurnSimulation,
    are_same_play,
    plays_to_simulate,
)
from bot.features.review.values import MAX_KEY_TURNS, MIN_JUDGED_SHARE, Depth, PlayerReview

MAX_UNKNOWN_SHARE = 0.15
"""The lexicon is considered wrong only if a greater share of the words is unknown."""
MIN_UNKNOWN_WORDS = 3
"""Minimum number of unknown words for the lexicon to be considered wrong, because even a short game may have a few phonies."""
MAX_THREADS = 8
PROGRESS_INTERVAL = 2.0
"""Seconds between progress reports."""
_PLAYS_PER_CANDIDATE = 3
"""Number of plays to rank per candidate. Many of them are dropped, because they differ only in which tile is the blank."""
_MAX_RANKING_SECONDS = 5.0
"""Maximum time for ranking one turn's plays by equity."""
_LUCK_SHARE = 0.12
"""Share of the time that is reserved for measuring luck."""

_Step: TypeAlias = "Callable[[], _Step | None]"
"""A step in the review of a turn. Returns the next step, if any."""

_LEXICON_FLAGS = {Flag.PHONY_STOOD, Flag.MISSED_CHALLENGE}
"""Flags to drop if the lexicon is wrong."""


def review_game(
    game: Game,
    lexicon: Lexicon,
    effort: Effort = QUICK_EFFORT,
    *,
    threads: int | None = None,
    progress: Callable[[Review], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Review:
    """Review a game that :func:`bot.features.review.crossword.values.check_game` accepts. Never call this on an event loop.

    ``threads`` defaults to one per processor, up to :data:`MAX_THREADS`. ``progress`` is called on the calling thread with the
    review so far; the first review contains only equities. ``cancelled`` is called about every 20 ms, on any thread; if it returns
    True, the work stops with the result so far.

    Raises:
        DomainError: the game cannot be analyzed.
    """
    work = _RunningReview(
        game, lexicon, effort, TimeBudget(effort.seconds, cancelled, _LUCK_SHARE * effort.seconds)
    )
    work.rank()
    progress(work.review())
    if work.lexicon_mismatch is None:
        work.judge(min(MAX_THREADS, threads or os.cpu_count() or 1), progress)
    return work.review()


class _RunningReview:
    def __init__(self, game: Game, lexicon: Lexicon, effort: Effort, budget: TimeBudget) -> None:
        self._game = game
        self._lexicon = lexicon
        self._effort = effort
        self._budget = budget
        self._turns = list(played_turns(game, lexicon.graph))
        word_count = sum(turn.word_count for turn in self._turns)
        unknown_count = sum(turn.invalid_word_count for turn in self._turns)
        is_wrong_lexicon = (
            unknown_count >= MIN_UNKNOWN_WORDS and unknown_count > MAX_UNKNOWN_SHARE * word_count
        )
        self.lexicon_mismatch = LexiconMismatch(unknown_count, word_count) if is_wrong_lexicon else None
        self._rankings: dict[int, tuple[RatedPlay, ...]] = {}
        """The plays of each ranked turn, best first, by the turn's index."""
        self._undecided_indices: set[int] = set()
        """Indices of simulated turns whose mistake size could change with more iterations."""
        self._is_complete = False

    def rank(self) -> None:
        for index, turn in enumerate(self._turns):
            if self._budget.cancelled():
                return
            if turn.review.unjudged_reason in (UnjudgedReason.UNFINISHED, UnjudgedReason.PHONY_STOOD):
                turn = self._rank(index, turn)  # noqa: PLW2901 - the same turn
            if self.lexicon_mismatch is not None:
                # A word that a wrong lexicon lacks may be valid.
                flags = tuple(flag for flag in turn.review.flags if flag not in _LEXICON_FLAGS)
                is_judgeable = turn.review.unjudged_reason in (
                    UnjudgedReason.UNFINISHED,
                    UnjudgedReason.PHONY_STOOD,
                )
                turn = turn.with_review(  # noqa: PLW2901 - as above
                    flags=flags,
                    unjudged_reason=UnjudgedReason.LEXICON if is_judgeable else turn.review.unjudged_reason,
                )
            self._turns[index] = turn

    def _rank(self, index: int, turn: PlayedTurn) -> PlayedTurn:
        graph, leaves = self._lexicon.graph, self._lexicon.leaves
        try:
            played = rate(turn.position, turn.play, leaves)
            with stop_after(_MAX_RANKING_SECONDS) as stop:
                top = _PLAYS_PER_CANDIDATE * (self._effort.max_candidates + 1)
                ranking = deduplicate(find_plays(turn.position, graph, leaves, top=top, stop=stop))
        except RuleError:
            return turn.with_review(unjudged_reason=UnjudgedReason.NOT_ALLOWED)
        except (AnalysisError, StoppedError):
            return turn.with_review(unjudged_reason=UnjudgedReason.NOT_ANALYZED)
        self._rankings[index] = ranking
        best = played if are_same_play(ranking[0], played) else ranking[0]
        return turn.with_review(static_plays=StaticPlays(best, played))

    def judge(self, threads: int, progress: Callable[[Review], None]) -> None:
        # Start simulations first, because each soon gives its turn a provisional judgement.
        indices = sorted(self._rankings, key=lambda index: self._solver(self._turns[index]) is not None)
        pending_steps: deque[_Step] = deque(partial(self._begin_turn, index) for index in indices)
        with MeteredThreadPool(threads) as pool:
            futures = {pool.submit(self._run_steps, pending_steps) for _ in range(threads)}
            try:
                while futures:
                    done, futures = wait(futures, PROGRESS_INTERVAL)
                    for future in done:
                        future.result()  # raises the error of a thread that failed
                    progress(self.review())
            except BaseException:
                pending_steps.clear()
                raise
            budget, effort = self._budget, self._effort
            ran_out_of_time = bool(self._undecided_indices) and budget.must_stop()
            budget.reserved_seconds = 0.0
            luck = measure_luck(
                self._turns,
                self._lexicon,
                draw_count=effort.luck_draw_count,
                seed=effort.seed,
                must_stop=budget.must_stop,
                run=pool.map,
            )
        self._turns = [turn.with_review(luck=luck.get(turn.review.turn)) for turn in self._turns]
        are_all_judged = not any(self._turns[index].needs_judgement for index in self._rankings)
        self._is_complete = are_all_judged and not ran_out_of_time and not budget.cancelled()

    def _run_steps(self, pending_steps: deque[_Step]) -> None:
        while pending_steps and not self._budget.must_stop():
            try:
                step = pending_steps.popleft()
            except IndexError:
                return  # another thread took the last step
            if (next_step := step()) is not None:
                pending_steps.append(next_step)

    @staticmethod
    def _solver(turn: PlayedTurn) -> Solver | None:
        return SOLVERS.get(turn.review.phase) if turn.needs_judgement else None

    def _begin_turn(self, index: int) -> _Step | None:
        turn = self._turns[index]
        solver, static_plays = self._solver(turn), turn.review.static_plays
        if solver is not None and self._solve(index, solver):
            return None
        assert static_plays is not None  # because the turn is ranked
        candidates = plays_to_simulate(turn, self._rankings[index], static_plays.played, self._effort)
        try:
            simulation = TurnSimulation(turn, candidates, self._lexicon, self._effort)
        except AnalysisError:
            if turn.needs_judgement:
                self._turns[index] = turn.with_review(unjudged_reason=UnjudgedReason.NOT_ANALYZED)
            return None
        self._undecided_indices.add(index)
        return self._simulate(index, simulation)

    def _simulate(self, index: int, simulation: TurnSimulation) -> _Step | None:
        if not simulation.run(self._effort.iterations_per_round, self._budget.must_stop):
            return None
        self._turns[index] = replace(self._turns[index], review=simulation.verdict)
        if simulation.is_decided:
            self._undecided_indices.discard(index)
            return None
        return (
            partial(self._simulate, index, simulation)
            if simulation.verdict.iterations < self._effort.max_iterations
            else None
        )

    def _solve(self, index: int, solver: Solver) -> bool:
        """Solve a turn. Return whether it needs no simulation, because it is solved or the review was stopped."""
        turn, budget = self._turns[index], self._budget
        is_endgame = turn.review.phase is Phase.ENDGAME
        max_seconds = self._effort.endgame_seconds if is_endgame else self._effort.pre_endgame_seconds
        verdict = None
        meter, start_time = Meter(), time.thread_time()
        with meter.measure(), suppress(AnalysisError, StoppedError):
            verdict = solver(
                turn,
                self._lexicon.graph,
                seconds=min(max_seconds, budget.seconds_left),
                cancelled=budget.cancelled,
            )
        other_threads_seconds = meter.seconds - (time.thread_time() - start_time)
        budget.other_thread_seconds.append(other_threads_seconds)
        add_cpu_seconds(other_threads_seconds)
        if verdict is None:
            return budget.cancelled()
        self._turns[index] = replace(turn, review=verdict)
        return True

    def review(self) -> Review:
        snapshot = list(self._turns)  # a copy, because other threads change the list
        turns = tuple(turn.review for turn in snapshot)
        curve, bag_empty_turn = win_chance_curve(self._game, dict(_chances_by_turn(snapshot)))
        scores = tuple(player.score for player in self._game.position_at(len(self._game.turns)).players)
        return Review(
            self._lexicon.name,
            self._effort.depth,
            tuple(self._player_review(seat, turns, scores) for seat in range(len(scores))),
            turns,
            curve,
            scores,
            bag_empty_turn,
            self.lexicon_mismatch,
            self._is_complete,
            self._budget.used_seconds,
            key_turns(turns),
        )

    def _player_review(self, seat: int, turns: Sequence[TurnReview], scores: Sequence[int]) -> PlayerReview:
        player = self._game.names[seat]
        own_turns = [
            turn
            for turn in turns
            if turn.seat == seat and turn.unjudged_reason is not UnjudgedReason.GAME_OVER
        ]
        judged_turns = [turn for turn in own_turns if turn.mistake_size is not None]
        has_enough_judged_turns = bool(judged_turns) and len(judged_turns) >= MIN_JUDGED_SHARE * len(
            own_turns
        )
        sizes = [turn.mistake_size for turn in judged_turns if turn.mistake_size is not None]
        mistake_index = weigh_mistakes(sizes) if has_enough_judged_turns else None
        luck = [turn.luck for turn in own_turns if turn.luck is not None]
        accuracies = [turn.accuracy for turn in judged_turns if turn.accuracy is not None]
        is_english = self._game.rules.distribution.name.startswith("english")
        is_rated = self._effort.depth is Depth.DEEP and is_english
        return PlayerReview(
            player.name or player.nick,
            wins=1 / scores.count(scores[seat]) if scores[seat] == max(scores) else 0.0,
            accuracy=sum(accuracies) / len(accuracies) if has_enough_judged_turns and accuracies else None,
            mistake_index=mistake_index,
            bingos=sum(Flag.BINGO in turn.flags and Flag.PHONY_OFF not in turn.flags for turn in own_turns),
            missed_bingos=sum(Flag.MISSED_BINGO in turn.flags for turn in own_turns),
            luck=sum(luck) if luck and len(luck) >= MIN_JUDGED_SHARE * len(own_turns) else None,
            points=scores[seat],
            turn_count=len(own_turns),
            judged_turn_count=len(judged_turns),
            mistakes=(
                sizes.count(MistakeSize.SMALL),
                sizes.count(MistakeSize.MEDIUM),
                sizes.count(MistakeSize.LARGE),
            ),
            points_lost=sum(turn.points_lost for turn in judged_turns),
            elo=rating_range(mistake_index) if is_rated and mistake_index is not None else None,
        )


def _chances_by_turn(turns: Sequence[PlayedTurn]) -> Iterator[tuple[int, float]]:
    for turn in turns:
        review = turn.review
        if review.played is not None:
            chance = review.played.win
        elif review.static_plays is not None:
            chance = win_chance_after(turn, review.static_plays.played)
        else:
            continue
        yield review.turn, chance if review.seat == 0 else 1 - chance


_MIN_BEST_PLAY_LEAD = 0.05
"""Minimum lead of the best play, as a win probability, for a turn without a mistake to be a key turn."""


def win_chance_curve(game: Game, chances: dict[int, float]) -> tuple[tuple[float, ...], int | None]:
    """Return the win-chance curve, and the number of the turn that emptied the bag, if any.

    The curve has the first player's win chances at the start and after each turn. Once the game is over, each value
    is the result. ``chances`` is keyed by turn number. Missing win chances are estimated from the score.
    """
    state = ReplayState(game.rules, len(game.names))
    curve = [_estimated_chance(state)]
    bag_empty_turn = None
    for number, turn in enumerate(game.turns, start=1):
        state.apply(turn)
        if bag_empty_turn is None and not state.bag_count:
            bag_empty_turn = number
        if state.is_over or number == len(game.turns):
            curve.append(outcome_of_lead(state.scores[0] - state.scores[1]))
        else:
            curve.append(chances.get(number, _estimated_chance(state)))
    return tuple(curve), bag_empty_turn


def _estimated_chance(state: ReplayState) -> float:
    seat = state.next_seat
    lead = state.scores[seat] - state.scores[1 - seat]
    chance = shipped_win_chances().chance(lead, state.bag_count + state.rack_sizes[1 - seat])
    return chance if seat == 0 else 1 - chance


def key_turns(turns: Sequence[TurnReview]) -> tuple[int, ...]:
    """Return the turns most worth studying: the largest losses, then the best plays that were far ahead of all other plays."""
    mistakes = sorted((turn for turn in turns if turn.is_certain_mistake), key=severity, reverse=True)
    good_finds = [
        turn
        for turn in turns
        if turn.mistake_size is MistakeSize.NONE
        and turn.method is JudgingMethod.SIMULATION
        and turn.certain_lead >= _MIN_BEST_PLAY_LEAD
    ]
    good_finds.sort(key=lambda turn: -turn.certain_lead)
    return tuple(turn.turn for turn in (*mistakes, *good_finds)[:MAX_KEY_TURNS])
