"""Moves as menus: each that the rules allow once, promotions asked for, nothing told that the rules do not tell."""

import chess
from hypothesis import given

from bot.domain.chess.notations import fen
from bot.features.puzzles.chess.choosing import move_panel
from bot.features.puzzles.wanted import Kind, Wanted
from bot.text import speaker
from tests.domain.chess.test_round_trips import positions

SAY = speaker("en")
PUZZLE = Wanted(Kind.CHESS, "a")


@given(positions())
def test_every_possible_move_is_in_the_menus_once(drawn):
    position = fen.read(drawn["fen"]).value
    board = position.board()
    pieces = move_panel(PUZZLE, position, "", SAY).pieces
    moves = [choice for one in pieces for choice in move_panel(PUZZLE, position, one.value, SAY).moves]
    assert sorted(one.value for one in moves) == sorted(map(board.uci, board.legal_moves))
    assert len({one.label for one in pieces}) == len(pieces)
    assert not any(sign in one.label + one.detail for one in moves for sign in "+#")


def test_a_pawn_is_asked_what_it_becomes():
    position = fen.read("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1").value
    panel = move_panel(PUZZLE, position, "a7", SAY)
    assert [one.label for one in panel.pieces] == ["pawn a7", "king e1"]
    assert [(one.value, one.label, one.detail) for one in panel.moves][:2] == [
        ("a7a8b", "a8 = bishop", ""),
        ("a7a8n", "a8 = knight", ""),
    ]
    assert panel.moves[-1].label == "b8 = rook"
    assert panel.moves[-1].detail == "× knight b8"
    assert move_panel(PUZZLE, position, "h8", SAY).moves == ()
    assert chess.parse_square(panel.start) == chess.A7
