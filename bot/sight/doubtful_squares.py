"""Chooses between the guesses for the doubtful squares of a crossword board.

A guess is a letter that a square may have, or an empty square.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bot.sight.crossword import RecognizedCrossword

IsWord: TypeAlias = Callable[[str], bool]
"""Returns whether a word in capitals is in a lexicon."""

_WORD_LOG_ODDS: Final = math.log(20)
"""Difference in log-odds between a guess that makes a word in the lexicon and a guess that makes a word that is not in it.
If all tiles of a letter are on other squares, a guess of this letter loses as much."""
_MIN_VALID_SHARE = 0.75
"""If less than this share of the words read with certainty are in the lexicon, the board may be in another language."""
_PLAIN_LETTER_WEIGHT = 0.1
"""Weight of a plain letter if the network recognized no letter from A to Z. Its forms with diacritics have a weight of 1."""
_ADDED_DIACRITIC_WEIGHT = 0.1
"""Weight of a letter with a diacritic on a blank if the network read the plain letter. The plain letter has a weight of 1."""
_WORD_PATTERN = re.compile(r"[^.]{2,}")
_PASS_COUNT = 2
"""Number of passes over the doubtful squares. The choice for one square may depend on a later choice for another."""


def fill_doubtful_squares(
    recognized: RecognizedCrossword, is_word: IsWord, tile_counts: Mapping[str, int]
) -> RecognizedCrossword:
    """Fill the doubtful squares with the most probable guesses, given the picture and the words that they make.

    The squares remain doubtful. ``tile_counts`` is the number of tiles of each letter in the game. If the lexicon does not fit,
    the board is returned unchanged.
    """
    if not recognized.guesses or not lexicon_fits(recognized, is_word):
        return recognized
    side = len(recognized.rows)
    board = list("".join(recognized.rows))
    for _ in range(_PASS_COUNT):
        for index, guesses in recognized.guesses:
            other_counts = Counter(content for square, content in enumerate(board) if square != index)
            scores = {
                content: math.log(probability)
                + _word_log_odds(board, side, index, content, is_word)
                - (_WORD_LOG_ODDS if other_counts[content] >= tile_counts.get(content, len(board)) else 0)
                for content, probability in guesses
            }
            board[index] = max(scores, key=lambda content: scores[content])
    return replace(
        recognized,
        rows=tuple("".join(board[start : start + side]) for start in range(0, len(board), side)),
    )


def lexicon_fits(recognized: RecognizedCrossword, is_word: IsWord) -> bool:
    """Return whether a lexicon contains most of the words that were read with certainty. Without such words, return False."""
    board = list("".join(recognized.rows))
    # A diacritic on a blank cannot be seen.
    excluded_squares = {
        *recognized.doubtful_squares,
        *(square for square, content in enumerate(board) if content.islower()),
    }
    are_words = [is_word(word) for word in _words_apart_from(board, len(recognized.rows), excluded_squares)]
    return bool(are_words) and sum(are_words) >= _MIN_VALID_SHARE * len(are_words)


def with_diacritics(
    recognized: RecognizedCrossword, marked_letters: Mapping[str, Sequence[str]]
) -> RecognizedCrossword:
    """Add letters with diacritics to a board's guesses.

    ``marked_letters`` maps each plain letter to its forms with diacritics. On blanks, diacritics are not recognized. So a blank whose
    letter has forms with diacritics becomes doubtful.
    """
    candidates_by_square = {index: list(candidates) for index, candidates in recognized.guesses}
    for square, content in enumerate("".join(recognized.rows)):
        if content.islower() and content.upper() in marked_letters:
            candidates_by_square.setdefault(square, [(content, 1.0)])
    guesses = []
    for square, candidates in sorted(candidates_by_square.items()):
        is_unrecognized = not recognized.confidences[square]
        diacritic_weight = 1.0 if is_unrecognized else _ADDED_DIACRITIC_WEIGHT
        plain_weight = _PLAIN_LETTER_WEIGHT if is_unrecognized else 1.0
        extended_candidates: list[tuple[str, float]] = []
        for content, probability in candidates:
            marked_forms = (
                marked_letters.get(content.upper(), ()) if is_unrecognized or content.islower() else ()
            )
            extended_candidates += [
                (form if content.isupper() else form.lower(), probability * diacritic_weight)
                for form in marked_forms
            ]
            extended_candidates.append((content, probability * plain_weight if marked_forms else probability))
        guesses.append((square, tuple(extended_candidates)))
    return replace(
        recognized,
        guesses=tuple(guesses),
        doubtful_squares=tuple(sorted({*recognized.doubtful_squares, *candidates_by_square})),
    )


def _word_log_odds(board: list[str], side: int, index: int, content: str, is_word: IsWord) -> float:
    board_with_guess = [*board[:index], content, *board[index + 1 :]]
    # If the guess is an empty square, words end beside it, so words through the neighbours count as well.
    words = {
        (squares, word)
        for square in (index, *_neighbours(index, side))
        for squares, word in _words_through(board_with_guess, side, square)
    }
    return sum(_WORD_LOG_ODDS if is_word(word) else -_WORD_LOG_ODDS for _, word in words) / 2


def _neighbours(index: int, side: int) -> list[int]:
    row, column = divmod(index, side)
    neighbours = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [down * side + right for down, right in neighbours if 0 <= down < side and 0 <= right < side]


def _words_through(board: list[str], side: int, index: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the words through a square, across and down, each with its squares."""
    row, column = divmod(index, side)
    for line in (range(row * side, (row + 1) * side), range(column, side * side, side)):
        for word in _WORD_PATTERN.finditer("".join(board[square] for square in line)):
            squares = tuple(line[word.start() : word.end()])
            if index in squares:
                yield squares, word[0].upper()


def _words_apart_from(board: list[str], side: int, excluded_squares: set[int]) -> list[str]:
    """Return the words that contain no excluded square and no neighbour of an excluded square."""
    excluded_or_neighbours = excluded_squares.union(*(_neighbours(index, side) for index in excluded_squares))
    words = {
        squares: word for index in range(side * side) for squares, word in _words_through(board, side, index)
    }
    return [word for squares, word in words.items() if not excluded_or_neighbours.intersection(squares)]
