"""The review of a crossword game: by equity at once, then by simulation and solution as time allows.

All turns get a few iterations first; then the time goes to those whose class is not decided, in turn. What is not
decided when it ends has the lower class and is marked as approximate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import AnalysisError, StoppedError, stop_after
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.equity import rate
from bot.engine.plays.generate import plays
from bot.engine.plays.values import RatedPlay, distinct
from bot.features.review.crossword.classes import phase_of
from bot.features.review.crossword.judging import (
    QUICK,
    Clock,
    Effort,
    Verdict,
    chance_after,
    effort_of,
    turn_review,
)
from bot.features.review.crossword.match import Match, contenders, is_same, judge_endgame, judge_pre_endgame
from bot.features.review.crossword.moments import Moment, moments
from bot.features.review.crossword.summary import curve_of, key_turns, measure_luck, player_reviews
from bot.features.review.crossword.values import (
    Flag,
    Mismatch,
    Phase,
    Reason,
    Review,
    Static,
    TurnReview,
    check_game,
)
from bot.features.review.values import Depth

MAX_UNKNOWN = 0.15
"""The share of words that may be missing in the lexicon before it seems to be the wrong one."""
MIN_UNKNOWN = 3
"""So many words have to be missing, too: a short game may have a phony."""
_TOP = 3
"""How many times as many plays are looked at as candidates are wanted, since some differ in the blank only."""
_STATIC_SECONDS = 5.0
_LUCK_SHARE = 0.12
"""The share of the time that is kept for luck."""

_BY_LEXICON = {Flag.PHONY_STOOD, Flag.MISSED_CHALLENGE}

Progress = Callable[[Review], None]


def review_game(
    game: Game,
    lexicon: Lexicon,
    effort: Effort = QUICK,
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Review:
    """Review a finished game of two. Takes as long as ``effort`` says: never call it on an event loop.

    Args:
        game: The game.
        lexicon: The words both players went by.
        effort: How thoroughly.
        progress: Takes the review so far, on the calling thread: by equity at once, later after each round.
        cancelled: Is asked every 20 ms or so; once true, what there is is returned.

    Raises:
        ReviewError: the game is not over, or not of two players.
        DomainError: it is one that is not analyzed.

    """
    check_game(game)
    work = _Work(game, lexicon, effort, Clock(effort.seconds, cancelled))
    work.rank()
    if progress is not None:
        progress(work.review())
    if work.mismatch is None:
        work.judge(progress or (lambda _: None))
    return work.review(complete=work.is_complete)


class _Work:
    """A review under way. One thread at a time."""

    def __init__(self, game: Game, lexicon: Lexicon, effort: Effort, clock: Clock) -> None:
        self._game = game
        self._lexicon = lexicon
        self._effort = effort
        self._clock = clock
        self._moments = list(moments(game, lexicon.graph))
        words = sum(moment.words for moment in self._moments)
        unknown = sum(moment.unknown for moment in self._moments)
        wrong = unknown >= MIN_UNKNOWN and unknown > MAX_UNKNOWN * words
        self.mismatch = Mismatch(unknown, words) if wrong else None
        self._static: dict[int, Static] = {}
        self._ranking: dict[int, tuple[RatedPlay, ...]] = {}
        self._matches: dict[int, Match] = {}
        self._verdicts: dict[int, Verdict] = {}
        self._luck: dict[int, tuple[float, float]] = {}
        self._end = game.position_at(len(game.turns))
        self.is_complete = False

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

    def judge(self, progress: Progress) -> None:
        """Judge all turns as far as time allows."""
        ranked = [moment for moment in self._moments if moment.number in self._ranking]
        for moment in ranked:
            if (
                phase_of(moment.bag) in (Phase.MIDDLEGAME, Phase.EARLY_PRE_ENDGAME)
                or moment.reason is not None
            ):
                self._open(moment)
        reserve = _LUCK_SHARE * self._effort.seconds
        for match in self._matches.values():
            match.run(self._effort.first, lambda: self._clock.is_over(reserve))
        progress(self.review())
        for moment in ranked:
            if moment.number not in self._matches and not self._clock.is_over(reserve):
                self._solve(moment, reserve)
        progress(self.review())
        self._decide(progress, reserve)
        self._measure_luck()
        open_ones = any(not match.is_decided for match in self._matches.values() if match.iterations)
        judged = all(moment.number in self._verdicts for moment in ranked if moment.reason is None)
        self.is_complete = (
            not self._clock.cancelled() and judged and not (open_ones and self._clock.is_over(reserve))
        )

    def _open(self, moment: Moment) -> None:
        """Make a turn one that is simulated, if it can be."""
        played = self._static[moment.number].played
        plays = contenders(moment, self._ranking[moment.number], played, self._effort)
        try:
            match = Match(moment, plays, self._lexicon, self._effort)
        except AnalysisError:
            place = self._moments.index(moment)
            self._moments[place] = replace(moment, reason=moment.reason or Reason.NOT_ANALYZED)
        else:
            self._matches[moment.number] = match

    def _solve(self, moment: Moment, reserve: float) -> None:
        """Solve a turn with at most one tile in the bag; what cannot be solved is simulated."""
        endgame = phase_of(moment.bag) is Phase.ENDGAME
        most = self._effort.endgame_seconds if endgame else self._effort.pre_endgame_seconds
        seconds = min(most, max(0.0, self._clock.left - reserve))
        cancelled = self._clock.cancelled
        verdict: Verdict | None = None
        begun = time.perf_counter()
        with suppress(AnalysisError, StoppedError):
            solver = judge_endgame if endgame else judge_pre_endgame
            verdict = solver(moment, self._lexicon.graph, seconds=seconds, cancelled=cancelled)
        if not endgame:
            self._clock.add(time.perf_counter() - begun)
        if verdict is not None and verdict.played is not None:
            self._verdicts[moment.number] = verdict
        elif not cancelled():
            self._open(moment)
            if match := self._matches.get(moment.number):
                match.run(self._effort.first, lambda: self._clock.is_over(reserve))

    def _decide(self, progress: Progress, reserve: float) -> None:
        """Give time to turns whose class is not decided, one after the other, until all are or time is up."""

        def is_over() -> bool:
            return self._clock.is_over(reserve)

        limit = self._effort.iterations
        while not is_over():
            waiting = [
                match
                for match in self._matches.values()
                if match.iterations < limit and not (match.iterations and match.is_decided)
            ]
            if not waiting:
                break
            for match in waiting:
                if not match.run(self._effort.first, is_over):
                    break
            progress(self.review())

    def _measure_luck(self) -> None:
        draws, seed = self._effort.draws, self._effort.seed
        is_over = self._clock.is_over
        for number, luck in measure_luck(
            self._moments, self._lexicon, draws=draws, seed=seed, is_over=is_over
        ):
            self._luck[number] = luck

    def review(self, *, complete: bool = False) -> Review:
        """Return what is known so far."""
        for number, match in self._matches.items():
            if match.iterations:
                self._verdicts[number] = match.verdict
        turns = tuple(
            turn_review(
                moment,
                self._static.get(moment.number),
                self._verdicts.get(moment.number),
                self._luck.get(moment.number),
            )
            for moment in self._moments
        )
        curve, empty = curve_of(self._game, self._chances())
        return Review(
            self._lexicon.name,
            self._effort.depth,
            player_reviews(self._game, turns, self._effort.depth),
            turns,
            curve,
            tuple(player.score for player in self._end.players),
            empty,
            self.mismatch,
            complete,
            self._clock.taken,
            key_turns(turns),
        )

    def _chances(self) -> dict[int, float]:
        """Return the first player's chance to win after each turn of which more is known than the score."""
        chances = {}
        for moment in self._moments:
            verdict, static = self._verdicts.get(moment.number), self._static.get(moment.number)
            if verdict is not None and verdict.played is not None:
                chance = verdict.played.win
            elif static is not None:
                chance = chance_after(moment, static.played.play, static.played.score, static.played.equity)
            else:
                continue
            chances[moment.number] = chance if moment.turn.player == 0 else 1 - chance
        return chances


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
