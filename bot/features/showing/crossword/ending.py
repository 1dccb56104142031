"""A finished game: who won, how, and with which plays, as a picture and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from bot.chat.card import MAX_ALT, Drawing, Moment, Style, clipped
from bot.chat.markdown import escape
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.summary import SeatSummary, Summary, summarize
from bot.features.showing.crossword.board_scene import board_lines, position_scene
from bot.features.showing.crossword.game_scene import score_chart, seat_name, turn_words
from bot.features.showing.crossword.position import scores_words
from bot.text import Speaker
from render.chart import MAX_SERIES
from render.scene import BoardScene, ChartScene, Layout, MosaicScene, Part, PlayerRow

_ROWS, _COLUMNS = 7, 9
"""Rows and columns around a play that are shown of its moment, at least."""


def is_finished(game: Game) -> bool:
    """Tell whether a game has come to its end, and had more than one player."""
    return len(game.names) > 1 and not game.incomplete and game.position_at(len(game.turns)).is_over


def ending_scene(game: Game, style: Style) -> MosaicScene:
    """Return the scene of a finished game."""
    say = style.say
    summary, last = summarize(game), len(game.turns)
    wanted = (*summary.moments, last)
    at = {
        turn: position for turn, position in enumerate(islice(game.positions(), last + 1)) if turn in wanted
    }
    board = replace(position_scene(at[last], style), layout=Layout.BOARD, players=(), sections=())
    chart = replace(score_chart(game, style), title="")
    rows: list[tuple[Part, ...]] = [(Part(board),), (Part(chart),)]
    if summary.moments:
        rows.append(_moments(game, summary, at, style))
    players = [_row(game, seat, summary, say) for seat in range(min(len(game.names), MAX_SERIES))]
    return MosaicScene(
        tuple(rows), outcome_words(game, summary, say), tuple(players), style.view.layout, style.view.theme
    )


def outcome_words(game: Game, summary: Summary, say: Speaker) -> str:
    """Say who won, and by how much."""
    if len(summary.winners) > 1:
        return say("A draw at {score}", score=summary.seats[summary.winners[0]].score)
    winner = seat_name(game, summary.winners[0], say)
    return say("{player} wins by {points}", player=winner, points=summary.margin)


def deeds_words(seat: SeatSummary, say: Speaker) -> str:
    """Say how many bingos a player laid down, and how many points a turn were won on average."""
    bingos = say.count("{number} bingo", "{number} bingos", len(seat.bingos))
    average = say("{points} a turn", points=say.number(seat.average, ".1f"))
    return f"{bingos} · {average}"


def _row(game: Game, seat: int, summary: Summary, say: Speaker) -> PlayerRow:
    one = summary.seats[seat]
    won = summary.winners == (seat,)
    return PlayerRow(seat_name(game, seat, say), str(one.score), won, deeds_words(one, say))


def _moments(game: Game, summary: Summary, at: dict[int, Position], style: Style) -> tuple[Part, ...]:
    """Return the moments, each with the part of the board around its play, all parts of one size."""
    boards = [_bare(position_scene(at[turn], style)) for turn in summary.moments]
    boxes = [_box(game, turn) for turn in summary.moments]
    rows = min(boards[0].grid.rows, max(_ROWS, *(bottom - top + 1 for top, _, bottom, _ in boxes)))
    columns = min(boards[0].grid.columns, max(_COLUMNS, *(right - left + 1 for _, left, _, right in boxes)))
    parts = []
    for turn, board, (top, left, bottom, right) in zip(summary.moments, boards, boxes, strict=True):
        row = _around(top, bottom, rows, board.grid.rows)
        column = _around(left, right, columns, board.grid.columns)
        taken = game.turns[turn - 1]
        title = f"{turn}. {seat_name(game, taken.player, style.say)} {taken.score:+d}"
        parts.append(Part(replace(board, grid=board.grid.part(row, column, rows, columns)), title))
    return tuple(parts)


def _bare(scene: BoardScene) -> BoardScene:
    return replace(scene, layout=Layout.BOARD, players=(), sections=(), coordinates=False)


def _box(game: Game, turn: int) -> tuple[int, int, int, int]:
    """Return the rows and columns that a play spans: top, left, bottom, right."""
    play = game.turns[turn - 1].play
    assert isinstance(play, Placement)  # moments are plays
    squares: Sequence[tuple[int, int]] = tuple(play.squares())
    (top, left), (bottom, right) = squares[0], squares[-1]
    return top, left, bottom, right


def _around(first: int, last: int, size: int, whole: int) -> int:
    """Return where a part of so many squares begins that has a span in its middle, as far as the board reaches."""
    return max(0, min((first + last + 1 - size) // 2, whole - size))


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
