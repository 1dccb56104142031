"""Skips plays that a known reply refutes, without making these plays on the board.

If the other player can go out in a lane, the other player can still do so after a play that leaves the lane unchanged. This
gives an upper bound for the play's value.
"""

from __future__ import annotations

from bot.engine.compiler import inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.board import G_COLUMNS, G_ROWS, G_SIZE, square_in_other_direction
from bot.engine.kernels.endgame.nodes import (
    NO_PLAY,
    NODE_ALPHA,
    NODE_ANSWERS,
    NODE_BAG,
    NODE_BEST_HASH,
    NODE_BEST_VALUE,
    NODE_LENGTH,
    NODE_LIST_START,
    NODE_OTHER_POINTS,
    NODE_OTHER_RACK,
    NODE_PASSES_LEFT,
    NODE_PLAY_COUNT,
    NODE_POINTS,
    NODE_RACK,
    NODE_SKIPPED_REFUTED,
    NODE_TRIED_COUNT,
    PASS_HASH,
    SearchArrays,
)
from bot.engine.kernels.endgame.plays import (
    COLUMN_LANES,
    E_END,
    E_FIRST,
    E_HASH,
    E_LAID_MASK,
    E_LANE,
    E_LENGTH,
    E_SCORE,
    E_USED_POINTS,
    E_USED_TILES,
    MAX_OUTS,
    OUTS,
)
from bot.engine.kernels.turn import BoardArrays


@inner_kernel
def skip_refuted_plays(board: BoardArrays, search: SearchArrays, ply: int) -> None:
    """Mark a node's plays as tried if their values are known to be at most alpha."""
    frames, lists, promises, pool, work = (
        search.frames,
        search.lists,
        search.promises,
        search.pool,
        search.work,
    )
    node = ply * NODE_LENGTH
    frames[node + NODE_SKIPPED_REFUTED] = 1
    if frames[node + NODE_BAG]:
        return
    out_count = _find_outs(search, node)
    alpha = frames[node + NODE_ALPHA]
    rack = frames[node + NODE_RACK]
    begin = frames[node + NODE_LIST_START]
    next_place = begin + frames[node + NODE_TRIED_COUNT]
    end = begin + frames[node + NODE_PLAY_COUNT]
    for number in range(next_place, end):
        slot = to_int64(lists[number])
        record = slot * E_LENGTH
        # If the other player goes out in reply, the play's value is ``base`` minus the score of the out.
        if slot == NO_PLAY:
            base = -2 * frames[node + NODE_POINTS]
        else:
            base = pool[record + E_SCORE] - 2 * (frames[node + NODE_POINTS] - pool[record + E_USED_POINTS])
        if slot != NO_PLAY and pool[record + E_USED_TILES] == rack:
            value = base + 2 * frames[node + NODE_OTHER_POINTS]
        elif slot == NO_PLAY and frames[node + NODE_PASSES_LEFT] == 1:
            value = frames[node + NODE_OTHER_POINTS] - frames[node + NODE_POINTS]
        else:
            if not out_count or base - work[OUTS] > alpha:
                continue
            out = _find_first_possible_out(board, search, slot, out_count)
            if out == out_count:
                continue
            value = base - work[OUTS + 2 * out]
        if value > alpha:
            continue
        if value > frames[node + NODE_BEST_VALUE]:
            frames[node + NODE_BEST_VALUE] = value
            frames[node + NODE_BEST_HASH] = to_int64(PASS_HASH) if slot == NO_PLAY else pool[record + E_HASH]
        lists[number] = lists[next_place]
        promises[number] = promises[next_place]
        lists[next_place] = slot
        next_place += 1
    frames[node + NODE_TRIED_COUNT] = next_place - begin


@inner_kernel
def _find_outs(search: SearchArrays, node: int) -> int:
    """Write the other player's outs to ``OUTS``. Return their number."""
    frames, lists, pool, work = search.frames, search.lists, search.pool, search.work
    rack = frames[node + NODE_OTHER_RACK]
    begin = frames[node + NODE_LIST_START] + frames[node + NODE_PLAY_COUNT]
    count = to_int64(0)
    for number in range(begin, begin + frames[node + NODE_ANSWERS] - 1):
        record = to_int64(lists[number]) * E_LENGTH
        if pool[record + E_USED_TILES] != rack:
            continue
        lane = pool[record + E_LANE]
        score = pool[record + E_SCORE]
        if count == MAX_OUTS:
            if score <= work[OUTS + 2 * count - 2]:
                continue
            count -= 1
        place = OUTS + 2 * count
        while place > OUTS and work[place - 2] < score:
            work[place] = work[place - 2]
            work[place + 1] = work[place - 1]
            place -= 2
        work[place] = score
        work[place + 1] = lane
        count += 1
    return count


@inner_kernel
def _find_first_possible_out(board: BoardArrays, search: SearchArrays, slot: int, out_count: int) -> int:
    """Return the index of the first out whose lane a play leaves unchanged, or ``out_count``."""
    out = to_int64(0)
    if slot == NO_PLAY:
        return out
    rows, columns = _find_affected_lanes(board, search, slot * E_LENGTH)
    while out < out_count:
        lane = search.work[OUTS + 2 * out + 1]
        touched = columns >> (lane - COLUMN_LANES) if lane >= COLUMN_LANES else rows >> lane
        if not touched & 1:
            break
        out += 1
    return out


@inner_kernel
def _find_affected_lanes(board: BoardArrays, search: SearchArrays, record: int) -> tuple[int, int]:
    """Return the rows and columns, as masks, in which a play can make other plays possible or impossible."""
    game, squares, pool = board.game, board.squares, search.pool
    lane = pool[record + E_LANE]
    first = pool[record + E_FIRST]
    unvisited = pool[record + E_LAID_MASK]
    if lane >= COLUMN_LANES:
        lane -= COLUMN_LANES
        start = game[G_SIZE] + (lane + 1) * (game[G_ROWS] + 2) + 1
    else:
        start = (lane + 1) * (game[G_COLUMNS] + 2) + 1
    # In these masks, bit n + 1 belongs to lane n, because the wall before the first lane has bit 0.
    along = to_int64(2) << lane
    across = to_int64(2) << (pool[record + E_END] - start)
    across |= to_int64(2) << (first - start) >> 1
    while unvisited:
        square = first + lowest_bit(unvisited)
        unvisited &= unvisited - 1
        across |= to_int64(2) << (square - start)
        other = square_in_other_direction(game, square)
        neighbour = other - 1
        while squares[neighbour] > 0:
            neighbour -= 1
        along |= to_int64(1) << (lane + 1 + neighbour - other)
        neighbour = other + 1
        while squares[neighbour] > 0:
            neighbour += 1
        along |= to_int64(2) << (lane + neighbour - other)
    if pool[record + E_LANE] >= COLUMN_LANES:
        return across >> 1, along >> 1
    return along >> 1, across >> 1
