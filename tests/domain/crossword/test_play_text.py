"""Racks, plays and turns as players write them."""

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import Exchange, Pass, Placement, read_coordinate
from bot.domain.crossword.play_text import play_text, rack_text, turn_text
from bot.domain.crossword.rules import load_distribution
from tests.domain.crossword.games import turn_texts

ENGLISH, CATALAN, KOREAN = map(load_distribution, ("english", "catalan", "korean"))


def test_racks_are_written():
    assert rack_text((0, 1, 26), ENGLISH) == "?AZ"
    assert rack_text((1,), ENGLISH, unknown_count=2) == "A__"
    assert rack_text((), ENGLISH) == ""
    number = CATALAN.machine_letters["L·L"]
    assert rack_text((1, number), CATALAN) == "A[L·L]"
    assert CATALAN.bracketed_texts[-number] == "[l·l]"
    assert KOREAN.bracketed_texts[-1] == KOREAN.letters[1].blank_text


def test_plays_are_written():
    placement = Placement(read_coordinate("8D"), (23, 0, 18, -4))
    assert play_text(placement, ENGLISH) == "8D W.Rd"
    assert play_text(Exchange((17, 15)), ENGLISH) == "-QO"
    assert play_text(Exchange((17,), 1), ENGLISH) == "-Q_"
    assert play_text(Exchange(unknown_count=2), ENGLISH) == "-2"
    assert play_text(Pass(), ENGLISH) == "-"


def test_turns_are_written():
    game = gcg.read(
        "#player1 alice A\n#player2 bob B\n>alice: ABDELRW 8D WARBLED +84 84\n>bob: EEI D8 .EE +6 6\n"
        ">bob: EEI -- -6 0\n>alice: A - +0 84\n>bob: ENORT G6 TO.NER +9 9\n>bob:  (challenge) +5 14\n"
        ">alice: (time) -10 74\n>bob: (ENOR) +8 22\n"
    ).value
    assert turn_texts(game) == (
        "8D WARBLED",
        "D8 (W)EE",
        "--",
        "-",
        "G6 TO(B)NER",
        "(challenge)",
        "(time)",
        "(ENOR)",
    )
    assert [turn_text(turn, game.rules.distribution) for turn in game.turns[:2]] == ["8D WARBLED", "D8 .EE"]
