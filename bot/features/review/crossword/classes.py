"""The borders of the classes, the mistake index and the rating it stands for, and what is learnt from a review.

The borders, weights and ratings are those of macondo and woogles, but that a loss below half a percent is none:
less cannot be seen in a simulation of some seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.features.review.crossword.values import Phase, Review, Size, TurnReview
from bot.features.review.values import PlayerGame, greatest

Z_95 = 1.959964
"""Standard errors on either side of a mean that hold the truth 95 times in 100."""

BY_WIN = (0.5, 3.0, 7.0)
"""Percent of a win lost from which a loss is small, and above which it is medium and large."""
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


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss and the interval that holds it 95 times in 100, in percent of a win or in points."""

    mean: float
    low: float
    high: float


def loss(mean: float, error: float) -> Loss:
    """Return a loss with a standard error."""
    return Loss(mean, mean - Z_95 * error, mean + Z_95 * error)


def size_of(amount: float, borders: tuple[float, float, float]) -> Size:
    """Return the class of a loss that is known exactly."""
    least, small, medium = borders
    if amount < least:
        return Size.BEST
    return Size.SMALL if amount <= small else Size.MEDIUM if amount <= medium else Size.LARGE


def graded(amount: Loss, borders: tuple[float, float, float]) -> tuple[Size, bool]:
    """Return the class of a loss, and whether it is approximate.

    When the interval crosses a border it is the lower class, and approximate: so nothing is large of which it is not
    established that it is. A loss within its own error is none.
    """
    lowest = size_of(amount.low, borders)
    return lowest, lowest is not size_of(amount.high, borders)


def is_as_good(turn: TurnReview) -> bool:
    """Return whether a play is as good as the best: it loses less than half a percent of a win, or than its error."""
    allowed = max(BY_WIN[0], 100 * Z_95 * turn.loss_win_error)
    return turn.size is Size.BEST and 100 * turn.loss_win < allowed


def borders_of(phase: Phase) -> tuple[float, float, float]:
    """Return the borders for points lost in a phase."""
    return BY_POINTS_EARLY if phase is Phase.MIDDLEGAME else BY_POINTS


def phase_of(bag: int) -> Phase:
    """Return the phase with so many tiles in the bag."""
    if bag > 7:
        return Phase.MIDDLEGAME
    if bag > 1:
        return Phase.EARLY_PRE_ENDGAME
    return Phase.PRE_ENDGAME if bag else Phase.ENDGAME


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


def lessons(turns: Sequence[TurnReview], seat: int) -> tuple[int, ...]:
    """Return the turns that a player can learn from: those in which the most was lost for certain."""
    lost = (turn for turn in turns if turn.seat == seat and turn.established and turn.best is not None)
    return tuple(turn.turn for turn in greatest(lost, weight))


def weight(turn: TurnReview) -> tuple[bool, float, float]:
    """Return what a turn that lost something is ordered by."""
    return (turn.size is Size.LARGE, turn.loss_win, turn.loss_points)


def player_games(review: Review) -> tuple[PlayerGame, ...]:
    """Return the players of a reviewed game, by seat."""
    best = max(review.scores)
    shared = review.scores.count(best)
    return tuple(
        PlayerGame(
            player.name,
            won=1 / shared if score == best else 0.0,
            accuracy=player.accuracy,
            mistake_index=player.mistake_index,
            bingos=player.bingos,
            missed_bingos=player.missed_bingos,
            luck=player.luck,
            points=score,
        )
        for player, score in zip(review.players, review.scores, strict=True)
    )
