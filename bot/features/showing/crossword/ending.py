"""What is said of a finished game: who won, how, and with which plays."""

from __future__ import annotations

from itertools import islice

from bot.chat.card import Drawing
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import clipped
from bot.chat.style import Style
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.domain.crossword.summary import Summary, summarize
from bot.features.showing.crossword.board_scene import board_lines
from bot.features.showing.crossword.ending_scene import deeds_words, ending_scene, outcome_words
from bot.features.showing.crossword.game_scene import seat_name, turn_words
from bot.features.showing.crossword.position import scores_words
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker
from render.scene import ChartScene

_MAX_NAME = 40


def ending_blocks(game: Game, style: Style) -> list[str]:
    """Say who won and by how much, what each player did, and the best play, a line each."""
    say, summary = style.say, summarize(game)
    first = [f"**{escape(outcome_words(game, summary, say), 80)}**", scores_words(_end(game), say)]
    first.append(say.count("{number} turn", "{number} turns", len(game.turns)))
    if game.rules.lexicon:
        first.append(escape(game.rules.lexicon, 60))
    deeds = (f"{escape(who)}: {what}" for who, what in _deeds(game, summary, say))
    lines = [" · ".join(first), *deeds]
    if summary.best is not None:
        words = _play_words(game, (summary.best,), say)[summary.best]
        lines.append(say("Best play: {play}", play=f"**{escape(words, 120)}**"))
    return ["\n".join(lines)]


def ending_drawing(game: Game, moment: Moment, style: Style) -> Drawing:
    """Return the picture of a finished game, and the same in words."""
    return Drawing(ending_scene(game, style), _alt(game, style.say), spoiler=moment.spoiler, name="game")


def chart_words(scene: ChartScene, say: Speaker) -> str:
    """Say what a chart shows, value by value."""
    if scene.sides is None:
        lines = (
            f"{series.name[:_MAX_NAME]}: {', '.join(map(str, series.values))}." for series in scene.series
        )
        return " ".join(lines)
    first, second = (side[:_MAX_NAME] for side in scene.sides)
    values = ", ".join(f"{value:+d}" if value else "0" for value in scene.series[0].values)
    words = say("{first}: +, {second}: -. {values}.", first=first, second=second, values=values)
    if scene.stars:
        words += " " + say("Bingos in turns {turns}.", turns=", ".join(map(str, scene.stars)))
    return words


def _end(game: Game) -> Position:
    return game.position_at(len(game.turns))


def _deeds(game: Game, summary: Summary, say: Speaker) -> list[tuple[str, str]]:
    """Say of each player how many bingos and how many points a turn there were."""
    return [
        (seat_name(game, seat, say)[:_MAX_NAME], deeds_words(one, say))
        for seat, one in enumerate(summary.seats)
    ]


def _play_words(game: Game, turns: tuple[int, ...], say: Speaker) -> dict[int, str]:
    """Say of some turns who played what."""
    words = {}
    for turn, position in enumerate(islice(game.positions(), max(turns, default=0) + 1)):
        if turn in turns:
            taken = game.turns[turn - 1]
            player = seat_name(game, taken.player, say)[:_MAX_NAME]
            words[turn] = f"{turn}. {player} {turn_words(taken, position, say)} {taken.score:+d}"
    return words


def _alt(game: Game, say: Speaker) -> str:
    """Describe a finished game: the outcome, the players, the moments that made it, and the final board."""
    summary, end = summarize(game), _end(game)
    scores = ", ".join(
        f"{seat_name(game, seat, say)[:_MAX_NAME]} {one.score}" for seat, one in enumerate(summary.seats)
    )
    parts = [f"{outcome_words(game, summary, say)}: {scores}."]
    parts += [f"{who}: {what}." for who, what in _deeds(game, summary, say)]
    moments = _play_words(game, summary.moments, say)
    if moments:
        parts.append(say("Moments: {plays}.", plays="; ".join(moments.values())))
    parts.append(say("Rows:") + " " + " ".join(board_lines(end, say)))
    return clipped(" ".join(parts), MAX_ALT)
