"""The plays that the endgame search skips as refuted, checked against the true values of all plays."""

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import board_after
from bot.engine.compiler import compiled, to_int64
from bot.engine.endgame.search import Root, Searcher
from bot.engine.kernels.endgame.nodes import (
    INFINITY,
    NODE_ALPHA,
    NODE_BEST_VALUE,
    NODE_LENGTH,
    NODE_LIST_START,
    NODE_TRIED_COUNT,
    ROOT,
    find_answers,
)
from bot.engine.kernels.endgame.refutations import skip_refuted_plays
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.board_arrays import board_arrays
from tests.engine.endgame_oracle import racks_of, small_endings, values_by_board
from tests.examples import thorough_examples


@compiled
def find_root_answers(board, search):
    return find_answers(board, search, to_int64(ROOT))


@compiled
def skip_refuted_root_plays(board, search):
    skip_refuted_plays(board, search, to_int64(ROOT))


def check_refuted_plays(position, words):
    values = values_by_board(position, words)
    arrays = board_arrays(position, build_word_graph(sorted(words)))
    searcher = Searcher(position, arrays, Root(*racks_of(position)))
    board, search = searcher._board, searcher._search
    values_by_slot = {slot: values[board_after(position.board, turn.play)] for slot, turn in searcher.plays()}
    frames, root = search.frames, ROOT * NODE_LENGTH
    assert find_root_answers(board, search)
    first = int(frames[root + NODE_LIST_START])
    for min_value in set(values_by_slot.values()):
        frames[root + NODE_ALPHA] = min_value - 1
        frames[root + NODE_BEST_VALUE] = -INFINITY
        frames[root + NODE_TRIED_COUNT] = 0
        skip_refuted_root_plays(board, search)
        refuted = search.lists[first : first + int(frames[root + NODE_TRIED_COUNT])].tolist()
        assert all(values_by_slot[slot] < min_value for slot in refuted)


@pytest.mark.slow
@settings(thorough_examples(60))
@given(small_endings())
def test_only_plays_below_the_minimum_value_are_skipped(ending):
    check_refuted_plays(*ending)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(small_endings())
def test_only_plays_below_the_minimum_value_are_skipped_in_many_cases(ending):
    check_refuted_plays(*ending)
