"""The play generator: Gordon's algorithm on a GADDAG, without recursion.

An *anchor* is a place where a play can touch the tiles on the board: a run of tiles on a lane, or an empty square with
neighbours only across the lane. Such a square counts as an empty run that begins to its right. From an anchor, tiles are laid
to the left, and then, after the separator, to the right. A play belongs to the first anchor that it touches on its lane. So
no tile is laid where it would touch an earlier anchor, and no play is found twice.

The search starts with the tiles beside a run, because the run's GADDAG list is stored (``RUN``). The letter of a tile just
before the next run must be in the ``BEFORE`` mask of its square.

If only the best plays are requested, each anchor's *shadow* is computed: upper bounds on the equity or score of its plays. Anchors are
searched from the highest bound down, until the bounds are too low. If the graph has a map of words, :func:`find_best_plays` uses
:mod:`bot.engine.kernels.lookup`.

``work`` (int64) is scratch space (:mod:`bot.engine.kernels.anchors`). The search ends soon after ``stop_flag[0]`` is set to 1.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inner_kernel, to_int64
from bot.engine.kernels.anchors import (
    A_BOUND,
    A_LENGTH,
    A_TABLE,
    W_ALLOWED,
    find_anchors,
    order_subsets,
    write_bounds,
)
from bot.engine.kernels.best_plays import (
    EXCHANGE,
    F_BY_SCORE,
    F_IN_ORDER,
    F_RECORD_LENGTH,
    F_SPARE_SLOT,
    F_STOPPED,
    F_USED_COUNT,
    F_WORST_KEY,
    PASS,
    R_KIND,
    R_LEAVE_CODE,
    R_LENGTH,
    R_START,
    R_TILE_COUNT,
    R_TILES,
    Records,
    sort_heap,
    store_spare_play,
)
from bot.engine.kernels.board import G_SIZE, Masks, Numbers, Squares
from bot.engine.kernels.graph import Graph
from bot.engine.kernels.lookup import look_up_plays
from bot.engine.kernels.rack import K_CODE_COUNT, K_COUNTS, K_MAX_LAID, K_TILE_COUNT, K_USE_MAP, LOWEST_VALUE
from bot.engine.kernels.search import search_anchor

PASS_EQUITY = -1_000_000
"""In millipoints. With the usual tiles, any other play has a higher equity."""


@compiled
def find_best_plays(
    game: Numbers,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    rack: Numbers,
    subset_tables: Numbers,
    leave_equities: Numbers,
    paths: Numbers,
    work: Numbers,
    store_state: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    stop_flag: Numbers,
    max_exchange: int,
) -> None:
    """Find the best plays of a rack. ``fill_rack_tables`` and ``reset_store`` must have been called.

    Placements with bounds that are too low are skipped, and ``F_PLACEMENT_COUNT`` does not count them.
    """
    anchor_count = find_anchors(game, squares, masks, work) if rack[K_TILE_COUNT] else to_int64(0)
    if anchor_count:
        order_subsets(graph, rack, subset_tables, leave_equities, paths, store_state)
    first_anchor = W_ALLOWED + 2 * game[G_SIZE]
    end = first_anchor + anchor_count * A_LENGTH
    for anchor in range(first_anchor, first_anchor + anchor_count * A_LENGTH, A_LENGTH):
        end = write_bounds(game, squares, rack, subset_tables, work, store_state, anchor, end)
    queue = end
    for index in range(anchor_count):
        work[queue + index] = first_anchor + index * A_LENGTH
    while anchor_count:
        anchor_count = _take_best_anchor(work, queue, anchor_count, store_state[F_WORST_KEY])
        if stop_flag[0]:
            store_state[F_STOPPED] = 1
        if anchor_count < 0 or store_state[F_STOPPED]:
            break
        anchor = work[queue + anchor_count]
        if rack[K_USE_MAP]:
            look_up_plays(
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
                anchor,
            )
        else:
            search_anchor(
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
                stop_flag,
                anchor,
            )
    _add_exchanges_and_sort(rack, leave_equities, store_state, keys, records, heap, max_exchange)


@compiled
def find_all_plays(
    game: Numbers,
    squares: Squares,
    masks: Masks,
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
    max_exchange: int,
) -> None:
    """Find all plays of a rack. ``fill_rack_tables`` and ``reset_store`` must have been called.

    This function computes no bounds, so it compiles faster than :func:`find_best_plays`, and runs faster if most plays are requested.
    """
    anchor_count = find_anchors(game, squares, masks, work) if rack[K_TILE_COUNT] else to_int64(0)
    first_anchor = W_ALLOWED + 2 * game[G_SIZE]
    table = first_anchor + anchor_count * A_LENGTH
    row_length = rack[K_MAX_LAID] + 1
    # All anchors share a table, whose bounds exclude no play.
    for entry in range(table, table + row_length * row_length):
        work[entry] = -LOWEST_VALUE
    for anchor in range(first_anchor, table, A_LENGTH):
        work[anchor + A_TABLE] = table
        search_anchor(
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
            stop_flag,
            anchor,
        )
        if store_state[F_STOPPED]:
            break
    _add_exchanges_and_sort(rack, leave_equities, store_state, keys, records, heap, max_exchange)


@inner_kernel
def _take_best_anchor(work: Numbers, queue: int, anchor_count: int, worst_key: int) -> int:
    """Take the best anchor out of the queue, and remove anchors with a bound below ``worst_key``.

    Return the number of anchors left in the queue, or -1 if no anchor could be taken. The best anchor is stored right after them.
    """
    best_bound = to_int64(LOWEST_VALUE)
    best_index = to_int64(-1)
    remaining_count = to_int64(0)
    for index in range(anchor_count):
        anchor = work[queue + index]
        bound = work[anchor + A_BOUND]
        if bound >= worst_key:
            if bound > best_bound:
                best_bound = bound
                best_index = remaining_count
            work[queue + remaining_count] = anchor
            remaining_count += 1
    if best_index < 0:
        return -1
    remaining_count -= 1
    anchor = work[queue + best_index]
    work[queue + best_index] = work[queue + remaining_count]
    work[queue + remaining_count] = anchor
    return remaining_count


@inner_kernel
def _add_exchanges_and_sort(
    rack: Numbers,
    leave_equities: Numbers,
    store_state: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    max_exchange: int,
) -> None:
    by_score = store_state[F_BY_SCORE]
    full_code = rack[K_CODE_COUNT] - 1
    for leave_code in range(full_code + 1):
        equity = leave_equities[leave_code]
        kind = EXCHANGE
        if leave_code == full_code:
            equity = PASS_EQUITY
            kind = PASS
        elif not max_exchange:
            continue
        if (0 if by_score else equity) < store_state[F_WORST_KEY]:
            continue
        slot = store_state[F_SPARE_SLOT]
        record = slot * store_state[F_RECORD_LENGTH]
        # The lowest digit belongs to the first kind.
        exchanged_code = full_code - leave_code
        tile_count = 0
        kind_of_tile = 0
        while exchanged_code:
            radix = rack[K_COUNTS + kind_of_tile] + 1
            if radix > 1:
                for _ in range(exchanged_code % radix):
                    records[record + R_TILES + tile_count] = kind_of_tile
                    tile_count += 1
                exchanged_code //= radix
            kind_of_tile += 1
        if tile_count > max_exchange:
            continue
        keys[2 * slot] = 0 if by_score else equity
        keys[2 * slot + 1] = equity if by_score else 0
        records[record + R_KIND] = kind
        records[record + R_START] = 0
        records[record + R_LENGTH] = tile_count
        records[record + R_TILE_COUNT] = tile_count
        records[record + R_LEAVE_CODE] = leave_code
        store_spare_play(store_state, keys, records, heap)
    if store_state[F_IN_ORDER]:
        sort_heap(keys, records, heap, store_state[F_RECORD_LENGTH], to_int64(0), store_state[F_USED_COUNT])
