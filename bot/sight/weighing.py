"""Chooses between guesses on a crossword board by the words they make and the number of tiles of each letter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bot.sight.crossword import CrosswordSight
from bot.sight.tiles import EMPTY

IsWord: TypeAlias = Callable[[str], bool]
"""Returns whether capitals are a word of a lexicon."""

_WORD: Final = math.log(20)
"""The log-odds in favour of a guess that makes a word: nearly all words on boards are known."""
_KNOWN = 0.75
"""Minimum share of a board's certain words in the lexicon; otherwise the board may be in another language."""
_UNMARKED = 0.1
"""Probability of a letter without a mark against the same with a mark, if the network knows neither."""
_LOST = 0.1
"""Probability of a letter with a mark against the letter that was read, on a blank."""
_ROUNDS = 2
"""Passes over the doubtful squares: one guess may depend on another."""


def weigh_guesses(sight: CrosswordSight, is_word: IsWord, tiles: Mapping[str, int]) -> CrosswordSight:
    """Return a board with the most probable guesses, by what was seen and by the words they make.

    ``tiles`` is the number of tiles of each letter. Only doubtful squares change, and they remain doubtful. A lexicon
    without the board's other words is not used, nor are the tiles of its language counted.
    """
    if not sight.guesses or not knows(sight, is_word):
        return sight
    side = len(sight.rows)
    board = list("".join(sight.rows))
    for _ in range(_ROUNDS):
        for place, guesses in sight.guesses:
            others = Counter(sign for square, sign in enumerate(board) if square != place)
            scores = {
                sign: math.log(share)
                + _of_words(board, side, place, sign, is_word)
                - (_WORD if others[sign] >= tiles.get(sign, len(board)) else 0)
                for sign, share in guesses
            }
            board[place] = max(scores, key=lambda sign: scores[sign])
    rows = tuple("".join(board[start : start + side]) for start in range(0, len(board), side))
    return replace(sight, rows=rows)


def knows(sight: CrosswordSight, is_word: IsWord) -> bool:
    """Return whether a lexicon has nearly all of a board's certain words, and at least one."""
    board = list("".join(sight.rows))
    known = [is_word(word) for word in _clear_words(board, len(sight.rows), set(sight.doubtful))]
    return bool(known) and sum(known) >= _KNOWN * len(known)


def with_marks(sight: CrosswordSight, marked: Mapping[str, Sequence[str]]) -> CrosswordSight:
    """Return a board with guesses of letters with marks: ``marked`` gives them by the letter without.

    A letter that is none of A to Z probably has a mark. On blanks marks are lost, so blanks that may have one are doubtful.
    """
    doubts = {place: list(signs) for place, signs in sight.guesses}
    for place, sign in enumerate("".join(sight.rows)):
        if sign.islower() and sign.upper() in marked:
            doubts.setdefault(place, [(sign, 1.0)])
    guesses = []
    for place, signs in sorted(doubts.items()):
        with_mark = 1.0 if not sight.confidences[place] else _LOST
        without = 1.0 if sight.confidences[place] else _UNMARKED
        more: list[tuple[str, float]] = []
        for sign, share in signs:
            letters = marked.get(sign.upper(), ()) if sign.islower() or not sight.confidences[place] else ()
            more += [(letter if sign.isupper() else letter.lower(), share * with_mark) for letter in letters]
            more.append((sign, share * without if letters else share))
        guesses.append((place, tuple(more)))
    return replace(sight, guesses=tuple(guesses), doubtful=tuple(sorted({*sight.doubtful, *doubts})))


def _of_words(board: list[str], side: int, place: int, sign: str, is_word: IsWord) -> float:
    """Return the evidence of words for a letter on a square, as a logarithm."""
    tried = [*board[:place], sign, *board[place + 1 :]]
    # Words beside an empty square end there.
    places = [place, *_beside(place, side)]
    words = {(run, word) for square in places for run, word in _words_through(tried, side, square)}
    return sum(_WORD if is_word(word) else -_WORD for _, word in words) / 2


def _beside(place: int, side: int) -> list[int]:
    row, column = divmod(place, side)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [down * side + right for down, right in near if 0 <= down < side and 0 <= right < side]


def _words_through(board: list[str], side: int, place: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the words across and down through a square with a tile, with their squares."""
    if board[place] == EMPTY:
        return
    row, column = divmod(place, side)
    for line, at in (
        (range(row * side, (row + 1) * side), column),
        (range(column, side * side, side), row),
    ):
        first, last = at, at
        while first and board[line[first - 1]] != EMPTY:
            first -= 1
        while last + 1 < side and board[line[last + 1]] != EMPTY:
            last += 1
        if last > first:
            squares = tuple(line[first : last + 1])
            yield squares, "".join(board[square] for square in squares).upper()


def _clear_words(board: list[str], side: int, doubtful: set[int]) -> list[str]:
    """Return the words of a board without a doubtful square in or beside them."""
    near = doubtful.union(*(_beside(place, side) for place in doubtful))
    words = {run: word for place in range(side * side) for run, word in _words_through(board, side, place)}
    return [word for run, word in words.items() if not near.intersection(run)]
