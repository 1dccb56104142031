"""Marks behind a graph's lists: whether letters may make a word."""

import random
from itertools import islice

from bot.engine.kernels.marks import may_be_word, share_of
from bot.engine.lexicon.lookup import words_of
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
