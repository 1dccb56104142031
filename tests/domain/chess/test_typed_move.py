"""Moves as people type them in chat."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.moves import is_typed_move, play_typed_move, similar_moves
from bot.domain.chess.notations import fen
from bot.domain.chess.position import START_POSITION
from bot.domain.reading.problems import DomainError


@pytest.mark.parametrize("typed", ["Nf3", "g1f3", "1. Nf3", "1.Nf3!", "`Nf3`", "Ng1-f3"])
def test_every_common_spelling_is_read(typed):
    assert is_typed_move(typed)
    move, position = play_typed_move(START_POSITION, typed)
    assert (move.san, move.uci) == ("Nf3", "g1f3")
    assert position.fen == "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"


@pytest.mark.parametrize("text", ["hello", "", "analyze", "e4 e5", "show e4", "a" * 100, "8H QUIZ"])
def test_chat_is_not_a_move(text):
    assert not is_typed_move(text)


def test_an_impossible_move_is_rejected_with_the_reason():
    with pytest.raises(DomainError, match="Nf5 isn't a legal move; White is to move"):
        play_typed_move(START_POSITION, "Nf5")


@pytest.mark.parametrize("typed", ["N@f6", "3... N@f6", "N@f6!"])
def test_a_piece_from_the_pocket_is_dropped(typed):
    position = fen.read("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[n] b KQkq - 0 3").value
    assert is_typed_move(typed)
    move, position_after = play_typed_move(position, typed)
    assert (move.uci, position_after.pockets, position_after.squares[21]) == ("N@f6", "", "n")


@pytest.mark.parametrize(
    ("typed", "san"), [("nf3", "Nf3"), ("Nf3+", "Nf3"), ("e2-e4", "e4"), ("nc3!", "Nc3")]
)
def test_a_move_may_be_spelled_inexactly(typed, san):
    assert play_typed_move(START_POSITION, typed)[0].san == san


@pytest.mark.parametrize("typed", ["0-0", "O-O", "o-o", "0-0-0"])
def test_castling_may_be_typed_with_letters_or_zeros(typed):
    position = fen.read("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1").value
    assert play_typed_move(position, typed)[0].san == "-".join("O" * (typed.count("-") + 1))


@given(st.data())
def test_a_move_is_suggested_for_a_text_with_one_typing_error(data):
    position = fen.read("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4").value
    san = data.draw(st.sampled_from(["Ng5", "Bxf7", "d4", "Nxe5", "Qe2"]))
    index = data.draw(st.integers(0, len(san) - 1))
    character = data.draw(st.sampled_from(["", "a", "h", "1", "8", "N"]))
    typed = san[:index] + character + san[index + 1 :]
    assert san in [move.rstrip("+") for move in similar_moves(position, typed)]


@given(st.text(max_size=40))
def test_suggested_moves_are_possible(text):
    for san in similar_moves(START_POSITION, text):
        assert play_typed_move(START_POSITION, san)[0].san == san
