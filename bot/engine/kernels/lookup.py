"""Finds an anchor's plays by looking up words in the map.

A *span* combines an anchor with a number of tiles to lay to its left and a number to lay to its right. Each subset of the rack
with this total number of tiles has an upper bound, computed from its points and its leave. Few subsets have a high enough
bound, and most of these make no word with the tiles on the board.

As in :mod:`bot.engine.kernels.anchors`, ``anchor``, ``table`` and ``row`` are indexes into ``work``.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner_kernel, lowest_bit, prefetch, to_int64
from bot.engine.kernels.anchors import (
    A_FIRST,
    A_LAST,
    A_LEFT_ROOM,
    A_LEFT_SUMS,
    A_RIGHT_ROOM,
    A_RIGHT_SUMS,
    A_TABLE,
    CODE_BITS,
    N_LANE_START,
    S_CROSS_POINTS,
    S_EXTRA_POINTS,
    S_FREE_COUNTS,
    S_LENGTH,
    S_MULTIPLIER,
    S_THROUGH_HASH_SUM,
    S_THROUGH_POINTS,
    W_ALLOWED,
    W_ANCHOR,
    W_WORD,
    set_lane,
)
from bot.engine.kernels.best_plays import F_BY_SCORE, F_STEP_COUNT, F_WORST_KEY, Records
from bot.engine.kernels.board import (
    CROSS_POINTS,
    G_BINGO_MULTIPLIER,
    G_BONUS,
    G_HASHES,
    G_KIND_COUNT,
    G_POINTS,
    G_RACK_SIZE,
    G_SIZE,
    LETTER_MULTIPLIER,
    NO_CROSS,
    POINTS,
    WORD_MULTIPLIER,
    Numbers,
    Squares,
)
from bot.engine.kernels.graph import Graph, bucket_start_index, letter_of_word, may_be_word, stored_length
from bot.engine.kernels.rack import (
    K_CODE_COUNT,
    K_FIRST_SUBSETS,
    K_LISTS,
    K_MAX_LAID,
    K_TOP_POINTS,
    L_HASHES,
    L_LISTED,
    L_LISTED_ALONE,
    L_ORDER,
    L_POINTS,
    LIST_COUNT,
    LIST_NEXT,
    LISTS_ALONE,
)
from bot.engine.kernels.search import offer_placement


@inner_kernel
def look_up_plays(
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
    anchor: int,
) -> None:
    first = work[anchor + A_FIRST]
    last = work[anchor + A_LAST]
    set_lane(game, work, anchor)
    left_room = work[anchor + A_LEFT_ROOM]
    right_room = work[anchor + A_RIGHT_ROOM]
    max_laid = rack[K_MAX_LAID]
    table = work[anchor + A_TABLE]
    min_left = to_int64(1 if first > last else 0)
    # The word's tiles on the board depend only on ``right_count``, so consecutive spans share them.
    for right_count in range(right_room + 1):
        for left_count in range(min_left, min(left_room, max_laid - right_count) + 1):
            row = table + left_count * (max_laid + 1)
            if work[row] < store_state[F_WORST_KEY]:
                break
            if left_count + right_count > min_left and work[row + right_count] >= store_state[F_WORST_KEY]:
                _look_up_span(
                    game,
                    squares,
                    graph,
                    rack,
                    subset_tables,
                    leave_equities,
                    work,
                    store_state,
                    keys,
                    records,
                    heap,
                    first - left_count,
                    work[anchor + A_LEFT_SUMS] + S_LENGTH * left_count,
                    work[anchor + A_RIGHT_SUMS] + S_LENGTH * right_count,
                    left_count + right_count,
                )


@inner_kernel
def _list_subsets(
    game: Numbers,
    graph: Graph,
    rack: Numbers,
    subset_tables: Numbers,
    laid_count: int,
    through_hash_sum: int,
    min_value: int,
) -> None:
    """List the subsets of ``laid_count`` tiles that may make a word with letters on the board, best first.

    ``through_hash_sum`` is the sum of these letters' hashes. An earlier list for the same sum is extended. Subsets with
    a value below ``min_value`` are left for a later call.
    """
    code_count = rack[K_CODE_COUNT]
    list_fields = K_LISTS + laid_count + (0 if through_hash_sum else LISTS_ALONE)
    list_start = (L_LISTED if through_hash_sum else L_LISTED_ALONE) * code_count + rack[
        K_FIRST_SUBSETS + laid_count
    ]
    if rack[list_fields] != through_hash_sum:
        rack[list_fields] = through_hash_sum
        rack[list_fields + LIST_NEXT] = L_ORDER * code_count + rack[K_FIRST_SUBSETS + laid_count]
        rack[list_fields + LIST_COUNT] = 0
    place = rack[list_fields + LIST_NEXT]
    end = L_ORDER * code_count + rack[K_FIRST_SUBSETS + laid_count + 1]
    list_end = list_start + rack[list_fields + LIST_COUNT]
    while place < end and subset_tables[place] >> CODE_BITS >= min_value:
        code = subset_tables[place] & ((1 << CODE_BITS) - 1)
        hash_sum = subset_tables[L_HASHES * code_count + code] + through_hash_sum
        fitting = to_int64(0)
        if subset_tables[code] & 1:
            for letter in range(1, game[G_KIND_COUNT]):
                fitting |= to_int64(may_be_word(graph, hash_sum + game[G_HASHES + letter])) << letter
        else:
            fitting = to_int64(may_be_word(graph, hash_sum))
        subset_tables[list_end] = subset_tables[place]
        subset_tables[list_end + code_count] = fitting
        list_end += fitting != 0
        place += 1
    first = list_start + rack[list_fields + LIST_COUNT]
    rack[list_fields + LIST_NEXT] = place
    rack[list_fields + LIST_COUNT] = list_end - list_start
    # The words are scattered in memory. Prefetching all of them saves a third of the time.
    for place in range(first, list_end):
        hash_sum = (
            subset_tables[L_HASHES * code_count + (subset_tables[place] & ((1 << CODE_BITS) - 1))]
            + through_hash_sum
        )
        blanks = subset_tables[place + code_count]
        while blanks:
            prefetch(
                graph, to_int64(graph[bucket_start_index(hash_sum + game[G_HASHES + lowest_bit(blanks)])])
            )
            blanks &= blanks - 1


@inner_kernel
def _look_up_span(
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
    start: int,
    left_side: int,
    right_side: int,
    laid_count: int,
) -> None:
    """Find the plays of a span. ``left_side`` and ``right_side`` are the indexes of its sums."""
    code_count = rack[K_CODE_COUNT]
    multiplier = work[left_side + S_MULTIPLIER] * work[right_side + S_MULTIPLIER]
    fixed_points = work[left_side + S_CROSS_POINTS] + work[right_side + S_CROSS_POINTS]
    through_hash_sum = work[right_side + S_THROUGH_HASH_SUM]
    extra_points = (
        work[left_side + S_EXTRA_POINTS]
        + work[right_side + S_EXTRA_POINTS]
        + work[right_side + S_THROUGH_POINTS]
    )
    free_counts = work[left_side + S_FREE_COUNTS] + work[right_side + S_FREE_COUNTS]
    for level in range(1, 4):
        extra_points += rack[K_TOP_POINTS + (free_counts >> 8 * level & 255)]
    if laid_count == game[G_RACK_SIZE]:
        multiplier *= game[G_BINGO_MULTIPLIER]
        fixed_points += game[G_BONUS]
    fixed_points += extra_points * multiplier
    scale = 1 if store_state[F_BY_SCORE] else 1000
    min_value = (
        store_state[F_WORST_KEY] - (rack[K_TOP_POINTS + laid_count] * (multiplier - 1) + fixed_points) * scale
    )
    first = rack[K_FIRST_SUBSETS + laid_count]
    if subset_tables[L_ORDER * code_count + first] >> CODE_BITS < min_value:
        return
    _list_subsets(game, graph, rack, subset_tables, laid_count, through_hash_sum, min_value)
    first += (L_LISTED if through_hash_sum else L_LISTED_ALONE) * code_count
    list_fields = K_LISTS + laid_count + (0 if through_hash_sum else LISTS_ALONE)
    for place in range(first, first + rack[list_fields + LIST_COUNT]):
        code = subset_tables[place] & ((1 << CODE_BITS) - 1)
        value = subset_tables[place] >> CODE_BITS
        if (
            value + (subset_tables[L_POINTS * code_count + code] * (multiplier - 1) + fixed_points) * scale
            < store_state[F_WORST_KEY]
        ):
            continue
        store_state[F_STEP_COUNT] += 1
        blanks = subset_tables[place + code_count]
        while blanks:
            blank = lowest_bit(blanks)
            blanks &= blanks - 1
            word_hash_sum = (
                subset_tables[L_HASHES * code_count + code] + through_hash_sum + game[G_HASHES + blank]
            )
            start_index = bucket_start_index(word_hash_sum)
            word_offset = to_int64(graph[start_index])
            end = to_int64(graph[start_index + 2])
            while word_offset < end:
                key = to_int64(graph[word_offset]) | to_int64(graph[word_offset + 1]) << 32
                if key == word_hash_sum:
                    _offer_word(
                        game,
                        squares,
                        graph,
                        leave_equities,
                        work,
                        store_state,
                        keys,
                        records,
                        heap,
                        word_offset,
                        start,
                        word_hash_sum & 63,
                        code_count - 1 - code,
                        laid_count,
                        blank,
                    )
                word_offset += stored_length(key)


@inlined
def _word_fits(
    squares: Squares, graph: Graph, work: Numbers, word_offset: int, start: int, length: int
) -> bool:
    for place in range(length):
        letter = letter_of_word(graph, word_offset, to_int64(place))
        tile = to_int64(squares[start + place])
        if tile > 0:
            if tile != letter:
                return False
        elif not work[W_ALLOWED + start + place] >> letter & 1:
            return False
    return True


@inner_kernel
def _offer_word(
    game: Numbers,
    squares: Squares,
    graph: Graph,
    leave_equities: Numbers,
    work: Numbers,
    store_state: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    word_offset: int,
    start: int,
    length: int,
    leave_code: int,
    laid_count: int,
    blank: int,
) -> None:
    """Offer the word at ``word_offset`` if it fits the squares.

    With a blank, offer it once for each square where the blank could go.
    """
    if not _word_fits(squares, graph, work, word_offset, start, length):
        return
    section_length = 2 * game[G_SIZE]
    word_start = W_WORD + start - work[W_ANCHOR + N_LANE_START]
    blank_place = to_int64(-1)
    while True:
        if blank:
            blank_place += 1
            while blank_place < length and (
                squares[start + blank_place] > 0 or letter_of_word(graph, word_offset, blank_place) != blank
            ):
                blank_place += 1
            if blank_place == length:
                return
        points = cross_points = to_int64(0)
        multiplier = to_int64(1)
        cross = to_int64(NO_CROSS)
        for place in range(length):
            square = start + place
            if squares[square] > 0:
                work[word_start + place] = 0
                points += squares[POINTS * section_length + square]
                continue
            letter = letter_of_word(graph, word_offset, to_int64(place))
            work[word_start + place] = -letter if place == blank_place else letter
            tile_points = (
                game[G_POINTS + (0 if place == blank_place else letter)]
                * squares[LETTER_MULTIPLIER * section_length + square]
            )
            points += tile_points
            word_multiplier = to_int64(squares[WORD_MULTIPLIER * section_length + square])
            multiplier *= word_multiplier
            cross = to_int64(squares[CROSS_POINTS * section_length + square])
            if cross != NO_CROSS:
                cross_points += (cross + tile_points) * word_multiplier
        offer_placement(
            game,
            leave_equities,
            work,
            store_state,
            keys,
            records,
            heap,
            leave_code,
            points,
            cross_points,
            multiplier,
            laid_count,
            start,
            start + length - 1,
            cross,
        )
        if not blank:
            return
