"""Building word graphs from words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.rules import load_distribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon import builder as word_graph_builder
from bot.engine.lexicon.builder import build_dawg, build_word_graph, kwg_bytes
from bot.engine.lexicon.spelling import read_word_list
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, SEPARATOR, TILE_SHIFT, read_kwg
from tests.domain.shared import SHARED, needs_corpus

WORDS = st.lists(st.binary(min_size=1, max_size=8).map(lambda word: bytes(1 + tile % 4 for tile in word)))


def strings(nodes, first):
    strings_found, open_lists = [], [(first, b"")]
    while open_lists:
        index, prefix = open_lists.pop()
        while index:
            node = int(nodes[index])
            string = prefix + bytes([node >> TILE_SHIFT])
            if node & ACCEPTS:
                strings_found.append(string)
            if node & ARC:
                open_lists.append((node & ARC, string))
            index = 0 if node & LAST_SIBLING else index + 1
    return sorted(strings_found)


def gaddag_strings(words):
    for word in words:
        yield word[::-1]
        for pivot in range(1, len(word)):
            yield word[:pivot][::-1] + bytes([SEPARATOR]) + word[pivot:]


def contents_of_lists(nodes):
    """Return the content of each list that an arc leads to, by the index of the list's first node.

    The content is a pair for each node: the tile with the accepting flag, and the content of the list that the node's arc
    leads to.
    """
    content_of: dict[int, tuple] = {0: ()}

    def content(first):
        if first not in content_of:
            nodes_of_list, index = [], first
            while True:
                node = int(nodes[index])
                nodes_of_list.append((node >> 23, content(node & ARC)))
                if node & LAST_SIBLING:
                    break
                index += 1
            content_of[first] = tuple(nodes_of_list)
        return content_of[first]

    for node in nodes:
        content(int(node) & ARC)
    del content_of[0]
    return content_of


@given(words=WORDS)
@settings(deadline=None)  # the first call compiles
def test_a_built_graph_has_the_words_and_their_gaddag(words):
    graph = read_kwg(kwg_bytes(build_word_graph(words)))
    assert strings(graph.nodes, graph.dawg_root) == sorted(set(words))
    assert strings(graph.nodes, graph.gaddag_root) == sorted(set(gaddag_strings(words)))


@given(words=WORDS)
@settings(max_examples=50, deadline=None)
def test_the_graph_is_as_small_as_possible(words):
    nodes = build_word_graph(words).nodes
    contents = list(contents_of_lists(nodes).values())
    assert len(set(contents)) == len(contents), "an identical list is stored twice"
    ends = {content[start:] for content in contents for start in range(1, len(content))}
    assert len(nodes) == 2 + sum(len(content) for content in contents if content not in ends)


@given(words=st.lists(st.binary(min_size=1, max_size=6).map(lambda word: bytes(sorted(t % 4 for t in word)))))
@settings(deadline=None)
def test_in_a_dawg_of_leaves_the_blank_is_a_tile(words):
    nodes = build_dawg(words)
    assert strings(nodes, int(nodes[0]) & ARC) == sorted(set(words))
    assert int(nodes[1]) & ARC == 0


@pytest.mark.parametrize("words", [[b""], [b"\1" * 51], [b"\1\0"], [b"\1\x3f"]])
def test_invalid_words_are_refused(words):
    with pytest.raises(ValueError, match=r"a (word|tile)"):
        build_word_graph(words)


def test_too_many_nodes_are_refused(monkeypatch):
    random = np.random.default_rng(1)
    words = [bytes(random.integers(1, 27, 12, dtype=np.uint8)) for _ in range(1000)]
    assert len(build_word_graph(words).nodes) > 20_000
    monkeypatch.setattr(word_graph_builder, "MAX_NODES", 20_000)
    with pytest.raises(ParseError, match="more than the 20,000 nodes"):
        build_word_graph(words)


@pytest.mark.slow
@needs_corpus
def test_a_large_lexicon_matches_another_programs_graph():
    """Kibitz stores a list as the end of a longer list if it can; the other program does not.

    The test compares the sizes that the graphs have without this sharing.
    """
    other = read_kwg((SHARED / "lexica" / "enable1.kwg").read_bytes())
    word_list = read_word_list((SHARED / "lexica" / "enable1.txt").read_bytes(), load_distribution("english"))
    built = build_word_graph([word for word in word_list.words if len(word) <= 15])
    assert strings(built.nodes, built.dawg_root) == strings(other.nodes, other.dawg_root)
    heads = np.unique(built.nodes & ARC)[1:]
    ends = np.flatnonzero(built.nodes & LAST_SIBLING)
    size_without_sharing = 2 + int((ends[np.searchsorted(ends, heads)] - heads + 1).sum())
    assert size_without_sharing == len(other.nodes)
    assert len(built.nodes) < size_without_sharing
