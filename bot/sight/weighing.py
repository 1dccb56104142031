"""Chooses between guesses on a crossword board by the words they make and the number of tiles of each letter."""

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

_WORD: Final = math.log(20)
"""Log-odds in favour of a guess that makes a word: nearly all words on boards are in the lexicon."""
_MIN_KNOWN = 0.75
"""Minimum share of a board's certain words that the lexicon must have. Otherwise the board may be in another
language."""
_UNMARKED = 0.1
"""Probability of a letter without a diacritic, relative to the same letter with one, if the network knows neither."""
_LOST = 0.1
"""On a blank: the probability that the letter has a diacritic, relative to the letter as read without one."""
_WORDS = re.compile(r"[^.]{2,}")
_PASSES = 2
"""Number of passes over the doubtful squares: one guess may depend on another."""


def weigh_guesses(sight: CrosswordSight, is_word: IsWord, tiles: Mapping[str, int]) -> CrosswordSight:
    """Return a board with the most probable guesses, judged by the picture and by the words they make.

    ``tiles`` is the number of tiles of each letter. Only doubtful squares change, and they remain doubtful. A lexicon
    without the board's other words is not used, and the number of tiles in its language is ignored.
    """
    if not sight.guesses or not knows(sight, is_word):
        return sight
    side = len(sight.rows)
    board = list("".join(sight.rows))
    for _ in range(_PASSES):
        for index, guesses in sight.guesses:
            others = Counter(content for square, content in enumerate(board) if square != index)
            scores = {
                content: math.log(share)
                + _of_words(board, side, index, content, is_word)
                - (_WORD if others[content] >= tiles.get(content, len(board)) else 0)
                for content, share in guesses
            }
            board[index] = max(scores, key=lambda content: scores[content])
    rows = tuple("".join(board[start : start + side]) for start in range(0, len(board), side))
    return replace(sight, rows=rows)


def knows(sight: CrosswordSight, is_word: IsWord) -> bool:
    """Return whether a lexicon has at least one, and nearly all, of a board's certain words."""
    board = list("".join(sight.rows))
    # A blank may stand for a letter with a diacritic, whatever it looks like.
    uncertain = {*sight.doubtful, *(square for square, content in enumerate(board) if content.islower())}
    known = [is_word(word) for word in _clear_words(board, len(sight.rows), uncertain)]
    return bool(known) and sum(known) >= _MIN_KNOWN * len(known)


def with_marks(sight: CrosswordSight, marked: Mapping[str, Sequence[str]]) -> CrosswordSight:
    """Return a board with letters with diacritics among the guesses; ``marked`` maps each plain letter to them.

    A letter outside A to Z probably has a diacritic. On blanks, diacritics are lost, so blanks that may have one are
    doubtful.
    """
    doubts = {index: list(candidates) for index, candidates in sight.guesses}
    for square, content in enumerate("".join(sight.rows)):
        if content.islower() and content.upper() in marked:
            doubts.setdefault(square, [(content, 1.0)])
    guesses = []
    for square, candidates in sorted(doubts.items()):
        with_mark = 1.0 if not sight.confidences[square] else _LOST
        without = 1.0 if sight.confidences[square] else _UNMARKED
        more: list[tuple[str, float]] = []
        for content, share in candidates:
            letters = (
                marked.get(content.upper(), ()) if content.islower() or not sight.confidences[square] else ()
            )
            more += [
                (letter if content.isupper() else letter.lower(), share * with_mark) for letter in letters
            ]
            more.append((content, share * without if letters else share))
        guesses.append((square, tuple(more)))
    return replace(sight, guesses=tuple(guesses), doubtful=tuple(sorted({*sight.doubtful, *doubts})))


def _of_words(board: list[str], side: int, index: int, content: str, is_word: IsWord) -> float:
    """Return the evidence from words for a letter on a square, as log-odds."""
    tried = [*board[:index], content, *board[index + 1 :]]
    # If the square is empty, the words beside it end there.
    indices = [index, *_beside(index, side)]
    words = {(run, word) for square in indices for run, word in _words_through(tried, side, square)}
    return sum(_WORD if is_word(word) else -_WORD for _, word in words) / 2


def _beside(index: int, side: int) -> list[int]:
    row, column = divmod(index, side)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [down * side + right for down, right in near if 0 <= down < side and 0 <= right < side]


def _words_through(board: list[str], side: int, index: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the words across and down through a square with a tile, with their squares."""
    row, column = divmod(index, side)
    for line in (range(row * side, (row + 1) * side), range(column, side * side, side)):
        for word in _WORDS.finditer("".join(board[square] for square in line)):
            squares = tuple(line[word.start() : word.end()])
            if index in squares:
                yield squares, word[0].upper()


def _clear_words(board: list[str], side: int, doubtful: set[int]) -> list[str]:
    """Return the words of a board without a doubtful square in or beside them."""
    near = doubtful.union(*(_beside(index, side) for index in doubtful))
    words = {run: word for index in range(side * side) for run, word in _words_through(board, side, index)}
    return [word for run, word in words.items() if not near.intersection(run)]
