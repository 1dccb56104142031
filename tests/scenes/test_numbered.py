"""Several plays on one board: each can be distinguished, and none is lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from bot.chat.card import ReplyContext
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play_text import read_typed_play
from bot.features.showing.chess.board_scene import numbered_scene as numbered_moves
from bot.features.showing.crossword.board_scene import numbered_scene, position_scene, proposal_scene
from render.layout import draw_board
from render.scene import GHOSTS, Mark

POSITION = cgp.read("15/" * 7 + "6TAXI5/" + "15/" * 6 + "15 AEINRST/ 66/14 0 lex SCOWL80;").value


def test_each_play_and_each_tile_beside_another_play_has_a_badge():
    labels_and_texts = [
        ("1", "9A STAINER"),
        ("2", "10C TERN"),
        ("3", "9A STAINER"),
        ("4", "pass"),
        ("★", "9H ANTS"),
    ]
    plays = [(label, read_typed_play(text, POSITION)) for label, text in labels_and_texts]
    scene = numbered_scene(POSITION, plays, ReplyContext())
    assert {badge.text for badge in scene.badges if badge.word_end} == {"1,3", "2", "★"}
    square_badges = {
        (badge.row, badge.column): badge.text for badge in scene.badges if badge.word_end is None
    }
    assert {square_badges[8, column] for column in range(2, 6)} == {"1"}
    assert {square_badges[9, column] for column in range(2, 6)} == {"2"}
    assert (8, 0) not in square_badges
    # A square belongs to the first play that needs it. No position is embedded, because the plays are not on the board.
    assert Counter(mark for mark in scene.marks if mark in GHOSTS) == {
        Mark.GHOST: 7,
        Mark.GHOST_2: 4,
        Mark.GHOST_3: 4,
    }
    assert not scene.embedded_text
    assert draw_board(scene).width


def test_moves_with_the_same_squares_share_an_arrow_and_drops_get_a_circle():
    position = ChessPosition(placement="8/P6k/8/8/8/8/8/K7", castling="")
    moves = [("1", "a7a8q"), ("2", "a1b1"), ("3", "a7a8n"), ("★", "N@e4")]
    scene = numbered_moves(position, moves, ReplyContext())
    assert {arrow.label for arrow in scene.arrows} == {"1,3", "2"}
    assert len(scene.circles) == 1
    assert draw_board(scene).width
    unlabelled_scene = numbered_moves(position, [("", "a7a8q")], ReplyContext())
    assert (
        draw_board(unlabelled_scene).data
        != draw_board(numbered_moves(position, moves[:1], ReplyContext())).data
    )


def test_a_proposal_leaves_the_lexicon_and_the_unseen_tiles_to_its_card():
    position_with_lexicon = replace(POSITION, rules=replace(POSITION.rules, lexicon="NWL23"))
    scene = proposal_scene(
        position_with_lexicon,
        read_typed_play("9A STAINER", position_with_lexicon),
        60,
        ReplyContext(),
        on_card=True,
    )
    full_scene = position_scene(position_with_lexicon, ReplyContext())
    assert [section.title for section in full_scene.sections][-2:] == ["Unseen 89 (bag 82)", "Lexicon"]
    assert scene.sections == full_scene.sections[:-2]
