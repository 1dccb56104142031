"""Coordinates and placements."""

import pytest
from hypothesis import given, strategies as st

from bot.domain.crossword.play import (
    Coordinate,
    Direction,
    Exchange,
    Placement,
    column_name,
    column_number,
    read_coordinate,
)


@pytest.mark.parametrize(
    ("text", "row", "column", "direction"),
    [
        ("8D", 7, 3, Direction.ACROSS),
        ("d8", 7, 3, Direction.DOWN),
        ("15O", 14, 14, Direction.ACROSS),
        ("AA21", 20, 26, Direction.DOWN),
        ("50AX", 49, 49, Direction.ACROSS),
    ],
)
def test_coordinates_are_read_and_written(text, row, column, direction):
    coordinate = Coordinate(row, column, direction)
    assert read_coordinate(text) == coordinate
    assert str(coordinate) == text.upper()


@pytest.mark.parametrize(
    "text", ["", "8", "D", "0D", "D0", "08D", "8DD8", "8ABC", "100A", "8Ä", "٨D", " 8D", "8D\n"]
)
def test_other_texts_are_not_coordinates(text):
    assert read_coordinate(text) is None


@given(st.integers(0, 98), st.integers(0, 701), st.sampled_from(Direction))
def test_coordinates_round_trip(row, column, direction):
    coordinate = Coordinate(row, column, direction)
    assert read_coordinate(str(coordinate)) == coordinate


@pytest.mark.parametrize(
    ("column", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (701, "ZZ"), (702, "AAA")]
)
def test_columns_have_names_and_numbers(column, name):
    assert column_name(column) == name
    assert column_number(name.lower()) == column


def test_a_placement_covers_a_line_of_squares():
    across = Placement(Coordinate(7, 3, Direction.ACROSS), (1, 0, -2))
    down = Placement(Coordinate(7, 3, Direction.DOWN), (1, 0, -2))
    assert across.squares() == ((7, 3), (7, 4), (7, 5))
    assert down.squares() == ((7, 3), (8, 3), (9, 3))


def test_an_exchange_counts_its_tiles():
    assert Exchange((1, 0), 3).size == 5
