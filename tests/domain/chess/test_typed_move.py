"""Moves as people type them into a chat."""

from __future__ import annotations

import pytest

from bot.domain.chess.moves import is_typed_move, play_typed
from bot.domain.chess.notations import fen
from bot.domain.chess.position import START
from bot.domain.reading.problems import DomainError


@pytest.mark.parametrize("typed", ["Nf3", "g1f3", "1. Nf3", "1.Nf3!", "`Nf3`", "Ng1-f3"])
def test_every_common_way_is_read(typed):
    assert is_typed_move(typed)
    move, after = play_typed(START, typed)
    assert (move.san, move.uci) == ("Nf3", "g1f3")
    assert after.fen == "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"


@pytest.mark.parametrize("text", ["hello", "", "analyze", "e4 e5", "show e4", "a" * 100, "8H QUIZ"])
def test_talk_is_no_move(text):
    assert not is_typed_move(text)


def test_a_move_that_is_not_possible_has_its_reason():
    with pytest.raises(DomainError, match="Nf5 is not possible here; White is to move"):
        play_typed(START, "Nf5")


@pytest.mark.parametrize("typed", ["N@f6", "3... N@f6", "N@f6!"])
def test_a_piece_of_the_pocket_is_dropped(typed):
    position = fen.read("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[n] b KQkq - 0 3").value
    assert is_typed_move(typed)
    move, after = play_typed(position, typed)
    assert (move.uci, after.pockets, after.squares[21]) == ("N@f6", "", "n")
