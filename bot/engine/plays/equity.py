"""Static equity of one play: what it scores, what the tiles kept are worth, and what the stage of the game adds.

The definition is that of MAGPIE, macondo and wolges:

- while the bag has tiles, the value of the leave;
- on an empty board, a penalty for each vowel on a square beside which a bonus square lies;
- when the bag is empty, twice the opponent's tiles for going out; else twice the own tiles and 10 points less; nothing
  where tiles left over do not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.crossword.game import tiles_used, without
from bot.domain.crossword.play import Direction, Exchange, Pass, Placement, Play
from bot.domain.crossword.position import Board, Position, unseen_tiles
from bot.domain.crossword.rules import EndCount, Rules
from bot.domain.crossword.scoring import (
    check_exchange,
    check_on_rack,
    check_placement,
    rack_points,
    score_placement,
    whole_word,
)
from bot.engine.analysis import MILLIPOINTS
from bot.engine.kernels.plays import PASS_EQUITY
from bot.engine.kernels.rack import OUT_FACTOR, STUCK_PENALTY
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.plays.board_arrays import OPENING_PENALTY
from bot.engine.plays.values import RatedPlay


def rate(position: Position, play: Play, leaves: LeaveValues) -> RatedPlay:
    """Rate a play of the player on turn, whether or not its words are in any lexicon.

    Raises:
        RuleError: the rules do not allow the play, or the rack does not have its tiles.

    """
    rules = position.rules
    rack = position.players[position.on_turn].rack
    if isinstance(play, Pass):
        return RatedPlay(play, 0, tuple(sorted(rack)), PASS_EQUITY)
    if isinstance(play, Exchange):
        check_exchange(play, position.bag_count, rules)
        check_on_rack(play.tiles, rack, rules.distribution)
        kept = tuple(sorted(without(rack, play.tiles)))
        return RatedPlay(Exchange(tuple(sorted(play.tiles))), 0, kept, leaves.value(kept))
    check_placement(position.board, play, rules)
    check_on_rack(tiles_used(play), rack, rules.distribution)
    play = whole_word(position.board, play)
    kept = tuple(sorted(without(rack, tiles_used(play))))
    score = score_placement(position.board, play, rules).score
    equity = MILLIPOINTS * score + _stage_worth(position, kept, leaves)
    if not position.board.tile_count:
        equity -= opening_penalty(position, play)
    return RatedPlay(play, score, kept, equity)


def _stage_worth(position: Position, kept: tuple[int, ...], leaves: LeaveValues) -> int:
    """Return the millipoints of the tiles kept, or of going out."""
    if position.bag_count:
        return leaves.value(kept)
    if position.rules.end_count is EndCount.EQUAL_TURNS:
        return 0
    distribution = position.rules.distribution
    if kept:
        return -OUT_FACTOR * MILLIPOINTS * rack_points(kept, distribution) - STUCK_PENALTY
    return (
        OUT_FACTOR
        * MILLIPOINTS
        * points_of_others(position.rules, position.board, position.players[position.on_turn].rack)
    )


def points_of_others(rules: Rules, board: Board, own: Sequence[int]) -> int:
    """Return what the tiles count that are neither on the board nor on the own rack."""
    letters = rules.distribution.letters
    counts = unseen_tiles(rules.distribution, board.squares, [own]).counts
    return sum(max(0, count) * letter.points for count, letter in zip(counts, letters, strict=True))


def opening_penalty(position: Position, placement: Placement) -> int:
    """Return the millipoints that its vowels beside bonus squares cost the first play."""
    layout = position.rules.layout
    letters = position.rules.distribution.letters
    steps = 0
    for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True):
        if not letters[abs(tile)].vowel:
            continue
        for side in (-1, 1):
            across = placement.start.direction is Direction.ACROSS
            at = (row + side, column) if across else (row, column + side)
            if 0 <= at[0] < layout.rows and 0 <= at[1] < layout.columns:
                steps += layout.letter_multiplier(*at) + layout.word_multiplier(*at) - 2
    return OPENING_PENALTY * steps
