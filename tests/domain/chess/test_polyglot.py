"""Polyglot books, compared with python-chess. Other files are rejected."""

from __future__ import annotations

import struct
from itertools import chain

import chess.polyglot
import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.notations import book as book_reader, fen, polyglot
from bot.domain.chess.notations.polyglot import compile_book, walk_line
from bot.domain.chess.position import START_POSITION, position_of
from bot.domain.reading.problems import ParseError

SOURCE = """// Spanish
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O
// Slav
1. d4 d5 2. c4 c6 3. cxd5 cxd5
1. e4 c5
[FEN "4k3/P7/8/8/8/8/8/R3K3 w Q - 0 1"]
1. a8Q
1. a8N Kd7
1. O-O-O
"""
BOOK_SOURCE = book_reader.read(SOURCE).value


def test_python_chess_finds_the_same_moves_in_every_position(tmp_path):
    data = polyglot.write(compile_book(BOOK_SOURCE))
    path = tmp_path / "book.bin"
    path.write_bytes(data)
    book = polyglot.read(data)
    with chess.polyglot.open_reader(path) as reader:
        for step in chain.from_iterable(
            walk_line(line.start.board(), line.moves) for line in BOOK_SOURCE.lines
        ):
            expected = {entry.move.uci(): entry.weight for entry in reader.find_all(step.board)}
            found = book.continuations(position_of(step.board))
            assert {move.uci: move.count for move in found} == expected
            assert [move.count for move in found] == sorted(expected.values(), reverse=True)
            assert [step.board.parse_san(move.san).uci() for move in found] == [move.uci for move in found]


def test_a_position_that_is_not_in_the_book_has_no_moves():
    book = polyglot.read(polyglot.write(compile_book(BOOK_SOURCE)))
    assert book.continuations(fen.read("4k3/8/8/8/8/8/8/4K3 w - - 0 1").value) == ()


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 17, struct.pack(">QHHIQHHI", 2, 0, 0, 0, 1, 0, 0, 0)])
def test_files_that_are_not_books_are_rejected(data):
    with pytest.raises(ParseError):
        polyglot.read(data)


@given(st.lists(st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)), max_size=30))
def test_entries_with_impossible_moves_are_left_out(entries):
    key = chess.polyglot.zobrist_hash(chess.Board())
    data = b"".join(struct.pack(">QHHI", key, raw, weight, 0) for raw, weight in entries)
    if entries:
        legal = {move.uci() for move in chess.Board().legal_moves}
        assert {move.uci for move in polyglot.read(data).continuations(START_POSITION)} <= legal
