"""In the menus for a chess move, each legal move and promotion appears once, without a sign for check or mate."""

from hypothesis import given

from bot.domain.chess.notations import fen
from bot.features.puzzles.chess.solving import legal_move_menus
from bot.features.puzzles.controls import FIRST_TARGET_MENU
from bot.features.puzzles.selection import PuzzleKind, PuzzleRequest
from bot.text import translator
from tests.domain.chess.test_round_trips import positions

translate = translator("en")
PUZZLE = PuzzleRequest(PuzzleKind.CHESS, "a")


def menu_choices(position, start):
    """Return the choices in the menus of pieces, and those in the menus of moves from ``start``."""
    menus = legal_move_menus(PUZZLE, position, start, translate)
    assert all(menu.start == start or menu.number < FIRST_TARGET_MENU for menu in menus)
    return tuple(
        tuple(
            choice
            for menu in menus
            if (menu.number >= FIRST_TARGET_MENU) is is_target
            for choice in menu.choices
        )
        for is_target in (False, True)
    )


@given(positions())
def test_each_legal_move_is_in_the_menus_once(drawn):
    position = fen.read(drawn["fen"]).value
    board = position.board()
    pieces, _ = menu_choices(position, "")
    moves = [choice for piece in pieces for choice in menu_choices(position, piece.value)[1]]
    assert sorted(move.value for move in moves) == sorted(map(board.uci, board.legal_moves))
    assert len({piece.label for piece in pieces}) == len(pieces)
    assert not any(symbol in move.label + move.description for move in moves for symbol in "+#")


def test_a_promotion_offers_every_piece():
    position = fen.read("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1").value
    pieces, moves = menu_choices(position, "a7")
    assert [piece.label for piece in pieces] == ["pawn a7", "king e1"]
    assert [(move.value, move.label, move.description) for move in moves][:2] == [
        ("a7a8b", "a8 = bishop", ""),
        ("a7a8n", "a8 = knight", ""),
    ]
    assert moves[-1].label == "b8 = rook"
    assert moves[-1].description == "× knight b8"
    assert menu_choices(position, "h8")[1] == ()
    assert legal_move_menus(PUZZLE, position, "a7", translate)[0].start == "a7"
