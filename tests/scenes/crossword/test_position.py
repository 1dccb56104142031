"""The scenes of crossword positions, and their alt texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.card import ReplyContext
from bot.domain.crossword.notations import cgp
from bot.features.showing.crossword.board_scene import alt_text, position_scene, unseen_groups
from bot.features.showing.pace import clock_text
from bot.text import translator
from render.scene import Mark, SquareKind
from tests.positions import EMPTY_BOARD, one_row_board

translate = translator("en")
BOARD = one_row_board(8, "7CaT5")


def scene_of(text):
    return position_scene(cgp.read(text).value, ReplyContext(translate=translate))


def test_squares_have_their_labels():
    scene = scene_of(EMPTY_BOARD)
    assert (scene.squares[0].kind, scene.squares[0].label) == (SquareKind.WORD_3, "3W")
    assert (scene.squares[3].kind, scene.squares[3].label) == (SquareKind.LETTER_2, "2L")
    assert scene.squares[7 * 15 + 7].is_start
    assert sum(square.is_start for square in scene.squares) == 1
    assert scene.column_labels[-1] == "O"
    assert scene.row_labels[-1] == "15"


def test_blanks_show_their_letter_and_no_points():
    tiles = [tile for tile in scene_of(BOARD).tiles if tile]
    assert [(tile.text, tile.points, tile.is_blank) for tile in tiles] == [
        ("C", 3, False),
        ("A", None, True),
        ("T", 1, False),
    ]


def test_only_newly_laid_tiles_of_the_last_play_are_marked():
    marks = scene_of(f"{BOARD} / 0/0 0 lm 8H C.T;").marks
    assert [index - 7 * 15 for index, mark in enumerate(marks) if mark is Mark.LAST] == [7, 9]


def test_a_withdrawn_phony_marks_nothing():
    scene = scene_of(f"{EMPTY_BOARD} / 0/0 1 lm challenge 8H CZT;")
    assert set(scene.marks) == {Mark.NONE}
    assert ("8H", "CZT,", "challenged", "off") in [section.words for section in scene.sections]


def test_racks_are_shown_as_given():
    first, second = scene_of(f"{EMPTY_BOARD} ZA?/ 3/-5 0").players
    assert [face.text for face in first.rack] == ["Z", "A", ""]
    assert first.rack[2].is_blank
    assert second.rack is None
    assert (first.to_move, second.to_move) == (True, False)
    assert (first.score, second.score) == ("3", "-5")


def test_unseen_tiles_are_grouped_with_the_blanks_last():
    groups = unseen_groups(cgp.read(f"{EMPTY_BOARD} EEEEEEEEEE/ 0/0 0").value)
    assert groups[0] == "A" * 9
    assert "EE" in groups
    assert groups[-1] == "??"


def test_the_alt_text_describes_the_whole_position():
    text = alt_text(cgp.read(f"{BOARD} ABC?/ 3/5 2 lex CSW21; lm 8H C.T;").value, translate)
    assert text == (
        "Player 1 3, to move, rack ABC?. Player 2 5. Last play: 8H C(a)T. Lexicon CSW21. Unseen 93, bag 83. "
        "Rows: 8 .......CaT....."
    )


@pytest.mark.parametrize("challenge", ["", "challenge "])
def test_a_last_play_through_empty_squares_invents_no_tile(challenge):
    scene = scene_of(f"{EMPTY_BOARD} / 0/0 1 lm {challenge}3D A.B;")
    assert any("A.B" in word for section in scene.sections for word in section.words)


def test_alt_text_is_limited_and_mentions_omitted_rows():
    rows = ["50"] * 50
    for row in range(0, 50, 2):
        rows[row] = f"{row}{'AEIRNTOU'[row % 8]}{49 - row}".lstrip("0")
    text = alt_text(cgp.read("/".join(rows)).value, translate)
    assert len(text) <= 1024
    assert text.endswith("(more rows)")
    text_with_lead = alt_text(cgp.read("/".join(rows)).value, translate, "Turn 7 of 9.")
    assert text_with_lead.startswith("Turn 7 of 9. ")
    assert len(text_with_lead) <= 1024
    assert text_with_lead.endswith("(more rows)")


def test_clocks_show_minutes_and_seconds():
    assert [clock_text(ms) for ms in (0, 61_000, 1_500_000, -2_500)] == ["0:00", "1:01", "25:00", "-0:02"]


def test_the_remaining_turns_are_shown_if_limited():
    """In Crossplay, the number of turns is limited once the bag is empty."""
    last_turn_position = replace(cgp.read(f"{BOARD} / 0/0 0 ld crossplay;").value, turns_left=1)
    assert ("Turns left", ("1",)) in [
        (section.title, section.words)
        for section in position_scene(last_turn_position, ReplyContext(translate=translate)).sections
    ]
    assert "1 turn left." in alt_text(last_turn_position, translate)
    for position in (
        replace(last_turn_position, turns_left=None),
        replace(last_turn_position, turns_left=0),
        cgp.read(BOARD).value,
    ):
        assert "left." not in alt_text(position, translate)
