"""The search from one anchor: Gordon's algorithm with a stack instead of recursion."""

from __future__ import annotations

from bot.engine.compiler import inlined, inner_kernel, lowest_bit, prefetch, to_int64
from bot.engine.kernels.anchors import (
    A_FIRST,
    A_LAST,
    A_LEFTMOST,
    A_TABLE,
    N_DIRECTION,
    N_IS_OPENING,
    N_LANE_NUMBER,
    N_LANE_START,
    W_ALLOWED,
    W_ANCHOR,
    W_FRAMES,
    W_WORD,
    set_lane,
)
from bot.engine.kernels.best_plays import (
    F_BY_SCORE,
    F_PLACEMENT_COUNT,
    F_RECORD_LENGTH,
    F_SPARE_SLOT,
    F_STEP_COUNT,
    F_STOPPED,
    F_WORST_KEY,
    PLACEMENT,
    R_KIND,
    R_LEAVE_CODE,
    R_LENGTH,
    R_START,
    R_TILE_COUNT,
    R_TILES,
    ROW_STRIDE,
    Records,
    store_spare_play,
)
from bot.engine.kernels.board import (
    CROSS_POINTS,
    G_BINGO_MULTIPLIER,
    G_BONUS,
    G_OPENING_PENALTIES,
    G_POINTS,
    G_RACK_SIZE,
    G_ROOT,
    G_SIZE,
    G_VOWEL_MASK,
    LETTER_MULTIPLIER,
    NO_CROSS,
    OPENING_STRIDE,
    POINTS,
    RUN,
    WORD_MULTIPLIER,
    Numbers,
    Squares,
)
from bot.engine.kernels.graph import HEADER_LENGTH, LETTERS_ONLY, Graph, entry_of, follow, letters_at
from bot.engine.kernels.rack import K_CODE_COUNT, K_MAX_LAID, K_WEIGHT

(
    # The fields of a frame: a square to fill, and the tiles laid before.
    _NATURAL_LETTERS,  # The letters still to be tried as ordinary tiles.
    _BLANK_LETTERS,  # The letters still to be tried as blanks.
    _LIST_OFFSET,  # Offset of the GADDAG list for the square.
    _SQUARE,
    _RACK_CODE,  # The code of the tiles left on the rack: an index of ``subset_tables``.
    _WORD_POINTS,  # Points of the word so far, without word multipliers.
    _CROSS_POINTS,  # Points of the words across the lane so far.
    _MULTIPLIER,  # The product of the word multipliers so far.
    _LEFT_COUNT,  # Number of tiles laid to the left.
    _RIGHT_COUNT,  # Number of tiles laid to the right, or ``_LEFTWARD`` if the square is to the left of the anchor.
) = range(10)
_FRAME_LENGTH = 10
_LEFTWARD = -1

_CHECK_MASK = 4095
"""``stop_flag`` is checked when these bits of ``F_STEP_COUNT`` are 0."""


@inlined
def _push(
    graph: Graph,
    subset_tables: Numbers,
    work: Numbers,
    depth: int,
    offset: int,
    list_letters: int,
    square: int,
    rack_code: int,
    word_points: int,
    cross_points: int,
    multiplier: int,
    left_count: int,
    right_count: int,
) -> int:
    """Add a frame for a square, unless no tile on the rack fits. Return the number of frames."""
    rack_letters = subset_tables[rack_code]
    fitting_letters = list_letters & work[W_ALLOWED + square] & LETTERS_ONLY
    natural_letters = fitting_letters & rack_letters
    blank_letters = fitting_letters if rack_letters & 1 else 0  # bit 0 is set if the rack has a blank
    if not natural_letters | blank_letters:
        return depth
    # The next lists are scattered in memory. Prefetching all of them saves a third of the time.
    unfetched = natural_letters | blank_letters
    while unfetched:
        prefetch(graph, entry_of(graph, offset, list_letters, lowest_bit(unfetched)) >> 1)
        unfetched &= unfetched - 1
    frame = W_FRAMES + depth * _FRAME_LENGTH
    work[frame + _NATURAL_LETTERS] = natural_letters
    work[frame + _BLANK_LETTERS] = blank_letters
    work[frame + _LIST_OFFSET] = offset
    work[frame + _SQUARE] = square
    work[frame + _RACK_CODE] = rack_code
    work[frame + _WORD_POINTS] = word_points
    work[frame + _CROSS_POINTS] = cross_points
    work[frame + _MULTIPLIER] = multiplier
    work[frame + _LEFT_COUNT] = left_count
    work[frame + _RIGHT_COUNT] = right_count
    return depth + 1


@inner_kernel
def search_anchor(
    game: Numbers,
    squares: Squares,
    graph: Graph,
    rack: Numbers,
    subset_tables: Numbers,
    leave_equities: Numbers,
    work: Numbers,
    store_state: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    stop_flag: Numbers,
    anchor: int,
) -> None:
    section_length = 2 * game[G_SIZE]
    points_section = POINTS * section_length
    first = work[anchor + A_FIRST]
    last = work[anchor + A_LAST]
    leftmost = work[anchor + A_LEFTMOST]
    start_of_lane = set_lane(game, work, anchor)
    max_laid = rack[K_MAX_LAID]
    row_length = max_laid + 1
    table = work[anchor + A_TABLE]
    full_code = rack[K_CODE_COUNT] - 1
    offset = game[G_ROOT]
    word_points = to_int64(0)
    if first <= last:
        offset = to_int64(squares[RUN * section_length + last])
        for square in range(first, last + 1):
            word_points += squares[points_section + square]
            work[W_WORD + square - start_of_lane] = 0
    after_run = last + 1
    list_letters = letters_at(graph, offset)
    # With constants as arguments, numba would compile the called kernels again.
    zero, unit, leftward = to_int64(0), to_int64(1), to_int64(_LEFTWARD)
    depth = zero
    if (
        first - 1 >= leftmost
        and squares[first - 1] == 0
        and work[table + row_length] >= store_state[F_WORST_KEY]
    ):
        depth = _push(
            graph,
            subset_tables,
            work,
            depth,
            offset,
            list_letters,
            first - 1,
            full_code,
            word_points,
            zero,
            unit,
            zero,
            leftward,
        )
    if list_letters & 1 and squares[after_run] == 0 and work[table + 1] >= store_state[F_WORST_KEY]:
        offset = to_int64(graph[offset + HEADER_LENGTH]) >> 1
        depth = _push(
            graph,
            subset_tables,
            work,
            depth,
            offset,
            letters_at(graph, offset),
            after_run,
            full_code,
            word_points,
            zero,
            unit,
            zero,
            zero,
        )
    while depth:
        frame = W_FRAMES + (depth - 1) * _FRAME_LENGTH
        square = work[frame + _SQUARE]
        rack_code = work[frame + _RACK_CODE]
        offset = work[frame + _LIST_OFFSET]
        untried_letters = work[frame + _NATURAL_LETTERS]
        if untried_letters:
            letter = lowest_bit(untried_letters)
            work[frame + _NATURAL_LETTERS] = untried_letters & (untried_letters - 1)
            work[W_WORD + square - start_of_lane] = letter
            points = game[G_POINTS + letter]
            rack_code -= rack[K_WEIGHT + letter]
        else:
            untried_letters = work[frame + _BLANK_LETTERS]
            if not untried_letters:
                depth -= 1
                continue
            letter = lowest_bit(untried_letters)
            work[frame + _BLANK_LETTERS] = untried_letters & (untried_letters - 1)
            work[W_WORD + square - start_of_lane] = -letter
            points = game[G_POINTS]
            rack_code -= rack[K_WEIGHT]
        store_state[F_STEP_COUNT] += 1
        if not store_state[F_STEP_COUNT] & _CHECK_MASK and stop_flag[0]:
            store_state[F_STOPPED] = 1
            return
        entry = entry_of(graph, offset, letters_at(graph, offset), letter)
        points *= squares[LETTER_MULTIPLIER * section_length + square]
        word_multiplier = to_int64(squares[WORD_MULTIPLIER * section_length + square])
        word_points = work[frame + _WORD_POINTS] + points
        multiplier = work[frame + _MULTIPLIER] * word_multiplier
        cross_points = work[frame + _CROSS_POINTS]
        cross = to_int64(squares[CROSS_POINTS * section_length + square])
        if cross != NO_CROSS:
            cross_points += (cross + points) * word_multiplier
        left_count = work[frame + _LEFT_COUNT]
        right_count = work[frame + _RIGHT_COUNT]
        if right_count == _LEFTWARD:
            left_count += 1
            if entry & 1 and (left_count > 1 or first <= last):
                offer_placement(
                    game,
                    leave_equities,
                    work,
                    store_state,
                    keys,
                    records,
                    heap,
                    rack_code,
                    word_points,
                    cross_points,
                    multiplier,
                    left_count,
                    first - left_count,
                    last,
                    cross,
                )
            if left_count == max_laid:
                continue
            can_go_left = (
                square > leftmost
                and squares[square - 1] == 0
                and work[table + (left_count + 1) * row_length] >= store_state[F_WORST_KEY]
            )
            can_turn = (
                squares[after_run] == 0
                and work[table + left_count * row_length + 1] >= store_state[F_WORST_KEY]
            )
            if not (can_go_left or can_turn):
                continue  # this saves fetching the list from memory
            offset = entry >> 1
            list_letters = letters_at(graph, offset)
            if can_go_left:
                depth = _push(
                    graph,
                    subset_tables,
                    work,
                    depth,
                    offset,
                    list_letters,
                    square - 1,
                    rack_code,
                    word_points,
                    cross_points,
                    multiplier,
                    left_count,
                    leftward,
                )
            if can_turn and list_letters & 1:
                offset = to_int64(graph[offset + HEADER_LENGTH]) >> 1
                depth = _push(
                    graph,
                    subset_tables,
                    work,
                    depth,
                    offset,
                    letters_at(graph, offset),
                    after_run,
                    rack_code,
                    word_points,
                    cross_points,
                    multiplier,
                    left_count,
                    zero,
                )
            continue
        right_count += 1
        square += 1
        while squares[square] > 0 and entry:
            word_points += squares[points_section + square]
            work[W_WORD + square - start_of_lane] = 0
            entry = follow(graph, entry >> 1, to_int64(squares[square]))
            square += 1
        if entry & 1:
            offer_placement(
                game,
                leave_equities,
                work,
                store_state,
                keys,
                records,
                heap,
                rack_code,
                word_points,
                cross_points,
                multiplier,
                left_count + right_count,
                first - left_count,
                square - 1,
                cross,
            )
        if (
            left_count + right_count < max_laid
            and squares[square] == 0
            and work[table + left_count * row_length + right_count + 1] >= store_state[F_WORST_KEY]
        ):
            offset = entry >> 1
            depth = _push(
                graph,
                subset_tables,
                work,
                depth,
                offset,
                letters_at(graph, offset),
                square,
                rack_code,
                word_points,
                cross_points,
                multiplier,
                left_count,
                right_count,
            )


@inner_kernel
def offer_placement(
    game: Numbers,
    leave_equities: Numbers,
    work: Numbers,
    store_state: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    rack_code: int,
    word_points: int,
    cross_points: int,
    multiplier: int,
    laid_count: int,
    first: int,
    last: int,
    cross: int,
) -> None:
    """Count a placement, and store it if it is good enough."""
    direction = work[W_ANCHOR + N_DIRECTION]
    start_of_lane = work[W_ANCHOR + N_LANE_START]
    if laid_count == 1 and direction and cross != NO_CROSS:
        return  # one tile that forms words in both directions counts as a play across
    store_state[F_PLACEMENT_COUNT] += 1
    score = word_points * multiplier
    if laid_count == game[G_RACK_SIZE]:
        score = score * game[G_BINGO_MULTIPLIER] + game[G_BONUS]
    score += cross_points
    equity = score * 1000 + leave_equities[rack_code]
    if work[W_ANCHOR + N_IS_OPENING]:
        equity -= _opening_penalty(game, work, first, last)
    by_score = store_state[F_BY_SCORE]
    key = score if by_score else equity
    if key < store_state[F_WORST_KEY]:
        return
    slot = store_state[F_SPARE_SLOT]
    keys[2 * slot] = key
    keys[2 * slot + 1] = equity if by_score else score
    record = slot * store_state[F_RECORD_LENGTH]
    lane = work[W_ANCHOR + N_LANE_NUMBER]
    place = first - start_of_lane - 1
    records[record + R_KIND] = PLACEMENT
    row, column = (place, lane) if direction else (lane, place)
    records[record + R_START] = ROW_STRIDE * row + 2 * column + direction
    records[record + R_LENGTH] = last - first + 1
    records[record + R_TILE_COUNT] = laid_count
    records[record + R_LEAVE_CODE] = rack_code
    record += R_TILES - first
    for square in range(first, last + 1):
        records[record + square] = work[W_WORD + square - start_of_lane]
    store_spare_play(store_state, keys, records, heap)


@inner_kernel
def _opening_penalty(game: Numbers, work: Numbers, first: int, last: int) -> int:
    penalty = 0
    direction = work[W_ANCHOR + N_DIRECTION]
    for square in range(first, last + 1):
        place = square - work[W_ANCHOR + N_LANE_START]
        if game[G_VOWEL_MASK] >> abs(work[W_WORD + place]) & 1:
            penalty += game[G_OPENING_PENALTIES + direction * OPENING_STRIDE + place]
    return penalty
