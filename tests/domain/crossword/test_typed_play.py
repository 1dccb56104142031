"""Plays as people type them: common forms are read, and anything else is rejected with a precise reason."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Pass
from bot.domain.crossword.play_text import (
    engine_play_text,
    is_typed_play,
    placement_text,
    placements_of_word,
    play_in_other_direction,
    play_text,
    read_typed_play,
)
from bot.domain.crossword.scoring import play_problems
from bot.domain.reading.problems import DomainError

BOARD = "15/15/15/15/15/15/15/6THE6/15/15/15/15/15/15/15"
POSITION = cgp.read(f"{BOARD} QUIZAB?/ 0/0 0").value


def read(text: str, rack: str = "QUIZAB?", board: str = BOARD) -> str:
    position = cgp.read(f"{board} {rack}/ 0/0 0").value
    play = read_typed_play(text, position)
    if isinstance(play, Exchange | Pass):
        return play_text(play, position.rules.distribution)
    return placement_text(play, position.board, position.rules.distribution)


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [
        ("9F QUIZ", "9F QUIZ"),
        ("9f QUIZ", "9F QUIZ"),
        ("F9 QUIZ", "F9 QUIZ"),
        ("f9 quiz", "F9 QUIZ"),
        ("QUIZ 9F", "9F QUIZ"),
        ("9F: QUIZ", "9F QUIZ"),
        ("  9F  QUIZ +48 ", "9F QUIZ"),
        ("9F QUIZ 48", "9F QUIZ"),
        ("9F QUiZ", "9F QUiZ"),
        ("9F QU·IZ", "9F QUiZ"),
        ("8G THEB", "8G (THE)B"),
        ("8G ...B", "8G (THE)B"),
        ("8G (THE)B", "8G (THE)B"),
        ("8J B", "8G (THE)B"),
        ("H7 A.I", "H7 A(H)I"),
        ("H7 AHI", "H7 A(H)I"),
        ("9F ZZ", "9F zZ"),
        ("9F QUIZX", "9F QUIZx"),
        ("9F Qüíz", "9F QUIZ"),
        ("9f quizx", "9F QUIZx"),
        ("-ABQ", "-ABQ"),
        ("- abq", "-ABQ"),
        ("exch ABQ", "-ABQ"),
        ("exchange ab?", "-?AB"),
        ("ex A", "-A"),
        ("pass", "-"),
        ("Pass", "-"),
        ("-", "-"),
    ],
)
def test_every_common_form_is_read(typed, read_as):
    assert is_typed_play(typed)
    assert read(typed) == read_as


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("8G TXEB", "H8 already holds H; X can't go there"),
        ("9F Q.IZ", "there is no tile on G9 to play through"),
        ("8M QUIZ", "the play at 8M runs off the 15 × 15 board"),
        ("20A QUIZ", "the play at 20A runs off the 15 × 15 board"),
        ("9F QU1Z", "'1' is not a tile of the 'english' set"),
        ("-3", "name the tiles to exchange, such as -ABC"),
        ("QUIZ", "'QUIZ' is not a play; write 8H QUIZ, H8 Q.IZ, -ABC or pass"),
        ("", "'' is not a play; write 8H QUIZ, H8 Q.IZ, -ABC or pass"),
    ],
)
def test_an_invalid_or_illegal_play_is_rejected_with_the_exact_reason(typed, reason):
    with pytest.raises(DomainError) as raised:
        read(typed)
    assert raised.value.message == reason


@pytest.mark.parametrize(
    "text", ["hello there", "8H", "analyze", "8H QUIZ\nor so", "look at 8H", "x" * 70, "what is best?"]
)
def test_chat_is_not_a_play(text):
    assert not is_typed_play(text)


def test_lowercase_means_blanks_only_in_a_word_with_capitals():
    assert read("9f quiz", rack="QUIZA??") == "9F QUIZ"
    assert read("9F QUIz", rack="QUIZA??") == "9F QUIz"


def test_a_blank_is_placed_where_it_costs_least():
    # The first Z is on a bonus square, so the last Z is the blank.
    assert read("8D ZAZ", rack="ZA?BCDE", board="/".join(["15"] * 15)) == "8D ZAz"


@given(st.text(max_size=70))
def test_any_text_is_read_as_a_play_or_rejected(text):
    try:
        play = read_typed_play(text, POSITION)
    except DomainError:
        return
    assert is_typed_play(text)
    if not isinstance(play, Exchange | Pass):
        engine_text = engine_play_text(play, POSITION.board, POSITION.rules.distribution)
        assert read_typed_play(engine_text, POSITION) == play


@given(st.text("QUIZABTHEquizab", min_size=2, max_size=7))
def test_every_placement_of_a_word_is_possible(word):
    try:
        placements = placements_of_word(word, POSITION)
    except DomainError:
        placements = ()
    for placement in placements:
        text = placement_text(placement, POSITION.board, POSITION.rules.distribution)
        assert read_typed_play(text, POSITION) == placement
        assert not play_problems(POSITION, placement)
        assert text.split()[1].translate({40: None, 41: None}).upper() == word.upper()


@pytest.mark.parametrize("text", ["8H QUIZ", "12", "", "a" * 61, "QUIZ!", "-AB", "what is it"])
def test_only_a_bare_word_has_placements(text):
    assert placements_of_word(text, POSITION) == ()


@pytest.mark.parametrize(
    ("text", "expected"), [("F9 QUIZ", "9F QUIZ"), ("9F QUIZ", ""), ("1A QUIZ", ""), ("QUIZ", "")]
)
def test_a_play_is_turned_if_the_other_direction_is_possible(text, expected):
    other = play_in_other_direction(text, POSITION)
    assert (other and placement_text(other, POSITION.board, POSITION.rules.distribution)) == (
        expected or None
    )
