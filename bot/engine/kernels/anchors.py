"""Finds anchors, and computes their *shadows*: upper bounds on the equity or score of their plays, without looking up words.

:mod:`bot.engine.kernels.plays` explains anchors. The ``W_`` constants are the offsets of the sections of ``work``. Variables for a
part of ``work``, such as ``anchor``, ``left_sums``, ``table`` and ``row``, hold the index of its first number.

A square is *free* if it takes any letter and has no neighbours across the lane.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.best_plays import F_BY_SCORE
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BINGO_MULTIPLIER,
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
    LETTER_MULTIPLIER,
    NO_CROSS,
    POINTS,
    WALL,
    WORD_MULTIPLIER,
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
    K_FIRST_SUBSETS,
    K_LISTS,
    K_MAX_LAID,
    K_NEXT_SUBSETS,
    K_TILE_COUNT,
    K_TOP_POINTS,
    K_USE_MAP,
    L_ORDER,
    L_POINTS,
    LISTS_ALONE,
    LOWEST_VALUE,
    MAX_RACK,
)

(
    # The sums for a number of tiles on one side of an anchor.
    S_MULTIPLIER,  # The product of the word multipliers.
    S_WORD_POINTS,  # Highest points on squares that are not free, before the word multiplier.
    S_EXTRA_POINTS,  # The part of ``S_WORD_POINTS`` that is due to letter multipliers.
    S_CROSS_POINTS,  # Points of the words across the lane.
    S_THROUGH_POINTS,  # Points of the board's tiles in the word.
    S_THROUGH_HASH_SUM,  # The sum of the hashes of these tiles.
    # Four 8-bit counts: the free squares with a letter multiplier of at least 1, 2, 3 and 4.
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
    A_LEFTMOST,  # The leftmost square that may take a tile.
    A_BOUND,  # Upper bound of the anchor's plays.
    # Index of its table of bounds: a row for each number of tiles to the left, a column for each number to the right. A bound
    # holds for exactly that many tiles to the left (column 0: at least that many), and at least that many to the right.
    A_TABLE,
    A_LEFT_SUMS,  # Index of its sums for 0, 1, 2, ... tiles to the left.
    A_RIGHT_SUMS,
    A_LEFT_ROOM,  # Number of tiles that fit to the left.
    A_RIGHT_ROOM,
    A_LENGTH,
) = range(10)

TABLE_LENGTH = (MAX_RACK + 1) ** 2 + 2 * S_LENGTH * (MAX_RACK + 1)
"""Maximum total length of an anchor's sums and its table of bounds."""


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
    """Write the anchors. Return their number, or -1 if the board is empty."""
    size = game[G_SIZE]
    section_length = 2 * size
    anchor = W_ALLOWED + section_length
    anchor_count = 0
    tile_count = 0
    leftmost = 0
    square = 0
    while square < section_length:
        letter = squares[square]
        if letter == WALL:
            leftmost = square + 1
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
            work[anchor + A_LEFTMOST] = leftmost
            anchor += A_LENGTH
            anchor_count += 1
            tile_count += has_tile
            leftmost = square + 1 + has_tile
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
        leftmost = square
        while squares[leftmost - 1] == 0:
            leftmost -= 1
        work[anchor + A_FIRST] = square + 1
        work[anchor + A_LAST] = square
        work[anchor + A_LEFTMOST] = leftmost
        anchor += A_LENGTH
        anchor_count += 1
    return anchor_count


CODE_BITS = 9
"""Number of bits for a code in ``L_ORDER``."""
_MAX_ORDERED_SUBSETS = 1 << CODE_BITS
"""Maximum number of subsets that are sorted. A search in the map of words needs sorted subsets."""


@inlined
def _highest_points(game: Numbers, fitting_letters: int) -> int:
    highest = LOWEST_VALUE
    while fitting_letters:
        highest = max(highest, game[G_POINTS + lowest_bit(fitting_letters)])
        fitting_letters &= fitting_letters - 1
    return highest


@inner_kernel
def _sum_side(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    subset_tables: Numbers,
    work: Numbers,
    sums_index: int,
    square: int,
    step: int,
    leftmost: int,
) -> int:
    """Write the sums for 1, 2, ... tiles on one side of an anchor. Return the number of tiles that fit.

    ``sums_index`` is the index of the sums for 0 tiles. The new sums follow them in ``work``. ``square`` is the first square to take
    a tile. ``step`` is -1 to the left, and 1 to the right. No tile is laid to the left of ``leftmost``.
    """
    section_length = 2 * game[G_SIZE]
    rack_letters = subset_tables[rack[K_CODE_COUNT] - 1]
    all_letters = game[G_LETTER_MASK]
    multiplier = to_int64(1)
    word_points = extra_points = cross_points = to_int64(0)
    through_points = work[sums_index + S_THROUGH_POINTS]
    hash_sum = work[sums_index + S_THROUGH_HASH_SUM]
    free_counts = to_int64(0)
    max_laid = rack[K_MAX_LAID]
    tile_count = to_int64(0)
    while tile_count < max_laid and square >= leftmost and squares[square] == 0:
        allowed = work[W_ALLOWED + square]
        fitting_letters = allowed & rack_letters
        if rack_letters & 1 and allowed:  # bit 0 is set if the rack has a blank
            fitting_letters |= 1
        if not fitting_letters:
            break
        letter_multiplier = to_int64(squares[LETTER_MULTIPLIER * section_length + square])
        word_multiplier = to_int64(squares[WORD_MULTIPLIER * section_length + square])
        cross = to_int64(squares[CROSS_POINTS * section_length + square])
        multiplier *= word_multiplier
        if allowed == all_letters and cross == NO_CROSS:
            free_counts += (
                1
                + ((letter_multiplier > 1) << 8)
                + ((letter_multiplier > 2) << 16)
                + ((letter_multiplier > 3) << 24)
            )
        else:
            points = _highest_points(game, fitting_letters)
            extra_points += (letter_multiplier - 1) * points
            points *= letter_multiplier
            word_points += points
            if cross != NO_CROSS:
                cross_points += (points + cross) * word_multiplier
        tile_count += 1
        square += step
        if step > 0:
            while squares[square] > 0:
                through_points += squares[POINTS * section_length + square]
                hash_sum += game[G_HASHES + to_int64(squares[square])]
                square += 1
        sums_index += S_LENGTH
        work[sums_index + S_MULTIPLIER] = multiplier
        work[sums_index + S_WORD_POINTS] = word_points
        work[sums_index + S_EXTRA_POINTS] = extra_points
        work[sums_index + S_CROSS_POINTS] = cross_points
        work[sums_index + S_THROUGH_POINTS] = through_points
        work[sums_index + S_THROUGH_HASH_SUM] = hash_sum
        work[sums_index + S_FREE_COUNTS] = free_counts
    return tile_count


@inlined
def _clear_sums(work: Numbers, sums_index: int) -> None:
    for field in range(S_LENGTH):
        work[sums_index + field] = 0
    work[sums_index + S_MULTIPLIER] = 1


@inner_kernel
def order_subsets(
    graph: Graph,
    rack: Numbers,
    subset_tables: Numbers,
    leave_equities: Numbers,
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
        rack[K_FIRST_SUBSETS + laid_count] = 0
    for code in range(1, code_count):
        rack[K_FIRST_SUBSETS + paths[3 * code + 2] + 1] += 1
    for laid_count in range(1, tile_count + 1):
        rack[K_NEXT_SUBSETS + laid_count] = rack[K_FIRST_SUBSETS + laid_count]
        rack[K_LISTS + laid_count] = rack[K_LISTS + LISTS_ALONE + laid_count] = -1
        rack[K_FIRST_SUBSETS + laid_count + 1] += rack[K_FIRST_SUBSETS + laid_count]
    for code in range(1, code_count):
        laid_count = paths[3 * code + 2]
        value = subset_tables[L_POINTS * code_count + code]
        if not store_state[F_BY_SCORE]:
            value = value * 1000 + leave_equities[code_count - 1 - code]
        value = value << CODE_BITS | code
        first = L_ORDER * code_count + rack[K_FIRST_SUBSETS + laid_count]
        place = L_ORDER * code_count + rack[K_NEXT_SUBSETS + laid_count]
        rack[K_NEXT_SUBSETS + laid_count] += 1
        while place > first and subset_tables[place - 1] < value:
            subset_tables[place] = subset_tables[place - 1]
            place -= 1
        subset_tables[place] = value


@inner_kernel
def write_bounds(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    subset_tables: Numbers,
    work: Numbers,
    store_state: Numbers,
    anchor: int,
    left_sums: int,
) -> int:
    """Write an anchor's bound and, from index ``left_sums`` on, its sums and its table. Return the index after the table.

    The bound assumes the best case. Each square that takes only some letters gets the best tile that fits. The rack's
    best tiles go on the highest multipliers of the other squares. The leave is the best possible.
    """
    first = work[anchor + A_FIRST]
    last = work[anchor + A_LAST]
    leftmost = work[anchor + A_LEFTMOST]
    # If the anchor square is empty, a tile must be laid on it. This tile counts as the first on the left.
    min_left = to_int64(1 if first > last else 0)
    _clear_sums(work, left_sums)
    left_room = _sum_side(
        game, squares, rack, subset_tables, work, left_sums, first - 1, to_int64(-1), leftmost
    )
    right_sums = left_sums + S_LENGTH * (left_room + 1)
    _clear_sums(work, right_sums)
    for square in range(first, last + 1):
        work[right_sums + S_THROUGH_POINTS] += squares[POINTS * 2 * game[G_SIZE] + square]
        work[right_sums + S_THROUGH_HASH_SUM] += game[G_HASHES + to_int64(squares[square])]
    right_room = _sum_side(
        game, squares, rack, subset_tables, work, right_sums, last + 1, to_int64(1), leftmost
    )
    table = right_sums + S_LENGTH * (right_room + 1)
    work[anchor + A_LEFT_SUMS] = left_sums
    work[anchor + A_RIGHT_SUMS] = right_sums
    work[anchor + A_LEFT_ROOM] = left_room
    work[anchor + A_RIGHT_ROOM] = right_room
    work[anchor + A_TABLE] = table
    max_laid = rack[K_MAX_LAID]
    by_score = store_state[F_BY_SCORE]
    best_left = to_int64(LOWEST_VALUE)
    if left_room < max_laid:
        work[table + (left_room + 1) * (max_laid + 1)] = LOWEST_VALUE
    for left_count in range(left_room, -1, -1):
        row = table + left_count * (max_laid + 1)
        left_side = left_sums + S_LENGTH * left_count
        best = to_int64(LOWEST_VALUE)
        max_right_count = min(right_room, max_laid - left_count)
        for right_count in range(max_right_count + 1, max_laid + 1):
            work[row + right_count] = LOWEST_VALUE
        for right_count in range(max_right_count, -1, -1):
            laid_count = left_count + right_count
            right_side = right_sums + S_LENGTH * right_count
            # A tile on the anchor square alone makes no word in this lane.
            if left_count >= min_left and laid_count > min_left:
                word_points = (
                    work[left_side + S_WORD_POINTS]
                    + work[right_side + S_WORD_POINTS]
                    + work[right_side + S_THROUGH_POINTS]
                )
                free_counts = work[left_side + S_FREE_COUNTS] + work[right_side + S_FREE_COUNTS]
                for level in range(4):
                    word_points += rack[K_TOP_POINTS + (free_counts >> 8 * level & 255)]
                score = word_points * work[left_side + S_MULTIPLIER] * work[right_side + S_MULTIPLIER]
                if laid_count == game[G_RACK_SIZE]:
                    score = score * game[G_BINGO_MULTIPLIER] + game[G_BONUS]
                score += work[left_side + S_CROSS_POINTS] + work[right_side + S_CROSS_POINTS]
                best = max(best, score if by_score else score * 1000 + rack[K_BEST_LEAVE + laid_count])
            if right_count:
                work[row + right_count] = best
        best_left = max(best_left, best)
        work[row] = best_left
    work[anchor + A_BOUND] = best_left
    return table + (max_laid + 1) * (max_laid + 1)
