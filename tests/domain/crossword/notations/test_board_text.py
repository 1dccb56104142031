"""Boards in plain text, drawn by Kibitz, by other programs and by people."""

from dataclasses import replace

import pytest
from hypothesis import given

from bot.domain.crossword.notations import board_text, cgp
from bot.domain.crossword.notations.board_text.lines import plain_name
from bot.domain.crossword.notations.fields import display_width
from bot.domain.crossword.play import Coordinate, Direction, Pass, Placement, column_name
from bot.domain.crossword.play_text import rack_text
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    distribution_names,
    layout_of_rows,
    load_distribution,
)
from bot.domain.reading.problems import ConversionError, DomainError, ParseError
from tests.domain.crossword.strategies import positions
from tests.domain.growth import find_superlinear_growth
from tests.positions import EMPTY_BOARD, one_row_board

OPENING = """\
   A B C D E F G H I J K L M N O
 1 = . . ' . . . = . . . ' . . =
 2 . - . . . " . . . " . . . - .
 3 . . - . . . ' . ' . . . - . .
 4 ' . . - . . . ' . . . - . . '
 5 . . . . - . . . . . - . . . .
 6 . " . . . " . . . " . . . " .
 7 . . ' . . . ' . ' . . . ' . .
 8 = . . W O R d - . . . ' . . =
 9 . . ' . . . ' . ' . . . ' . .
10 . " . . . " . . . " . . . " .
11 . . . . - . . . . . - . . . .
12 ' . . - . . . ' . . . - . . '
13 . . - . . . ' . ' . . . - . .
14 . - . . . " . . . " . . . - .
15 = . . ' . . . = . . . ' . . =

  alice  14
> bob     0  AEINRST

Bag: 82
Lexicon: CSW24
Last play: 8D WORd, 14 points, player 1"""

BARRED_BOARD = """\
   A B C D E F G H I J K L M N O      ->               alice  AEINRST    34
   ------------------------------                        bob           -5
 1|=     '       =       '     = |
 2|  -       "       "       -   |   Bag + unseen: (79)
 3|    -       '   '       -     |   A A B C
 4|'     -       '       -     ' |
 5|        -           -         |
 6|  "       "       "       "   |
 7|    '       '   '       '     |
 8|=     C A t   ^ b   ' .     = |
 9|    '       '   '       '     |
10|  "       "       "       "   |
11|        -           -         |
12|'     -       '       -     ' |
13|    -       '   '       -     |
14|  -       "       "       -   |
15|=     '       =       '     = |
   ------------------------------
"""


def test_a_board_written_by_kibitz_round_trips():
    position = board_text.read(OPENING).value
    assert position.board == cgp.read(one_row_board(8, "3WORd8")).value.board
    assert position.players == (Player(14, (), "alice"), Player(0, (1, 5, 9, 14, 18, 19, 20), "bob"))
    assert position.on_turn == 1
    assert position.rules.lexicon == "CSW24"
    placement = Placement(Coordinate(7, 3, Direction.ACROSS), (23, 15, 18, -4))
    assert position.last_play == LastPlay(placement, score=14, seat=0)
    assert board_text.write(position) == OPENING


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("```\n", "\n```"), ("my board:\n\n", "\nwhat now? 12"), ("\n\n", "")]
)
def test_text_around_a_board_is_ignored(before, after, ending):
    text = (before + OPENING + after).replace("\n", ending)
    assert board_text.read(text).value == board_text.read(OPENING).value


def test_a_board_with_columns_and_bars_is_read():
    reading = board_text.read(BARRED_BOARD)
    assert reading.value.board.row(7) == (0, 0, 0, 3, 1, -20, 0, 0, -2, 0, 0, 0, 0, 0, 0)
    assert reading.value.players == (Player(34, (1, 5, 9, 14, 18, 19, 20), "alice"), Player(-5, (), "bob"))
    assert reading.value.on_turn == 0


@pytest.mark.parametrize(
    "text",
    [
        "...\n.CA\n...",
        ". . .\n. C A\n. . .",
        "1 . . .\n2 . C A\n3 . . .",
        "|. . .|\n|. C A|\n|. . .|",
        "Look:\n\n|. . .|\n|. C A|\n|. . .|",
        "  A B C\n1 - - -\n2 _ C A\n3 * + =",
        "   a b c\n  ------\n1| - - -|\n2|   C A|\n3|      |",
    ],
)
def test_small_boards_are_read_in_every_style(text):
    board = board_text.read(text).value.board
    assert (board.rows, board.columns, board.squares) == (3, 3, (0, 0, 0, 0, 3, 1, 0, 0, 0))


def test_multi_letter_tiles_are_aligned():
    position = cgp.read("[CH][ll]13/1A[RR]12" + "/15" * 13 + " [LL]LL/ 0/0 0 lex FISE2;").value
    text = board_text.write(position)
    lines = text.split("\n")
    assert lines[0].index("B") == lines[1].index("ll") == lines[2].index("A ")
    assert lines[0].index("C") == lines[2].index("RR")
    assert board_text.read(text).value == position


@pytest.mark.parametrize("name", distribution_names())
def test_every_set_of_tiles_round_trips(name):
    distribution = load_distribution(name)
    used_tiles = [number for number, count in enumerate(distribution.counts) if number and count]
    position = cgp.read(EMPTY_BOARD + f" / 0/0 0 ld {name};").value
    position = replace(
        position, board=position.board.with_tiles([*enumerate(used_tiles), (224, -used_tiles[-1])])
    )
    text = board_text.write(position)
    assert board_text.read(text).value == position
    header, *rows = text.split("\n")[:16]
    assert display_width(header) <= max(map(display_width, rows))


def test_an_unnamed_set_is_recognized_by_its_letters():
    reading = board_text.read("ŻÓ.\n...\n...")
    assert reading.value.rules.distribution.name == "polish"
    assert [warning.code for warning in reading.warnings] == ["distribution-by-letters"]


def test_the_squares_of_an_unknown_board_are_written():
    position = cgp.read(EMPTY_BOARD).value
    layout = layout_of_rows(("#.~",) + ("...",) * 2)
    board = replace(position.board, rows=3, columns=3, squares=(0,) * 9)
    position = replace(position, board=board, rules=replace(position.rules, layout=layout))
    text = board_text.write(position)
    assert "Squares: #.~/.../..." in text
    assert board_text.read(text).value == position


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "no-board", 1, 1),
        ("hello\nthere", "no-board", 1, 1),
        ("  A B C\n1 . . .\n2 . .\n3 . . .", "row-width", 3, 2),
        ("  A B C\n1 . . .\n2 . C %\n3 . . .", "unknown-tile", 3, 7),
        ("  A B C\n1 . . .\n2 . C ?\n3 . . .", "unknown-tile", 3, 7),
        ("  A B C\n1 . . .\n2 . C A\n3 . . .\n\n> x  0  A%", "unknown-tile", 6, 10),
        ("  A B C\n1 Z Z Z\n2 Z C A\n3 . . .", "too-many-tiles", 2, 3),
        ("x" * 100_001, "too-long", 1, 1),
    ],
)
def test_a_fault_has_a_code_and_a_location(text, code, line, column):
    with pytest.raises(DomainError) as caught:
        board_text.read(text)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)


def test_more_than_fifty_columns_or_rows_are_rejected():
    columns = "   " + " ".join(column_name(column) for column in range(51)) + "\n 1 " + ". " * 51
    rows = "  A\n" + "\n".join(f"{row} ." for row in range(1, 60))
    for text in (columns, rows):
        with pytest.raises(ParseError) as caught:
            board_text.read(text)
        assert caught.value.code == "board-size"


@pytest.mark.parametrize("text", ["-", "A B", "", "é/"])
def test_a_tile_that_a_board_cannot_show_is_rejected(text):
    position = cgp.read(EMPTY_BOARD).value
    odd_distribution = LetterDistribution("odd", (Letter("?", "?", 2, 0), Letter(text, "x", 5, 1)))
    with pytest.raises(ConversionError):
        board_text.write(replace(position, rules=replace(position.rules, distribution=odd_distribution)))


def test_names_cannot_break_out_of_their_line_or_block():
    position = cgp.read(EMPTY_BOARD).value
    names = ("```\n> eve  999", "\u202egnp.exe\u2066 \x1b[31m")
    renamed_players = tuple(
        replace(player, name=name) for player, name in zip(position.players, names, strict=True)
    )
    text = board_text.write(replace(position, players=renamed_players))
    assert "`" not in text
    assert all(character == "\n" or character.isprintable() for character in text)
    assert len(board_text.read(text).value.players) == 2


def with_plain_names(position: Position) -> Position:
    """Return the position with the names that a text board would show."""
    renamed_players = tuple(replace(player, name=plain_name(player.name)) for player in position.players)
    return replace(position, players=renamed_players)


class TestProperties:
    @given(positions())
    def test_a_written_board_round_trips(self, position):
        text = board_text.write(position)
        assert board_text.read(text).value == with_plain_names(position)
        assert board_text.write(board_text.read(text).value) == text

    @pytest.mark.parametrize("unit", ["a ", "> ", "- |", "1 ", "x:", "A  1", "(((\n"])
    def test_long_texts_below_a_board_take_linear_time(self, unit):
        def text(size: int) -> str:
            return f"{OPENING}\n{(unit * size)[:size]}"

        assert board_text.read(text(98_000)).value.board.tile_count == 4
        assert not find_superlinear_growth(board_text.read, text, 24_000)

    def test_too_many_players_are_rejected(self):
        with pytest.raises(ParseError, match="more than 100 players"):
            board_text.read(OPENING + "\n" + "> a  1  \n" * 10_000)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("hello", "stray-line"),
        ("Bag: many", "stray-line"),
        ("Scoreless turns: some", "stray-line"),
        ("Squares: .../...", "stray-line"),
        ("> carol    F 0  EEI", "stray-line"),
        ("16 . . . . . . . . . . . . . . 7", "stray-line"),
        ("Lexicon: NWL23", "repeated-opcode"),
        ("Last play: 8D WORd, 14 points, player 9", "repeated-opcode last-play-player"),
        ("Rack: what to play?", "stray-line"),
        ("Rack: AEINRST", "stray-line"),  # the player to move already has tiles beside the name
        ("Bag: 81", ""),
        ("```", ""),
        ("   --------", ""),
    ],
)
def test_only_a_line_with_a_fault_gives_a_warning(line, code):
    reading = board_text.read(f"{OPENING}\n{line}")
    assert sorted({warning.code for warning in reading.warnings}) == sorted(code.split())
    assert all(warning.line == OPENING.count("\n") + 2 for warning in reading.warnings)


@pytest.mark.parametrize("line", ["Rack: AEINRS?", "rack: aeinrs?", "My rack: AEINRS?"])
def test_a_rack_below_a_board_belongs_to_the_player_to_move(line):
    board = board_text.write(cgp.read(one_row_board(8, "7CAT5")).value).partition("\n\n")[0]
    position = board_text.read(f"{board}\n\n{line}").value
    assert rack_text(position.players[position.on_turn].rack, position.rules.distribution) == "AEINRS?"


def test_a_pass_as_the_last_play_round_trips():
    position = replace(cgp.read(EMPTY_BOARD).value, last_play=LastPlay(Pass(), score=0))
    assert board_text.write(position).endswith("Last play: -, 0 points")
    assert board_text.read(board_text.write(position)).value == position


def test_any_kind_of_space_separates_words():
    board = board_text.write(cgp.read(one_row_board(8, "7CAT5")).value)
    for value in ("8H CAT, 10\u2028points, player 1", " 8H\u00a0 CAT,  10 points, player 1 "):
        reading = board_text.read(f"{board}\nLast play: {value}")
        assert reading.warnings == ()
        assert reading.value.last_play.score == 10
