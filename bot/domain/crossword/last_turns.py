"""How many turns are left once the bag is empty, where the rules give every player one more turn.

A game counts them. A position that stands alone seldom tells, but what was laid down last does: whoever empties the
bag held a full rack before. The player who did so has the last turn of all.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.play import Placement
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndCount


@dataclass(frozen=True, slots=True)
class TurnsLeft:
    """How many turns the game still has."""

    turns: int
    sure: bool = True
    """Whether that is told or follows; otherwise it is taken that the bag has just become empty."""


def turns_left(position: Position) -> TurnsLeft | None:
    """Return how many turns are left; None while the bag has tiles, and where the rules do not count turns."""
    if position.rules.end_count is not EndCount.EQUAL_TURNS:
        return None
    if position.turns_left is not None:
        return TurnsLeft(position.turns_left)
    if position.bag_count:
        return None
    players = len(position.players)
    if position.scoreless_turns:
        # The bag was as empty before them.
        return TurnsLeft(max(0, players - position.scoreless_turns))
    return _of_two(position) if players == 2 else TurnsLeft(players, sure=False)


def _of_two(position: Position) -> TurnsLeft:
    """Return how many turns two players have left, by the sizes of their racks and the last play."""
    size = position.rules.rack_size
    own = position.players[position.on_turn].rack
    others = unseen_tiles(position.rules.distribution, position.board.squares, [own]).total
    last = position.last_play
    if last is not None and isinstance(last.play, Placement) and not last.withdrawn:
        return TurnsLeft(1 if others + len(tiles_used(last.play)) <= size else 2)
    if last is not None:
        return TurnsLeft(1)
    # Only who emptied the bag can be short of tiles while having a turn to come.
    short = bool(own) and len(own) < size and others <= size
    return TurnsLeft(1) if short else TurnsLeft(2, sure=False)
