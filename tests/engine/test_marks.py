"""Marks behind a graph's lists: whether letters may make a word."""

import random
from itertools import islice

import numpy as np

from bot.engine.kernels.graph import may_be_word, share_of
from bot.engine.lexicon.builder import words_of
from bot.engine.lexicon.word_graph import ACCEPTS, LAST_SIBLING, TILE_SHIFT, word_graph
from bot.engine.plays.board_arrays import searched_graph
from tests.domain.shared import needs_corpus
from tests.engine.shared import enable


def sum_of(letters: bytes) -> int:
    return sum(map(share_of, letters))


@needs_corpus
def test_letters_of_words_are_marked_in_any_order_and_few_others():
    graph = searched_graph(enable())
    words = list(islice(words_of(enable()), 0, None, 300))
    for word in words:
        assert may_be_word(graph, sum_of(word[::-1]))
    known = {bytes(sorted(word)) for word in words_of(enable())}
    chance = random.Random(1)
    strangers = [bytes(chance.choices(range(1, 27), k=7)) for _ in range(2000)]
    strangers = [letters for letters in strangers if bytes(sorted(letters)) not in known]
    assert sum(may_be_word(graph, sum_of(letters)) for letters in strangers) < len(strangers) / 20


def test_only_no_letter_adds_up_to_nothing():
    assert all(share_of(letter) & 0x3F == 1 for letter in range(63))


def test_a_graph_of_endless_strings_rules_nothing_out():
    """Ten lists of 62 letters, each followed by the next: 62 to the power of ten strings."""
    lists = [
        letter << TILE_SHIFT
        | (LAST_SIBLING if letter == 62 else 0)
        | (2 + 62 * (level + 1) if level < 9 else ACCEPTS)
        for level in range(10)
        for letter in range(1, 63)
    ]
    graph = word_graph(np.array([LAST_SIBLING, LAST_SIBLING | 2, *lists], dtype=np.uint32))
    searched = searched_graph(graph)
    assert may_be_word(searched, sum_of(b"\x01\x02\x03"))
    assert may_be_word(searched, sum_of(b"\x3e"))
