"""Reading word graphs, and refusing graphs that cannot be walked safely."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bot.engine.analysis import AnalysisError
from bot.engine.compiler import compiled
from bot.engine.kernels import graph as kernel
from bot.engine.kernels.graph import FIRST_LIST_OFFSET, accepted_letters_at, letters_at
from bot.engine.lexicon.builder import build_word_graph, kwg_bytes
from bot.engine.lexicon.word_graph import (
    ACCEPTS,
    ARC,
    LAST_SIBLING,
    MAX_STRING_LENGTH,
    WordGraphError,
    read_kwg,
    word_graph,
)
from bot.engine.plays.board_arrays import kernel_graph
from tests.domain.shared import needs_corpus
from tests.engine.shared import enable1_graph
from tests.examples import thorough_examples

follow = compiled(kernel.follow.py_func)  # type: ignore[attr-defined]

words = st.frozensets(st.lists(st.integers(1, 5), min_size=1, max_size=6).map(bytes), min_size=1, max_size=30)


def nodes(*values: int) -> bytes:
    return np.array(values, dtype="<u4").tobytes()


ROOTS = (LAST_SIBLING | 2, LAST_SIBLING)
A = 1 << 24
END = LAST_SIBLING


@needs_corpus
def test_a_lexicon_is_read():
    graph = enable1_graph()
    for word, is_word in (("CARE", True), ("CARES", True), ("CARET", True), ("CARS", True), ("CAREZ", False)):
        assert graph.accepts([ord(letter) - 64 for letter in word]) is is_word
    assert graph.accepts([-3, 1, 20])  # a blank C
    assert not graph.accepts([])
    assert not graph.nodes.flags.writeable


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "whole 4-byte nodes"),
        (b"1234567", "whole 4-byte nodes"),
        (b"123456789", "whole 4-byte nodes"),
        (nodes(*ROOTS, A | END | 9), "node 2 points to node 9, but there are only 3 nodes"),
        (nodes(*ROOTS, A | ACCEPTS), "not terminated"),
        (nodes(*ROOTS, A | ACCEPTS, A | END), "not in ascending order"),
        (nodes(*ROOTS, 2 * A | ACCEPTS, A | END), "not in ascending order"),
        (nodes(*ROOTS, 63 * A | ACCEPTS | END), "tile 63"),
        (nodes(*ROOTS, A | END | 2), "a loop"),
        (nodes(*ROOTS, A | 2, 2 * A | END | ACCEPTS), "a loop"),
        (
            nodes(END | 2, END, *(A | END | 3 + place for place in range(MAX_STRING_LENGTH + 1)), A | END),
            "more than 64 tiles",
        ),
    ],
)
def test_graphs_that_cannot_be_walked_are_refused(data, reason):
    with pytest.raises(WordGraphError, match=reason):
        read_kwg(data)


def test_files_that_are_too_large_are_refused():
    with pytest.raises(WordGraphError, match="at most"):
        read_kwg(bytes(4 * (ARC + 2)))


@given(st.binary(max_size=400).map(lambda data: data[: len(data) // 4 * 4]))
@settings(thorough_examples(300))
def test_any_bytes_are_refused_or_walked(data):
    try:
        graph = read_kwg(data)
    except WordGraphError:
        return
    graph.accepts([1, 2, 3])
    try:
        kernel_graph(graph)
    except AnalysisError:
        assert not graph.gaddag_root


@given(words)
@settings(max_examples=60, deadline=None)
def test_a_converted_graph_spells_each_word_from_each_of_its_letters(lexicon):
    graph = read_kwg(kwg_bytes(build_word_graph(sorted(lexicon))))
    converted = kernel_graph(graph)
    assert np.shares_memory(kernel_graph(graph), converted)
    for word in lexicon:
        assert graph.accepts(list(word))
        for pivot in range(1, len(word) + 1):
            string = [*reversed(word[:pivot]), *([0, *word[pivot:]] if pivot < len(word) else [])]
            offset, entry = FIRST_LIST_OFFSET, 0
            for tile in string:
                letters = letters_at(converted, offset)
                assert letters >> tile & 1
                entry = follow(converted, offset, tile)
                accepted = accepted_letters_at(converted, offset)
                assert (accepted >> tile & 1) == (entry & 1)
                offset = entry >> 1
            assert entry & 1
    assert follow(converted, FIRST_LIST_OFFSET, 60) == 0
    assert converted[0] == converted[1] == 0


def test_a_graph_in_use_stays_read_only_while_its_index_is_added():
    """A graph that became writable would have a different type, and a running search would wait for its kernel to be compiled again."""
    graph = build_word_graph([b"\3\1\24", b"\3\1\24\23"])
    in_use = kernel_graph(graph, with_index=False)
    indexed = kernel_graph(graph)
    assert np.shares_memory(in_use, indexed)
    assert not in_use.flags.writeable
    assert not indexed.flags.writeable


def test_a_graph_without_a_gaddag_is_refused():
    with pytest.raises(AnalysisError, match="no GADDAG"):
        kernel_graph(word_graph(np.array([END | 2, END, A | END | ACCEPTS], dtype=np.uint32)))
