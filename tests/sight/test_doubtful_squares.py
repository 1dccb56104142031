from __future__ import annotations

from dataclasses import replace

import pytest

from bot.features.showing.reading.languages import languages
from bot.sight.crossword import RecognizedCrossword
from bot.sight.doubtful_squares import fill_doubtful_squares
from bot.sight.squares import Grid

ENGLISH = next(languages(None, 15))
TILES = {"Q": 1, "E": 12, "M": 2, "N": 6}
ROWS = (
    *["." * 15] * 7,
    "...COMPUTER....",
    *(f".......{letter}......." for letter in "NDER"),
    *["." * 15] * 3,
)
CONFIDENCES = (1.0,) * 225
GRID = Grid(0, 0, 20, 20, 15, 15)


def square_index(name: str) -> int:
    return (int(name[1:]) - 1) * 15 + ord(name[0]) - ord("A")


def recognized_board(**guesses: tuple[tuple[str, float], ...]) -> RecognizedCrossword:
    board = list("".join(ROWS))
    for name, candidates in guesses.items():
        board[square_index(name)] = max(candidates, key=lambda item: item[1])[0]
    rows = tuple("".join(board[start : start + 15]) for start in range(0, 225, 15))
    all_guesses = tuple((square_index(name), candidates) for name, candidates in guesses.items())
    return RecognizedCrossword(
        rows, CONFIDENCES, False, tuple(square for square, _ in all_guesses), GRID, all_guesses
    )


@pytest.mark.parametrize(
    ("name", "candidates", "best"),
    [
        ("F8", (("N", 0.6), ("M", 0.35)), "M"),  # CONPUTER
        ("F8", (("n", 0.6), ("m", 0.35)), "m"),  # a blank stays a blank
        ("F8", ((".", 0.5), ("M", 0.3)), "M"),  # CO PUTER
        ("H13", ((".", 0.5), ("X", 0.4)), "."),  # UNDERX
        ("H11", ((".", 0.5), ("E", 0.3)), "E"),  # UND R
        ("F8", (("N", 0.9), ("M", 0.001)), "N"),  # a confident guess is kept
    ],
)
def test_guesses_that_form_words_are_preferred(name, candidates, best):
    result = recognized_board(**{name: candidates}, A1=((".", 1.0),))
    filled = fill_doubtful_squares(result, ENGLISH.has_word, TILES)
    assert "".join(filled.rows)[square_index(name)] == best
    assert filled.doubtful_squares == result.doubtful_squares, "the square is no longer doubtful"
    changed_squares = [a for a, b in zip("".join(result.rows), "".join(filled.rows), strict=True) if a != b]
    assert len(changed_squares) <= 1


def test_a_lexicon_without_the_other_words_is_ignored():
    result = recognized_board(F8=(("N", 0.6), ("M", 0.35)))
    foreign_board = replace(result, rows=tuple(row.replace("D", "Z") for row in result.rows))
    assert fill_doubtful_squares(foreign_board, ENGLISH.has_word, TILES) == foreign_board
    assert fill_doubtful_squares(replace(result, guesses=()), ENGLISH.has_word, TILES).rows == result.rows


def test_a_letter_is_not_guessed_more_often_than_the_set_contains_it():
    guesses = (("Q", 0.5), ("O", 0.45))
    one_guess = recognized_board(A1=guesses)
    assert fill_doubtful_squares(one_guess, ENGLISH.has_word, TILES).rows[0][0] == "Q"
    two_guesses = recognized_board(A1=guesses, A15=guesses)
    filled = fill_doubtful_squares(two_guesses, ENGLISH.has_word, TILES)
    assert sorted((filled.rows[0][0], filled.rows[14][0])) == ["O", "Q"]
