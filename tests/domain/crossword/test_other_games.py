"""Words With Friends, Wordfeud and Letter League: their tiles, boards and rules, and how they are recognized."""

from dataclasses import replace

import pytest

from bot.domain.crossword.notations import board_text, cgp, gcg, json_document
from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.rules import (
    EndScoring,
    default_layout,
    default_rules,
    distribution_of_layout,
    load_distribution,
    load_layout,
)
from bot.domain.crossword.scoring import score_placement
from bot.domain.reading.problems import ConversionError

OPENING = "/".join(["15"] * 7 + ["5CATS6", *["15"] * 7])
BOARDS = {"wordfeud": "Wordfeud", "words_with_friends": "WordsWithFriends"}


@pytest.mark.parametrize("name", BOARDS)
def test_each_game_has_its_own_tiles_board_and_rules(name):
    tiles, layout = load_distribution(name), load_layout(BOARDS[name])
    rules = default_rules(tiles, layout)
    assert (tiles.total, tiles.counts[0]) == (104, 2)
    assert layout.squares == layout.squares[::-1]
    assert default_layout(tiles, 15, 15) == layout
    assert distribution_of_layout(layout) == tiles
    assert (rules.bingo_bonus, rules.min_bag_for_exchange) == {
        "wordfeud": (40, 7),
        "words_with_friends": (35, 1),
    }[name]
    assert (rules.scoreless_limit, rules.end_scoring) == (3, EndScoring.EACH_WAY)


def test_the_woogles_board_implies_no_tile_set():
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
def test_a_partly_named_game_gets_the_default_rules(opcode, name):
    position = cgp.read(f"{OPENING} AEIN/ 24/0 0 {opcode}").value
    assert position.rules == default_rules(load_distribution(name), load_layout(BOARDS[name]))
    for notation in (cgp, board_text, json_document):
        assert notation.read(notation.write(position)).value == position


RANDOM_BOARD = [
    "TL -- -- -- -- TW -- -- DL -- -- -- -- -- DW",
    "-- -- 2l -- -- -- -- DW -- -- TL -- -- -- --",
    "-- -- -- -- DW -- -- -- -- -- -- DL -- -- --",
    *["-- -- -- -- -- -- -- -- -- -- -- -- -- -- --"] * 4,
    "-- -- -- -- -- C A T -- DW -- -- -- -- --",
    *["-- -- -- -- -- -- -- -- -- -- -- -- -- -- --"] * 7,
]


def test_a_board_with_random_bonus_squares_is_read_as_drawn():
    """Players post boards with random bonus squares as text, with labels such as TL and DW for these squares."""
    reading = board_text.read("\n".join([*RANDOM_BOARD, "", "Tiles: wordfeud"]))
    position = reading.value
    assert [warning.code for warning in reading.warnings] == ["squares-as-drawn"]
    assert position.rules.distribution.name == "wordfeud"
    assert position.rules.bingo_bonus == 40
    assert position.board.tile_count == 3
    layout = position.rules.layout
    assert [layout.squares[index] for index in (0, 5, 8, 14, 17, 22)] == ['"', "=", "'", "-", "'", "-"]
    assert layout.squares[7 * 15 : 8 * 15] == ".........-....."
    reread = board_text.read(board_text.write(position))
    assert (reread.value, reread.warnings) == (position, ())


def test_few_or_standard_bonus_squares_keep_the_default_layout():
    few_squares = [line.replace("TL", "--").replace("DW", "--") for line in RANDOM_BOARD]
    assert board_text.read("\n".join(few_squares)).warnings == ()
    reading = board_text.read(board_text.write(cgp.read(OPENING).value))
    assert (reading.warnings, reading.value.rules.layout.name) == ((), "CrosswordGame")


LETTER_LEAGUE = default_rules(load_distribution("letter_league"), load_layout("LetterLeague"))


def letter_league_board(
    *words: tuple[int, int, str], rack: str = "AEINRST", height: int = 19, square: str = "."
) -> str:
    rows = [["."] * 26 + [square] for _ in range(height)]
    for row, column, word in words:
        rows[row][column : column + len(word)] = word
    column_header = " ".join([*map(chr, range(ord("A"), ord("Z") + 1)), "AA"])
    lines = [f"{number:2}  {' '.join(row)}" for number, row in enumerate(rows, start=1)]
    return "\n".join(
        [f"    {column_header}", *lines, "", f"> alice  0  {rack}", "  bob  12", "", "Tiles: letter league"]
    )


def test_letter_league_has_a_wide_board_whose_squares_repeat():
    layout = LETTER_LEAGUE.layout
    assert (layout.rows, layout.columns, layout.start) == (19, 27, (9, 13))
    for index, square in enumerate(layout.squares):
        for step in (12, 12 * 27):
            repeated_index = index + step
            if repeated_index < len(layout.squares) and (step > 12 or index % 27 + 12 < 27):
                assert layout.squares[repeated_index] == square
    tiles, english = LETTER_LEAGUE.distribution, load_distribution("english")
    changed_texts = [
        letter.text
        for letter, english_letter in zip(tiles.letters, english.letters, strict=True)
        if letter != english_letter
    ]
    assert changed_texts == ["K", "L", "N"]
    assert tiles.letters[tiles.machine_letters["L"]].points == 2
    assert not LETTER_LEAGUE.distribution.has_known_bag
    assert default_rules(english, layout).distribution.has_known_bag


def test_a_letter_league_bingo_doubles_only_its_main_word():
    position = board_text.read(letter_league_board((9, 11, "HOUSE"))).value
    assert position.rules == LETTER_LEAGUE
    numbers = position.rules.distribution.machine_letters
    play = Placement(Coordinate(3, 16, Direction.DOWN), tuple(numbers[letter] for letter in "NASTIER"))
    scored = score_placement(position.board, play, position.rules)
    # The A counts twice, and the I doubles the word. HOUSER has no bonus squares.
    assert (scored.word.score, scored.bonus) == (16, 16)
    assert [cross.score for cross in scored.cross_words] == [9]
    assert scored.score == 16 + 16 + 9
    six_tile_play = play._replace(tiles=play.tiles[1:], start=Coordinate(4, 16, Direction.DOWN))
    assert score_placement(position.board, six_tile_play, position.rules).bonus == 0


def test_a_grown_letter_league_board_has_the_drawn_squares():
    reading_of_grown_board = board_text.read(letter_league_board((9, 11, "HOUSE"), height=21))
    assert [warning.code for warning in reading_of_grown_board.warnings] == ["squares-unknown"]
    assert (
        reading_of_grown_board.value.rules.layout.rows,
        reading_of_grown_board.value.rules.bingo_multiplier,
    ) == (21, 2)
    reading_with_squares = board_text.read(letter_league_board((9, 11, "HOUSE"), height=21, square="3L"))
    assert [warning.code for warning in reading_with_squares.warnings] == ["squares-as-drawn"]
    assert reading_with_squares.value.rules.layout.squares[26::27] == '"' * 21


def test_a_letter_league_position_round_trips_without_a_bag():
    position = board_text.read(letter_league_board((9, 11, "KAKKAK"), (11, 0, "ZZZQQQ"))).value
    assert position.rules == LETTER_LEAGUE, "the board was not recognized"
    for notation in (board_text, json_document):
        reread = notation.read(notation.write(position))
        assert (reread.value, reread.warnings) == (position, ())
    position_with_tripled_bingos = replace(position, rules=replace(position.rules, bingo_multiplier=3))
    assert (
        json_document.read(json_document.write(position_with_tripled_bingos)).value
        == position_with_tripled_bingos
    )
    with pytest.raises(ConversionError, match="19 rows and 27 columns"):
        cgp.write(position)
    lines = board_text.write(position).splitlines()
    assert not [line for line in lines if line.startswith("Bag")]
    reading_without_names = board_text.read(
        "\n".join(line for line in lines if not line.startswith(("Board", "Tiles")))
    )
    assert reading_without_names.value.rules == LETTER_LEAGUE, "the board was not recognized by its squares"


@pytest.mark.parametrize("name", ["crossplay", *BOARDS])
def test_a_drawn_board_is_recognized_by_its_squares(name):
    position = cgp.read(f"{OPENING} / 0/0 0 ld {name}").value
    lines = board_text.write(position).splitlines()
    reading_without_names = board_text.read(
        "\n".join(line for line in lines if not line.startswith(("Board", "Tiles")))
    )
    assert reading_without_names.value.rules == position.rules
    assert [warning.code for warning in reading_without_names.warnings] == [
        "board-by-squares",
        "distribution-by-board",
    ]


@pytest.mark.parametrize("name", BOARDS)
def test_a_game_is_recognized_by_its_scores(name):
    scores = {"wordfeud": (11, 21), "words_with_friends": (12, 23)}[name]
    text = (
        "#player1 alice Alice\n#player2 bob Bob\n"
        f">alice: AEHMNVW 8F HAVEN +{scores[0]} {scores[0]}\n>bob: ADGKORT 9G GOAD +{scores[1]} {scores[1]}\n"
    )
    reading = gcg.read(text)
    assert reading.value.rules.distribution.name == name, reading.warnings
    assert [warning.code for warning in reading.warnings] == ["game-by-scores"]
