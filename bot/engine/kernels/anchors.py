"""Where a play can touch what lies on the board; see :mod:`bot.engine.kernels.plays`."""

from __future__ import annotations

from bot.engine.compiler import inner
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BOTH_WAYS,
    G_LETTERS,
    G_SIZE,
    G_START_COLUMN,
    G_START_ROW,
    NO_CROSS,
    Masks,
    Numbers,
    Squares,
    square_of,
)
from bot.engine.kernels.work import A_FIRST, A_LAST, A_LENGTH, A_LIMIT, W_OPEN


@inner
def find_anchors(game: Numbers, squares: Squares, masks: Masks, work: Numbers) -> int:
    """Write the letters that squares take, and the anchors; return how many, of an empty board as a negative number."""
    size = game[G_SIZE]
    for square in range(2 * size):
        work[W_OPEN + square] = (
            masks[CROSS * 2 * size + square] & masks[BEFORE * 2 * size + square] & game[G_LETTERS]
        )
    anchors = _list_anchors(game, squares, work)
    return anchors if anchors >= 0 else -_list_start(game, squares, work)


@inner
def _list_anchors(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of both directions; return how many there are, or -1 for an empty board."""
    size = game[G_SIZE]
    section = 2 * size
    at = W_OPEN + section
    anchors = 0
    tiles = 0
    limit = 0
    square = 0
    while square < section:
        letter = squares[square]
        if letter == -1:
            limit = square + 1
        elif letter > 0:
            first = square
            while squares[square + 1] > 0:
                square += 1
            work[at + A_FIRST] = first
            work[at + A_LAST] = square
            work[at + A_LIMIT] = limit
            at += A_LENGTH
            anchors += 1
            tiles += 1
            limit = square + 2
        elif (
            squares[CROSS_POINTS * section + square] != NO_CROSS
            and squares[square - 1] <= 0
            and squares[square + 1] <= 0
        ):
            work[at + A_FIRST] = square + 1
            work[at + A_LAST] = square
            work[at + A_LIMIT] = limit
            at += A_LENGTH
            anchors += 1
            limit = square + 1
        square += 1
    return anchors if tiles else -1


@inner
def _list_start(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of an empty board: the start square, down only when that makes a difference."""
    at = W_OPEN + 2 * game[G_SIZE]
    anchors = 0
    for direction in range(1 + game[G_BOTH_WAYS]):
        square = square_of(game, direction, game[G_START_ROW], game[G_START_COLUMN])
        if squares[square] != 0:
            continue
        limit = square
        while squares[limit - 1] == 0:
            limit -= 1
        work[at + A_FIRST] = square + 1
        work[at + A_LAST] = square
        work[at + A_LIMIT] = limit
        at += A_LENGTH
        anchors += 1
    return anchors
