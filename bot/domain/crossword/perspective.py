"""A game as one of its players saw it: the own rack, and of the others only what everybody could know."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import Course
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.domain.crossword.turn import ORDINARY, TurnKind


def seen_by(game: Game, turn: int, seat: int) -> Position:
    """Return the position after ``turn`` turns with the rack of ``seat``, as far as the game shows it, and no other.

    The player's rack is the one of the player's next turn: nothing changes on it before. Other racks are shown when
    the game is over, and when they must hold every tile that is left.

    Raises:
        IndexError: the game has no such turn or no such seat.

    """
    position = game.position_at(turn)
    own = _own_rack(game, turn, seat, position)
    if position.is_over:
        return position
    players = tuple(
        replace(player, rack=own if number == seat else ()) for number, player in enumerate(position.players)
    )
    hidden = replace(position, players=players)
    course = Course(game.rules, len(game.names))
    for taken in game.turns[:turn]:
        course.follow(taken)
    return _deduced(hidden, seat, course)


def _own_rack(game: Game, turn: int, seat: int, position: Position) -> tuple[int, ...]:
    shown = position.players[seat].rack
    if position.on_turn == seat:
        return shown
    for coming in game.turns[turn:]:
        if coming.player != seat:
            continue
        # A phony that is yet to be withdrawn lies on the board; what is on the rack beside it was not shown.
        if coming.kind is TurnKind.PHONY_WITHDRAWN:
            break
        if coming.kind in ORDINARY and coming.rack:
            return coming.rack
    return shown


def _deduced(position: Position, seat: int, course: Course) -> Position:
    """Give the opponent of two all the tiles that are left, when the bag is empty and the own rack is known whole."""
    own, other = position.players[seat].rack, 1 - seat
    if len(position.players) != 2 or course.bag or len(own) != course.rack_sizes[seat]:
        return position
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, (own,))
    if unseen.excess or unseen.total != course.rack_sizes[other]:
        return position
    left = tuple(tile for tile, count in enumerate(unseen.counts) for _ in range(count))
    players = list(position.players)
    players[other] = replace(players[other], rack=left)
    return replace(position, players=tuple(players))
