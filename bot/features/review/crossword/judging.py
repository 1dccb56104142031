"""How a turn is judged: the effort, what is known of the turn, and why one play is better than another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement, Play
from bot.engine.analysis import MILLIPOINTS
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import MAX_PLIES
from bot.engine.simulation.paired import PairedPlays
from bot.engine.simulation.result import SimulatedPlay
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.review.crossword.turns import PlayedTurn
from bot.features.review.crossword.values import (
    Z_95,
    Flag,
    Phase,
    Size,
    TurnReview,
    Why,
    WhyKind,
)
from bot.features.review.values import Depth, accuracy

MAX_REVIEW_SECONDS = 600.0
MAX_PATIENCE = 3.0


BY_POINTS = (0.5, 7.0, 15.0)
"""The same for points, in endgames and where a pre-endgame is won or lost anyway."""
BY_POINTS_EARLY = (0.5, 15.0, 30.0)
"""The same for points while the bag has more than seven tiles, in a game that is won or lost anyway."""

DECIDED = 0.005
"""Below this chance to win, and above one less it, points decide."""
POINTS_OF_WIN = 2.26
"""Points that one percent of a win is worth, by MAGPIE's regression, where equities say the opposite of chances."""

WEIGHTS = {Size.BEST: 0.0, Size.SMALL: 0.2, Size.MEDIUM: 0.5, Size.LARGE: 1.0}
MIN_JUDGED = 0.8
"""The share of a player's turns that have to be judged for an index."""

_RATINGS = (
    (0.0, 2300), (0.2, 2250), (0.5, 2200), (0.8, 2150), (1.2, 2100), (1.5, 2050), (1.7, 2000), (1.9, 1950),
    (2.3, 1900), (2.6, 1850), (2.9, 1800), (3.3, 1750), (3.8, 1700), (4.2, 1650),
)  # fmt: skip
_FALL = 125.0
"""Rating points for each unit of the index beyond the table."""
_RATING_ERROR = 150


def size_of(amount: float, borders: tuple[float, float, float]) -> Size:
    """Return the class of a loss that is known exactly."""
    least, small, medium = borders
    if amount < least:
        return Size.BEST
    return Size.SMALL if amount <= small else Size.MEDIUM if amount <= medium else Size.LARGE


def graded(low: float, high: float, borders: tuple[float, float, float]) -> tuple[Size, bool]:
    """Return the class of a loss between ``low`` and ``high``, and whether it is approximate.

    Where the interval crosses a border, the class is the lower one, so a class is never too high. A loss within its
    own error is none.
    """
    lowest = size_of(low, borders)
    return lowest, lowest is not size_of(high, borders)


def borders_of(phase: Phase) -> tuple[float, float, float]:
    """Return the borders for points lost in a phase."""
    return BY_POINTS_EARLY if phase is Phase.MIDDLEGAME else BY_POINTS


def mistake_index(sizes: Iterable[Size]) -> float:
    """Return the sum of the weights of mistakes; the lower, the better."""
    return round(sum(WEIGHTS[size] for size in sizes), 9)


def rating(index: float) -> float:
    """Return the rating that a mistake index stands for, by Joey Krafchick's table as macondo has it; folklore."""
    last_index, last_rating = _RATINGS[-1]
    if index >= last_index:
        return last_rating - _FALL * (index - last_index)
    for (low, above), (high, below) in pairwise(_RATINGS):
        if index <= high:
            return above + (below - above) * (index - low) / (high - low)
    raise AssertionError("the table has every index below its last")


def rating_range(index: float) -> tuple[int, int]:
    """Return the rating of an index as a range, rounded to fifty."""
    middle = rating(index)
    low, high = ((middle + side * _RATING_ERROR) / 50 for side in (-1, 1))
    return max(0, round(low)) * 50, max(0, round(high)) * 50


def adjusted_points(points: float, win: float) -> float:
    """Return the points lost by a play that loses ``win`` percent of a win; equities may say that it gains points."""
    if points < 0 < win:
        return POINTS_OF_WIN * win
    return max(0.0, points)


@dataclass(frozen=True, slots=True)
class Effort:
    """What a review may do. Where seconds allow it, results depend on the other numbers only."""

    depth: Depth = Depth.QUICK
    seconds: float = 20.0
    """Seconds of a processor for the whole game, on one thread."""
    candidates: int = 8
    """Plays that are simulated beside the one that was made."""
    margin: int = 12_000
    """Millipoints that a play may be behind the best by equity to be simulated."""
    plies: int = 2
    """Plies that follow a candidate while the bag has more than seven tiles."""
    late_plies: int = 4
    """The same with two to seven."""
    first: int = 64
    """Iterations that every turn gets first."""
    iterations: int = 2048
    """Iterations at most, for turns whose class is not decided."""
    draws: int = 60
    """Draws against which luck is measured."""
    pre_endgame_seconds: float = 2.0
    endgame_seconds: float = 1.0
    seed: int = 0


QUICK = Effort()
DEEP = Effort(
    Depth.DEEP,
    seconds=170.0,
    candidates=25,
    margin=20_000,
    plies=4,
    late_plies=MAX_PLIES,
    iterations=20_000,
    pre_endgame_seconds=20.0,
    endgame_seconds=10.0,
)


def effort_of(depth: Depth, seconds: float, *, seed: int = 0) -> Effort:
    """Return what a depth asks for in so many seconds."""
    usual = QUICK if depth is Depth.QUICK else DEEP
    share = seconds / usual.seconds
    return replace(
        usual,
        seconds=seconds,
        pre_endgame_seconds=usual.pre_endgame_seconds * min(1.0, share),
        endgame_seconds=usual.endgame_seconds * min(1.0, share),
        seed=seed,
    )


class Clock:
    """The CPU time that the threads of a review may take together, and requests to stop.

    On a busy machine CPU seconds take longer, but at most :data:`MAX_PATIENCE` times as long.
    """

    def __init__(self, seconds: float, cancelled: Callable[[], bool], reserve: float = 0.0) -> None:
        """Begin now; ``reserve`` seconds are kept for later work."""
        self.seconds = seconds
        self.cancelled = cancelled
        self.reserve = reserve
        self._begun: dict[int, float] = {}
        self._taken: dict[int, float] = {}
        self._elsewhere: list[float] = []
        self._begun_at = time.perf_counter()
        self.begin()

    def begin(self) -> None:
        """Count the current thread from now on."""
        self._begun[threading.get_ident()] = time.thread_time()

    @property
    def taken(self) -> float:
        """The CPU seconds so far; those of other threads up to their last look at the clock."""
        thread = threading.get_ident()
        if thread in self._begun:
            self._taken[thread] = time.thread_time() - self._begun[thread]
        return sum(list(self._taken.values())) + sum(self._elsewhere)

    def add(self, seconds: float) -> None:
        """Count CPU seconds of a thread that does not look at the clock."""
        self._elsewhere.append(seconds)

    @property
    def left(self) -> float:
        """The CPU seconds left before the reserve."""
        return max(0.0, self.seconds - self.reserve - self.taken)

    def is_over(self) -> bool:
        """Return whether to end the work, or to go on to the reserve."""
        if self.cancelled() or not self.left:
            return True
        return time.perf_counter() - self._begun_at >= MAX_PATIENCE * self.seconds


def judged(turn: PlayedTurn, found: TurnReview, lost: float, *, blown: bool = False) -> TurnReview:
    """Complete the verdict on a turn.

    A turn that cannot be judged keeps only the value of its play.

    Args:
        turn: The turn.
        found: Its review with the verdict.
        lost: Percent of a win lost, from which accuracy follows.
        blown: Whether the play gave away a won or tied endgame.

    """
    if not turn.is_open:
        return replace(turn.review, played=found.played, method=found.method, iterations=found.iterations)
    flags = list(turn.review.flags)
    rack_size = turn.position.rules.rack_size
    best = found.best.play if found.best is not None and found.size is not Size.BEST else Pass()
    if is_bingo(best, rack_size) and not is_bingo(turn.play, rack_size):
        flags.append(Flag.MISSED_BINGO)
    if blown:
        flags.append(Flag.BLOWN_ENDGAME)
    return replace(found, reason=None, accuracy=accuracy(lost), flags=tuple(flags))


def is_bingo(play: Play, rack_size: int) -> bool:
    """Return whether a play lays down a full rack."""
    return isinstance(play, Placement) and len(tiles_used(play)) == rack_size


def tiles_taken(play: Play) -> int:
    """Return how many tiles leave the rack."""
    match play:
        case Placement():
            return len(tiles_used(play))
        case Exchange():
            return play.count
        case _:
            return 0


def chance_after(turn: PlayedTurn, played: RatedPlay) -> float:
    """Return the player's chance to win after a play, by its equity."""
    play, bag = played.play, turn.review.bag
    gain = played.equity / MILLIPOINTS if isinstance(play, Placement | Exchange) else 0.0
    laid = len(tiles_used(play)) if isinstance(play, Placement) else 0
    if not bag and laid == turn.rack_size:
        # Equity includes the points for going out.
        final = turn.lead + gain
        return 1.0 if final > 0 else 0.5 if final == 0 else 0.0
    if not bag:
        # Nothing left on the racks is lost for certain.
        gain = float(played.score)
    return 1.0 - learnt_win_chances().chance(-(turn.lead + gain), bag + turn.rack_size - laid)


MAX_WHY = 3
_BINGO = 40.0
"""About what a bingo scores more than another play."""


def reasons(
    best: SimulatedPlay, played: SimulatedPlay, paired: PairedPlays, leave_values: LeaveValues
) -> tuple[Why, ...]:
    """Return the most important things in which ``best`` is better than ``played``, as far as they are established."""
    leaves = [leave_values.value(one.play.leave) / MILLIPOINTS for one in (best, played)]
    ones = [one.plies for one in (best, played)]
    reply = [plies[1].score if len(plies) > 1 else 0.0 for plies in ones]
    replies = [plies[1].bingos if len(plies) > 1 else 0.0 for plies in ones]
    bingos = [plies[2].bingos if len(plies) > 2 else 0.0 for plies in ones]
    taken = [float(tiles_taken(one.play.play)) for one in (best, played)]
    # What a thing is worth in points, to tell the greatest; the opponent's gain is the own loss.
    weighed = [
        (
            best.play.score - played.play.score,
            3.0,
            Why(WhyKind.POINTS, best.play.score, played.play.score),
        ),
        (leaves[0] - leaves[1], 2.0, Why(WhyKind.LEAVE, leaves[0], leaves[1])),
        (reply[1] - reply[0], 2.0, Why(WhyKind.REPLY, reply[0], reply[1], paired.reply.error)),
        (
            _BINGO * (replies[1] - replies[0]),
            0.05 * _BINGO,
            Why(WhyKind.REPLY_BINGO, replies[0], replies[1], paired.reply_bingos.error),
        ),
        (
            _BINGO * (bingos[0] - bingos[1]),
            0.05 * _BINGO,
            Why(WhyKind.NEXT_BINGO, bingos[0], bingos[1], paired.bingos.error),
        ),
        (taken[0] - taken[1], 2.0, Why(WhyKind.TURNOVER, taken[0], taken[1])),
    ]
    good = [
        (gain, why)
        for gain, least, why in weighed
        if gain >= least and abs(why.best - why.played) > Z_95 * why.error
    ]
    good.sort(key=lambda one: -one[0])
    return tuple(why for _, why in good[:MAX_WHY])
