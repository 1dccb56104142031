"""Questions about words: validity, hooks, anagrams, and phonies on a board."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.play import Direction
from bot.domain.crossword.position import Board, empty_board
from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.spelling import speller
from bot.engine.lexicon.word_graph import read_kwg
from bot.engine.lexicon.words import (
    MAX_STEPS,
    check_words,
    find_anagrams,
    find_hooks,
    find_phonies,
    words_on_board,
)
from tests.domain.shared import SHARED, needs_corpus

ENGLISH = load_distribution("english")
spell = speller(ENGLISH).spell
text_of = speller(ENGLISH).text_of
TILE_KINDS = 4
"""Number of different tiles in words and racks."""
WORDS = st.sets(
    st.binary(min_size=2, max_size=6).map(lambda word: bytes(1 + tile % TILE_KINDS for tile in word))
)
RACK = st.lists(st.integers(0, TILE_KINDS), max_size=7)


def graph_of(*words, distribution=ENGLISH):
    return build_word_graph([speller(distribution).spell(word) for word in words])


def can_be_made(word, rack):
    lacking = Counter(word) - Counter(rack)
    return lacking.total() <= rack.count(0)


@given(words=WORDS, rack=RACK, min_length=st.none() | st.integers(0, 8))
@settings(deadline=None)  # the first call compiles
def test_anagrams_match_a_check_of_every_word(words, rack, min_length):
    found = find_anagrams(rack, build_word_graph(sorted(words)), min_length=min_length, max_words=10_000)
    required_length = len(rack) if min_length is None else min_length
    expected = sorted(
        (word for word in words if len(word) >= required_length and can_be_made(word, rack)),
        key=lambda word: (-len(word), word),
    )
    assert [bytes(map(abs, word)) for word in found.words] == expected
    assert found.complete
    for word in found.words:
        used = Counter(tile for tile in word if tile > 0)
        assert not used - Counter(rack), "the word needs a tile that is not on the rack"
        assert sum(tile < 0 for tile in word) <= rack.count(0)


@given(
    words=WORDS,
    word=st.binary(min_size=1, max_size=6).map(lambda word: bytes(1 + t % TILE_KINDS for t in word)),
)
@settings(deadline=None)
def test_hooks_match_a_check_of_every_tile(words, word):
    found = find_hooks(word, build_word_graph(sorted(words)))
    tiles = range(1, TILE_KINDS + 1)
    assert found.valid == (word in words)
    assert found.front == tuple(tile for tile in tiles if bytes([tile]) + word in words)
    assert found.back == tuple(tile for tile in tiles if word + bytes([tile]) in words)
    assert found.inner == tuple(
        (index, tile)
        for index in range(1, len(word))
        for tile in tiles
        if word[:index] + bytes([tile]) + word[index:] in words
    )


def test_a_blank_stands_only_for_what_the_rack_lacks():
    found = find_anagrams([0, *spell("CAT")], graph_of("CATS", "TACT", "CAT", "ACT"), min_length=3)
    assert [text_of(word) for word in found.words] == ["CATs", "TACt", "ACT", "CAT"]


def test_the_longest_words_come_first_and_the_rest_is_counted():
    found = find_anagrams(
        spell("CARES"), graph_of("CARES", "RACES", "CARE", "ARC"), min_length=2, max_words=2
    )
    assert ([text_of(word) for word in found.words], found.total, found.complete) == (
        ["CARES", "RACES"],
        4,
        True,
    )


@needs_corpus
def test_searches_with_many_blanks_are_limited():
    graph = read_kwg((SHARED / "lexica" / "enable1.kwg").read_bytes())
    found = find_anagrams([0] * 15, graph, max_words=20, max_steps=MAX_STEPS)
    assert (len(found.words), found.total, found.complete) == (20, 3192, True)
    assert {len(word) for word in found.words} == {15}
    limited = find_anagrams([0] * 15, graph, min_length=2, max_words=20, max_steps=10_000)
    assert (len(limited.words), limited.complete) == (20, False)
    assert find_anagrams([0] * 10_000, graph, max_words=20).words == ()


def test_words_are_checked_one_by_one():
    checked = check_words(["cab", "CÁB", "cabs", "c4b", ""], graph_of("CAB"), ENGLISH)
    assert [(word.text, word.valid) for word in checked] == [
        ("cab", True),
        ("CÁB", True),
        ("cabs", False),
        ("c4b", False),
        ("", False),
    ]
    assert [word.problem and word.problem.column for word in checked] == [None, None, None, 2, None]


def test_a_tile_with_several_letters_counts_as_one():
    spanish = load_distribution("spanish")
    graph = graph_of("llave", "perro", distribution=spanish)
    assert [word.valid for word in check_words(["LLAVE", "[l][l]ave"], graph, spanish)] == [True, False]
    found = find_anagrams([spanish.machine_letters["RR"], 0, *speller(spanish).spell("PO")], graph)
    assert [speller(spanish).text_of(word) for word in found.words] == ["PeRRO"]


BOARD = (
    ".CAB.",
    ".A..x",
    ".BE.A",
    "....T",
    "A....",
)


def test_words_on_a_board_have_no_tile_before_or_after_them():
    tiles = tuple(ENGLISH.machine_letters.get(letter, 0) for row in BOARD for letter in row)
    board = Board(5, 5, tiles)
    words = words_on_board(board)
    assert [(str(word.start), text_of(word.tiles)) for word in words] == [
        ("1B", "CAB"),
        ("3B", "BE"),
        ("B1", "CAB"),
        ("E2", "xAT"),
    ]
    assert words[3].squares() == ((1, 4), (2, 4), (3, 4))
    found_phonies = find_phonies(board, graph_of("CAB", "XAT"))
    assert [(str(word.start), word.start.direction) for word in found_phonies] == [("3B", Direction.ACROSS)]


@pytest.mark.parametrize("side", [1, 15, 50])
def test_a_full_board_has_a_word_in_each_row_and_column(side):
    graph = graph_of("CAB")
    assert find_phonies(empty_board(side, side), graph) == ()
    full_board = Board(side, side, (1,) * side**2)
    assert len(find_phonies(full_board, graph)) == (2 * side if side > 1 else 0)
