"""The maximum gain of a player, against all plays while the other player passes."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.crossword.scoring import rack_points
from bot.engine.compiler import compiled
from bot.engine.endgame.search import Ending, Searcher, others_tiles
from bot.engine.kernels.endgame.last_tiles import MAX_REACH, R_COUNT, R_TOTAL, R_WEIGHT
from bot.engine.kernels.endgame.nodes import N_LENGTH, ROOT
from bot.engine.kernels.endgame.reach import find_reach
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.board_arrays import board_arrays
from tests.engine.endgame_oracle import Oracle, small_endings
from tests.examples import up_to


@compiled
def find(board, search, node, others):
    return find_reach(board, search, node, others)


def check(position, words):
    """Compare what tiles can gain at most, all and any that may be left, with everything that can be played."""
    rules = position.rules
    own = tuple(sorted(position.players[position.on_turn].rack))
    others = others_tiles(position)
    size = max(rules.rack_size, len(others) - 3) if len(own) == rules.rack_size else len(others)
    other, bag = others[:size], others[size:]
    graph = build_word_graph(sorted(words))
    searcher = Searcher(position, board_arrays(position, graph), Ending(own, other, bag))
    board, search = searcher._board, searcher._search
    tiles = len(own) + len(bag)
    points = rack_points(other, rules.distribution)
    known = find(board, search, ROOT * N_LENGTH, points)
    assert known == (tiles <= MAX_REACH)
    if not known:
        return
    assert search.work[R_COUNT] == tiles
    oracle = Oracle(rules, words)

    @cache
    def most(board, rack, bag):
        if not rack:
            return 2 * points
        best = points - rack_points(rack, rules.distribution)
        for after, left, score in oracle.plays(board, rack):
            laid = len(rack) - len(left)
            best = max(best, score + most(after, tuple(sorted(left + bag[:laid])), bag[laid:]))
        number = sum(int(search.work[R_WEIGHT + tile]) for tile in rack + bag)
        assert best <= search.work[R_TOTAL + number]
        return best

    most(position.board, own, bag)


endings = st.sampled_from((0, 1, 2)).flatmap(lambda bag: small_endings(most=4 - bag, bag=bag))


@pytest.mark.slow
@settings(up_to(40))
@given(endings)
def test_nobody_scores_more_than_is_in_reach(ending):
    check(*ending)


@pytest.mark.long
@settings(max_examples=700, deadline=None)
@given(endings)
def test_nobody_scores_more_than_is_in_reach_often(ending):
    """This many find a bound without the words across, and a bound that needs an extra tile beside a word."""
    check(*ending)
