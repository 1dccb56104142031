"""A simple endgame solver that tries every play of both players to the end."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from hypothesis import assume, strategies as st

from bot.domain.crossword.game import board_after, tiles_used
from bot.domain.crossword.position import Board, Player, Position, unseen_tiles
from bot.domain.crossword.rules import (
    BLANK,
    MISSING_SQUARE,
    BoardLayout,
    EndScoring,
    Rules,
    default_rules,
)
from bot.domain.crossword.scoring import rack_points, score_placement
from bot.engine.endgame.search import MAX_BLANKS
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.crossword.strategies import custom_layouts, seeds
from tests.engine.lexica import all_distributions, lay_words, random_words
from tests.engine.naive_plays import placements

Rack = tuple[int, ...]


class Oracle:
    """Computes the values of positions under given rules and words. Both players know the order of the tiles in the bag.

    A value is the number of points by which the player on turn outscores the opponent from here on.
    """

    def __init__(self, rules: Rules, words: frozenset[bytes]) -> None:
        self._rules = rules
        self._words = words
        self.value = cache(self._value)
        self.value_of_final_turns = cache(self._value_of_final_turns)

    def plays(self, board: Board, rack: Rack) -> Iterator[tuple[Board, Rack, int]]:
        for placement in placements(board, self._rules, self._words, Counter(rack)):
            scored = score_placement(board, placement, self._rules)
            if all(bytes(map(abs, cross.tiles)) in self._words for cross in scored.cross_words):
                leave = Counter(rack) - Counter(tiles_used(placement))
                yield board_after(board, placement), tuple(sorted(leave.elements())), scored.score

    def _value(self, board: Board, own: Rack, other: Rack, bag: Rack, scoreless: int) -> int:
        if scoreless >= self._rules.scoreless_limit:
            return self._points(other) - self._points(own)
        best = -self.value(board, other, own, bag, scoreless + 1)
        for after, leave, score in self.plays(board, own):
            laid = len(own) - len(leave)
            refilled = tuple(sorted(leave + bag[:laid]))
            rest = (
                -self.value(after, other, refilled, bag[laid:], 0)
                if refilled
                else self.gain_of_going_out(other)
            )
            best = max(best, score + rest)
        return best

    def _value_of_final_turns(self, board: Board, own: Rack, other: Rack, turns_left: int) -> int:
        if not turns_left:
            return 0
        best = -self.value_of_final_turns(board, other, own, turns_left - 1)
        for after, leave, score in self.plays(board, own):
            best = max(best, score - self.value_of_final_turns(after, other, leave, turns_left - 1))
        return best

    def gain_of_going_out(self, other: Rack) -> int:
        """Return what going out adds to the lead. It is the same under ``TWICE`` and ``EACH_WAY``."""
        return 2 * self._points(other)

    def _points(self, rack: Rack) -> int:
        return rack_points(rack, self._rules.distribution)


def racks_of(position: Position) -> tuple[Rack, Rack]:
    """Return the rack of the player to move, and the opponent's, which consists of all unseen tiles."""
    own = tuple(sorted(position.players[position.on_turn].rack))
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [own])
    return own, tuple(Counter(dict(enumerate(unseen.counts))).elements())


def values_by_board(position: Position, words: frozenset[bytes]) -> dict[Board, int]:
    """Return the value of each play, by the board after the play. The bag must be empty."""
    own, other = racks_of(position)
    oracle = Oracle(position.rules, words)
    values = {position.board: -oracle.value(position.board, other, own, (), position.scoreless_turns + 1)}
    for board, leave, score in oracle.plays(position.board, own):
        rest = -oracle.value(board, other, leave, (), 0) if leave else oracle.gain_of_going_out(other)
        values[board] = score + rest
    return values


@st.composite
def small_endings(draw, max_rack_size: int = 3, bag_count: int = 0) -> tuple[Position, frozenset[bytes]]:
    """Draw a position on a small board, and its lexicon."""
    randomness = random.Random(draw(seeds))
    sides = st.integers(2, 6)
    layout: BoardLayout = draw(
        st.builds(lambda rows, columns: (rows, columns), sides, sides).flatmap(
            lambda size: custom_layouts(*size)
        )
    )
    rack_size = draw(st.integers(1, max_rack_size))
    rules = replace(
        draw(
            st.sampled_from([default_rules(tiles, layout) for tiles in all_distributions()]).filter(
                lambda rules: rules.distribution.has_known_bag
            )
        ),
        rack_size=rack_size,
        bingo_bonus=draw(st.sampled_from((50, 0, 7))),
        bingo_multiplier=draw(st.sampled_from((1, 1, 2))),
        min_bag_for_exchange=draw(st.sampled_from((7, 1, bag_count))) if bag_count else 7,
        scoreless_limit=draw(st.integers(1, 6)),
        end_scoring=draw(st.sampled_from((EndScoring.TWICE, EndScoring.EACH_WAY))),
    )
    words = random_words(randomness, rules.distribution, draw(st.integers(2, 10)))
    board = lay_words(randomness, rules, sorted(words), draw(st.integers(1, 3)))
    if not board.tile_count:
        first = next(index for index, symbol in enumerate(layout.squares) if symbol != MISSING_SQUARE)
        board = board.with_tiles([(first, min(words)[0])])
    letters = [letter for word in sorted(words) for letter in word] + [BLANK]
    own = randomness.choices(letters, k=rack_size if bag_count else draw(st.integers(1, rack_size)))
    others = randomness.choices(
        letters, k=rack_size + bag_count if bag_count else draw(st.integers(1, rack_size))
    )
    assume([*own, *others].count(BLANK) <= MAX_BLANKS)
    players = (Player(draw(st.integers(-20, 20)), tuple(own)), Player(0, tuple(others)))
    position = with_unseen_tiles(Position(rules, board, players))
    if bag_count or draw(st.booleans()):
        position = replace(position, players=(players[0], Player()))
    return replace(position, scoreless_turns=draw(st.integers(0, rules.scoreless_limit - 1))), words


@st.composite
def positions_near_the_end(draw) -> tuple[Position, frozenset[bytes]]:
    """Draw a small position with one or two turns left, and its lexicon. Its rules give both players equal turns."""
    position, words = draw(small_endings())
    rules = replace(position.rules, end_scoring=EndScoring.EQUAL_TURNS)
    return replace(position, rules=rules, scoreless_turns=0, turns_left=draw(st.integers(1, 2))), words
