"""FEN: the examples of the PGN standard, every field, and comparisons with python-chess."""

import chess
import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.notations import fen
from bot.domain.chess.position import ChessPosition, Ending, position_of
from bot.domain.reading.problems import DomainError, ParseError, RuleError
from tests.domain.chess.strategies import boards

EXAMPLES = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39",
)

FATAL_STATUS = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_TOO_MANY_WHITE_PAWNS
    | chess.STATUS_TOO_MANY_BLACK_PAWNS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_TOO_MANY_WHITE_PIECES
    | chess.STATUS_TOO_MANY_BLACK_PIECES
    | chess.STATUS_BAD_CASTLING_RIGHTS
    | chess.STATUS_INVALID_EP_SQUARE
    | chess.STATUS_OPPOSITE_CHECK
    | chess.STATUS_EMPTY
)


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_of_the_standard_round_trip(text):
    reading = fen.read(text)
    assert reading.warnings == ()
    assert reading.value.fen == text


def test_the_fields_of_an_example_are_read():
    position = fen.read(EXAMPLES[1]).value
    assert not position.white_to_move
    assert (position.castling, position.en_passant) == ("KQkq", "e3")
    assert position.squares[4 * 8 + 4] == "P"
    assert fen.read(EXAMPLES[0]).value == ChessPosition()


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the text is empty"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", 1, "a chessboard has 8 ranks, not 7"),
        ("4k3/8/8/8/8/8/4P4/4K3 w - - 0 1", 15, "rank 2 should have 8 squares, but has 9"),
        ("4k3/8/8/7/8/8/4P3/4K3 w - - 0 1", 9, "rank 5 should have 8 squares, but has 7"),
        ("4k3/8/8//8/8/4P3/4K3 w - - 0 1", 9, "rank 5 should have 8 squares, but has 0"),
        ("4k3/8/8/x7/8/8/8/4K3 w - - 0 1", 9, "'x' is neither a chess piece nor a number of empty squares"),
        ("4k3/8/8/9/8/8/8/4K3 w - - 0 1", 9, "'9' is neither a chess piece nor a number of empty squares"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", 21, "'x' is not a side to move; use w or b"),
        (
            "4k3/8/8/8/8/8/8/4K3 w KK - 0 1",
            23,
            "'KK' is not a valid castling field; use letters from KQkq, or -",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w HIha - 0 1",
            23,
            "'HIha' is not a valid castling field; use letters from KQkq, or -",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
            25,
            "'e9' is not an en passant square; use a square such as e3, or -",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", 27, "'x' is not a number from 0 to 9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", 29, "'-1' is not a number from 1 to 9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 ٣", 29, "'٣' is not a number from 1 to 9999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 more", 31, "a FEN has six fields; this is a seventh"),
        ("4k3/8/8/8/8/8/8/4K3 w\n- -\n1000000000000 1", 1, "'1000000000000' is not a number from 0 to 9999"),
    ],
)
def test_an_invalid_fen_is_reported_with_its_location(text, column, message):
    with pytest.raises(ParseError) as caught:
        fen.read(text)
    assert (caught.value.message, caught.value.column) == (message, column)
    assert caught.value.line == (3 if "\n" in text else 1)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", 1, "there is no white king"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", 1, "there is no black king"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", 1, "there is no white king"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", 19, "there are 2 white kings"),
        ("4k3/8/4k3/8/8/8/8/4K3 w - - 0 1", 8, "there are 2 black kings"),
        ("kkkk4/8/8/8/8/8/8/4K3 w - - 0 1", 2, "there are 4 black kings"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", 4, "a pawn can't be on h8"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", 17, "a pawn can't be on a1"),
        (
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            1,
            "White has 9 pawns, which is more than 8",
        ),
        ("qqqqkqqq/qqqqqqqq/q7/8/8/8/8/4K3 b - - 0 1", 1, "Black has 17 pieces, which is more than 16"),
        ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", 23, "Black is to move, but White is in check"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", 23, "White is to move, but Black is in check"),
        (
            EXAMPLES[1].replace(" e3", " e6"),
            54,
            "Black is to move, so a pawn can be taken en passant only on rank 3, not on e6",
        ),
        (
            EXAMPLES[2].replace(" c6", " c3"),
            56,
            "White is to move, so a pawn can be taken en passant only on rank 6, not on c3",
        ),
        (EXAMPLES[2].replace(" c6", " d6"), 56, "d6 can't be the en passant square: there is no pawn on d5"),
        ("4k3/2p5/8/2p5/8/8/8/4K3 w - c6 0 2", 29, "c6 can't be the en passant square: c7 is not empty"),
        ("4k3/8/2n5/2p5/8/8/8/4K3 w - c6 0 2", 29, "c6 can't be the en passant square: c6 is not empty"),
    ],
)
def test_impossible_positions_are_rejected_with_the_reason(text, column, message):
    with pytest.raises(RuleError) as caught:
        fen.read(text)
    assert caught.value.message == message
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "written", "message"),
    [
        ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "only the board is given; assuming White to move"),
        ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", "the text ends before the castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 b - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
         "the halfmove clock and the move number are missing"),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
         "the side to move is a lowercase letter, w or b"),
        ("4k3/8/44/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
         "consecutive empty squares are written as one number"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kqQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
         "castling rights are written in the order KQkq"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
         "a number of at least 1 is expected here; read as 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - - 3", "4k3/8/8/8/8/8/8/4K3 w - - 0 3",
         "a number of at least 0 is expected here; read as 0"),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", None,
         "White has more extra pieces than its missing pawns explain"),
        ("b1b1k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", None,
         "Black has more extra pieces than its missing pawns explain"),
        ("4k3/8/8/8/1b6/4r3/8/3RK2r w - - 0 1", None, "no legal move could have given this check"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 5 3", None, "the halfmove clock is 5, but the number of half-moves played is only 4"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 2 5", None, "the halfmove clock is 2, but it should be 0 after a pawn move"),
    ],
)  # fmt: skip
def test_a_small_fault_or_an_odd_position_gives_a_warning(text, written, message):
    reading = fen.read(text)
    assert [warning.message for warning in reading.warnings] == [message]
    assert reading.value.fen == (written or text)


@given(boards)
def test_the_board_of_a_position_equals_a_python_chess_board(board):
    position = position_of(board)
    attributes, expected_attributes = vars(position.board()), vars(chess.Board(position.fen))
    generators = {"legal_moves", "pseudo_legal_moves"}
    assert {name: attributes[name] for name in attributes.keys() - generators} == {
        name: expected_attributes[name] for name in expected_attributes.keys() - generators
    }


@given(boards)
def test_every_position_of_a_game_is_read_and_written(board):
    text = board.fen(en_passant="fen")
    reading = fen.read(text)
    assert reading.value.fen == text
    assert {warning.code for warning in reading.warnings} <= {"promotions", "impossible-check"}
    position = position_of(board)
    assert position.fen == text
    assert position.board() == chess.Board(text)
    assert position.checked_king_square == (
        chess.square_name(board.king(board.turn)) if board.is_check() else ""
    )
    assert (position.ending is Ending.CHECKMATE) == board.is_checkmate()
    assert (position.ending is Ending.STALEMATE) == board.is_stalemate()


SYMBOLS = st.sampled_from("pnbrqkPNBRQK12345678/ wb-KQkqabcdefgh36")


@given(boards, st.data())
def test_python_chess_agrees_on_what_is_impossible(board, data):
    text = board.fen(en_passant="fen")
    for _ in range(data.draw(st.integers(0, 3))):
        index = data.draw(st.integers(0, len(text) - 1))
        text = text[:index] + data.draw(SYMBOLS) + text[index + 1 :]
    try:
        fields = text.split()
        reference = None if len(fields) < 6 else chess.Board(" ".join(fields))
    except ValueError:
        reference = None
    try:
        position = fen.read(text).value
    except RuleError:
        assert reference is None or reference.status() & FATAL_STATUS
    except ParseError:
        # Kibitz is intentionally stricter. For example, it rejects numbers that no game reaches.
        pass
    else:
        assert reference is None or reference.board_fen() == position.placement
        if reference is not None and set(fields[2]) <= set("KQkq-"):
            assert reference.castling_xfen().replace("-", "") == position.castling
        assert not position.board().status() & FATAL_STATUS


@pytest.mark.parametrize(
    ("text", "stored", "column", "message"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "K", 25,
         "the castling right Q is left out: its rook is not on a1"),
        ("4k2r/8/8/8/8/8/8/3K4 w Kk - 0 1", "k", 24,
         "the castling right K is left out: its king is not on e1"),
        ("4k2r/8/8/8/8/8/8/4K3 w kq - 0 1", "k", 25,
         "the castling right q is left out: its rook is not on a8"),
    ],
)  # fmt: skip
def test_an_impossible_castling_right_is_dropped_with_a_warning(text, stored, column, message):
    reading = fen.read(text)
    assert [(warning.message, warning.column) for warning in reading.warnings] == [(message, column)]
    assert reading.value.castling == stored == chess.Board(text).castling_xfen()
    assert fen.read(reading.value.fen).warnings == ()


@given(st.text(st.sampled_from("kK8/pP wb-19\n\x00é٣"), max_size=60))
def test_any_text_is_read_or_rejected(text):
    try:
        position = fen.read(text).value
    except DomainError:
        return
    assert fen.read(position.fen).value == position
