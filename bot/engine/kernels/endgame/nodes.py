"""The nodes of the endgame search, and the table of results.

``frames`` (int64) has ``NODE_LENGTH`` numbers for each ply, indexed by the ``NODE_`` constants. The root is ply ``ROOT``. The
two plies before it hold only each player's plays on the root's board. ``lists`` (int32) holds the plays of all nodes, node
by node, as the numbers of their records in ``pool``. ``promises`` (int64) holds the *promise* of each play in ``lists``: an
estimate of its value, by which plays are ordered.

A node starts with the plays that its player had two plies earlier, if they are still possible. Plays in lanes that have changed
since then are *due*, and are found only when they are needed.

A value is the number of points that the player to move gains on the opponent by the end of the game. A result is *final* if a
deeper search cannot change it. Functions that list plays return whether there was room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.board import (
    G_COLUMNS,
    G_POINTS,
    G_ROWS,
    G_SIZE,
    Numbers,
    put_tile,
    update_after_play,
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
    E_TILES,
    E_USED_POINTS,
    E_USED_TILES,
    T_UNIT,
    TILES_IN_NUMBER,
    find_lane_plays,
    holds,
)
from bot.engine.kernels.turn import BoardArrays

ROOT = 2
NO_PLAY = -1
"""The pass, in place of the number of a record."""
PASS_HASH = 1
INFINITY = 1 << 60

(
    NODE_ALPHA,  # Rises to the best value.
    NODE_BETA,
    NODE_FIRST_ALPHA,
    NODE_BEST_VALUE,
    NODE_BEST_HASH,  # The hash of the best play so far.
    NODE_IS_FINAL,  # 1 if every result that decides the best value is final.
    NODE_DEPTH,  # Further plies for which all plays are searched.
    NODE_RECORD_COUNT,  # Number of used records in ``pool``.
    NODE_LIST_START,  # Index of the node's first play in ``lists``.
    NODE_PLAY_COUNT,
    NODE_TRIED_COUNT,  # Number of tried plays, which come first in the list.
    NODE_UNDO_MARK,  # The value of ``undo_log[0]`` before the current play.
    NODE_PLAY,  # The number of the current play's record, or ``NO_PLAY``.
    NODE_BOARD_HASH,  # The hash of the plays made since the root.
    NODE_RACK,  # The rack of the player to move.
    NODE_OTHER_RACK,
    NODE_POINTS,  # The points of ``NODE_RACK``.
    NODE_OTHER_POINTS,
    NODE_PASSES_LEFT,  # Further consecutive passes that end the game.
    NODE_BAG,  # ``BAG_BITS`` bits for each tile.
    NODE_CHANGED_ROWS,  # Mask of the rows that the last play changed.
    NODE_CHANGED_COLUMNS,
    NODE_HAS_DRAWN,  # 1 if tiles were drawn after the last play.
    NODE_KEY,  # The node's key in the table.
    NODE_EARLIER_BEST,  # The hash of the best play that an earlier search stored in the table, or 0.
    NODE_HAS_FULL_WINDOW,  # 1 if the current play is searched with the full window.
    NODE_KILLER,  # The hash of the last play at this ply that reached beta.
    NODE_SECOND_KILLER,  # The previous ``NODE_KILLER``.
    NODE_DUE_ROWS,  # Mask of the rows whose plays are due.
    NODE_DUE_COLUMNS,
    NODE_SKIPPED_REFUTED,  # 1 if :func:`.refutations.skip_refuted_plays` has run.
    NODE_ANSWERS,  # Number of answers (:func:`find_answers`) plus 1; 0 if the answers are unknown.
) = range(32)
NODE_LENGTH = 32

BAG_BITS = 7
"""A tile is its kind plus 1. The next tile is in the lowest bits."""
BAG_TILE_MASK = (1 << BAG_BITS) - 1

(
    STATE_PLY,  # The ply at which the search continues.
    STATE_NODE_COUNT,
    STATE_STATUS,  # ``RUNNING``, ``DONE``, or ``OVERFLOW`` if there was no room for plays.
    STATE_PASS_LIMIT,  # Consecutive passes that end the game.
    STATE_POOL_ROOM,  # Room for records in ``pool``.
    STATE_LISTS_ROOM,  # Room for plays in ``lists``.
    STATE_ENTRY_COUNT,  # Number of entries in the table. A power of two.
    STATE_LOWER_BOUND,  # Proven lower bound of the root's value.
    STATE_VALUE,  # The result: the value of the root, or of its searched play.
    STATE_IS_FINAL,
    STATE_PLIES_ROOM,  # Room for plies.
    STATE_FIRST_PLY,  # The ply at which the search starts and ends: the root's, or the next.
    STATE_LAID_TILE_BONUS,  # Bonus in a promise, in half points, for each tile that a play lays.
) = range(13)
STATE_LENGTH = 16

RUNNING, DONE, OVERFLOW = 0, 1, 2

LOWER, UPPER, EXACT = 1, 2, 3
"""The kinds of bound in the table."""
ENTRY_LENGTH = 4
"""The key, the value, the flags, and the hash of the best play.

Bit 0 of the flags is set if the result is final. Bits 1 and 2 hold the kind of bound, and the higher bits the depth."""


class SearchArrays(NamedTuple):
    """This module and :mod:`.plays` describe these arrays."""

    rack_fields: Numbers
    state: Numbers
    frames: Numbers
    lists: npt.NDArray[np.int32]
    promises: Numbers
    pool: Numbers
    table: Numbers
    lines: Numbers
    """The best line of each ply: its length, then the records of its plays."""
    lanes: npt.NDArray[np.int32]
    """The lane of each square, in both directions."""
    work: Numbers


@inner_kernel
def begin_child(board: BoardArrays, search: SearchArrays, ply: int, slot: int) -> bool:
    """Set up the child that a play leads to, except its window and its board. Return whether the game continues.

    If the game ends, set the child's ``NODE_BEST_VALUE`` to its final value. Otherwise, :func:`make_current_play` must follow.
    """
    frames, pool, rack_fields, state = search.frames, search.pool, search.rack_fields, search.state
    node = ply * NODE_LENGTH
    child = node + NODE_LENGTH
    frames[node + NODE_UNDO_MARK] = board.undo_log[0]
    frames[node + NODE_PLAY] = slot
    frames[child + NODE_RACK] = frames[node + NODE_OTHER_RACK]
    frames[child + NODE_POINTS] = frames[node + NODE_OTHER_POINTS]
    frames[child + NODE_OTHER_RACK] = frames[node + NODE_RACK]
    frames[child + NODE_OTHER_POINTS] = frames[node + NODE_POINTS]
    frames[child + NODE_BOARD_HASH] = frames[node + NODE_BOARD_HASH]
    frames[child + NODE_BAG] = frames[node + NODE_BAG]
    frames[child + NODE_DEPTH] = frames[node + NODE_DEPTH] - 1
    frames[child + NODE_HAS_DRAWN] = 0
    frames[child + NODE_CHANGED_ROWS] = 0
    frames[child + NODE_CHANGED_COLUMNS] = 0
    if slot == NO_PLAY:
        frames[child + NODE_PASSES_LEFT] = frames[node + NODE_PASSES_LEFT] - 1
        if frames[child + NODE_PASSES_LEFT]:
            return True
        frames[child + NODE_BEST_VALUE] = frames[child + NODE_OTHER_POINTS] - frames[child + NODE_POINTS]
        return False
    record = slot * E_LENGTH
    frames[child + NODE_PASSES_LEFT] = state[STATE_PASS_LIMIT]
    frames[child + NODE_OTHER_RACK] -= pool[record + E_USED_TILES]
    frames[child + NODE_OTHER_POINTS] -= pool[record + E_USED_POINTS]
    bag = frames[node + NODE_BAG]
    if bag:
        draw_count = bit_count(pool[record + E_LAID_MASK])
        while bag and draw_count:
            kind = (bag & BAG_TILE_MASK) - 1
            frames[child + NODE_OTHER_RACK] += rack_fields[T_UNIT + kind]
            frames[child + NODE_OTHER_POINTS] += board.game[G_POINTS + kind]
            bag >>= BAG_BITS
            draw_count -= 1
        frames[child + NODE_BAG] = bag
        frames[child + NODE_HAS_DRAWN] = 1
    elif not frames[child + NODE_OTHER_RACK]:
        frames[child + NODE_BEST_VALUE] = -2 * frames[child + NODE_POINTS]
        return False
    frames[child + NODE_BOARD_HASH] ^= pool[record + E_HASH]
    return True


@inner_kernel
def make_current_play(board: BoardArrays, search: SearchArrays, ply: int) -> None:
    """Make the current play of a node, and store in the child which lanes the play changes."""
    frames, pool, game, undo_log = search.frames, search.pool, board.game, board.undo_log
    node = ply * NODE_LENGTH
    slot = frames[node + NODE_PLAY]
    if slot == NO_PLAY:
        return
    record = slot * E_LENGTH
    first = pool[record + E_FIRST]
    laid_mask = pool[record + E_LAID_MASK]
    remaining_mask = laid_mask
    tile_index = to_int64(0)
    while remaining_mask:
        square = first + lowest_bit(remaining_mask)
        remaining_mask &= remaining_mask - 1
        tile = (
            pool[record + E_TILES + tile_index // TILES_IN_NUMBER] >> (7 * (tile_index % TILES_IN_NUMBER))
            & 127
        )
        tile_index += 1
        points = game[G_POINTS] if tile & 64 else game[G_POINTS + tile]
        put_tile(game, board.squares, undo_log, square, tile & 63, points)
    update_after_play(
        game, board.squares, board.masks, board.graph, undo_log, first, pool[record + E_END], laid_mask
    )
    rows = columns = to_int64(0)
    section_length = 2 * game[G_SIZE]
    for entry in range(frames[node + NODE_UNDO_MARK] + 1, undo_log[0], 2):
        place = undo_log[entry] >> 1
        value = board.masks[place] if undo_log[entry] & 1 else to_int64(board.squares[place])
        if value == undo_log[entry + 1]:
            continue
        lane = to_int64(search.lanes[place % section_length])
        if lane >= COLUMN_LANES:
            columns |= to_int64(1) << (lane - COLUMN_LANES)
        else:
            rows |= to_int64(1) << lane
    frames[node + NODE_LENGTH + NODE_CHANGED_ROWS] = rows
    frames[node + NODE_LENGTH + NODE_CHANGED_COLUMNS] = columns


@inner_kernel
def _copy_possible_plays(
    search: SearchArrays, end: int, source: int, count: int, rows: int, columns: int, rack: int
) -> int:
    """Copy plays from ``lists[source:source + count]`` to ``lists[end:]``. Skip plays in the given lanes, and plays that the rack cannot make.

    Return the new end, or -1 if there is no room.
    """
    lists, pool = search.lists, search.pool
    if end + count >= search.state[STATE_LISTS_ROOM]:
        return to_int64(-1)
    for number in range(source, source + count):
        slot = to_int64(lists[number])
        if slot == NO_PLAY:
            continue
        record = slot * E_LENGTH
        lane = pool[record + E_LANE]
        touched = columns >> (lane - COLUMN_LANES) if lane >= COLUMN_LANES else rows >> lane
        if not touched & 1 and holds(search.rack_fields, rack, pool[record + E_USED_TILES]):
            lists[end] = slot
            end += 1
    return end


@inner_kernel
def _find_in_lanes(
    board: BoardArrays, search: SearchArrays, end: int, first: int, rows: int, columns: int, rack: int
) -> int:
    """Append the plays in the given lanes to ``lists``, and to ``pool`` from record ``first``.

    Return the number of records in use, or -1 if there is no room.
    """
    record_count = first
    while rows | columns:
        if rows:
            lane = lowest_bit(rows)
            rows &= rows - 1
        else:
            lane = lowest_bit(columns) + COLUMN_LANES
            columns &= columns - 1
        record_count = find_lane_plays(
            board,
            search.rack_fields,
            search.work,
            search.pool,
            record_count,
            search.state[STATE_POOL_ROOM],
            lane,
            rack,
        )
        if record_count < 0:
            return record_count
    if end + record_count - first >= search.state[STATE_LISTS_ROOM]:
        return to_int64(-1)
    for slot in range(first, record_count):
        search.lists[end] = slot
        end += 1
    return record_count


@inner_kernel
def keep_plays(search: SearchArrays, ply: int, source: int, count: int, rows: int, columns: int) -> bool:
    """Start a node's list with the pass and the plays of an earlier list that are still possible.

    Plays in the given lanes become due.
    """
    frames = search.frames
    node = ply * NODE_LENGTH
    begin = frames[node + NODE_LIST_START]
    end = _copy_possible_plays(search, begin, source, count, rows, columns, frames[node + NODE_RACK])
    if end < 0:
        return False
    search.lists[end] = NO_PLAY
    frames[node + NODE_PLAY_COUNT] = end + 1 - begin
    frames[node + NODE_DUE_ROWS] = rows
    frames[node + NODE_DUE_COLUMNS] = columns
    return True


@inner_kernel
def find_due_plays(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    frames = search.frames
    node = ply * NODE_LENGTH
    first = frames[node + NODE_RECORD_COUNT]
    end = frames[node + NODE_LIST_START] + frames[node + NODE_PLAY_COUNT]
    rows, columns = frames[node + NODE_DUE_ROWS], frames[node + NODE_DUE_COLUMNS]
    record_count = _find_in_lanes(board, search, end, first, rows, columns, frames[node + NODE_RACK])
    if record_count < 0:
        return False
    frames[node + NODE_PLAY_COUNT] += record_count - first
    frames[node + NODE_RECORD_COUNT] = record_count
    frames[node + NODE_DUE_ROWS] = 0
    frames[node + NODE_DUE_COLUMNS] = 0
    return True


@inner_kernel
def keep_node_plays(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    """Start a node's list with plays that are still possible.

    These are the parent's answers or, if the answers are unknown, plays from two plies earlier. If the player has drawn tiles since
    then, only the pass is listed.
    """
    frames = search.frames
    node = ply * NODE_LENGTH
    parent = node - NODE_LENGTH
    grandparent = parent - NODE_LENGTH
    rows, columns = frames[node + NODE_CHANGED_ROWS], frames[node + NODE_CHANGED_COLUMNS]
    if frames[parent + NODE_ANSWERS]:
        source = frames[parent + NODE_LIST_START] + frames[parent + NODE_PLAY_COUNT]
        return keep_plays(search, ply, source, frames[parent + NODE_ANSWERS] - 1, rows, columns)
    if frames[parent + NODE_HAS_DRAWN]:
        rows = (to_int64(1) << board.game[G_ROWS]) - 1
        columns = (to_int64(1) << board.game[G_COLUMNS]) - 1
        return keep_plays(search, ply, to_int64(0), to_int64(0), rows, columns)
    rows |= frames[parent + NODE_CHANGED_ROWS] | frames[grandparent + NODE_DUE_ROWS]
    columns |= frames[parent + NODE_CHANGED_COLUMNS] | frames[grandparent + NODE_DUE_COLUMNS]
    return keep_plays(
        search,
        ply,
        frames[grandparent + NODE_LIST_START],
        frames[grandparent + NODE_PLAY_COUNT],
        rows,
        columns,
    )


@inner_kernel
def find_answers(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    """Append the *answers* to a node's list: the other player's plays on the node's board.

    Do nothing if the other player has just drawn tiles.
    """
    frames = search.frames
    node = ply * NODE_LENGTH
    parent = node - NODE_LENGTH
    if frames[node + NODE_HAS_DRAWN]:
        return True
    rows = frames[node + NODE_CHANGED_ROWS] | frames[parent + NODE_DUE_ROWS]
    columns = frames[node + NODE_CHANGED_COLUMNS] | frames[parent + NODE_DUE_COLUMNS]
    rack = frames[node + NODE_OTHER_RACK]
    begin = frames[node + NODE_LIST_START] + frames[node + NODE_PLAY_COUNT]
    first = frames[node + NODE_RECORD_COUNT]
    end = _copy_possible_plays(
        search, begin, frames[parent + NODE_LIST_START], frames[parent + NODE_PLAY_COUNT], rows, columns, rack
    )
    if end < 0:
        return False
    record_count = _find_in_lanes(board, search, end, first, rows, columns, rack)
    if record_count < 0:
        return False
    frames[node + NODE_RECORD_COUNT] = record_count
    frames[node + NODE_ANSWERS] = end - begin + record_count - first + 1
    return True


@inner_kernel
def estimate_plays(search: SearchArrays, node: int, first: int) -> bool:
    """Write the promises of a node's plays from number ``first`` on. Return whether any of them is almost certain to be good.

    Such a play was the best in an earlier search, or ends the game with a value of at least beta. The promise of any other play
    is mainly its score minus twice the points of the tiles that it leaves on the rack, in half points.
    """
    frames, pool, lists, promises = search.frames, search.pool, search.lists, search.promises
    begin = frames[node + NODE_LIST_START]
    rack = frames[node + NODE_RACK]
    points = frames[node + NODE_POINTS]
    earlier_best = frames[node + NODE_EARLIER_BEST]
    sufficient_score = frames[node + NODE_BETA] - 2 * frames[node + NODE_OTHER_POINTS]
    laid_tile_bonus = search.state[STATE_LAID_TILE_BONUS]
    is_certain = False
    for number in range(begin + first, begin + frames[node + NODE_PLAY_COUNT]):
        slot = to_int64(lists[number])
        if slot == NO_PLAY:
            play_hash = to_int64(PASS_HASH)
            promise = -4 * points - 40
        else:
            record = slot * E_LENGTH
            play_hash = pool[record + E_HASH]
            promise = 2 * pool[record + E_SCORE]
            if pool[record + E_USED_TILES] == rack and not frames[node + NODE_BAG]:
                promise += 4 * frames[node + NODE_OTHER_POINTS] + 20
                if pool[record + E_SCORE] >= sufficient_score:
                    promise = 2 * INFINITY
                    is_certain = True
            else:
                promise += 4 * pool[record + E_USED_POINTS] - 4 * points
                promise += laid_tile_bonus * bit_count(pool[record + E_LAID_MASK])
        if play_hash == earlier_best:
            promise = max(promise, INFINITY)
            is_certain = True
        elif play_hash == frames[node + NODE_KILLER] or play_hash == frames[node + NODE_SECOND_KILLER]:
            promise += 10
        promises[number] = promise
    return is_certain


@inlined
def take_next_play(search: SearchArrays, node: int) -> int:
    frames, lists, promises = search.frames, search.lists, search.promises
    begin = frames[node + NODE_LIST_START]
    next_place = begin + frames[node + NODE_TRIED_COUNT]
    best = next_place
    for number in range(next_place + 1, begin + frames[node + NODE_PLAY_COUNT]):
        if promises[number] > promises[best]:
            best = number
    slot = to_int64(lists[best])
    promise = promises[best]
    lists[best] = lists[next_place]
    promises[best] = promises[next_place]
    lists[next_place] = slot
    promises[next_place] = promise
    frames[node + NODE_TRIED_COUNT] += 1
    return slot
