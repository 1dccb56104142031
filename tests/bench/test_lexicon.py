"""Times building, loading and querying a lexicon."""

from __future__ import annotations

import pytest

from bot.engine.lexicon.builder import build_word_graph, words_of
from bot.engine.lexicon.lexica import DEFAULT_LEXICON, Lexica
from bot.engine.lexicon.words import find_anagrams, find_hooks

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find(DEFAULT_LEXICON))


def test_building_a_word_graph(benchmark, lexicon):
    words = list(words_of(lexicon.graph))
    build_word_graph(words[:10])  # compiles the functions
    graph = benchmark.pedantic(build_word_graph, args=(words,), rounds=3)
    assert len(graph.nodes) == len(lexicon.graph.nodes)


def test_loading_a_lexicon(benchmark, lexicon):
    def load():
        lexica = Lexica()
        return lexica.load(lexica.find(DEFAULT_LEXICON))

    assert benchmark.pedantic(load, rounds=3).word_count == lexicon.word_count


@pytest.mark.parametrize(
    "rack", [[1, 5, 9, 14, 18, 19, 20], [0, 0, 1, 5, 9, 18, 20]], ids=["plain", "two-blanks"]
)
def test_finding_anagrams_of_a_rack(benchmark, lexicon, rack):
    assert benchmark(find_anagrams, rack, lexicon.graph, min_length=2).complete


def test_finding_anagrams_of_fifteen_blanks(benchmark, lexicon):
    assert benchmark.pedantic(
        find_anagrams, args=([0] * 15, lexicon.graph), kwargs={"min_length": 2}, rounds=3
    ).words


def test_finding_hooks(benchmark, lexicon):
    assert benchmark(find_hooks, b"\3\1\22\5", lexicon.graph).valid
