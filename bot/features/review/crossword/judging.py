"""The rules by which turns are judged.

The thresholds, weights and ratings come from macondo and woogles, with one exception: a loss of less than 0.5 percentage points of
win chance counts as no loss, because a simulation of a few seconds cannot detect it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.domain.crossword.game import is_bingo, tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndScoring
from bot.engine.analysis import MILLIPOINTS
from bot.engine.endgame.result import RankedPlay
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import MAX_PLIES
from bot.engine.simulation.paired import PlayDifferences
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import shipped_win_chances
from bot.features.review.crossword.turns import PlayedTurn
from bot.features.review.crossword.values import (
    Z_95,
    Flag,
    JudgedPlay,
    MistakeSize,
    Reason,
    ReasonKind,
    TurnReview,
)
from bot.features.review.values import Depth, accuracy

MAX_WALL_TIME_FACTOR = 3.0
"""Maximum elapsed time of a review, as a multiple of its CPU time limit."""

POINT_THRESHOLDS = (0.5, 7.0, 15.0)
"""Like :data:`bot.features.review.crossword.values.WIN_THRESHOLDS`, but in points.

Used for turns that are judged by points while the bag has at most seven tiles.
"""
EARLY_POINT_THRESHOLDS = (0.5, 15.0, 30.0)
"""Like :data:`POINT_THRESHOLDS`, but for turns with more than seven tiles in the bag."""

DECIDED_MARGIN = 0.005
"""A game is decided if the win chance differs from 0 or 1 by less than this. Plays are then compared by points."""
POINTS_PER_WIN_PERCENT = 2.26
"""Number of points that are worth one percentage point of win chance, according to MAGPIE's regression."""

MISTAKE_WEIGHTS = {
    MistakeSize.NONE: 0.0,
    MistakeSize.SMALL: 0.2,
    MistakeSize.MEDIUM: 0.5,
    MistakeSize.LARGE: 1.0,
}

_RATINGS = (
    (0.0, 2300), (0.2, 2250), (0.5, 2200), (0.8, 2150), (1.2, 2100), (1.5, 2050), (1.7, 2000), (1.9, 1950),
    (2.3, 1900), (2.6, 1850), (2.9, 1800), (3.3, 1750), (3.8, 1700), (4.2, 1650),
)  # fmt: skip
"""(mistake index, rating) pairs."""
_RATING_SLOPE = 125.0
"""Rating points lost per unit of the mistake index, beyond the table."""
_RATING_ERROR = 150


def classify_loss(amount: float, thresholds: tuple[float, float, float]) -> MistakeSize:
    min_small, max_small, max_medium = thresholds
    if amount < min_small:
        return MistakeSize.NONE
    if amount <= max_small:
        return MistakeSize.SMALL
    return MistakeSize.MEDIUM if amount <= max_medium else MistakeSize.LARGE


def classify_uncertain_loss(
    low: float, high: float, thresholds: tuple[float, float, float]
) -> tuple[MistakeSize, bool]:
    """Return the smallest possible size of a loss between ``low`` and ``high``, and whether the size may be larger."""
    min_size = classify_loss(low, thresholds)
    return min_size, min_size is not classify_loss(high, thresholds)


def weigh_mistakes(sizes: Iterable[MistakeSize]) -> float:
    return round(sum(MISTAKE_WEIGHTS[size] for size in sizes), 9)


def rating(mistake_index: float) -> float:
    """Return the rating for a mistake index, from Joey Krafchick's informal table, which macondo uses."""
    last_index, last_rating = _RATINGS[-1]
    if mistake_index >= last_index:
        return last_rating - _RATING_SLOPE * (mistake_index - last_index)
    (low, low_rating), (high, high_rating) = next(
        pair for pair in pairwise(_RATINGS) if mistake_index <= pair[1][0]
    )
    return low_rating + (high_rating - low_rating) * (mistake_index - low) / (high - low)


def rating_range(mistake_index: float) -> tuple[int, int]:
    middle = rating(mistake_index)
    low, high = ((middle + sign * _RATING_ERROR) / 50 for sign in (-1, 1))
    return max(0, round(low)) * 50, max(0, round(high)) * 50


def adjusted_points(points_lost: float, win_percent_lost: float) -> float:
    """Return the points lost. If a play gains points but loses win chance, convert the lost percentage points to points."""
    if points_lost < 0 < win_percent_lost:
        return POINTS_PER_WIN_PERCENT * win_percent_lost
    return max(0.0, points_lost)


@dataclass(frozen=True, slots=True)
class Effort:
    """The limits of a review. Unless time runs out, the time limits do not affect the results."""

    depth: Depth = Depth.QUICK
    seconds: float = 20.0
    """CPU seconds for the whole game, on all threads."""
    max_candidates: int = 8
    """Maximum number of simulated plays in addition to the play made."""
    max_equity_gap: int = 12_000
    """Maximum lead in equity of the best play over a simulated play, in millipoints."""
    plies: int = 2
    """Number of plies to simulate if the bag has more than seven tiles."""
    late_plies: int = 4
    """Number of plies to simulate if the bag has at most seven tiles."""
    iterations_per_round: int = 64
    max_iterations: int = 2048
    luck_draw_count: int = 60
    """Number of random draws to compare with the actual draw."""
    pre_endgame_seconds: float = 2.0
    endgame_seconds: float = 1.0
    seed: int = 0


QUICK_EFFORT = Effort()
DEEP_EFFORT = Effort(
    Depth.DEEP,
    seconds=170.0,
    max_candidates=25,
    max_equity_gap=20_000,
    plies=4,
    late_plies=MAX_PLIES,
    max_iterations=20_000,
    pre_endgame_seconds=20.0,
    endgame_seconds=10.0,
)


def effort_of(depth: Depth, seconds: float, *, seed: int = 0) -> Effort:
    """Return a depth's effort, limited to ``seconds`` of CPU time."""
    usual_effort = QUICK_EFFORT if depth is Depth.QUICK else DEEP_EFFORT
    share = min(1.0, seconds / usual_effort.seconds)
    return replace(
        usual_effort,
        seconds=seconds,
        pre_endgame_seconds=usual_effort.pre_endgame_seconds * share,
        endgame_seconds=usual_effort.endgame_seconds * share,
        seed=seed,
    )


class TimeBudget:
    """Limits the CPU time and the elapsed time of a review, and passes on requests to stop."""

    def __init__(self, seconds: float, cancelled: Callable[[], bool], reserved_seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.cancelled = cancelled
        self.reserved_seconds = reserved_seconds
        self.other_thread_seconds: list[float] = []
        """CPU seconds used by threads that do not query this budget."""
        self._start_time = time.perf_counter()
        self._cpu_start_time = time.thread_time()
        self._thread_times = {threading.get_ident(): self._cpu_start_time}
        """CPU times at the last query, by thread id. Other threads start later, so their whole CPU time counts."""

    @property
    def used_seconds(self) -> float:
        """The CPU seconds used so far. Other threads count only up to their last query."""
        self._thread_times[threading.get_ident()] = time.thread_time()
        return sum(list(self._thread_times.values())) - self._cpu_start_time + sum(self.other_thread_seconds)

    @property
    def seconds_left(self) -> float:
        """The CPU seconds left, without the reserved seconds."""
        return max(0.0, self.seconds - self.reserved_seconds - self.used_seconds)

    def must_stop(self) -> bool:
        """Return whether to stop: on request, or if too much time has elapsed or no unreserved CPU time is left."""
        is_late = time.perf_counter() - self._start_time >= MAX_WALL_TIME_FACTOR * self.seconds
        return is_late or not self.seconds_left or self.cancelled()


def add_accuracy_and_flags(
    turn: PlayedTurn, verdict: TurnReview, win_percent_lost: float, *, gave_away_endgame: bool = False
) -> TurnReview:
    """Add the accuracy and the flags to a verdict.

    If the turn needs no judgement, only copy ``played``, ``method`` and ``iterations`` from the verdict to the turn's review.
    ``gave_away_endgame`` means that the play turned a won endgame into a tied or lost endgame, or a tied endgame into a lost endgame.
    """
    if not turn.needs_judgement:
        return replace(
            turn.review, played=verdict.played, method=verdict.method, iterations=verdict.iterations
        )
    flags = list(turn.review.flags)
    rack_size = turn.position.rules.rack_size
    better_play = (
        verdict.best.play
        if verdict.best is not None and verdict.mistake_size is not MistakeSize.NONE
        else Pass()
    )
    if is_bingo(better_play, rack_size) and not is_bingo(turn.play, rack_size):
        flags.append(Flag.MISSED_BINGO)
    if gave_away_endgame:
        flags.append(Flag.BLOWN_ENDGAME)
    return replace(verdict, unjudged_reason=None, accuracy=accuracy(win_percent_lost), flags=tuple(flags))


def count_used_tiles(play: Play) -> int:
    return play.size if isinstance(play, Exchange) else len(tiles_used(play))


def outcome_of_lead(lead: float) -> float:
    if lead == 0:
        return 0.5
    return 1.0 if lead > 0 else 0.0


def judge_simulated_play(simulated_play: SimulatedPlay) -> JudgedPlay:
    rated_play = simulated_play.play
    return JudgedPlay(rated_play.play, rated_play.score, simulated_play.win, simulated_play.equity)


def judge_endgame_play(ranked_play: RankedPlay, lead: int) -> JudgedPlay:
    """Return the judgement of a solved play. ``lead`` is the player's score minus the opponent's, before the play."""
    return JudgedPlay(
        ranked_play.play,
        ranked_play.score,
        outcome_of_lead(lead + ranked_play.value),
        float(ranked_play.value),
    )


def win_chance_after(turn: PlayedTurn, played: RatedPlay) -> float:
    """Estimate the player's win chance after a play, without a simulation."""
    play, bag_count = played.play, turn.review.bag_count
    gain = played.equity / MILLIPOINTS if isinstance(play, Placement | Exchange) else 0.0
    laid_count = len(tiles_used(play)) if isinstance(play, Placement) else 0
    if not bag_count and laid_count == turn.rack_size:
        # The game is over, and the equity includes the points for going out.
        return outcome_of_lead(turn.lead + gain)
    if not bag_count:
        # Tiles left on the rack need not cost points, because the player may still play them.
        gain = float(played.score)
    return 1.0 - shipped_win_chances().chance(-(turn.lead + gain), bag_count + turn.rack_size - laid_count)


def endgame_reasons(position: Position, best: RankedPlay, other: RankedPlay) -> list[Reason]:
    player, opponent = position.players[position.on_turn], position.players[1 - position.on_turn]
    lead, rack_tile_count = player.score - opponent.score, len(player.rack)
    outcomes = outcome_of_lead(lead + best.value), outcome_of_lead(lead + other.value)
    reasons = [Reason(ReasonKind.OUTCOME, *outcomes)] if outcomes[0] != outcomes[1] else []
    reasons.append(Reason(ReasonKind.SPREAD, best.value, other.value))
    going_out_ends_game = position.rules.end_scoring is not EndScoring.EQUAL_TURNS
    if going_out_ends_game and count_used_tiles(best.play) == rack_tile_count != count_used_tiles(other.play):
        reasons.append(Reason(ReasonKind.OUT, 1, 0))
    return reasons


MAX_REASONS = 3
_BINGO_LEAD = 40.0
"""Number of points by which bingos typically outscore other plays."""


def simulation_reasons(
    best: SimulatedPlay, played: SimulatedPlay, paired: PlayDifferences, leave_values: LeaveValues
) -> tuple[Reason, ...]:
    """Return the main reasons why ``best`` is better. Differences within their margin of error are ignored."""
    leave_points = [leave_values.value(play.play.leave) / MILLIPOINTS for play in (best, played)]
    plies_of_both_plays = [play.plies for play in (best, played)]
    reply_scores = [plies[1].score if len(plies) > 1 else 0.0 for plies in plies_of_both_plays]
    reply_bingos = [plies[1].bingo_share if len(plies) > 1 else 0.0 for plies in plies_of_both_plays]
    next_bingos = [plies[2].bingo_share if len(plies) > 2 else 0.0 for plies in plies_of_both_plays]
    tile_counts = [float(count_used_tiles(play.play.play)) for play in (best, played)]
    # Gain in points, minimum gain for the reason to count, and the reason. An opponent's gain counts as the player's loss.
    possible_reasons = [
        (
            best.play.score - played.play.score,
            3.0,
            Reason(ReasonKind.POINTS, best.play.score, played.play.score),
        ),
        (leave_points[0] - leave_points[1], 2.0, Reason(ReasonKind.LEAVE, leave_points[0], leave_points[1])),
        (
            reply_scores[1] - reply_scores[0],
            2.0,
            Reason(ReasonKind.REPLY, reply_scores[0], reply_scores[1], paired.reply_error),
        ),
        (
            _BINGO_LEAD * (reply_bingos[1] - reply_bingos[0]),
            0.05 * _BINGO_LEAD,
            Reason(ReasonKind.REPLY_BINGO, reply_bingos[0], reply_bingos[1], paired.reply_bingo_error),
        ),
        (
            _BINGO_LEAD * (next_bingos[0] - next_bingos[1]),
            0.05 * _BINGO_LEAD,
            Reason(ReasonKind.NEXT_BINGO, next_bingos[0], next_bingos[1], paired.next_bingo_error),
        ),
        (tile_counts[0] - tile_counts[1], 2.0, Reason(ReasonKind.TURNOVER, tile_counts[0], tile_counts[1])),
    ]
    sufficient_reasons = [
        (gain, reason)
        for gain, min_gain, reason in possible_reasons
        if gain >= min_gain and abs(reason.best_value - reason.played_value) > Z_95 * reason.error
    ]
    sufficient_reasons.sort(key=lambda pair: -pair[0])
    return tuple(reason for _, reason in sufficient_reasons[:MAX_REASONS])
