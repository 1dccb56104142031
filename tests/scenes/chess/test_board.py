"""The scenes of chess positions and games, and their alt texts."""

from dataclasses import replace

import pytest
from hypothesis import given

from bot.chat.card import Appearance, ReplyContext
from bot.domain.chess.notations import book as book_reader, fen, pgn
from bot.domain.chess.notations.polyglot import compile_book
from bot.domain.chess.position import START_POSITION, position_of
from bot.features.showing.chess.board_scene import (
    book_scene,
    chess_scene,
    clocks_at,
    game_scene,
    replay_scene,
    square_index,
)
from bot.features.showing.chess.texts import annotations_text, castling_text, chess_alt_text, status_text
from bot.text import translator
from render.layout import draw_board
from render.scene import MAX_ARROWS, Arrow, Circle, Layout, Piece, PieceKind, Stroke
from tests.domain.chess.strategies import boards

translate = translator("en")
CHECKMATE = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
GAME = (
    '[White "alice"]\n[Black "bob"]\n[Result "1-0"]\n1. e4 {[%clk 0:09:59]} e5 {[%clk 0:08:00]} '
    "2. Qh5?! {[%cal Gh5f7,Rh5e5]} Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"
)


def scene_of(text, **options):
    return chess_scene(fen.read(text).value, ReplyContext(translate=translate), **options)


def sections(scene):
    return {section.title: " ".join(section.words) for section in scene.sections}


def test_pieces_stand_where_the_fen_puts_them():
    scene = scene_of(START_POSITION.fen)
    assert scene.pieces[0] == Piece(PieceKind.ROOK, white=False)
    assert scene.pieces[60] == Piece(PieceKind.KING, white=True)
    assert sum(piece is not None for piece in scene.pieces) == 32
    assert (square_index("a8"), square_index("h1"), square_index("e4")) == (0, 63, 36)


@pytest.mark.parametrize("text", ["8/8/4k3/8/8/4K3/8/8 w - - 0 1", "8/8/4k3/8/8/4K3/8/8 b - - 0 1"])
def test_white_is_at_the_bottom_by_default(text):
    assert scene_of(text).flipped is False
    assert scene_of(text, white_at_bottom=True).flipped is False
    assert scene_of(text, white_at_bottom=False).flipped is True


def test_a_checkmate_is_marked_and_described():
    scene = scene_of(CHECKMATE)
    assert scene.king_in_check == square_index("e8")
    assert sections(scene)["State"] == "checkmate, White wins"
    assert not any(row.to_move for row in scene.players)


def test_sections_show_only_unusual_castling_rights_and_en_passant():
    result = sections(scene_of("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"))
    assert result == {"En passant": "c6"}
    assert sections(scene_of("4k3/8/8/8/8/8/4P3/4K3 w - - 5 39")) == {}
    result = sections(scene_of("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1"))
    assert result == {
        "Castling": castling_text(fen.read("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1").value, translate)
    }


def test_captured_pieces_are_beside_their_captor():
    """A single position has no history, so its scene shows only the pieces that the other side lacks."""
    game = pgn.read("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2").value
    white, black = game_scene(game, len(game.turns), ReplyContext(translate=translate)).players
    assert [(piece.kind, piece.white) for piece in white.captured] == [
        (PieceKind.QUEEN, False),
        (PieceKind.PAWN, False),
    ]
    assert (white.rack_note, black.rack_note) == ("+8", "")
    assert [piece.kind for piece in black.captured] == [PieceKind.PAWN, PieceKind.PAWN]
    promotion_game = pgn.read('[SetUp "1"]\n[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. a8=Q+').value
    assert not any(
        row.captured for row in game_scene(promotion_game, 1, ReplyContext(translate=translate)).players
    )
    white, black = scene_of("4k3/8/8/8/8/8/PP6/R3K1b1 w - - 0 1").players
    assert "".join(piece.kind.value for piece in white.captured) == "RPP"
    assert (white.rack_note, [piece.kind.value for piece in black.captured]) == ("+4", ["B"])


def test_a_proposed_move_replaces_the_marks_of_the_last_move():
    scene = scene_of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", proposed_move="e7e5")
    assert scene.last_move == ()
    assert [arrow.is_proposed for arrow in scene.arrows] == [True]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2", "c7", "c5"),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "e2", "e4"),
    ],
)
def test_an_en_passant_square_implies_the_last_move(text, start, end):
    assert scene_of(text).last_move == (square_index(start), square_index(end))
    assert f"Last move: {start} to {end}." in chess_alt_text(fen.read(text).value, translate)


def test_no_last_move_is_made_up():
    assert scene_of(START_POSITION.fen).last_move == ()
    assert scene_of("4k3/8/8/8/8/8/4P3/4K3 w - - 5 39").last_move == ()
    after_null_move = pgn.read("1. e4 --").value.position_at(2)
    assert chess_scene(after_null_move, ReplyContext(translate=translate)).last_move == ()
    assert "Last move" not in chess_alt_text(after_null_move, translate)


@pytest.mark.parametrize(
    ("rights", "text"),
    [
        ("-", "none"),
        ("K", "White kingside"),
        ("Q", "White queenside"),
        ("KQ", "White both sides"),
        ("k", "Black kingside"),
        ("q", "Black queenside"),
        ("Kq", "White kingside, Black queenside"),
        ("Qkq", "White queenside, Black both sides"),
        ("KQkq", "White and Black, both sides"),
    ],
)
def test_castling_rights_are_described(rights, text):
    position = fen.read(f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1").value
    assert castling_text(position, translate) == text


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (START_POSITION.fen, ""),
        (CHECKMATE, "checkmate, White wins"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate, Black wins"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate, a draw"),
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "a draw: neither side can mate"),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "White is in check"),
        ("4k3/4R3/8/8/8/8/8/4K3 b - - 0 1", "Black is in check"),
        ("4k3/8/8/8/8/8/3R4/4K3 w - - 100 90", "a draw may be claimed by the fifty-move rule"),
    ],
)
def test_checks_endings_and_draw_claims_are_described(text, state):
    assert status_text(fen.read(text).value, translate) == state


def test_a_game_shows_players_clocks_moves_and_arrows():
    game = pgn.read(GAME).value
    scene = game_scene(game, 3, ReplyContext(translate=translate))
    assert [(row.name, row.score, row.note) for row in scene.players] == [
        ("alice", "", "White · 9:59"),
        ("bob", "", "Black · to move · 8:00"),
    ]
    assert sections(scene)["Last move"] == "2. Qh5?!"
    assert scene.last_move == (square_index("d1"), square_index("h5"))
    assert scene.arrows == (
        Arrow(square_index("h5"), square_index("f7"), stroke=Stroke.GREEN),
        Arrow(square_index("h5"), square_index("e5"), stroke=Stroke.RED),
    )
    assert not scene.flipped
    assert clocks_at(game, 1) == (599_000, None)


CHAPTER = """[Event "Endings: The rook"]
[ChapterName "The rook"]
[Orientation "black"]
[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]
[SetUp "1"]

{ Look. [%csl Ga1,Re8][%cal Ga1a8,Bhh] } 1. Ra7 { [%csl Ra7] [%cal Ge1e2,Ge1e2] [%cal Ra7h7] } *
"""


def test_a_study_draws_its_arrows_and_circles():
    game = pgn.read(CHAPTER).value
    scenes = [game_scene(game, turn, ReplyContext(translate=translate)) for turn in (0, 1)]
    assert scenes[0].circles == (
        Circle(square_index("a1"), Stroke.GREEN),
        Circle(square_index("e8"), Stroke.RED),
    )
    assert scenes[0].arrows == (Arrow(square_index("a1"), square_index("a8"), stroke=Stroke.GREEN),)
    assert scenes[1].circles == (Circle(square_index("a7"), Stroke.RED),)
    assert [(arrow.start, arrow.end) for arrow in scenes[1].arrows] == [
        (square_index("e1"), square_index("e2")),
        (square_index("a7"), square_index("h7")),
    ]
    assert annotations_text(game, 0, translate) == "Arrows: a1–a8 green. Circles: a1 green, e8 red."
    assert game.remark == "Look."
    assert game.is_black_at_bottom


def test_the_number_of_drawn_arrows_is_limited():
    arrows = ",".join(f"G{file}{rank}h8" for file in "abcdefg" for rank in range(1, 8))
    scene = game_scene(pgn.read(f"1. e4 {{[%cal {arrows}]}} *").value, 1, ReplyContext(translate=translate))
    assert len(scene.arrows) == MAX_ARROWS


def test_the_end_of_a_game_shows_the_result():
    scene = game_scene(pgn.read(GAME).value, 7, ReplyContext(translate=translate))
    assert [(row.score, row.to_move) for row in scene.players] == [("1", False), ("0", False)]


def test_the_start_of_a_game_has_no_last_move():
    scene = game_scene(pgn.read("1. e4 e5").value, 0, ReplyContext(translate=translate))
    assert "Last move" not in sections(scene)
    assert [row.name for row in scene.players] == ["White", "Black"]
    assert scene.players[0].to_move


def test_a_replay_goes_from_the_start_to_the_end():
    game = pgn.read(GAME).value
    frames = replay_scene(game, ReplyContext(translate=translate)).frames
    assert [frame.scene for frame in frames] == [
        game_scene(game, turn, ReplyContext(translate=translate)) for turn in range(8)
    ]
    assert frames[-1].delay > frames[0].delay


def test_a_book_draws_arrows_for_its_known_moves():
    book = compile_book(book_reader.read("1. e4 e5\n1. e4 c5\n1. d4 d5\n").value)
    scene = book_scene(START_POSITION, book.continuations(START_POSITION), ReplyContext(translate=translate))
    assert sections(scene)["Known moves"] == "e4 (2) d4"
    most_played = Arrow(square_index("e2"), square_index("e4"))
    assert scene.arrows[-1] == most_played, "the most played move's arrow is not on top"


def test_a_scene_uses_the_chosen_appearance():
    scene = chess_scene(
        START_POSITION, ReplyContext(Appearance("dark", Layout.BOARD, coordinates=False), translate)
    )
    assert (scene.theme, scene.layout, scene.coordinates) == ("dark", Layout.BOARD, False)


def test_the_alt_text_describes_the_whole_position():
    position = pgn.read("1. e4 c5 2. Bb5 Nc6 3. Bxc6 Qb6").value.position_at(5)
    assert chess_alt_text(position, translate, "alice against bob.") == (
        "alice against bob. Black to move. White: king e1, queen d1, rooks a1 h1, bishops c1 c6, knights b1 g1, "
        "pawns a2 b2 c2 d2 e4 f2 g2 h2. Black: king e8, queen d8, rooks a8 h8, bishops c8 f8, knight g8, "
        "pawns a7 b7 c5 d7 e7 f7 g7 h7. Last move: b5 to c6. Castling: White and Black, both sides. "
        "Move 3; half-moves since the last capture or pawn move: 0."
    )


@given(boards)
def test_every_position_has_a_scene_and_a_bounded_text(board):
    position = position_of(board)
    scene = chess_scene(position, ReplyContext(translate=translate))
    assert sum(piece is not None for piece in scene.pieces) == len(board.piece_map())
    for square, piece in board.piece_map().items():
        drawn_piece = scene.pieces[(7 - square // 8) * 8 + square % 8]
        assert (drawn_piece.kind.value, drawn_piece.white) == (piece.symbol().upper(), piece.color)
    text = chess_alt_text(position, translate, "x" * 120)
    assert len(text) <= 1024
    assert text.endswith(".")


def test_pocket_pieces_are_drawn_larger_than_captured_pieces():
    crazyhouse_position = fen.read("r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R[NnpQ] w KQkq - 0 3").value
    white, black = chess_scene(crazyhouse_position, ReplyContext(translate=translate)).players
    assert ([piece.kind for piece in white.captured], white.can_drop_captured) == (
        [PieceKind.QUEEN, PieceKind.KNIGHT],
        True,
    )
    assert ([piece.kind for piece in black.captured], black.can_drop_captured) == (
        [PieceKind.KNIGHT, PieceKind.PAWN],
        True,
    )
    standard_position = fen.read("r1bqkbnr/pppppppp/2n5/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3").value
    assert not any(
        player.can_drop_captured
        for player in chess_scene(standard_position, ReplyContext(translate=translate)).players
    )
    larger, smaller = (
        draw_board(
            replace(chess_scene(crazyhouse_position, ReplyContext(translate=translate)), players=rows)
        ).height
        for rows in ((white, black), tuple(replace(row, can_drop_captured=False) for row in (white, black)))
    )
    assert larger > smaller
