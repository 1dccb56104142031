"""Static equity of a play: the score, adjusted for the leave and the stage of the game.

MAGPIE, macondo and wolges use the same definition:

- While the bag has tiles, add the value of the leave.
- On an empty board, subtract a penalty for each vowel next to a bonus square.
- When the bag is empty, add twice the points of the opponent's tiles if the play uses the whole rack. Otherwise, subtract twice
  the points of the leave, and 10 points. Do neither if the rules do not count tiles left over.

A pass always has :data:`~bot.engine.kernels.plays.PASS_EQUITY`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.crossword.game import remove_tiles, tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement, Play
from bot.domain.crossword.position import Board, Position, unseen_tiles
from bot.domain.crossword.rules import EndScoring, Rules
from bot.domain.crossword.scoring import (
    check_exchange,
    check_on_rack,
    check_placement,
    extend_to_whole_word,
    rack_points,
    score_placement,
)
from bot.engine.analysis import MILLIPOINTS
from bot.engine.kernels.plays import PASS_EQUITY
from bot.engine.kernels.rack import OUT_FACTOR, STUCK_PENALTY
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.board_arrays import vowel_penalty
from bot.engine.plays.values import RatedPlay


def rate(position: Position, play: Play, leaves: LeaveValues) -> RatedPlay:
    """Rate a play of the player to move. The play's words need not be in a lexicon.

    Raises:
        RuleError: the rules do not allow the play, or its tiles are not all on the rack.

    """
    rules = position.rules
    rack = position.players[position.on_turn].rack
    if isinstance(play, Pass):
        return RatedPlay.of(play, 0, tuple(sorted(rack)), PASS_EQUITY)
    if isinstance(play, Exchange):
        check_exchange(play, position.bag_count, rules)
        check_on_rack(play.tiles, rack, rules.distribution)
        leave = tuple(sorted(remove_tiles(rack, play.tiles)))
        return RatedPlay(None, tuple(sorted(play.tiles)), 0, leave, leaves.value(leave))
    check_placement(position.board, play, rules)
    check_on_rack(tiles_used(play), rack, rules.distribution)
    play = extend_to_whole_word(position.board, play)
    leave = tuple(sorted(remove_tiles(rack, tiles_used(play))))
    score = score_placement(position.board, play, rules).score
    equity = MILLIPOINTS * score + _leave_equity(position, leave, leaves)
    if not position.board.tile_count:
        equity -= opening_penalty(position, play)
    return RatedPlay(play.start, play.tiles, score, leave, equity)


def _leave_equity(position: Position, leave: tuple[int, ...], leaves: LeaveValues) -> int:
    if position.bag_count:
        return leaves.value(leave)
    if position.rules.end_scoring is EndScoring.EQUAL_TURNS:
        return 0
    if leave:
        return -OUT_FACTOR * MILLIPOINTS * rack_points(leave, position.rules.distribution) - STUCK_PENALTY
    rack = position.players[position.on_turn].rack
    return OUT_FACTOR * MILLIPOINTS * unseen_points(position.rules, position.board, rack)


def unseen_points(rules: Rules, board: Board, rack: Sequence[int]) -> int:
    distribution = rules.distribution
    counts = unseen_tiles(distribution, board.squares, [rack]).counts
    return sum(
        max(0, count) * letter.points for count, letter in zip(counts, distribution.letters, strict=True)
    )


def opening_penalty(position: Position, placement: Placement) -> int:
    rules = position.rules
    return sum(
        vowel_penalty(rules.layout, *square, placement.start.direction)
        for square, tile in zip(placement.squares(), placement.tiles, strict=True)
        if rules.distribution.letters[abs(tile)].is_vowel
    )
