"""Second guesses on a crossword board, weighed by the words that they make and by how many tiles there are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bot.sight.crossword import CrosswordSight
from bot.sight.tiles import EMPTY

IsWord: TypeAlias = Callable[[str], bool]
"""Tells of capitals whether they are a word of a lexicon."""

_WORD: Final = math.log(20)
"""How much more probable a guess is that makes a word: of the words on boards nearly all are known."""
_KNOWN = 0.75
"""The share of a board's clear words that a lexicon must know to be asked about the others: it may be another language's."""
_UNMARKED = 0.1
"""How probable a letter without a mark is beside the same with one, where the network says that it is none it knows."""
_LOST = 0.1
"""How probable a letter with a mark is beside the one that was read, on a blank."""
_ROUNDS = 2
"""How often the doubtful squares are gone through: one guess may depend on another."""


def weighed(sight: CrosswordSight, is_word: IsWord, tiles: Mapping[str, int]) -> CrosswordSight:
    """Return a board with the guesses that are most probable by what is seen and by the words they make.

    ``tiles`` are how many there are of each letter. Only doubtful squares change, and they remain doubtful. A lexicon that
    does not know the board's other words is not asked, nor are the tiles of its language counted.
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
    """Tell whether a lexicon knows nearly all words of a board that nothing is doubtful about, and there are some."""
    board = list("".join(sight.rows))
    known = [is_word(word) for word in _clear_words(board, len(sight.rows), set(sight.doubtful))]
    return bool(known) and sum(known) >= _KNOWN * len(known)


def with_marks(sight: CrosswordSight, marked: Mapping[str, Sequence[str]]) -> CrosswordSight:
    """Return a board whose letters may have marks: ``marked`` by those without.

    A letter that is none of those learnt probably has one. On blanks marks are lost, so those that may have one are doubtful.
    """
    told = {place: list(signs) for place, signs in sight.guesses}
    for place, sign in enumerate("".join(sight.rows)):
        if sign.islower() and sign.upper() in marked:
            told.setdefault(place, [(sign, 1.0)])
    guesses = []
    for place, signs in sorted(told.items()):
        with_mark = 1.0 if not sight.confidences[place] else _LOST
        without = 1.0 if sight.confidences[place] else _UNMARKED
        more: list[tuple[str, float]] = []
        for sign, share in signs:
            letters = marked.get(sign.upper(), ()) if sign.islower() or not sight.confidences[place] else ()
            more += [(one if sign.isupper() else one.lower(), share * with_mark) for one in letters]
            more.append((sign, share * without if letters else share))
        guesses.append((place, tuple(more)))
    return replace(sight, guesses=tuple(guesses), doubtful=tuple(sorted({*sight.doubtful, *told})))


def _of_words(board: list[str], side: int, place: int, sign: str, is_word: IsWord) -> float:
    """Return what the words say for a sign on a square, as a logarithm."""
    tried = [*board[:place], sign, *board[place + 1 :]]
    # Where nothing lies, the words beside it end there.
    places = [place, *_beside(place, side)]
    words = {(run, word) for one in places for run, word in _words_through(tried, side, one)}
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
    """Return the words of a board that no doubtful square is in or beside."""
    near = doubtful.union(*(_beside(place, side) for place in doubtful))
    words = {run: word for place in range(side * side) for run, word in _words_through(board, side, place)}
    return [word for run, word in words.items() if not near.intersection(run)]
