"""The play generator, compared with plays found by another program."""

import pytest

from bot.engine.plays.generate import find_and_count_plays, find_plays
from bot.engine.plays.values import SortKey
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves, entry_of_play

pytestmark = needs_corpus


def test_all_plays_and_their_order_match_the_other_program():
    for position, expected in analyzed_positions():
        found = find_plays(position, enable1_graph(), enable1_leaves(), top=None)
        assert [entry_of_play(position, rated) for rated in found] == list(expected)


@pytest.mark.parametrize("by", SortKey)
def test_the_best_plays_begin_the_list_of_all_plays(by):
    for position, _ in analyzed_positions()[::2]:
        everything = find_plays(position, enable1_graph(), enable1_leaves(), top=None, by=by)
        for top in (1, 2, 15, 100):
            assert (
                find_plays(position, enable1_graph(), enable1_leaves(), top=top, by=by)[:] == everything[:top]
            )


def test_plays_are_counted():
    for position, expected in analyzed_positions()[:20]:
        found, count = find_and_count_plays(position, enable1_graph(), enable1_leaves(), top=5)
        assert found[:] == find_plays(position, enable1_graph(), enable1_leaves(), top=5)[:]
        exchanges = sum(text.startswith("ex ") for text, _, _ in expected)
        assert (count.placements, count.exchanges) == (len(expected) - exchanges - 1, exchanges)
