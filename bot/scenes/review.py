"""What a review looks like: the curve of who was likely to win, with the mistakes on it."""

from __future__ import annotations

from bot.domain.crossword.game import Game
from bot.review.crossword.values import Review, Size
from bot.scenes.game import seat_name
from bot.scenes.style import Style
from render.chart import MAX_VALUES
from render.scene import ChartScene, Series

_KINDS = {Size.SMALL: 0, Size.MEDIUM: 1, Size.LARGE: 2}


def review_chart(review: Review, game: Game, style: Style) -> ChartScene:
    """Return the curve of the first player's chance to win, as far as a chart has room for turns."""
    say = style.say
    first, second = (seat_name(game, seat, say) for seat in (0, 1))
    values = tuple(round(100 * chance) for chance in review.curve[:MAX_VALUES])
    scores = [0] * (len(values) - 1)
    for turn in review.turns:
        if turn.turn <= len(scores):
            scores[turn.turn - 1] = max(0, turn.score)
    return ChartScene(
        say("Chance to win"),
        (Series(first, values),),
        style.view.theme,
        span=(0, 100),
        base=50,
        unit=" %",
        sides=(first, second),
        axes=("", say("turns played")),
        marks=tuple(
            (turn.turn, _KINDS[turn.size])
            for turn in review.turns
            if turn.size in _KINDS and turn.turn < len(values)
        ),
        mark_names=(say("small mistake"), say("medium mistake"), say("large mistake")),
        bars=tuple(scores),
        bound=None if review.bag_empty is None else (review.bag_empty, say("bag empty")),
    )
