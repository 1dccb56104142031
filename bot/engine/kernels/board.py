"""The arrays of a board for the kernels, and their updates after each play.

Every square is stored twice, once for each direction of play. The *lanes* are the rows in direction 0, and the columns in
direction 1. Along a lane, the index grows by 1. Walls surround the board. With ``size = (rows + 2) * (columns + 2)``, the index
of the square in row r and column c, counted from 0, is

    direction 0:         (r + 1) * (columns + 2) + c + 1
    direction 1: size + (c + 1) * (rows + 2) + r + 1

``squares`` (int32) has a section of ``2 * size`` numbers for each constant from ``LETTER`` to ``WORD_MULTIPLIER``. ``masks`` (int64)
has a section for ``CROSS`` and a section for ``BEFORE``. ``game`` (int64) is indexed by the ``G_`` constants.

A *run* is an unbroken sequence of tiles on a lane. The *cross-set* of an empty square is the mask of the letters that make a
word across the lane. Its *cross-score* is the sum of the points of the board's tiles in that word.

To make a play, call :func:`put_tile` for each laid tile, then :func:`update_after_play`. Each changed number adds two numbers to
``undo_log`` (int64): twice its index (plus 1 if it is in ``masks``), and its old value. ``undo_log[0]`` is the index of the last
number in ``undo_log``. :func:`undo_to` restores the board that belongs to an earlier value of ``undo_log[0]``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.graph import LETTERS_ONLY, Graph, accepted_letters_at, entry_of, follow, letters_at

Squares: TypeAlias = npt.NDArray[np.int32]
Masks: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int64]

(
    # The sections of ``squares``.
    # The machine letter, which is positive even for a blank. 0 on an empty square, ``WALL`` off the board.
    LETTER,
    POINTS,  # 0 on an empty square.
    CROSS_POINTS,  # The cross-score, or ``NO_CROSS`` if no tile is adjacent across the lane.
    RUN,  # At the last square of a run: the offset of the GADDAG list that its tiles lead to, last tile first.
    LETTER_MULTIPLIER,
    WORD_MULTIPLIER,
    SECTIONS,
) = range(7)

(
    # The sections of ``masks``.
    CROSS,  # The cross-set. ``EVERY_LETTER`` if no tile is adjacent across the lane.
    BEFORE,  # The letters that can precede the run on the next square. ``EVERY_LETTER`` if no run begins there.
    MASK_SECTIONS,
) = range(3)

WALL = -1
NO_CROSS = -(1 << 30)
EVERY_LETTER = (1 << 63) - 2

(
    G_ROWS,
    G_COLUMNS,
    G_SIZE,  # Number of squares in one direction, including walls.
    G_ROOT,  # Offset of the first list of the GADDAG.
    G_RACK_SIZE,
    G_BONUS,  # Points for laying ``G_RACK_SIZE`` tiles.
    G_MIN_BAG_FOR_EXCHANGE,  # Minimum number of tiles in the bag for an exchange.
    G_START_ROW,
    G_START_COLUMN,
    G_BOTH_WAYS,  # 1 if a first play may score differently down than across.
    G_VOWEL_MASK,
    G_LETTER_MASK,
    G_SCORELESS_LIMIT,
    G_KIND_COUNT,  # Number of machine letters, including the blank.
    # 1 if each player has one more turn when the bag is empty, and tiles left over do not count.
    G_EQUAL_TURNS,
    G_BINGO_MULTIPLIER,  # Multiplier for the score of the main word if ``G_RACK_SIZE`` tiles are played.
    G_POINTS,  # 64 numbers, the blank first.
) = range(17)
G_OPENING_PENALTIES = 80
"""``OPENING_STRIDE`` numbers for each direction. Entry n is the penalty in millipoints for a vowel on the nth square of
the start square's lane. Entry 0 is unused."""
OPENING_STRIDE = 64
G_HASHES = G_OPENING_PENALTIES + 2 * OPENING_STRIDE
"""64 numbers: the hash of each letter, and 0 for the blank."""
GAME_LENGTH = G_HASHES + 64

MAX_UNDO_LOG_PER_TILE = 24
"""Maximum growth of ``undo_log`` for each laid tile."""
MAX_UNDO_LOG_PER_PLAY = 16
"""Maximum growth for a play, in addition to the growth for each laid tile."""


@inlined
def square_of(game: Numbers, direction: int, row: int, column: int) -> int:
    if direction:
        return game[G_SIZE] + (column + 1) * (game[G_ROWS] + 2) + row + 1
    return (row + 1) * (game[G_COLUMNS] + 2) + column + 1


@inlined
def square_in_other_direction(game: Numbers, square: int) -> int:
    size = game[G_SIZE]
    if square < size:
        width = game[G_COLUMNS] + 2
        return size + square % width * (game[G_ROWS] + 2) + square // width
    square -= size
    width = game[G_ROWS] + 2
    return square % width * (game[G_COLUMNS] + 2) + square // width


@inlined
def _write_with_undo(array: Squares | Masks, index: int, value: int, undo_log: Numbers, is_mask: int) -> None:
    end = undo_log[0]
    undo_log[end + 1] = index << 1 | is_mask
    undo_log[end + 2] = array[index]
    undo_log[0] = end + 2
    array[index] = value


@inner_kernel
def undo_to(squares: Squares, masks: Masks, undo_log: Numbers, undo_mark: int) -> None:
    end = undo_log[0]
    while end > undo_mark:
        index_and_flag = undo_log[end - 1]
        if index_and_flag & 1:
            masks[index_and_flag >> 1] = undo_log[end]
        else:
            squares[index_and_flag >> 1] = undo_log[end]
        end -= 2
    undo_log[0] = undo_mark


@inner_kernel
def put_tile(
    game: Numbers, squares: Squares, undo_log: Numbers, square: int, letter: int, points: int
) -> None:
    section_length = 2 * game[G_SIZE]
    other = square_in_other_direction(game, square)
    _write_with_undo(squares, square, letter, undo_log, 0)
    _write_with_undo(squares, other, letter, undo_log, 0)
    _write_with_undo(squares, POINTS * section_length + square, points, undo_log, 0)
    _write_with_undo(squares, POINTS * section_length + other, points, undo_log, 0)


@inner_kernel
def find_cross_set(game: Numbers, squares: Squares, graph: Graph, square: int) -> int:
    """Return the letters that make a word with the runs beside an empty square: its cross-set in the other direction."""
    run_section = RUN * 2 * game[G_SIZE]
    last = square + 1
    while squares[last] > 0:
        last += 1
    last -= 1
    if squares[square - 1] <= 0:
        if last == square:
            return EVERY_LETTER
        return accepted_letters_at(graph, to_int64(squares[run_section + last])) & LETTERS_ONLY
    if last == square:
        return (
            accepted_letters_at(
                graph, follow(graph, to_int64(squares[run_section + square - 1]), to_int64(0)) >> 1
            )
            & LETTERS_ONLY
        )
    fitting_letters = 0
    offset = to_int64(squares[run_section + last])
    letters = letters_at(graph, offset)
    untried = letters & LETTERS_ONLY
    while untried:
        letter = lowest_bit(untried)
        untried &= untried - 1
        entry = entry_of(graph, offset, letters, letter)
        neighbour = square - 1
        while squares[neighbour] > 0 and entry:
            entry = follow(graph, entry >> 1, to_int64(squares[neighbour]))
            neighbour -= 1
        if entry & 1:
            fitting_letters |= 1 << letter
    return fitting_letters


@inner_kernel
def _update_cross(
    game: Numbers, squares: Squares, masks: Masks, graph: Graph, undo_log: Numbers, square: int
) -> None:
    """Update the cross-set and cross-score of an empty square, which are stored in the other direction."""
    section_length = 2 * game[G_SIZE]
    points = 0
    neighbour = square - 1
    while squares[neighbour] > 0:
        points += squares[POINTS * section_length + neighbour]
        neighbour -= 1
    neighbour = square + 1
    while squares[neighbour] > 0:
        points += squares[POINTS * section_length + neighbour]
        neighbour += 1
    other = square_in_other_direction(game, square)
    _write_with_undo(squares, CROSS_POINTS * section_length + other, points, undo_log, 0)
    _write_with_undo(
        masks, CROSS * section_length + other, find_cross_set(game, squares, graph, square), undo_log, 1
    )


@inner_kernel
def _update_run(
    game: Numbers, squares: Squares, masks: Masks, graph: Graph, undo_log: Numbers, square: int
) -> None:
    section_length = 2 * game[G_SIZE]
    last = square
    while squares[last + 1] > 0:
        last += 1
    offset = game[G_ROOT]
    first = last
    while squares[first] > 0:
        offset = follow(graph, offset, to_int64(squares[first])) >> 1
        first -= 1
    _write_with_undo(squares, RUN * section_length + last, offset, undo_log, 0)
    if squares[first] == 0:
        before = letters_at(graph, offset) & LETTERS_ONLY
        _write_with_undo(masks, BEFORE * section_length + first, before, undo_log, 1)
        _update_cross(game, squares, masks, graph, undo_log, first)
    if squares[last + 1] == 0:
        _update_cross(game, squares, masks, graph, undo_log, last + 1)


@inner_kernel
def update_after_play(
    game: Numbers,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    undo_log: Numbers,
    first: int,
    end: int,
    laid_mask: int,
) -> None:
    """Update ``RUN``, ``CROSS_POINTS``, ``CROSS`` and ``BEFORE`` after a play on the squares ``range(first, end)``.

    Bit n of ``laid_mask`` is set if the play laid the tile on ``first + n``.
    """
    _update_run(game, squares, masks, graph, undo_log, first)
    for square in range(first, end):
        if laid_mask >> (square - first) & 1:
            _update_run(game, squares, masks, graph, undo_log, square_in_other_direction(game, square))


@compiled
def set_up_board(
    game: Numbers,
    empty_squares: Squares,
    tiles: Squares,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    undo_log: Numbers,
) -> None:
    """Fill ``squares`` and ``masks``. ``empty_squares`` is the ``squares`` array of the empty board.

    ``tiles`` lists the machine letters row by row, 0 for an empty square. A blank's letter is negative.
    """
    section_length = 2 * game[G_SIZE]
    for index in range(SECTIONS * section_length):
        squares[index] = empty_squares[index]
    for square in range(section_length):
        squares[CROSS_POINTS * section_length + square] = NO_CROSS
        masks[CROSS * section_length + square] = EVERY_LETTER
        masks[BEFORE * section_length + square] = EVERY_LETTER
    for place in range(tiles.shape[0]):
        tile = to_int64(tiles[place])
        if tile:
            square = square_of(game, to_int64(0), place // game[G_COLUMNS], place % game[G_COLUMNS])
            put_tile(game, squares, undo_log, square, abs(tile) & 63, game[G_POINTS + (max(tile, 0) & 63)])
            undo_log[0] = 0
    # From last to first, because a cross-set between two runs needs the second run.
    for square in range(section_length - 2, 0, -1):
        if squares[square] > 0 and squares[square + 1] <= 0:
            _update_run(game, squares, masks, graph, undo_log, square)
            undo_log[0] = 0
