"""A graph's two indexes: the map from letters to words, and the Bloom filter for letters that may make a word."""

import random
from itertools import islice

import numpy as np
from hypothesis import given, strategies as st

from bot.engine.kernels.graph import (
    MAP_OFFSET_INDEX,
    bucket_start_index,
    letter_hash,
    letter_of_word,
    may_be_word,
    stored_length,
)
from bot.engine.lexicon.builder import build_word_graph, words_of
from bot.engine.lexicon.word_graph import ACCEPTS, LAST_SIBLING, TILE_SHIFT, word_graph
from bot.engine.plays.board_arrays import kernel_graph
from tests.domain.shared import needs_corpus
from tests.engine.shared import enable1_graph


def sum_of(letters: bytes) -> int:
    return sum(map(letter_hash, letters)) % (1 << 64)


def words_in_map(graph, letters: bytes) -> list[bytes]:
    hash_sum = sum_of(letters)
    bucket = bucket_start_index(hash_sum)
    found, word_offset = [], int(graph[bucket])
    while word_offset < int(graph[bucket + 2]):
        key = int(graph[word_offset]) | int(graph[word_offset + 1]) << 32
        if key == hash_sum:
            found.append(bytes(letter_of_word(graph, word_offset, index) for index in range(key & 63)))
        word_offset += stored_length(key)
    return found


@needs_corpus
def test_all_words_and_few_other_strings_pass_the_filter():
    graph = kernel_graph(enable1_graph())
    words = list(islice(words_of(enable1_graph()), 0, None, 300))
    for word in words:
        assert may_be_word(graph, sum_of(word[::-1]))
    known = {bytes(sorted(word)) for word in words_of(enable1_graph())}
    rng = random.Random(1)
    non_words = [bytes(rng.choices(range(1, 27), k=7)) for _ in range(2000)]
    non_words = [letters for letters in non_words if bytes(sorted(letters)) not in known]
    assert sum(may_be_word(graph, sum_of(letters)) for letters in non_words) < len(non_words) / 50


@needs_corpus
def test_the_map_of_a_lexicon_has_each_anagram_and_takes_a_few_megabytes():
    graph = kernel_graph(enable1_graph())
    anagrams: dict[bytes, list[bytes]] = {}
    for word in words_of(enable1_graph()):
        anagrams.setdefault(bytes(sorted(word)), []).append(word)
    for letters, words in islice(anagrams.items(), 0, None, 300):
        assert sorted(words_in_map(graph, letters)) == sorted(words)
    assert 4 * (len(graph) - int(graph[MAP_OFFSET_INDEX])) < 8_000_000


@given(
    st.sets(
        st.binary(min_size=1, max_size=21).map(lambda word: bytes(1 + byte % 62 for byte in word)), min_size=1
    )
)
def test_the_map_has_the_words_of_any_graph(words):
    graph = kernel_graph(build_word_graph(sorted(words)))
    for word in words:
        assert sorted(words_in_map(graph, word)) == sorted(
            other for other in words if sorted(other) == sorted(word)
        )


def test_no_two_small_sets_of_letters_share_a_sum():
    """Check all sets of three letters of the largest alphabet."""
    hashes = [letter_hash(letter) % (1 << 64) for letter in range(63)]
    sums = [hashes[a] + hashes[b] + hashes[c] for a in range(63) for b in range(a + 1) for c in range(b + 1)]
    assert len({number % (1 << 64) for number in sums}) == len(sums)


def test_every_letter_hash_counts_one_letter():
    assert all(letter_hash(letter) & 0x3F == 1 for letter in range(63))


def test_a_graph_with_too_many_strings_lets_all_sums_pass():
    """Ten lists of 62 letters, each leading to the next list, make 62 ** 10 strings."""
    lists = [
        letter << TILE_SHIFT
        | (LAST_SIBLING if letter == 62 else 0)
        | (2 + 62 * (level + 1) if level < 9 else ACCEPTS)
        for level in range(10)
        for letter in range(1, 63)
    ]
    graph = word_graph(np.array([LAST_SIBLING, LAST_SIBLING | 2, *lists], dtype=np.uint32))
    converted = kernel_graph(graph)
    assert may_be_word(converted, sum_of(b"\x01\x02\x03"))
    assert may_be_word(converted, sum_of(b"\x3e"))
    assert not converted[MAP_OFFSET_INDEX]
