"""Chooses between the guesses for doubtful squares of a crossword board.

A guess is more probable if it makes words of the lexicon. It is less probable if the board already has all tiles of its letter.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bot.sight.crossword import CrosswordSight

IsWord: TypeAlias = Callable[[str], bool]
"""Returns whether a word in capitals is in a lexicon."""

_WORD_LOG_ODDS: Final = math.log(20)
"""Log-odds in favour of a guess that makes a word: nearly all words on boards are in the lexicon."""
_MIN_KNOWN = 0.75
"""Minimum share of a board's certain words that the lexicon must have. Otherwise the board may be in another
language."""
_NO_DIACRITIC = 0.1
"""Probability of a letter without a diacritic, relative to the same letter with one, if the network read neither."""
_LOST_DIACRITIC = 0.1
"""On a blank: probability that the letter has a diacritic, relative to the letter as read without one."""
_WORD_PATTERN = re.compile(r"[^.]{2,}")
"""Two or more neighbouring tiles of a line."""
_PASSES = 2
"""Number of passes over the doubtful squares: one guess may depend on another."""


def weigh_guesses(sight: CrosswordSight, is_word: IsWord, tiles: Mapping[str, int]) -> CrosswordSight:
    """Return a board with the guesses that are most probable from the picture and from the words they make.

    ``tiles`` is the number of tiles of each letter. Only doubtful squares change, and they remain doubtful. If the
    lexicon lacks the board's other words, the board is returned unchanged.
    """
    if not sight.guesses or not lexicon_fits(sight, is_word):
        return sight
    side = len(sight.rows)
    board = list("".join(sight.rows))
    for _ in range(_PASSES):
        for index, guesses in sight.guesses:
            others = Counter(content for square, content in enumerate(board) if square != index)
            scores = {
                content: math.log(probability)
                + _word_log_odds(board, side, index, content, is_word)
                - (_WORD_LOG_ODDS if others[content] >= tiles.get(content, len(board)) else 0)
                for content, probability in guesses
            }
            board[index] = max(scores, key=lambda content: scores[content])
    rows = tuple("".join(board[start : start + side]) for start in range(0, len(board), side))
    return replace(sight, rows=rows)


def lexicon_fits(sight: CrosswordSight, is_word: IsWord) -> bool:
    """Return whether a lexicon has at least one, and nearly all, of a board's certain words."""
    board = list("".join(sight.rows))
    # A blank may stand for a letter with a diacritic, whatever it looks like.
    uncertain = {*sight.doubtful, *(square for square, content in enumerate(board) if content.islower())}
    known = [is_word(word) for word in _clear_words(board, len(sight.rows), uncertain)]
    return bool(known) and sum(known) >= _MIN_KNOWN * len(known)


def with_diacritics(sight: CrosswordSight, marked_letters: Mapping[str, Sequence[str]]) -> CrosswordSight:
    """Add letters with diacritics to a board's guesses.

    ``marked_letters`` maps each plain letter to its forms with diacritics. A letter outside A to Z probably has a diacritic.
    On blanks, diacritics are lost, so blanks that may have one are doubtful.
    """
    candidates_by_square = {index: list(candidates) for index, candidates in sight.guesses}
    for square, content in enumerate("".join(sight.rows)):
        if content.islower() and content.upper() in marked_letters:
            candidates_by_square.setdefault(square, [(content, 1.0)])
    guesses = []
    for square, candidates in sorted(candidates_by_square.items()):
        with_mark = 1.0 if not sight.confidences[square] else _LOST_DIACRITIC
        without = 1.0 if sight.confidences[square] else _NO_DIACRITIC
        extended: list[tuple[str, float]] = []
        for content, probability in candidates:
            diacritics = (
                marked_letters.get(content.upper(), ())
                if content.islower() or not sight.confidences[square]
                else ()
            )
            extended += [
                (diacritic if content.isupper() else diacritic.lower(), probability * with_mark)
                for diacritic in diacritics
            ]
            extended.append((content, probability * without if diacritics else probability))
        guesses.append((square, tuple(extended)))
    return replace(
        sight, guesses=tuple(guesses), doubtful=tuple(sorted({*sight.doubtful, *candidates_by_square}))
    )


def _word_log_odds(board: list[str], side: int, index: int, content: str, is_word: IsWord) -> float:
    """Return the evidence from words for a letter on a square, as log-odds."""
    board_with_guess = [*board[:index], content, *board[index + 1 :]]
    # If the square is empty, the words beside it end there.
    indices = [index, *_beside(index, side)]
    words = {
        (run, word) for square in indices for run, word in _words_through(board_with_guess, side, square)
    }
    return sum(_WORD_LOG_ODDS if is_word(word) else -_WORD_LOG_ODDS for _, word in words) / 2


def _beside(index: int, side: int) -> list[int]:
    row, column = divmod(index, side)
    neighbours = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [down * side + right for down, right in neighbours if 0 <= down < side and 0 <= right < side]


def _words_through(board: list[str], side: int, index: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the words across and down through a square with a tile, with their squares."""
    row, column = divmod(index, side)
    for line in (range(row * side, (row + 1) * side), range(column, side * side, side)):
        for word in _WORD_PATTERN.finditer("".join(board[square] for square in line)):
            squares = tuple(line[word.start() : word.end()])
            if index in squares:
                yield squares, word[0].upper()


def _clear_words(board: list[str], side: int, doubtful: set[int]) -> list[str]:
    """Return the words of a board without a doubtful square in or beside them."""
    doubtful_or_beside = doubtful.union(*(_beside(index, side) for index in doubtful))
    words = {run: word for index in range(side * side) for run, word in _words_through(board, side, index)}
    return [word for run, word in words.items() if not doubtful_or_beside.intersection(run)]
