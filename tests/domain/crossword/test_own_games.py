"""Words With Friends and Wordfeud: tiles, boards and rules of their own, and boards that are known by what is drawn."""

import pytest

from bot.domain.crossword.distributions import load_distribution
from bot.domain.crossword.layouts import load_layout
from bot.domain.crossword.notations import board_text, cgp, gcg, json_document
from bot.domain.crossword.rules import OWN_GAMES, EndCount, set_of_layout, usual_layout, usual_rules

OPENING = "/".join(["15"] * 7 + ["5CATS6", *["15"] * 7])
BOARDS = {"wordfeud": "Wordfeud", "words_with_friends": "WordsWithFriends"}


@pytest.mark.parametrize("name", BOARDS)
def test_the_set_the_board_and_the_rules(name):
    tiles, layout = load_distribution(name), load_layout(BOARDS[name])
    rules = usual_rules(tiles, layout)
    assert (tiles.total, tiles.counts[0]) == (104, 2)
    assert layout.squares == layout.squares[::-1]
    assert usual_layout(tiles, 15, 15) == layout
    assert set_of_layout(layout) == tiles
    assert (rules.bingo_bonus, rules.exchange_limit) == {"wordfeud": (40, 7), "words_with_friends": (35, 1)}[
        name
    ]
    assert (rules.scoreless_limit, rules.end_count) == (3, EndCount.EACH_WAY)


def test_the_squares_of_woogles_are_no_game_of_their_own():
    assert load_layout("WorldWildlifeFund").squares == load_layout("WordsWithFriends").squares
    assert cgp.read(f"{OPENING} A/ 0/0 0 bdn WorldWildlifeFund").value.rules.distribution.name == "english"


@pytest.mark.parametrize(
    ("opcode", "name"),
    [
        ("ld wordfeud", "wordfeud"),
        ("bdn Wordfeud", "wordfeud"),
        ("var wordfeud", "wordfeud"),
        ("ld WWF", "words_with_friends"),
        ("bdn wwf", "words_with_friends"),
        ("var WordsWithFriends", "words_with_friends"),
    ],
)
def test_a_position_that_names_the_game_in_part_is_of_it(opcode, name):
    position = cgp.read(f"{OPENING} AEIN/ 24/0 0 {opcode}").value
    assert position.rules == usual_rules(load_distribution(name), load_layout(BOARDS[name]))
    for notation in (cgp, board_text, json_document):
        assert notation.read(notation.write(position)).value == position


RANDOM = [
    "TL -- -- -- -- TW -- -- DL -- -- -- -- -- DW",
    "-- -- 2l -- -- -- -- DW -- -- TL -- -- -- --",
    "-- -- -- -- DW -- -- -- -- -- -- DL -- -- --",
    *["-- -- -- -- -- -- -- -- -- -- -- -- -- -- --"] * 4,
    "-- -- -- -- -- C A T -- DW -- -- -- -- --",
    *["-- -- -- -- -- -- -- -- -- -- -- -- -- -- --"] * 7,
]


def test_a_random_board_is_taken_as_it_is_drawn():
    """As players write it down: labels for squares, and tiles among them."""
    reading = board_text.read("\n".join([*RANDOM, "", "Tiles: wordfeud"]))
    position = reading.value
    assert [warning.code for warning in reading.warnings] == ["squares-as-drawn"]
    assert position.rules.distribution.name == "wordfeud"
    assert position.rules.bingo_bonus == 40
    assert position.board.tile_count == 3
    layout = position.rules.layout
    assert [layout.squares[place] for place in (0, 5, 8, 14, 17, 22)] == ['"', "=", "'", "-", "'", "-"]
    assert layout.squares[7 * 15 : 8 * 15] == ".........-....."
    again = board_text.read(board_text.write(position))
    assert (again.value, again.warnings) == (position, ())


def test_few_squares_or_the_usual_ones_say_nothing():
    plain = [line.replace("TL", "--").replace("DW", "--") for line in RANDOM]
    assert board_text.read("\n".join(plain)).warnings == ()
    usual = board_text.read(board_text.write(cgp.read(OPENING).value))
    assert (usual.warnings, usual.value.rules.layout.name) == ((), "CrosswordGame")


@pytest.mark.parametrize("name", OWN_GAMES)
def test_a_drawn_board_is_known_by_its_squares(name):
    position = cgp.read(f"{OPENING} / 0/0 0 ld {name}").value
    lines = board_text.write(position).splitlines()
    bare = board_text.read("\n".join(line for line in lines if not line.startswith(("Board", "Tiles"))))
    assert bare.value.rules == position.rules
    assert [warning.code for warning in bare.warnings] == ["board-by-squares", "distribution-by-board"]


@pytest.mark.parametrize("name", BOARDS)
def test_a_game_is_known_by_its_scores(name):
    scores = {"wordfeud": (11, 21), "words_with_friends": (12, 23)}[name]
    text = (
        "#player1 alice Alice\n#player2 bob Bob\n"
        f">alice: AEHMNVW 8F HAVEN +{scores[0]} {scores[0]}\n>bob: ADGKORT 9G GOAD +{scores[1]} {scores[1]}\n"
    )
    reading = gcg.read(text)
    assert reading.value.rules.distribution.name == name, reading.warnings
    assert [warning.code for warning in reading.warnings] == ["game-by-scores"]
