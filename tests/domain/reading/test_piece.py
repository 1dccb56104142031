"""Pieces of a text have the right offsets."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from bot.domain.reading.problems import ParseError, ReadWarning, TextPiece, Warnings

TEXTS = st.text(alphabet="ab/ \n\té", max_size=40)


def has_right_offset(piece: TextPiece) -> bool:
    return piece.whole_text[piece.offset : piece.end] == piece.text


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_pieces_of_a_piece_have_the_right_offsets(text, start, end):
    part = TextPiece.of(text).part(start, max(start, end))
    pieces = [part, part.strip(), *part.split("/"), *part.characters()]
    pieces += [TextPiece.matched(match) for match in re.finditer(r"\w+", text)]
    assert all(map(has_right_offset, pieces))
    assert "/".join(piece.text for piece in part.split("/")) == part.text
    assert part.strip().text == part.text.strip()


@given(TEXTS, st.integers(0, 40))
def test_a_problem_has_the_line_and_column_of_its_piece(text, start):
    piece = TextPiece.of(text).part(min(start, len(text)))
    error = piece.parse_error("code", "nothing is right here")
    lines_before = text[: piece.offset].split("\n")
    assert (error.line, error.column) == (len(lines_before), len(lines_before[-1]) + 1)
    warnings = Warnings(text)
    piece.warn(warnings, "code", "nothing is right here")
    assert warnings.all() == (ReadWarning("code", "nothing is right here", error.line, error.column),)


@given(TEXTS, TEXTS, st.integers(0, 40))
def test_a_location_in_a_part_becomes_a_location_in_the_whole(before, text, start):
    offset = min(start, len(text))
    in_part = TextPiece.of(text).part(offset).parse_error("code", "{what} is wrong", what="all")
    full_piece = TextPiece(text, len(before), before + text)
    in_whole = in_part.within(*full_piece.location)
    result = full_piece.part(offset).parse_error("code", "{what} is wrong", what="all")
    assert (in_whole.line, in_whole.column, in_whole.message) == (result.line, result.column, result.message)
    assert type(in_whole) is ParseError
