"""The board layouts, and their names."""

import pytest

from bot.domain.crossword.notations.turn_url.settings import DEFAULT_BOARD, read_board
from bot.domain.crossword.rules import (
    MAX_SIDE,
    find_layout,
    layout_names,
    layout_of_rows,
    layout_of_size,
    load_layout,
)
from tests.domain.crossword.naive_scoring import letter_multiplier, word_multiplier
from tests.domain.shared import SHARED, needs_corpus

GAME_LAYOUTS = [name for name in layout_names() if name != "TurnURLDefault"]

MISSING_FROM_SHARED_DATA = {"Crossplay", "LetterLeague", "Wordfeud", "WordsWithFriends"}
"""The README of the shipped data names the sources of these boards."""


@pytest.mark.parametrize("name", GAME_LAYOUTS)
def test_every_layout_is_symmetric_with_the_start_in_the_middle(name):
    layout = load_layout(name)
    rows = [layout.squares[row * layout.columns : (row + 1) * layout.columns] for row in range(layout.rows)]
    assert layout.name == name
    assert layout.start == (layout.rows // 2, layout.columns // 2)
    assert rows == rows[::-1] == [row[::-1] for row in rows]


def test_the_standard_board_has_its_bonus_squares():
    layout = load_layout("CrosswordGame")
    assert [word_multiplier(layout, 0, column) for column in (0, 7, 14)] == [3, 3, 3]
    assert word_multiplier(layout, 7, 7) == 2
    assert letter_multiplier(layout, 1, 5) == 3
    assert letter_multiplier(layout, 0, 3) == 2
    assert (letter_multiplier(layout, 0, 1), word_multiplier(layout, 0, 1)) == (1, 1)
    counts = {symbol: layout.squares.count(symbol) for symbol in "=-\"'"}
    assert counts == {"=": 8, "-": 17, '"': 12, "'": 24}


def test_the_super_board_has_quadruple_squares():
    layout = load_layout("SuperCrosswordGame")
    assert (layout.rows, layout.columns) == (21, 21)
    assert word_multiplier(layout, 0, 0) == 4
    assert 4 in [letter_multiplier(layout, row, column) for row in range(21) for column in range(21)]


def test_the_default_board_of_turn_urls_is_a_shipped_layout():
    layout = load_layout("TurnURLDefault")
    assert read_board(DEFAULT_BOARD) == layout


@needs_corpus
@pytest.mark.parametrize("name", sorted({*GAME_LAYOUTS} - MISSING_FROM_SHARED_DATA))
def test_every_layout_matches_the_shared_data(name):
    rows = (SHARED / "data" / "board_layouts" / f"{name}.txt").read_text(encoding="utf-8").split()
    assert load_layout(name).squares == "".join(rows)


@pytest.mark.parametrize("name", ["crosswordgame", "STANDARD15", "classic", "CrosswordGame"])
def test_a_board_is_found_by_name_or_alias_in_any_case(name):
    assert find_layout(name) == load_layout("CrosswordGame")


def test_an_unknown_board_is_not_found():
    assert find_layout("cloverleaf") is None
    with pytest.raises(KeyError):
        load_layout("cloverleaf")


def test_each_board_size_has_a_default_layout():
    assert layout_of_size(15, 15).name == "CrosswordGame"
    assert layout_of_size(21, 21).name == "SuperCrosswordGame"
    assert layout_of_size(3, 9).squares == "." * 27


@pytest.mark.parametrize(
    "rows", [(), ("",), ("..", "."), ("x",), ("." * (MAX_SIDE + 1),), (".",) * (MAX_SIDE + 1)]
)
def test_a_layout_with_invalid_rows_is_rejected(rows):
    with pytest.raises(ValueError):  # noqa: PT011 - the messages differ
        layout_of_rows(rows)
