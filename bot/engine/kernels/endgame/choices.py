"""Which plays a node of the endgame's search has, and in which order they are tried."""

from __future__ import annotations

from bot.engine.compiler import bit_count, compiled, inlined, lowest_bit, wide
from bot.engine.kernels.board import G_COLUMNS, G_ROWS
from bot.engine.kernels.endgame.nodes import (
    INFINITE,
    N_ANSWERS,
    N_BAG,
    N_BETA,
    N_COLUMNS,
    N_COUNT,
    N_DREW,
    N_DUE_COLUMNS,
    N_DUE_ROWS,
    N_KILLER,
    N_KNOWN,
    N_LENGTH,
    N_LIST,
    N_NEXT,
    N_OTHER,
    N_OTHER_POINTS,
    N_POINTS,
    N_RACK,
    N_ROWS,
    N_SECOND_KILLER,
    N_TOP,
    NO_PLAY,
    PASS_HASH,
    S_LISTED,
    S_ROOM,
    S_TILE_WORTH,
    SearchOf,
)
from bot.engine.kernels.endgame.plays import (
    COLUMN_LANES,
    E_HASH,
    E_LAID,
    E_LANE,
    E_LENGTH,
    E_POINTS,
    E_SCORE,
    E_USED,
    holds,
    lane_plays,
)
from bot.engine.kernels.turn import BoardOf


@compiled
def _keep(search: SearchOf, at: int, source: int, count: int, rows: int, columns: int, rack: int) -> int:
    """Write to ``lists`` what a rack can still play of some plays but in some lanes; return the end, -1 without room."""
    lists, pool = search.lists, search.pool
    if at + count >= search.state[S_LISTED]:
        return wide(-1)
    for number in range(source, source + count):
        slot = wide(lists[number])
        if slot == NO_PLAY:
            continue
        record = slot * E_LENGTH
        lane = pool[record + E_LANE]
        touched = columns >> (lane - COLUMN_LANES) if lane >= COLUMN_LANES else rows >> lane
        if not touched & 1 and holds(search.kit, rack, pool[record + E_USED]):
            lists[at] = slot
            at += 1
    return at


@compiled
def _find(board: BoardOf, search: SearchOf, at: int, first: int, rows: int, columns: int, rack: int) -> int:
    """Write what a rack can play in some lanes from record ``first`` on; return the new top, -1 without room."""
    top = first
    while rows | columns:
        if rows:
            lane = lowest_bit(rows)
            rows &= rows - 1
        else:
            lane = lowest_bit(columns) + COLUMN_LANES
            columns &= columns - 1
        top = lane_plays(board, search.kit, search.work, search.pool, top, search.state[S_ROOM], lane, rack)
        if top < 0:
            return top
    if at + top - first >= search.state[S_LISTED]:
        return wide(-1)
    for slot in range(first, top):
        search.lists[at] = slot
        at += 1
    return top


@compiled
def keep_plays(search: SearchOf, ply: int, source: int, count: int, rows: int, columns: int) -> bool:
    """Begin the plays of a ply with those of others that can still be made, and the pass.

    Those of the lanes that are given are due: :func:`find_due_plays` finds them. Return whether there was room.
    """
    frames = search.frames
    node = ply * N_LENGTH
    begin = frames[node + N_LIST]
    end = _keep(search, begin, source, count, rows, columns, frames[node + N_RACK])
    if end < 0:
        return False
    search.lists[end] = NO_PLAY
    frames[node + N_COUNT] = end + 1 - begin
    frames[node + N_DUE_ROWS] = rows
    frames[node + N_DUE_COLUMNS] = columns
    return True


@compiled
def find_due_plays(board: BoardOf, search: SearchOf, ply: int) -> bool:
    """Add the plays of a ply that are due; return whether there was room."""
    frames = search.frames
    node = ply * N_LENGTH
    first = frames[node + N_TOP]
    end = frames[node + N_LIST] + frames[node + N_COUNT]
    rows, columns = frames[node + N_DUE_ROWS], frames[node + N_DUE_COLUMNS]
    top = _find(board, search, end, first, rows, columns, frames[node + N_RACK])
    if top < 0:
        return False
    frames[node + N_COUNT] += top - first
    frames[node + N_TOP] = top
    frames[node + N_DUE_ROWS] = 0
    frames[node + N_DUE_COLUMNS] = 0
    return True


@compiled
def keep_node_plays(board: BoardOf, search: SearchOf, ply: int) -> bool:
    """Begin the plays of a node with those of the same player before; what was written since is due."""
    frames = search.frames
    node = ply * N_LENGTH
    before = node - N_LENGTH
    old = before - N_LENGTH
    rows, columns = frames[node + N_ROWS], frames[node + N_COLUMNS]
    if frames[before + N_ANSWERS]:
        source = frames[before + N_LIST] + frames[before + N_COUNT]
        return keep_plays(search, ply, source, frames[before + N_ANSWERS] - 1, rows, columns)
    if frames[before + N_DREW]:
        rows = (wide(1) << board.game[G_ROWS]) - 1
        columns = (wide(1) << board.game[G_COLUMNS]) - 1
        return keep_plays(search, ply, wide(0), wide(0), rows, columns)
    rows |= frames[before + N_ROWS] | frames[old + N_DUE_ROWS]
    columns |= frames[before + N_COLUMNS] | frames[old + N_DUE_COLUMNS]
    return keep_plays(search, ply, frames[old + N_LIST], frames[old + N_COUNT], rows, columns)


@compiled
def find_answers(board: BoardOf, search: SearchOf, ply: int) -> bool:
    """Find what the other player could play on the board of a node; return whether there was room.

    All nodes that follow begin with these plays. ``N_ANSWERS`` is one more than their number; they stand behind the
    node's own.
    """
    frames = search.frames
    node = ply * N_LENGTH
    before = node - N_LENGTH
    if frames[node + N_DREW]:
        return True
    rows = frames[node + N_ROWS] | frames[before + N_DUE_ROWS]
    columns = frames[node + N_COLUMNS] | frames[before + N_DUE_COLUMNS]
    rack = frames[node + N_OTHER]
    begin = frames[node + N_LIST] + frames[node + N_COUNT]
    first = frames[node + N_TOP]
    end = _keep(search, begin, frames[before + N_LIST], frames[before + N_COUNT], rows, columns, rack)
    if end < 0:
        return False
    top = _find(board, search, end, first, rows, columns, rack)
    if top < 0:
        return False
    frames[node + N_TOP] = top
    frames[node + N_ANSWERS] = end - begin + top - first + 1
    return True


@compiled
def put_in_order(search: SearchOf, node: int, first: int) -> bool:
    """Write what the plays of a node promise from the one numbered ``first``; return whether one is sure to be good.

    That is the best play of an earlier search, or one that ends the game with all that is asked for. The others promise
    their score and what they take off the rack, out plays first.
    """
    frames, pool, lists, order = search.frames, search.pool, search.lists, search.order
    begin = frames[node + N_LIST]
    rack = frames[node + N_RACK]
    points = frames[node + N_POINTS]
    known = frames[node + N_KNOWN]
    enough = frames[node + N_BETA] - 2 * frames[node + N_OTHER_POINTS]
    tile_worth = search.state[S_TILE_WORTH]
    is_sure = False
    for number in range(begin + first, begin + frames[node + N_COUNT]):
        slot = wide(lists[number])
        if slot == NO_PLAY:
            hashed = wide(PASS_HASH)
            promise = -4 * points - 40
        else:
            record = slot * E_LENGTH
            hashed = pool[record + E_HASH]
            promise = 2 * pool[record + E_SCORE]
            if pool[record + E_USED] == rack and not frames[node + N_BAG]:
                promise += 4 * frames[node + N_OTHER_POINTS] + 20
                if pool[record + E_SCORE] >= enough:
                    promise = 2 * INFINITE
                    is_sure = True
            else:
                promise += 4 * pool[record + E_POINTS] - 4 * points
                promise += tile_worth * bit_count(pool[record + E_LAID])
        if hashed == known:
            promise = max(promise, INFINITE)
            is_sure = True
        elif hashed == frames[node + N_KILLER] or hashed == frames[node + N_SECOND_KILLER]:
            promise += 10
        order[number] = promise
    return is_sure


@inlined
def next_play(search: SearchOf, node: int) -> int:
    """Return the most promising play of a node that was not tried yet, and count it as tried."""
    frames, lists, order = search.frames, search.lists, search.order
    begin = frames[node + N_LIST]
    at = begin + frames[node + N_NEXT]
    best = at
    for number in range(at + 1, begin + frames[node + N_COUNT]):
        if order[number] > order[best]:
            best = number
    slot = wide(lists[best])
    promise = order[best]
    lists[best] = lists[at]
    order[best] = order[at]
    lists[at] = slot
    order[at] = promise
    frames[node + N_NEXT] += 1
    return slot
