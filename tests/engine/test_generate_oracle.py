"""The play generator, compared with a generator that tries every word everywhere."""

import random

from hypothesis import strategies as st

from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.leaves import leave_values_of
from bot.engine.plays.generate import find_and_count_plays, find_plays
from bot.engine.plays.values import SortKey
from tests.domain.crossword.strategies import seeds
from tests.engine.lexica import crowded_positions, random_leaves
from tests.engine.naive_plays import naive_plays
from tests.examples import try_examples, usual_and_long


@usual_and_long(60, 3_000)
def test_plays_match_the_naive_generator(number):
    try_examples(number, check_plays, crowded_positions(), seeds, st.sampled_from((1, 2, 10)))


def check_plays(case, seed, top):
    position, words = case
    leaves = random_leaves(random.Random(seed), len(position.rules.distribution.letters))
    graph, values = (
        build_word_graph(sorted(words)),
        leave_values_of({key: value / 1000 for key, value in leaves.items()}),
    )
    found = find_plays(position, graph, values, top=None)
    assert set(found) == naive_plays(position, words, leaves)
    assert len(found) == len(set(found))
    assert find_plays(position, graph, values, top=top)[:] == found[:top]
    by_score = find_plays(position, graph, values, top=None, by=SortKey.SCORE)
    assert set(by_score) == set(found)
    assert find_plays(position, graph, values, top=top, by=SortKey.SCORE)[:] == by_score[:top]
    best, count = find_and_count_plays(position, graph, values, top=top)
    assert tuple(best) == found[:top]
    assert [best[index] for index in range(len(best))] == list(best)
    assert count.placements + count.exchanges + 1 == len(found)
