"""What a finished game looks like: who won, the final board, the way there, and the moments that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from bot.chat.style import Style
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.summary import SeatSummary, Summary, summarize
from bot.features.showing.crossword.board_scene import position_scene
from bot.features.showing.crossword.game_scene import score_chart, seat_name
from bot.text import Speaker
from render.chart import MAX_SERIES
from render.scene import BoardScene, Layout, MosaicScene, Part, PlayerRow

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
