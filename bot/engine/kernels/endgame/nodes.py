"""The nodes of the endgame's search: what is known at each, how one follows from another, and the table of results.

``frames`` (int64) has ``N_LENGTH`` numbers for each ply, by the ``N_`` constants. The root is ply ``ROOT``; the two
before it hold nothing but the plays of both players on the root's board. ``lists`` (int32) has the plays of one
node after the other as numbers of records in ``pool``, ``order`` (int64) what each promises. A node keeps the plays
of the same player two plies before, as far as they can still be made. Those of the lanes that were written to
meanwhile are due: they are found when none of those that were kept is good enough.

Values are points that the player on turn wins from here to the end of the game, the opponent's subtracted. A result
is *final* when it does not depend on how deep the search goes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import bit_count, compiled, lowest_bit, wide
from bot.engine.kernels.board import (
    G_POINTS,
    G_SIZE,
    Numbers,
    put_tile,
    settle,
)
from bot.engine.kernels.endgame.plays import (
    COLUMN_LANES,
    E_END,
    E_FIRST,
    E_HASH,
    E_LAID,
    E_LENGTH,
    E_POINTS,
    E_TILES,
    E_USED,
    T_UNIT,
    TILES_IN_NUMBER,
    mixed,
)
from bot.engine.kernels.turn import BoardOf

ROOT = 2
NO_PLAY = -1
"""Stands for a pass among the plays."""
PASS_HASH = 1
INFINITE = 1 << 60
"""More than all plays of an endgame can be worth together."""

(
    N_ALPHA,
    N_BETA,
    N_FIRST_ALPHA,
    N_BEST,
    N_BEST_HASH,
    N_FINAL,
    N_DEPTH,
    N_TOP,
    N_LIST,
    N_COUNT,
    N_NEXT,
    N_MARK,
    N_PLAY,
    N_BOARD,
    N_RACK,
    N_OTHER,
    N_POINTS,
    N_OTHER_POINTS,
    N_PASSES,
    N_BAG,
    N_ROWS,
    N_COLUMNS,
    N_DREW,
    N_KEY,
    N_KNOWN,
    N_FULL,
    N_KILLER,
    N_SECOND_KILLER,
    N_DUE_ROWS,
    N_DUE_COLUMNS,
    N_SWEPT,
    N_ANSWERS,
    N_LOOK,
) = range(33)
N_LENGTH = 33

BAG_BITS = 7
"""``N_BAG`` has so many bits for each tile in the bag, the one that is drawn first in the lowest: its kind and 1."""
IN_BAG = (1 << BAG_BITS) - 1

S_PLY = 0
S_NODES = 1
S_STATUS = 2
S_PASSES = 3
"""How many passes in a row end the game."""
S_ROOM = 4
"""Records in ``pool``."""
S_LISTED = 5
"""Numbers in ``lists``."""
S_ENTRIES = 6
"""Entries of ``table``, a power of two."""
S_LOWER = 7
"""A value that the root is proved to have at least."""
S_VALUE = 8
"""When the search is done, the value of the root, or of the play of the root that was searched."""
S_FINAL = 9
"""Whether that is final."""
S_PLIES = 10
"""How many plies there is room for."""
S_FIRST = 11
"""The ply at which the search ends: the root's, or the one after it."""
S_TILE_WORTH = 12
"""How much each tile that a play lays counts in the order in which plays are tried, in half points."""
S_REACH = 13
"""Whether it is looked at what a player can still reach: where no tile counts less than nothing."""
STATE_LENGTH = 16

RUNNING, DONE, OVERFLOW = 0, 1, 2

LOWER, UPPER, EXACT = 1, 2, 3
ENTRY = 4
"""Numbers of an entry of the table: key, value, depth with flags, hash of the best play."""


class SearchOf(NamedTuple):
    """The arrays of a search."""

    kit: Numbers
    state: Numbers
    frames: Numbers
    lists: npt.NDArray[np.int32]
    order: Numbers
    pool: Numbers
    table: Numbers
    lines: Numbers
    lanes: npt.NDArray[np.int32]
    """The lane of each square, in both directions."""
    work: Numbers


@compiled
def key_of(frames: Numbers, node: int) -> int:
    """Return the key of a node in the table."""
    key = (
        frames[node + N_BOARD] ^ mixed(frames[node + N_RACK] << 1 | 1) ^ mixed(mixed(frames[node + N_OTHER]))
    )
    return key ^ mixed(frames[node + N_BAG] << 8 | frames[node + N_PASSES]) or 1


@compiled
def probe(table: Numbers, entries: int, key: int) -> int:
    """Return the place of a node's entry in the table, or -1."""
    place = (key & (entries - 1)) * ENTRY
    if table[place] == key:
        return place
    place = ((key & (entries - 1)) ^ 1) * ENTRY
    return place if table[place] == key else -1


@compiled
def store(
    table: Numbers, entries: int, key: int, value: int, depth: int, bound: int, final: int, play: int
) -> None:
    """Write a node's result to the table, in the place of the shallower of two entries."""
    place = (key & (entries - 1)) * ENTRY
    other = ((key & (entries - 1)) ^ 1) * ENTRY
    if table[place] != key and (table[other] == key or table[other + 2] < table[place + 2]):
        place = other
    table[place] = key
    table[place + 1] = value
    table[place + 2] = max(wide(0), depth) << 3 | bound << 1 | final
    table[place + 3] = play


@compiled
def lay_play(board: BoardOf, search: SearchOf, record: int) -> None:
    """Lay the tiles of a play on the board and bring the board up to date."""
    game, pool = board.game, search.pool
    first = pool[record + E_FIRST]
    laid = pool[record + E_LAID]
    left = laid
    number = wide(0)
    while left:
        square = first + lowest_bit(left)
        left &= left - 1
        tile = pool[record + E_TILES + number // TILES_IN_NUMBER] >> (7 * (number % TILES_IN_NUMBER)) & 127
        number += 1
        points = game[G_POINTS] if tile & 64 else game[G_POINTS + tile]
        put_tile(game, board.squares, board.log, square, tile & 63, points)
    settle(game, board.squares, board.masks, board.graph, board.log, first, pool[record + E_END], laid)


@compiled
def note_lanes(board: BoardOf, search: SearchOf, node: int, mark: int) -> None:
    """Write to a node in which lanes something has changed since the log was at ``mark``."""
    log = board.log
    rows = wide(0)
    columns = wide(0)
    section = 2 * board.game[G_SIZE]
    for entry in range(mark + 1, log[0], 2):
        place = log[entry] >> 1
        now = board.masks[place] if log[entry] & 1 else wide(board.squares[place])
        if now == log[entry + 1]:
            continue
        while place >= section:
            place -= section
        lane = wide(search.lanes[place])
        if lane >= COLUMN_LANES:
            columns |= wide(1) << (lane - COLUMN_LANES)
        else:
            rows |= wide(1) << lane
    search.frames[node + N_ROWS] = rows
    search.frames[node + N_COLUMNS] = columns


@compiled
def begin_child(board: BoardOf, search: SearchOf, ply: int, slot: int) -> bool:
    """Fill in the node that follows a play, but for its window and its board; return whether the game goes on.

    When it does not, the node's ``N_BEST`` is its value. Otherwise :func:`lay_child` makes the play.
    """
    frames, pool, kit, state = search.frames, search.pool, search.kit, search.state
    node = ply * N_LENGTH
    child = node + N_LENGTH
    frames[node + N_MARK] = board.log[0]
    frames[node + N_PLAY] = slot
    frames[child + N_RACK] = frames[node + N_OTHER]
    frames[child + N_POINTS] = frames[node + N_OTHER_POINTS]
    frames[child + N_OTHER] = frames[node + N_RACK]
    frames[child + N_OTHER_POINTS] = frames[node + N_POINTS]
    frames[child + N_BOARD] = frames[node + N_BOARD]
    frames[child + N_BAG] = frames[node + N_BAG]
    frames[child + N_DEPTH] = frames[node + N_DEPTH] - 1
    frames[child + N_DREW] = 0
    frames[child + N_ROWS] = 0
    frames[child + N_COLUMNS] = 0
    if slot == NO_PLAY:
        frames[child + N_PASSES] = frames[node + N_PASSES] - 1
        if frames[child + N_PASSES]:
            return True
        frames[child + N_BEST] = frames[child + N_OTHER_POINTS] - frames[child + N_POINTS]
        return False
    record = slot * E_LENGTH
    frames[child + N_PASSES] = state[S_PASSES]
    frames[child + N_OTHER] -= pool[record + E_USED]
    frames[child + N_OTHER_POINTS] -= pool[record + E_POINTS]
    bag = frames[node + N_BAG]
    if bag:
        left = bit_count(pool[record + E_LAID])
        while bag and left:
            kind = (bag & IN_BAG) - 1
            frames[child + N_OTHER] += kit[T_UNIT + kind]
            frames[child + N_OTHER_POINTS] += board.game[G_POINTS + kind]
            bag >>= BAG_BITS
            left -= 1
        frames[child + N_BAG] = bag
        frames[child + N_DREW] = 1
    elif not frames[child + N_OTHER]:
        frames[child + N_BEST] = -2 * frames[child + N_POINTS]
        return False
    frames[child + N_BOARD] ^= pool[record + E_HASH]
    return True


@compiled
def lay_child(board: BoardOf, search: SearchOf, ply: int) -> None:
    """Make the play of a node that :func:`begin_child` was called for."""
    node = ply * N_LENGTH
    slot = search.frames[node + N_PLAY]
    if slot != NO_PLAY:
        lay_play(board, search, slot * E_LENGTH)
        note_lanes(board, search, node + N_LENGTH, search.frames[node + N_MARK])
