"""Finds anchors, and computes their *shadows*: upper bounds on the equity or score of their plays, without looking up words.

:mod:`bot.engine.kernels.plays` explains anchors. The ``W_`` constants are the offsets of the sections of ``work``.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.best_plays import F_BY_SCORE
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_BOTH_WAYS,
    G_COLUMNS,
    G_HASHES,
    G_LETTER_MASK,
    G_POINTS,
    G_RACK_SIZE,
    G_ROWS,
    G_SIZE,
    G_START_COLUMN,
    G_START_ROW,
    LETTER_TIMES,
    NO_CROSS,
    POINTS,
    WORD_TIMES,
    Masks,
    Numbers,
    Squares,
    square_of,
)
from bot.engine.kernels.graph import MAP_OFFSET_INDEX, Graph
from bot.engine.kernels.rack import (
    K_BEST_LEAVE,
    K_CODE_COUNT,
    K_COUNTS,
    K_FIRST,
    K_LISTS,
    K_MAX_LAID,
    K_NEXT,
    K_TILE_COUNT,
    K_TOP_POINTS,
    K_USE_MAP,
    L_ORDER,
    L_POINTS,
    MAX_RACK,
    NEVER,
)

(
    # The sums for a number of tiles on one side of an anchor.
    S_WORD_TIMES,  # The product of the word multipliers.
    S_WORD_POINTS,  # Points on squares that take only some letters, before the word multiplier.
    S_EXTRA_POINTS,  # The part of ``S_WORD_POINTS`` that is due to letter multipliers.
    S_CROSS_POINTS,  # Points of the words across the lane.
    S_THROUGH_POINTS,  # Points of the board's tiles in the word.
    S_THROUGH_HASH_SUM,  # The sum of the hashes of these tiles.
    # Four 8-bit counts of squares that take any letter: with a letter multiplier of at least 1, 2, 3 and 4.
    S_FREE_COUNTS,
) = range(7)
S_LENGTH = 7

W_WORD = 0
"""The current word, indexed by the distance from the wall before the lane."""
W_ANCHOR = W_WORD + 64
"""Indexed by the ``N_`` constants."""
W_FRAMES = W_ANCHOR + 8
W_ALLOWED = W_FRAMES + 128 * 10
"""By square: the mask of letters that it can take. The anchors, indexed by the ``A_`` constants, and their tables follow."""

(
    # The fields of the current anchor.
    N_LANE_START,  # The wall before the lane.
    N_DIRECTION,
    N_IS_OPENING,  # 1 when the board is empty.
    N_LANE_NUMBER,  # The row or column, from 0.
) = range(4)

(
    # The fields of an anchor.
    A_FIRST,  # The run's first square, or the square after an empty anchor square.
    A_LAST,  # The run's last square, or the empty anchor square.
    A_LIMIT,  # The leftmost square that may take a tile.
    A_BOUND,  # Upper bound of the anchor's plays.
    # Index of its table of bounds: a row for each number of tiles to the left, a column for each number to the right. A bound
    # holds for exactly that many tiles to the left (column 0: at least that many), and at least that many to the right.
    A_TABLE,
    A_LEFT_SUMS,  # Index of its sums for 0, 1, 2, ... tiles to the left.
    A_RIGHT_SUMS,
    A_TO_LEFT,  # Number of tiles that fit to the left.
    A_TO_RIGHT,
    A_LENGTH,
) = range(10)

TABLE_LENGTH = (MAX_RACK + 1) ** 2 + 2 * S_LENGTH * (MAX_RACK + 1)
"""Maximum length of an anchor's sums and table of bounds."""


def work_length(rows: int, columns: int) -> int:
    return W_ALLOWED + 2 * (rows + 2) * (columns + 2) * (1 + A_LENGTH + TABLE_LENGTH)


@inner_kernel
def find_anchors(game: Numbers, squares: Squares, masks: Masks, work: Numbers) -> int:
    """Write the letters that each square can take, the anchors, and ``N_IS_OPENING``. Return the number of anchors."""
    size = game[G_SIZE]
    for square in range(2 * size):
        work[W_ALLOWED + square] = (
            masks[CROSS * 2 * size + square] & masks[BEFORE * 2 * size + square] & game[G_LETTER_MASK]
        )
    anchor_count = _list_anchors(game, squares, work)
    work[W_ANCHOR + N_IS_OPENING] = anchor_count < 0
    return anchor_count if anchor_count >= 0 else _list_start_anchors(game, squares, work)


@inlined
def set_lane(game: Numbers, work: Numbers, anchor: int) -> int:
    """Write the lane of an anchor. Return the wall before the lane."""
    last = work[anchor + A_LAST]
    direction = last >= game[G_SIZE]
    width = game[G_ROWS] + 2 if direction else game[G_COLUMNS] + 2
    place = last - direction * game[G_SIZE]
    work[W_ANCHOR + N_DIRECTION] = direction
    work[W_ANCHOR + N_LANE_NUMBER] = place // width - 1
    work[W_ANCHOR + N_LANE_START] = last - place % width
    return work[W_ANCHOR + N_LANE_START]


@inner_kernel
def _list_anchors(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Return the number of anchors, or -1 if the board is empty."""
    size = game[G_SIZE]
    section_length = 2 * size
    anchor = W_ALLOWED + section_length
    anchor_count = 0
    tile_count = 0
    limit = 0
    square = 0
    while square < section_length:
        letter = squares[square]
        if letter == -1:
            limit = square + 1
        elif letter > 0 or (
            squares[CROSS_POINTS * section_length + square] != NO_CROSS
            and squares[square - 1] <= 0
            and squares[square + 1] <= 0
        ):
            has_tile = letter > 0
            work[anchor + A_FIRST] = square if has_tile else square + 1
            while has_tile and squares[square + 1] > 0:
                square += 1
            work[anchor + A_LAST] = square
            work[anchor + A_LIMIT] = limit
            anchor += A_LENGTH
            anchor_count += 1
            tile_count += has_tile
            limit = square + 1 + has_tile
        square += 1
    return anchor_count if tile_count else -1


@inner_kernel
def _list_start_anchors(game: Numbers, squares: Squares, work: Numbers) -> int:
    anchor = W_ALLOWED + 2 * game[G_SIZE]
    anchor_count = 0
    for direction in range(1 + game[G_BOTH_WAYS]):
        square = square_of(game, direction, game[G_START_ROW], game[G_START_COLUMN])
        if squares[square] != 0:
            continue
        limit = square
        while squares[limit - 1] == 0:
            limit -= 1
        work[anchor + A_FIRST] = square + 1
        work[anchor + A_LAST] = square
        work[anchor + A_LIMIT] = limit
        anchor += A_LENGTH
        anchor_count += 1
    return anchor_count


CODE_BITS = 9
"""Number of bits for a code in ``L_ORDER``."""
_MAX_ORDERED_SUBSETS = 1 << CODE_BITS
"""The map of words needs sorted subsets."""


@inlined
def _highest_points(game: Numbers, fitting_letters: int) -> int:
    highest = NEVER
    while fitting_letters:
        highest = max(highest, game[G_POINTS + lowest_bit(fitting_letters)])
        fitting_letters &= fitting_letters - 1
    return highest


@inner_kernel
def _sum_side(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    sums: int,
    square: int,
    step: int,
    limit: int,
) -> int:
    """Write the sums for 1, 2, ... tiles on one side of an anchor, after those for 0. Return the number of tiles that fit.

    ``square`` is the first square to take a tile, and ``limit`` the leftmost.
    """
    section_length = 2 * game[G_SIZE]
    rack_letters = letters[rack[K_CODE_COUNT] - 1]
    all_letters = game[G_LETTER_MASK]
    times = to_int64(1)
    main = extra = crossing = to_int64(0)
    through = work[sums + S_THROUGH_POINTS]
    hash_sum = work[sums + S_THROUGH_HASH_SUM]
    free = to_int64(0)
    max_laid = rack[K_MAX_LAID]
    tile_count = to_int64(0)
    while tile_count < max_laid and square >= limit and squares[square] == 0:
        allowed = work[W_ALLOWED + square]
        fitting_letters = allowed & rack_letters
        if rack_letters & 1 and allowed:
            fitting_letters |= 1
        if not fitting_letters:
            break
        letter_times = to_int64(squares[LETTER_TIMES * section_length + square])
        word_times = to_int64(squares[WORD_TIMES * section_length + square])
        cross = to_int64(squares[CROSS_POINTS * section_length + square])
        times *= word_times
        if allowed == all_letters and cross == NO_CROSS:
            free += 1 + ((letter_times > 1) << 8) + ((letter_times > 2) << 16) + ((letter_times > 3) << 24)
        else:
            points = _highest_points(game, fitting_letters)
            extra += (letter_times - 1) * points
            points *= letter_times
            main += points
            if cross != NO_CROSS:
                crossing += (points + cross) * word_times
        tile_count += 1
        square += step
        if step > 0:
            while squares[square] > 0:
                through += squares[POINTS * section_length + square]
                hash_sum += game[G_HASHES + to_int64(squares[square])]
                square += 1
        sums += S_LENGTH
        work[sums + S_WORD_TIMES] = times
        work[sums + S_WORD_POINTS] = main
        work[sums + S_EXTRA_POINTS] = extra
        work[sums + S_CROSS_POINTS] = crossing
        work[sums + S_THROUGH_POINTS] = through
        work[sums + S_THROUGH_HASH_SUM] = hash_sum
        work[sums + S_FREE_COUNTS] = free
    return tile_count


@inlined
def _clear_sums(work: Numbers, sums: int) -> None:
    for field in range(S_LENGTH):
        work[sums + field] = 0
    work[sums + S_WORD_TIMES] = 1


@inner_kernel
def order_subsets(
    graph: Graph,
    rack: Numbers,
    letters: Numbers,
    worth: Numbers,
    paths: Numbers,
    store_state: Numbers,
) -> None:
    """Set ``K_USE_MAP``. Sort the subsets, unless there are too many subsets or blanks."""
    code_count = rack[K_CODE_COUNT]
    tile_count = rack[K_TILE_COUNT]
    too_many = code_count > _MAX_ORDERED_SUBSETS or rack[K_COUNTS] > 1
    rack[K_USE_MAP] = not too_many and graph[MAP_OFFSET_INDEX] != 0
    if too_many:
        return
    for laid_count in range(tile_count + 2):
        rack[K_FIRST + laid_count] = 0
    for code in range(1, code_count):
        rack[K_FIRST + paths[3 * code + 2] + 1] += 1
    for laid_count in range(1, tile_count + 1):
        rack[K_NEXT + laid_count] = rack[K_FIRST + laid_count]
        rack[K_LISTS + laid_count] = rack[K_LISTS + 96 + laid_count] = -1
        rack[K_FIRST + laid_count + 1] += rack[K_FIRST + laid_count]
    for code in range(1, code_count):
        laid_count = paths[3 * code + 2]
        value = letters[L_POINTS * code_count + code]
        if not store_state[F_BY_SCORE]:
            value = value * 1000 + worth[code_count - 1 - code]
        value = value << CODE_BITS | code
        first = L_ORDER * code_count + rack[K_FIRST + laid_count]
        place = L_ORDER * code_count + rack[K_NEXT + laid_count]
        rack[K_NEXT + laid_count] += 1
        while place > first and letters[place - 1] < value:
            letters[place] = letters[place - 1]
            place -= 1
        letters[place] = value


@inner_kernel
def compute_shadow(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    store_state: Numbers,
    anchor: int,
    table: int,
) -> int:
    """Write an anchor's bound and, from index ``table`` on, its sums and its table. Return the index after the table.

    The bounds assume the best fitting tile on each square that takes only some letters, the rack's best tiles on the highest
    multipliers of the other squares, and the best leave.
    """
    first = work[anchor + A_FIRST]
    last = work[anchor + A_LAST]
    limit = work[anchor + A_LIMIT]
    # The tile on an empty anchor square counts as the first to the left. Alone, it makes no word on this lane.
    min_left = to_int64(1 if first > last else 0)
    left_sums = table
    _clear_sums(work, left_sums)
    to_left = _sum_side(game, squares, rack, letters, work, left_sums, first - 1, to_int64(-1), limit)
    right_sums = table + S_LENGTH * (to_left + 1)
    _clear_sums(work, right_sums)
    for square in range(first, last + 1):
        work[right_sums + S_THROUGH_POINTS] += squares[POINTS * 2 * game[G_SIZE] + square]
        work[right_sums + S_THROUGH_HASH_SUM] += game[G_HASHES + to_int64(squares[square])]
    to_right = _sum_side(game, squares, rack, letters, work, right_sums, last + 1, to_int64(1), limit)
    table = right_sums + S_LENGTH * (to_right + 1)
    work[anchor + A_LEFT_SUMS] = left_sums
    work[anchor + A_RIGHT_SUMS] = right_sums
    work[anchor + A_TO_LEFT] = to_left
    work[anchor + A_TO_RIGHT] = to_right
    work[anchor + A_TABLE] = table
    max_laid = rack[K_MAX_LAID]
    by_score = store_state[F_BY_SCORE]
    best_left = to_int64(NEVER)
    if to_left < max_laid:
        work[table + (to_left + 1) * (max_laid + 1)] = NEVER
    for left_count in range(to_left, -1, -1):
        row = table + left_count * (max_laid + 1)
        left_side = left_sums + S_LENGTH * left_count
        best = to_int64(NEVER)
        max_right_count = min(to_right, max_laid - left_count)
        for right_count in range(max_right_count + 1, max_laid + 1):
            work[row + right_count] = NEVER
        for right_count in range(max_right_count, -1, -1):
            laid_count = left_count + right_count
            right_side = right_sums + S_LENGTH * right_count
            if left_count >= min_left and laid_count > min_left:
                main = (
                    work[left_side + S_WORD_POINTS]
                    + work[right_side + S_WORD_POINTS]
                    + work[right_side + S_THROUGH_POINTS]
                )
                free = work[left_side + S_FREE_COUNTS] + work[right_side + S_FREE_COUNTS]
                for level in range(4):
                    main += rack[K_TOP_POINTS + (free >> 8 * level & 255)]
                score = main * work[left_side + S_WORD_TIMES] * work[right_side + S_WORD_TIMES]
                if laid_count == game[G_RACK_SIZE]:
                    score = score * game[G_BINGO_TIMES] + game[G_BONUS]
                score += work[left_side + S_CROSS_POINTS] + work[right_side + S_CROSS_POINTS]
                best = max(best, score if by_score else score * 1000 + rack[K_BEST_LEAVE + laid_count])
            if right_count:
                work[row + right_count] = best
        best_left = max(best_left, best)
        work[row] = best_left
    work[anchor + A_BOUND] = best_left
    return table + (max_laid + 1) * (max_laid + 1)
