"""Second guesses: words and tiles decide where the picture does not, and nothing that is clear changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.features.showing.reading.boards import languages
from bot.sight.crossword import CrosswordSight
from bot.sight.squares import Grid
from bot.sight.weighing import weighed

ENGLISH = next(languages(None, 15))
TILES = {"Q": 1, "E": 12, "M": 2, "N": 6}
ROWS = (
    *["." * 15] * 7,
    "...COMPUTER....",
    *(f".......{letter}......." for letter in "NDER"),
    *["." * 15] * 3,
)
SURE = (1.0,) * 225
GRID = Grid(0, 0, 20, 20, 15, 15)


def place(name: str) -> int:
    return (int(name[1:]) - 1) * 15 + ord(name[0]) - ord("A")


def seen(**guesses: tuple[tuple[str, float], ...]) -> CrosswordSight:
    """Return the board with first guesses on some squares."""
    board = list("".join(ROWS))
    for name, signs in guesses.items():
        board[place(name)] = max(signs, key=lambda item: item[1])[0]
    rows = tuple("".join(board[start : start + 15]) for start in range(0, 225, 15))
    stored = tuple((place(name), signs) for name, signs in guesses.items())
    return CrosswordSight(rows, SURE, False, tuple(square for square, _ in stored), GRID, stored)


@pytest.mark.parametrize(
    ("name", "signs", "best"),
    [
        ("F8", (("N", 0.6), ("M", 0.35)), "M"),  # CONPUTER
        ("F8", (("n", 0.6), ("m", 0.35)), "m"),  # a blank remains one
        ("F8", ((".", 0.5), ("M", 0.3)), "M"),  # CO PUTER
        ("H13", ((".", 0.5), ("X", 0.4)), "."),  # UNDERX
        ("H11", ((".", 0.5), ("E", 0.3)), "E"),  # UND R
        ("F8", (("N", 0.9), ("M", 0.001)), "N"),  # what is seen so clearly stands
    ],
)
def test_what_makes_words_is_more_probable(name, signs, best):
    sight = seen(**{name: signs}, A1=((".", 1.0),))
    again = weighed(sight, ENGLISH.has, TILES)
    assert "".join(again.rows)[place(name)] == best
    assert again.doubtful == sight.doubtful, "it is still to be checked"
    changed = [a for a, b in zip("".join(sight.rows), "".join(again.rows), strict=True) if a != b]
    assert len(changed) <= 1


def test_a_lexicon_that_does_not_know_the_board_is_not_asked():
    sight = seen(F8=(("N", 0.6), ("M", 0.35)))
    foreign = replace(sight, rows=tuple(row.replace("D", "Z") for row in sight.rows))
    assert weighed(foreign, ENGLISH.has, TILES) == foreign
    assert weighed(replace(sight, guesses=()), ENGLISH.has, TILES).rows == sight.rows


def test_there_are_no_more_tiles_than_there_are():
    guesses = (("Q", 0.5), ("O", 0.45))
    item = seen(A1=guesses)
    assert weighed(item, ENGLISH.has, TILES).rows[0][0] == "Q"
    two = seen(A1=guesses, A15=guesses)
    again = weighed(two, ENGLISH.has, TILES)
    assert sorted((again.rows[0][0], again.rows[14][0])) == ["O", "Q"]
