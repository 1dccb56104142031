"""Kernels for self-play."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, to_int64
from bot.engine.kernels.best_plays import Records, reset_store
from bot.engine.kernels.board import G_KIND_COUNT, Masks, Numbers, Squares
from bot.engine.kernels.graph import Graph
from bot.engine.kernels.plays import find_best_plays
from bot.engine.kernels.rack import K_CODE_COUNT, K_COUNTS, K_WEIGHT, fill_rack_tables
from bot.engine.kernels.turn import BoardArrays, lay_tiles
from bot.engine.lexicon.word_graph import ACCEPTS, Nodes
from training.leave_index import Doubles


@compiled
def find_best_play(
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
    leave_nodes: Nodes,
    leave_counts: npt.NDArray[np.int32],
    leave_values: npt.NDArray[np.int32],
    bag_count: int,
    opponent_points: int,
    record_length: int,
    by_score: int,
    max_exchange: int,
) -> int:
    """Return the slot of the best play with the tiles in ``K_COUNTS``. After a stop, the slot is meaningless.

    ``heap``, ``keys`` and ``records`` must have room for two plays.
    """
    fill_rack_tables(
        game,
        rack,
        subset_tables,
        leave_equities,
        paths,
        leave_nodes,
        leave_counts,
        leave_values,
        bag_count,
        opponent_points,
    )
    reset_store(store_state, 1, record_length, by_score, 0)
    find_best_plays(
        game,
        squares,
        masks,
        graph,
        rack,
        subset_tables,
        leave_equities,
        paths,
        work,
        store_state,
        keys,
        records,
        heap,
        stop_flag,
        max_exchange,
    )
    return to_int64(heap[0])


@compiled
def lay_play(
    game: Numbers,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    undo_log: Numbers,
    records: Records,
    start: int,
) -> None:
    undo_log[0] = 0
    lay_tiles(BoardArrays(game, squares, masks, undo_log, graph), records, start)


@compiled
def add_to_leave_sums(
    game: Numbers,
    rack: Numbers,
    paths: Numbers,
    leave_nodes: Nodes,
    sums: Doubles,
    sample_counts: Doubles,
    rack_worth: float,
) -> None:
    """Add the worth of a rack to the sum of each leave that can be kept from it.

    :func:`fill_rack_tables` must have been called for the rack.

    ``sums`` and ``sample_counts`` are indexed by a leave's rank. A leave that can be picked from the rack in n ways counts n
    times, because players who kept the leave get this rack more often, in proportion to n.
    """
    for code in range(1, rack[K_CODE_COUNT]):
        node = paths[3 * code]
        if node < 0 or not to_int64(leave_nodes[node]) & ACCEPTS:
            continue
        ways = 1
        remaining_code = code
        # The count of the last kind is the highest digit of the code.
        for kind in range(game[G_KIND_COUNT] - 1, -1, -1):
            weight = rack[K_WEIGHT + kind]
            if weight:
                picked_count = remaining_code // weight
                remaining_code -= picked_count * weight
                count = rack[K_COUNTS + kind]
                for pick in range(picked_count):
                    ways = ways * (count - pick) // (pick + 1)
        rank = paths[3 * code + 1]
        sums[rank] += ways * rack_worth
        sample_counts[rank] += ways
