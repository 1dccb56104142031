"""The review of a crossword game: by equity at once, then by simulation and solution as time allows.

Every simulated turn first gets a few iterations. The remaining time goes to the turns whose class is undecided, in
rotation. Turns still undecided at the end get the lower class, marked as approximate. Each turn is worked on by one
thread at a time and has random numbers of its own, so the number of threads changes nothing but the time.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from bot.domain.crossword.game import Course, Game
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import (
    AnalysisError,
    Meter,
    MeteredThreads,
    StoppedError,
    count_seconds,
    stop_after,
)
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.equity import rate
from bot.engine.plays.generate import plays
from bot.engine.plays.values import RatedPlay, distinct
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.review.crossword.judging import (
    MIN_JUDGED,
    QUICK,
    Clock,
    Effort,
    Verdict,
    chance_after,
    mistake_index,
    phase_of,
    rating_range,
    turn_review,
)
from bot.features.review.crossword.match import Match, contenders, is_same, judge_endgame, judge_pre_endgame
from bot.features.review.crossword.moments import Moment, measure_luck, moments
from bot.features.review.crossword.values import (
    Flag,
    Method,
    Mismatch,
    Phase,
    PlayerReview,
    Reason,
    Review,
    Size,
    Static,
    TurnReview,
    check_game,
    weight,
)
from bot.features.review.values import Depth

MAX_UNKNOWN = 0.15
"""The share of unknown words above which the lexicon is taken for the wrong one."""
MIN_UNKNOWN = 3
"""The number of unknown words from which this holds: a short game may have a phony."""
MAX_THREADS = 8
PROGRESS_SECONDS = 0.5
"""Seconds between two reports of the review so far."""
_TOP = 3
"""Ranked plays for each wanted candidate: some differ in the blank alone."""
_STATIC_SECONDS = 5.0
_LUCK_SHARE = 0.12
"""The share of the time reserved for luck."""

_Step: TypeAlias = "Callable[[], _Step | None]"
"""Some work on a turn, which returns the work that follows it."""

_BY_LEXICON = {Flag.PHONY_STOOD, Flag.MISSED_CHALLENGE}


def review_game(
    game: Game,
    lexicon: Lexicon,
    effort: Effort = QUICK,
    *,
    threads: int | None = None,
    progress: Callable[[Review], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Review:
    """Review a finished game of two players. Never call this on an event loop.

    Args:
        game: The game.
        lexicon: The lexicon of both players.
        effort: The limits on time and iterations.
        threads: The number of threads; None for one on each processor.
        progress: Receives the review so far on the calling thread, first by equity alone.
        cancelled: Whether to return the review so far; called every 20 ms or so, on any thread.

    Raises:
        ReviewError: the game is not over, or not of two players.
        DomainError: the game cannot be analyzed.

    """
    check_game(game)
    work = _Work(game, lexicon, effort, Clock(effort.seconds, cancelled))
    work.rank()
    progress(work.review())
    if work.mismatch is None:
        work.judge(min(MAX_THREADS, max(1, threads or os.cpu_count() or 1)), progress)
    return work.review()


class _Work:
    """A review in progress."""

    def __init__(self, game: Game, lexicon: Lexicon, effort: Effort, clock: Clock) -> None:
        self._game = game
        self._lexicon = lexicon
        self._effort = effort
        self._clock = clock
        self._reserve = _LUCK_SHARE * effort.seconds
        self._moments = list(moments(game, lexicon.graph))
        words = sum(moment.words for moment in self._moments)
        unknown = sum(moment.unknown for moment in self._moments)
        wrong = unknown >= MIN_UNKNOWN and unknown > MAX_UNKNOWN * words
        self.mismatch = Mismatch(unknown, words) if wrong else None
        self._static: dict[int, Static] = {}
        self._ranking: dict[int, tuple[RatedPlay, ...]] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._undecided: set[int] = set()
        """Simulated turns whose class more iterations could change."""
        self._luck: dict[int, float] = {}
        self._end = game.position_at(len(game.turns))
        self._is_complete = False

    def rank(self) -> None:
        """Rank the plays of all turns by equity."""
        for place, moment in enumerate(self._moments):
            if self._clock.cancelled():
                return
            reason = moment.reason
            if reason in (None, Reason.PHONY_STOOD):
                reason = self._rank(moment) or reason
            flags = moment.flags
            if self.mismatch is not None:
                reason = Reason.LEXICON if reason in (None, Reason.PHONY_STOOD) else reason
                # Words that this lexicon does not have are no phonies of that game.
                flags = tuple(flag for flag in flags if flag not in _BY_LEXICON)
            self._moments[place] = replace(moment, reason=reason, flags=flags)

    def _rank(self, moment: Moment) -> Reason | None:
        """Rank the plays of a turn by equity; return why it cannot be done."""
        graph, leaves = self._lexicon.graph, self._lexicon.leaves
        try:
            played = rate(moment.position, moment.play, leaves)
            with stop_after(_STATIC_SECONDS) as stop:
                top = _TOP * (self._effort.candidates + 1)
                ranking = distinct(plays(moment.position, graph, leaves, top=top, stop=stop))
        except RuleError:
            return Reason.NOT_ALLOWED
        except (AnalysisError, StoppedError):
            return Reason.NOT_ANALYZED
        self._ranking[moment.number] = ranking
        best = played if is_same(ranking[0], played) else ranking[0]
        self._static[moment.number] = Static(best, played)
        return None

    def judge(self, threads: int, progress: Callable[[Review], None]) -> None:
        """Judge all turns as far as time allows."""
        ranked = [place for place, moment in enumerate(self._moments) if moment.number in self._ranking]
        # Simulations begin first: solutions take long, and every turn is to have a class soon.
        steps = sorted(ranked, key=lambda place: not self._is_simulated(self._moments[place]))
        pending: deque[_Step] = deque(partial(self._begin, place) for place in steps)
        with MeteredThreads(threads, initializer=self._clock.begin) as pool:
            # Work that a thread hands on is counted by the meter in its context.
            working = {pool.submit(copy_context().run, self._work, pending) for _ in range(threads)}
            try:
                while working:
                    done, working = wait(working, PROGRESS_SECONDS)
                    for future in done:
                        future.result()
                    progress(self.review())
            except BaseException:
                pending.clear()
                raise
            self._luck = measure_luck(
                self._moments,
                self._lexicon,
                draws=self._effort.draws,
                seed=self._effort.seed,
                is_over=self._clock.is_over,
                run=pool.map,
            )
        judged = all(
            moment.number in self._verdicts
            for moment in self._moments
            if moment.number in self._ranking and moment.reason is None
        )
        is_short = bool(self._undecided) and self._is_over()
        self._is_complete = judged and not is_short and not self._clock.cancelled()

    def _is_over(self) -> bool:
        return self._clock.is_over(self._reserve)

    def _work(self, pending: deque[_Step]) -> None:
        """Take steps from the queue, and put back what follows them, until none is left or time is up."""
        while not self._is_over():
            try:
                step = pending.popleft()
            except IndexError:
                return  # what other threads do has at most one step to follow
            following = step()
            if following is not None:
                pending.append(following)

    @staticmethod
    def _is_simulated(moment: Moment) -> bool:
        return moment.reason is not None or phase_of(moment.bag) in (
            Phase.MIDDLEGAME,
            Phase.EARLY_PRE_ENDGAME,
        )

    def _begin(self, place: int) -> _Step | None:
        """Solve a turn with at most one tile in the bag; simulate the others, and those that cannot be solved."""
        moment = self._moments[place]
        if not self._is_simulated(moment) and self._solve(moment):
            return None
        played = self._static[moment.number].played
        candidates = contenders(moment, self._ranking[moment.number], played, self._effort)
        try:
            match = Match(moment, candidates, self._lexicon, self._effort)
        except AnalysisError:
            self._moments[place] = replace(moment, reason=moment.reason or Reason.NOT_ANALYZED)
            return None
        return self._simulate(match)

    def _simulate(self, match: Match) -> _Step | None:
        """Give a simulated turn some iterations; return the next step if its class is still undecided."""
        number = match.moment.number
        self._undecided.add(number)
        match.run(self._effort.first, self._is_over)
        if not match.is_compared:
            return None
        self._verdicts[number] = match.verdict
        if match.is_decided:
            self._undecided.discard(number)
            return None
        return partial(self._simulate, match) if match.iterations < self._effort.iterations else None

    def _solve(self, moment: Moment) -> bool:
        """Solve a turn with at most one tile in the bag; return whether it needs no simulation."""
        endgame = phase_of(moment.bag) is Phase.ENDGAME
        most = self._effort.endgame_seconds if endgame else self._effort.pre_endgame_seconds
        seconds = min(most, max(0.0, self._clock.left - self._reserve))
        cancelled = self._clock.cancelled
        verdict: Verdict | None = None
        meter, begun = Meter(), time.thread_time()
        with meter.running(), suppress(AnalysisError, StoppedError):
            solver = judge_endgame if endgame else judge_pre_endgame
            verdict = solver(moment, self._lexicon.graph, seconds=seconds, cancelled=cancelled)
        elsewhere = meter.seconds - (time.thread_time() - begun)
        self._clock.add(elsewhere)
        count_seconds(elsewhere)
        if verdict is not None and verdict.played is not None:
            self._verdicts[moment.number] = verdict
            return True
        return cancelled()

    def review(self) -> Review:
        """Return the review so far."""
        verdicts = dict(self._verdicts)
        turns = tuple(
            turn_review(
                moment,
                self._static.get(moment.number),
                verdicts.get(moment.number),
                self._luck.get(moment.number),
            )
            for moment in self._moments
        )
        curve, empty = curve_of(self._game, self._chances(verdicts))
        return Review(
            self._lexicon.name,
            self._effort.depth,
            player_reviews(self._game, turns, self._effort.depth),
            turns,
            curve,
            tuple(player.score for player in self._end.players),
            empty,
            self.mismatch,
            self._is_complete,
            self._clock.taken,
            key_turns(turns),
        )

    def _chances(self, verdicts: dict[int, Verdict]) -> dict[int, float]:
        """Return the first player's chance to win after each turn of which more is known than the score."""
        chances = {}
        for moment in self._moments:
            verdict, static = verdicts.get(moment.number), self._static.get(moment.number)
            if verdict is not None and verdict.played is not None:
                chance = verdict.played.win
            elif static is not None:
                chance = chance_after(moment, static.played.play, static.played.score, static.played.equity)
            else:
                continue
            chances[moment.number] = chance if moment.turn.player == 0 else 1 - chance
        return chances


MAX_KEY_TURNS = 4
_FIND = 0.05
"""How far behind the second play is, in chance to win, of a best play that is worth to look at."""


def player_reviews(game: Game, turns: Sequence[TurnReview], depth: Depth) -> tuple[PlayerReview, ...]:
    """Return the figures of each player, by seat."""
    rated = depth is Depth.DEEP and game.rules.distribution.name.startswith("english")
    return tuple(
        _player(game, seat, [turn for turn in turns if turn.seat == seat], rated=rated)
        for seat in range(len(game.names))
    )


def _player(game: Game, seat: int, turns: Sequence[TurnReview], *, rated: bool) -> PlayerReview:
    name = game.names[seat]
    own = [turn for turn in turns if turn.reason is not Reason.GAME_OVER]
    judged = [turn for turn in own if turn.size is not None]
    enough = bool(judged) and len(judged) >= MIN_JUDGED * len(own)
    sizes = [turn.size for turn in judged if turn.size is not None]
    index = mistake_index(sizes) if enough else None
    draws = [turn.luck for turn in own if turn.luck is not None]
    accuracies = [turn.accuracy for turn in judged if turn.accuracy is not None]
    return PlayerReview(
        name.name or name.nick,
        len(own),
        len(judged),
        sum(accuracies) / len(accuracies) if enough and accuracies else None,
        index,
        sizes.count(Size.SMALL),
        sizes.count(Size.MEDIUM),
        sizes.count(Size.LARGE),
        sum(draws) if draws and len(draws) >= MIN_JUDGED * len(own) else None,
        sum(Flag.BINGO in turn.flags and Flag.PHONY_OFF not in turn.flags for turn in own),
        sum(Flag.MISSED_BINGO in turn.flags for turn in own),
        points_lost=sum(turn.loss_points for turn in judged),
        elo=rating_range(index) if rated and index is not None else None,
    )


def curve_of(game: Game, chances: dict[int, float]) -> tuple[tuple[float, ...], int | None]:
    """Return the first player's chance to win at the start and after each event, and when the bag was empty.

    ``chances`` has what is known of the chance after an event, by its index; the others go by the score.
    """
    course = Course(game.rules, len(game.names))
    curve = [_chance(course)]
    empty = None
    for number, turn in enumerate(game.turns):
        course.follow(turn)
        if empty is None and not course.bag:
            empty = number + 1
        curve.append(_outcome(course) if course.is_over else chances.get(number, _chance(course)))
    if game.turns:
        curve[-1] = _outcome(course)
    return tuple(curve), empty


def _chance(course: Course) -> float:
    seat = course.next_seat
    lead = course.scores[seat] - course.scores[1 - seat]
    chance = learnt_win_chances().chance(lead, course.bag + course.rack_sizes[1 - seat])
    return chance if seat == 0 else 1 - chance


def _outcome(course: Course) -> float:
    lead = course.scores[0] - course.scores[1]
    return 1.0 if lead > 0 else 0.5 if not lead else 0.0


def key_turns(turns: Sequence[TurnReview]) -> tuple[int, ...]:
    """Return the turns most worth to look at: the greatest losses, then best plays far ahead of the next."""
    lost = sorted((turn for turn in turns if turn.established), key=weight, reverse=True)
    found = [
        turn
        for turn in turns
        if turn.size is Size.BEST and turn.method is Method.SIMULATION and turn.ahead >= _FIND
    ]
    found.sort(key=lambda turn: -turn.ahead)
    return tuple(turn.turn for turn in (*lost, *found)[:MAX_KEY_TURNS])
