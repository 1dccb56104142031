"""What a review looks like: the curve of who was likely to win with the mistakes on it, in a picture and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from bot.chat.markdown import plain
from bot.chat.page import clipped
from bot.chat.style import Style
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.features.review.chess.values import ChessReview, Judgement
from bot.features.review.crossword.values import Review, Size
from bot.features.showing.chess.words import player_name
from bot.features.showing.crossword.game_scene import seat_name
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker
from render.chart import MAX_VALUES
from render.scene import ChartScene, Series

_JUDGEMENTS = {Judgement.INACCURACY: 0, Judgement.MISTAKE: 1, Judgement.BLUNDER: 2}
_KINDS = {Size.SMALL: 0, Size.MEDIUM: 1, Size.LARGE: 2}

MEAN_OF: Final = 5
"""Games of which a mean shows where it is going."""
TREND_SIZE: Final = (640, 480)
"""So few pixels that the letters can be read on a telephone."""


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


def trend_chart(lines: Sequence[tuple[str, Sequence[float]]], style: Style) -> ChartScene:
    """Return the accuracy of games in their order: a line for each kind of game with its name.

    Of one kind alone the mean of the last few stands beside it.
    """
    say = style.say
    series = [Series(name, tuple(round(value) for value in values)) for name, values in lines]
    if len(lines) == 1 and len(lines[0][1]) > MEAN_OF:
        values = lines[0][1]
        means = (fmean(values[max(0, at - MEAN_OF + 1) : at + 1]) for at in range(len(values)))
        series = [
            Series(say("each game"), series[0].values),
            Series(say("{number}-game mean", number=MEAN_OF), tuple(round(mean) for mean in means)),
        ]
    low = max(0, min(value for one in series for value in one.values) // 10 * 10 - 10)
    return ChartScene(
        say("Accuracy"),
        tuple(series),
        style.view.theme,
        width=TREND_SIZE[0],
        height=TREND_SIZE[1],
        span=(low, 100),
        base=low,
        axes=("", say("game no.")),
        first=1,
    )


def chess_curve(review: ChessReview) -> tuple[int, ...]:
    """Return White's chance to win in per cent as far as it is known; between, it stays where it was last known."""
    known = [turn for turn, win in enumerate(review.curve) if win is not None]
    values: list[int] = []
    last = next((win for win in review.curve if win is not None), 50.0)
    for win in review.curve[: known[-1] + 1 if known else 1]:
        last = last if win is None else win
        values.append(round(last))
    return tuple(values)


def chess_review_chart(review: ChessReview, game: ChessGame, style: Style) -> ChartScene:
    """Return the curve of White's chance to win, as far as a chart has room for moves."""
    say = style.say
    white, black = (player_name(game, say, white=white) for white in (True, False))
    values = chess_curve(review)[:MAX_VALUES]
    return ChartScene(
        say("Chance to win"),
        (Series(white, values),),
        style.view.theme,
        span=(0, 100),
        base=50,
        unit=" %",
        sides=(white, black),
        axes=("", say("turns played")),
        marks=tuple(
            (move.turn, _JUDGEMENTS[move.judgement])
            for move in review.moves
            if move.judgement is not None and move.turn < len(values)
        ),
        mark_names=(say("inaccuracy"), say("mistake"), say("blunder")),
    )


_TELLING = (8, 12, 18, 27, 40, 101)
"""By how many per cent the chance to win has to change to be told: the first with which all has room."""


def curve_words(
    lead: Sequence[str], player: str, chances: Sequence[int], causes: Mapping[int, str], say: Speaker
) -> str:
    """Tell a review in at most as many characters as an alt text has.

    Args:
        lead: What is said first, with Markdown as in the message.
        player: Whose chance it is.
        chances: The chance to win in per cent, at the start and after each turn.
        causes: What happened in a turn, by its number, as far as there is something to say.
        say: The speaker.

    """
    first = " ".join(f"{plain(block).rstrip('.')}." for block in lead)
    told = [f"{first} {_curve(player, chances, causes, least, say)}" for least in _TELLING]
    return next((text for text in told if len(text) <= MAX_ALT), clipped(told[-1], MAX_ALT))


def _curve(player: str, chances: Sequence[int], causes: Mapping[int, str], least: int, say: Speaker) -> str:
    parts = [say("Chance to win of {player}: {percent} % at the start", player=player, percent=chances[0])]
    last = chances[0]
    for turn, chance in enumerate(chances[1:-1], start=1):
        if abs(chance - last) >= least:
            words = say("{percent} % after turn {turn}", percent=chance, turn=turn)
            parts.append(f"{words} ({causes[turn]})" if turn in causes else words)
            last = chance
    return ", ".join([*parts, say("{percent} % at the end.", percent=chances[-1])])
