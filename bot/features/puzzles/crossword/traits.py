"""What an answer is made of, and how hard it seems to find."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import PlacementScore, score_placement
from bot.engine.analysis import MILLIPOINTS
from bot.engine.plays.values import RatedPlay
from bot.features.puzzles.crossword.values import Theme

_POWER = 8
_PARALLEL = 3
_LONG = 9
_SMALL = 3
MIN_RATING, MAX_RATING = 600, 2600


def words_of(position: Position, play: Play) -> tuple[str, ...]:
    """Return the words that a play makes, the longest way round first; none for what lays nothing down."""
    if not isinstance(play, Placement):
        return ()
    text = position.rules.distribution.text
    scored = score_placement(position.board, play, position.rules)
    return tuple(
        "".join(text(abs(tile)) for tile in word.tiles)
        for word in (scored.word, *scored.cross_words)
        if len(word.tiles) > 1
    )


def _scored(position: Position, play: Placement) -> PlacementScore:
    return score_placement(position.board, play, position.rules)


def themes_of(position: Position, play: Play, *, goes_out: bool = False) -> tuple[Theme, ...]:
    """Return what a play is made of."""
    if not isinstance(play, Placement):
        return ()
    scored, used = _scored(position, play), tiles_used(play)
    points = [position.rules.distribution.letters[tile].points for tile in used]
    words = sum(len(word.tiles) > 1 for word in (scored.word, *scored.cross_words))
    found = {
        Theme.BINGO: len(used) >= position.rules.rack_size,
        Theme.BLANK: BLANK in used,
        Theme.POWER_TILE: max(points) >= _POWER,
        Theme.THROUGH: THROUGH in play.tiles,
        Theme.PARALLEL: words >= _PARALLEL,
        Theme.LONG: len(scored.word.tiles) >= _LONG,
        Theme.SMALL: len(used) <= _SMALL,
        Theme.GOES_OUT: goes_out,
    }
    return tuple(theme for theme, there in found.items() if there)


def difficulty(position: Position, play: Play, by_score: Sequence[RatedPlay], gap: float) -> int:
    """Return how hard a play seems to find, as a rating to begin with.

    Longer words, words through tiles, plays that others outscore and plays that are no bingo are harder; a wide lead over
    the next play makes it easier. The weights are a first guess that the answers of those who try correct.

    Args:
        position: Where it is found.
        play: What is to be found.
        by_score: The plays with the highest scores, best first.
        gap: Points, or as much as points are worth, that it is ahead of the next.

    """
    rating = 1000.0
    if isinstance(play, Placement):
        word = _scored(position, play).word
        rating += 40 * (len(word.tiles) - 5)
        rating += 80 if THROUGH in play.tiles else 0
        rating += 120 if len(tiles_used(play)) < position.rules.rack_size else 0
        own = score_placement(position.board, play, position.rules).score
        rating += 80 * min(5, sum(other.score > own for other in by_score))
    else:
        rating += 300
    return round(min(MAX_RATING, max(MIN_RATING, rating - 5 * min(gap, 40))))


def points(millipoints: int) -> float:
    """Return millipoints as points."""
    return millipoints / MILLIPOINTS
