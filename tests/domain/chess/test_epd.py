"""EPD: positions with operations."""

import re

import chess
import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.notations import epd
from bot.domain.notations import detect
from bot.domain.reading.problems import DomainError, ParseError
from tests.domain.chess.strategies import boards

ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - -"


def test_operations_are_stored_verbatim():
    text = f'{ENDGAME} bm e4; id "a; b, c"; noop; acd 12; ce -34; c0 "two  spaces";'
    reading = epd.read(text)
    assert reading.warnings == ()
    assert reading.value.operations == (
        ("bm", "e4"), ("id", '"a; b, c"'), ("noop", ""), ("acd", "12"), ("ce", "-34"), ("c0", '"two  spaces"'),
    )  # fmt: skip
    assert epd.write(reading.value) == text


def test_clocks_are_read_and_written_as_operations():
    position = epd.read(f"{ENDGAME} hmvc 5; bm e4; fmvn 39;").value
    assert position.fen == f"{ENDGAME} 5 39"
    assert epd.write(position) == f"{ENDGAME} hmvc 5; fmvn 39; bm e4;"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{ENDGAME} 5 39 bm e4;",
            "an EPD has no clocks after its four fields; use the operations hmvc and fmvn",
        ),
        (f"{ENDGAME} bm e4", "an operation should end with a semicolon"),
        (f"{ENDGAME} bm e5 e4;", "the move e5 in bm isn't legal"),
        (f"{ENDGAME} bm e4;; id 1;", "this semicolon has no operation before it"),
        (f"{ENDGAME} hmvc 5; hmvc 6; bm e4;", "the operation hmvc is given twice; the last one counts"),
    ],
)
def test_a_small_fault_gives_a_warning(text, message):
    reading = epd.read(text)
    assert [warning.message for warning in reading.warnings] == [message]
    assert reading.value.operations


def test_a_warning_about_a_move_is_located_at_the_move():
    text = f'{ENDGAME} id "e5"; bm e4 e5;'
    [warning] = epd.read(text).warnings
    assert (warning.code, warning.column) == ("epd-move", text.rindex("e5") + 1)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the text is empty"),
        ("4k3/8/8/8/8/8/4P3/4K3 w", 1, "an EPD needs four fields before its operations"),
        (f"{ENDGAME} 7;", 29, "an EPD operation starts with its name, such as bm or id"),
        (
            f'{ENDGAME} id "open; bm e4;',
            32,
            "the operation id is not closed: a quote or a semicolon is missing",
        ),
        (f"{ENDGAME} hmvc x;", 34, "the operation hmvc takes a number from 0 to 9999"),
        (f"{ENDGAME} hmvc {'0' * 9}12345;", 34, "the operation hmvc takes a number from 0 to 9999"),
        (f"{ENDGAME} fmvn 0;", 34, "the operation fmvn takes a number from 1 to 9999"),
        (f"{ENDGAME} {'a 1;' * 101}", 429, "there are more than 100 operations"),
    ],
)
def test_an_invalid_epd_is_reported_with_its_location(text, column, message):
    with pytest.raises(ParseError) as caught:
        epd.read(text)
    assert (caught.value.message, caught.value.column) == (message, column)


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        (f"{ENDGAME} wdl 2; dtz 1;", [("wdl", "2"), ("dtz", "1")]),
        (f"{ENDGAME} Source Tal, Riga 1960; wdl 2", [("Source", "Tal, Riga 1960"), ("wdl", "2")]),
        (f"{START} 0 1 ;D1 20 ;D2 400", [("D1", "20"), ("D2", "400")]),
        (f"{ENDGAME};D1 5;", [("D1", "5")]),
        (f"{ENDGAME} bm e4 Kd2", [("bm", "e4 Kd2")]),
        (f'{ENDGAME} bm e4; id "a; b"', [("bm", "e4"), ("id", '"a; b"')]),
        (f"{ENDGAME} c0 {'x' * 900}; bm e4;", [("c0", "x" * 900), ("bm", "e4")]),
        (f"{ENDGAME} STS-rating 10; bm e4;", [("STS-rating", "10"), ("bm", "e4")]),
    ],
)
@pytest.mark.parametrize(
    "template", ["{}", "look:\n{}\nnice", "`{}`", "||{}||", "{}\n" + ENDGAME + " bm e3;"]
)
def test_every_operation_of_a_line_is_found_and_stored(text, operations, template):
    first = detect(template.format(text))[0]
    assert (first.format, first.text) == ("epd", text)
    position = epd.read(text).value
    assert list(position.operations) == operations
    assert epd.read(epd.write(position)).value == position


WORDS = st.text(st.sampled_from("abc ;xyz'é\\\""), max_size=20).map(epd.quote)
OPCODES = st.sampled_from(["id", "c0", "c9", "Source", "dm_1"])


@given(boards, st.lists(st.tuples(OPCODES, WORDS), max_size=5))
def test_python_chess_reads_a_written_epd(board, operations):
    position = epd.read(board.epd(en_passant="fen")).value
    written = position.__class__(
        position.placement, position.white_to_move, position.castling, position.en_passant,
        board.halfmove_clock, board.fullmove_number, operations=tuple(operations),
    )  # fmt: skip
    text = epd.write(written)
    assert epd.read(text).value == written
    reference_board, operations_read = chess.Board.from_epd(text)
    assert reference_board.fen(en_passant="fen") == written.fen
    assert {name: value for name, value in operations_read.items() if name not in ("hmvc", "fmvn")} == {
        name: re.sub(r"\\(.)", r"\1", value[1:-1]) for name, value in operations
    }


@given(st.text(st.sampled_from('kK8/pP wb-;"\\\n19id'), max_size=40))
def test_any_text_is_read_or_rejected(tail):
    try:
        text = epd.write(epd.read(ENDGAME + tail).value)
    except DomainError:
        return
    assert epd.write(epd.read(text).value) == text


def test_a_clock_may_have_thousands_of_leading_zeros():
    assert epd.read(f"{ENDGAME} hmvc {'0' * 5_000}5;").value.halfmove_clock == 5
