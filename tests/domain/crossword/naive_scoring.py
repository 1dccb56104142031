"""Scores computed directly from the rules, without the project's scoring code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from bot.domain.crossword.rules import LETTER_MULTIPLIER, WORD_MULTIPLIER, BoardLayout

Square = tuple[int, int]
Tile = TypeVar("Tile")


def letter_multiplier(layout: BoardLayout, row: int, column: int) -> int:
    return LETTER_MULTIPLIER.get(layout.squares[row * layout.columns + column], 1)


def word_multiplier(layout: BoardLayout, row: int, column: int) -> int:
    return WORD_MULTIPLIER.get(layout.squares[row * layout.columns + column], 1)


def word_through(board: Mapping[Square, object], square: Square, step: Square) -> tuple[Square, ...]:
    """Return the squares of the word through a square in one direction.

    The result is empty if the tile has no neighbours in this direction.
    """
    row, column = square
    while (row - step[0], column - step[1]) in board:
        row, column = row - step[0], column - step[1]
    word = []
    while (row, column) in board:
        word.append((row, column))
        row, column = row + step[0], column + step[1]
    return tuple(word) if len(word) > 1 else ()


def score_of_words(
    board: dict[Square, Tile], laid: dict[Square, Tile], layout: BoardLayout, points: Callable[[Tile], int]
) -> int:
    """Return the points for all words that the laid tiles form, without a bingo bonus."""
    board_after = board | laid
    total = 0
    for word in {word_through(board_after, square, step) for square in laid for step in ((0, 1), (1, 0))}:
        score, multiplier = 0, 1
        for square in word:
            value = points(board_after[square])
            if square in laid:
                value *= letter_multiplier(layout, *square)
                multiplier *= word_multiplier(layout, *square)
            score += value
        total += score * multiplier
    return total
