"""The variants of chess: read, played, written, and distinguished from standard chess."""

import random

import chess
import chess.variant
import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.chess.documents import ChessGame, ChessMove
from bot.domain.chess.eco import opening_at, opening_of
from bot.domain.chess.notations import fen, json_document, pgn, uci
from bot.domain.chess.notations.fen import split, variant_of
from bot.domain.chess.notations.fen_in_text import find
from bot.domain.chess.position import VARIANTS, Ending, position_of, variant_key
from bot.domain.notations import convert, detect
from bot.domain.reading.problems import ConversionError, ParseError, RuleError
from tests.domain.crossword.strategies import seeds

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


@st.composite
def games(draw) -> ChessGame:
    """Draw a game of random moves in any variant, finished or not. A game of Chess960 may start from any of the 960 positions."""
    randomness = random.Random(draw(seeds))
    key = draw(st.sampled_from(sorted(VARIANTS)))
    board = VARIANTS[key].board()
    if key == "chess960":
        board = chess.Board.from_chess960_pos(draw(st.integers(0, 959)))
    start, moves = position_of(board), []
    for _ in range(draw(st.integers(0, 60))):
        legal = list(board.legal_moves)
        if not legal or board.is_variant_end():
            break
        move = randomness.choice(legal)
        moves.append(ChessMove(board.san(move), move.uci()))
        board.push(move)
    return ChessGame(start, tuple(moves))


@given(games())
def test_games_and_positions_round_trip_and_have_no_opening(game):
    assert pgn.read(pgn.write(game)).value == game
    assert json_document.read(json_document.write(game)).value == game
    assert not convert(game, "pgn").losses
    position = game.position_at(len(game.turns))
    assert json_document.read(json_document.write(position)).value == position
    from_fen = fen.read(position.fen, position.variant).value
    assert (from_fen.fen, from_fen.board().fen()) == (position.fen, position.board().fen())
    # FEN and UCI texts do not name the variant. The conversion reports that the variant is lost, unless the fields of the
    # FEN imply it.
    conversion = convert(game, "fen")
    variant = variant_of(split(conversion.text, 1_000))
    assert ("variant" in [loss.code for loss in conversion.losses]) is (variant != position.variant)
    start = variant_of(split(game.start.fen, 1_000))
    assert ("variant" in [loss.code for loss in convert(game, "uci").losses]) is (start != position.variant)
    assert (opening_of(position), opening_at(game, len(game.turns))) == ("", "")


@pytest.mark.parametrize(
    ("text", "key", "written"),
    [
        (f"{START}[Qn] w KQkq - 0 1", "crazyhouse", f"{START}[Qn] w KQkq - 0 1"),
        (f"{START}/Nnp w KQkq - 0 1", "crazyhouse", f"{START}[Nnp] w KQkq - 0 1"),
        (f"{START}[] w KQkq -", "crazyhouse", f"{START}[] w KQkq - 0 1"),
        (f"{START} w KQkq - 3+1 4 5", "threeCheck", f"{START} w KQkq - 3+1 4 5"),
        (f"{START} w KQkq - 4 5 +2+0", "threeCheck", f"{START} w KQkq - 1+3 4 5"),
        (f"{START} w HAha - 0 1", "chess960", f"{START} w KQkq - 0 1"),
        ("rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1", "horde", ""),
        ("8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1", "racingKings", ""),
        ("lichess.org/analysis/atomic/rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R_w_KQkq_-_2_2", "atomic",
         "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2"),
        ("https://lichess.org/analysis/crazyhouse/r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R/Nn_w_KQkq_-_0_3",
         "crazyhouse", "r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R[Nn] w KQkq - 0 3"),
    ],
)  # fmt: skip
def test_the_fields_of_a_fen_imply_its_variant(text, key, written):
    position = fen.read(text).value
    assert (position.variant, position.fen) == (key, written or text)
    message = f"look at {text} please"
    [found] = detect(message)
    assert message[found.start : found.end] == text


@pytest.mark.parametrize(
    ("text", "error_type", "message"),
    [
        (f"{START}[K] w KQkq - 0 1", ParseError, "this is not a valid FEN for Crazyhouse"),
        (f"{START}[{'n' * 65}] w KQkq - 0 1", ParseError, "this is not a valid FEN for Crazyhouse"),
        (f"{START[:-2]}~[] w KQkq - 0 1", ParseError, "this is not a valid FEN for Crazyhouse"),
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 3+3 0 1", RuleError,
         "this position is impossible in Three-check"),
        (f"{START} w KQkq - 3+3 0 {'0' * 9}99999", ParseError, "'99999' is not a number from 1 to 9999"),
        (f"{START} w KQkq - 3+3 0 99999", ParseError, "'99999' is not a number from 1 to 9999"),
    ],
)  # fmt: skip
def test_an_invalid_fen_of_a_variant_is_rejected_with_the_reason(text, error_type, message):
    with pytest.raises(error_type) as caught:
        fen.read(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("variant", "moves", "ending"),
    [
        ("Atomic", "1. Nf3 f6 2. Nd4 a6 3. Nc6 b6 4. Nxd8", Ending.WHITE_WINS),
        ("King of the Hill", "1. e4 a6 2. Ke2 b6 3. Ke3 c6 4. Kd4", Ending.WHITE_WINS),
        ("koth", "1. e4 a6 2. Ke2 b6 3. Ke3 c6", None),
        ("Three-check", "1. e4 e5 2. Bc4 a6 3. Bxf7+ Ke7 4. Qe2 b6 5. Qc4 c6 6. Qc5+ d6 7. Qe3 Nf6 8. Qg5 Kxf7 9. Qf5 h6 10. Qg6+",
         Ending.WHITE_WINS),
        ("3check", "1. e4 e5 2. Bc4 a6 3. Bxf7+", None),
        ("Antichess", "1. e3 b5 2. Bxb5", None),
        ("Chess960", "1. e4 e5", None),
        ("Crazyhouse", "1. e4 d5 2. exd5 Qxd5 3. P@e4 Qxe4+ 4. Be2 P@d3", None),
    ],
)  # fmt: skip
def test_games_end_by_the_rules_of_their_variant(variant, moves, ending):
    reading = pgn.read(f'[Variant "{variant}"]\n\n{moves} *')
    assert reading.error is None
    game = reading.value
    assert game.start.variant == variant_key(variant)
    assert game.tags == ()
    assert game.position_at(len(game.turns)).ending is ending
    assert game.position_at(len(game.turns)).is_over is (ending is not None)
    if variant.endswith("heck") and ending is None:
        assert game.position_at(5).checks == "2+3"


def test_reading_ends_at_a_move_that_the_variant_forbids():
    reading = pgn.read('[Variant "Atomic"]\n\n1. e4 d5 2. exd5 Nf6 3. d6 *')
    assert reading.error is not None
    assert len(reading.value.turns) == 4


def test_a_uci_move_list_may_contain_drops():
    start = "r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R[Nn] w KQkq - 0 3"
    game = uci.read(f"position fen {start} moves N@f3 N@f6").value
    assert [turn.san for turn in game.turns] == ["N@f3", "N@f6"]
    assert uci.read(uci.write(game)).value == game


def test_a_book_cannot_hold_a_variant():
    game = pgn.read('[Variant "Atomic"]\n\n1. e4 e5 *').value
    with pytest.raises(ConversionError, match="is for a different kind of document"):
        convert(game, "book")


@given(st.text("pnbrqkPNBRQK12345678/[]~+- wbKQkqHAha", max_size=120))
@settings(max_examples=60)
def test_any_text_is_read_or_rejected(text):
    for start, end, _ in find(text):
        assert 0 <= start < end <= len(text)
    for key in ("", *VARIANTS):
        try:
            position = fen.read(text, key).value
        except (ParseError, RuleError):
            continue
        assert fen.read(position.fen, position.variant).value == position


@given(st.sampled_from(sorted(VARIANTS)), st.text("pnbrqkPNBRQK18/[]~+", max_size=12), st.integers(0, 60))
@settings(max_examples=60)
def test_changed_positions_are_read_or_rejected(key, noise, offset):
    text = position_of(VARIANTS[key].board()).fen
    offset %= len(text)
    try:
        position = fen.read(text[:offset] + noise + text[offset + len(noise) // 2 :], key).value
    except (ParseError, RuleError):
        return
    assert fen.read(position.fen, position.variant).value == position
    assert position.ending in (*Ending, None)
