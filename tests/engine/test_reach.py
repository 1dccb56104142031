"""What a player can still score at most, against all that can be played while the other player passes."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engine.endgame.arrays import Ending, others_tiles
from bot.engine.endgame.search import Searcher
from bot.engine.kernels.endgame.lasting_words import MAX_REACH, R_COUNT, R_TOTAL
from bot.engine.kernels.endgame.nodes import N_LENGTH, ROOT
from bot.engine.kernels.endgame.reach import find_reach
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.board_arrays import board_arrays
from tests.engine.endgame_oracle import Oracle, small_endings
from tests.examples import up_to


def check(position, words):
    """Compare what tiles can score at most, all and the last of them, with everything that can be played."""
    rules = position.rules
    own = tuple(sorted(position.players[position.on_turn].rack))
    others = others_tiles(position)
    size = max(rules.rack_size, len(others) - 3) if len(own) == rules.rack_size else len(others)
    other, bag = others[:size], others[size:]
    graph = build_word_graph(sorted(words))
    searcher = Searcher(position, board_arrays(position, graph), Ending(own, other, bag))
    board, search = searcher._board, searcher._search
    tiles = len(own) + len(bag)
    known = find_reach(board, search, ROOT * N_LENGTH)
    assert known == (tiles <= MAX_REACH)
    if not known:
        return
    assert search.work[R_COUNT] == tiles
    total = search.work[R_TOTAL : R_TOTAL + tiles + 1].tolist()
    oracle = Oracle(rules, words)

    @cache
    def most(board, rack, bag):
        best = 0
        for after, left, score in oracle.plays(board, rack):
            laid = len(rack) - len(left)
            rest = tuple(sorted(left + bag[:laid])), bag[laid:]
            value = most(after, *rest)
            assert value <= total[sum(map(len, rest))]
            best = max(best, score + value)
        return best

    assert most(position.board, own, bag) <= total[tiles]


endings = st.sampled_from((0, 1, 2)).flatmap(lambda bag: small_endings(most=4 - bag, bag=bag))


@settings(up_to(40))
@given(endings)
def test_nobody_scores_more_than_is_in_reach(ending):
    check(*ending)


@pytest.mark.long
@settings(max_examples=700, deadline=None)
@given(endings)
def test_nobody_scores_more_than_is_in_reach_often(ending):
    """So many find a bound without the words across, and one that asks for a tile too many beside a word."""
    check(*ending)
