"""Reading word lists."""

from __future__ import annotations

import pytest

from bot.domain.crossword.rules import load_distribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.spelling import MAX_WORD_LIST_BYTES, read_word_list

ENGLISH = load_distribution("english")


def words(data, distribution=ENGLISH):
    return ["".join(map(distribution.text, word)) for word in read_word_list(data, distribution).words]


@pytest.mark.parametrize(
    "data",
    [
        b"cab\nace\n",
        b"CAB\r\nACE",
        b"\xef\xbb\xbfcab\race\r",
        "cab\nace\n".encode("utf-16"),
        b"# a list\n\n  cab \n\t\nace",
        b"CAB a vehicle [n CABS]\nACE\tto serve, well",
        b'"cab","a vehicle"\n"ace"\n',
        b"cab/S\nace=2\n",
    ],
)
def test_word_lists_in_common_formats_are_read(data):
    assert words(data) == ["CAB", "ACE"]


def test_repeated_words_and_words_of_one_letter_are_counted():
    word_list = read_word_list(b"a\ncab\nI\nCAB\ncab x", ENGLISH)
    assert (len(word_list.words), word_list.duplicate_count, word_list.too_short_count) == (1, 2, 2)


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"cab\n  c4b\n", "unknown-tile", (2, 4)),
        (b"cab\nace\n" + b"ab" * 26, "word-too-long", (3, 1)),
        (b"cab\nd\xe9j\xe0\n", "not-utf-8", (2, 2)),
        (b"\xef\xbb\xbf" + "cab\rdéj".encode() + b"\xe0\n", "not-utf-8", (2, 4)),
        (b"\xff\xfec", "not-utf-8", (1, 1)),
        ("cab\nac".encode("utf-16") + b"e", "not-utf-8", (2, 3)),
        ("cab\nnandu\nñandú\n".encode(), "unknown-tile", (3, 1)),
        (b"# nothing\n\n", "no-words", (1, 1)),
        (b"", "no-words", (1, 1)),
        (b"a\nI\n", "no-words", (1, 1)),
        (b"a\n" * (MAX_WORD_LIST_BYTES // 2 + 1), "word-list-too-large", (1, 1)),
    ],
)
def test_errors_are_reported_with_their_location(data, code, place):
    with pytest.raises(ParseError) as caught:
        read_word_list(data, ENGLISH)
    assert (caught.value.code, (caught.value.line, caught.value.column)) == (code, place)
