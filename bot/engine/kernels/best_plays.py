"""Stores all plays that a search finds, or only the best plays. The best plays form a heap with the worst of them at the root.

``store_state`` (int64) is indexed by the ``F_`` constants. The play in *slot* n has two keys, ``keys[2*n]`` and ``keys[2*n + 1]``:
the equity in millipoints and the score in points, or the reverse. Its record is ``records[record_length*n:]``, indexed by
the ``R_`` constants.

Plays are compared by the first key, the second key, kind, row, column, direction, number of tiles used, and finally the tiles.
So the order in which plays are found does not matter.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner_kernel, to_int64
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.rack import LOWEST_VALUE
from bot.engine.lexicon.word_graph import MAX_TILE

Records: TypeAlias = npt.NDArray[np.int32]

(
    F_PLACEMENT_COUNT,  # Number of placements found, stored or not.
    F_USED_COUNT,  # Number of slots in use.
    F_SLOT_COUNT,  # Number of slots, excluding the spare slot.
    F_WORST_KEY,  # When all slots are in use: the worst play's first key. Plays with lower keys are ignored.
    F_BY_SCORE,  # 1 if score is compared before equity.
    F_KEEP_ALL,  # 1 to store all plays. If no slot is free, plays are only counted.
    F_RECORD_LENGTH,
    F_SPARE_SLOT,  # The slot to which the next play is written.
    F_STOPPED,
    F_STEP_COUNT,  # Number of tiles tried.
    F_IN_ORDER,  # 1 to sort the heap at the end. Must be 0 if ``F_KEEP_ALL`` is 1.
) = range(11)
STORE_LENGTH = 16

(
    R_KIND,
    R_START,  # ROW_STRIDE * row + 2 * column + direction for a placement. Otherwise 0.
    R_TILE_COUNT,  # Number of tiles that leave the rack.
    R_LENGTH,  # Number of tiles in the word or the exchange.
    R_LEAVE_CODE,
) = range(5)
ROW_STRIDE = 128
"""Leaves room for 64 columns."""
R_TILES = 5
"""Index of the first tile. In a placement, a tile is a machine letter, negative for a blank, or 0 if it is already on the board.
In an exchange, 0 is the blank."""

(
    PLACEMENT,
    EXCHANGE,
    PASS,
) = range(3)


@inner_kernel
def reset_store(
    store_state: Numbers, slot_count: int, record_length: int, by_score: int, keep_all: int
) -> None:
    for field in range(STORE_LENGTH):
        store_state[field] = 0
    store_state[F_SLOT_COUNT] = slot_count
    store_state[F_WORST_KEY] = LOWEST_VALUE
    store_state[F_BY_SCORE] = by_score
    store_state[F_KEEP_ALL] = keep_all
    store_state[F_RECORD_LENGTH] = record_length
    store_state[F_SPARE_SLOT] = 0 if keep_all else slot_count


@inner_kernel
def is_better(keys: Numbers, records: Records, record_length: int, slot: int, rival: int) -> bool:
    for key in range(2):
        first, second = keys[2 * slot + key], keys[2 * rival + key]
        if first != second:
            return first > second
    slot *= record_length
    rival *= record_length
    for field in range(R_TILE_COUNT + 1):
        first, second = records[slot + field], records[rival + field]
        if first != second:
            return first < second
    length = min(records[slot + R_LENGTH], records[rival + R_LENGTH])
    for field in range(R_TILES, R_TILES + length):
        first, second = records[slot + field], records[rival + field]
        if first != second:
            # In a word, blanks come after all other tiles, and are ordered by letter.
            return (first if first >= 0 else MAX_TILE - first) < (
                second if second >= 0 else MAX_TILE - second
            )
    return records[slot + R_LENGTH] < records[rival + R_LENGTH]


@inner_kernel
def _sift_up(keys: Numbers, records: Records, heap: Records, record_length: int, place: int) -> None:
    slot = to_int64(heap[place])
    while place:
        parent = (place - 1) >> 1
        if not is_better(keys, records, record_length, to_int64(heap[parent]), slot):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = slot


@inner_kernel
def _sift_down(
    keys: Numbers, records: Records, heap: Records, record_length: int, place: int, size: int
) -> None:
    slot = to_int64(heap[place])
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and is_better(
            keys, records, record_length, to_int64(heap[child]), to_int64(heap[child + 1])
        ):
            child += 1
        if not is_better(keys, records, record_length, slot, to_int64(heap[child])):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = slot


@inner_kernel
def store_spare_play(store_state: Numbers, keys: Numbers, records: Records, heap: Records) -> None:
    record_length = store_state[F_RECORD_LENGTH]
    used_count = store_state[F_USED_COUNT]
    slot_count = store_state[F_SLOT_COUNT]
    spare_slot = store_state[F_SPARE_SLOT]
    if used_count < slot_count:
        store_state[F_USED_COUNT] = used_count + 1
        if store_state[F_KEEP_ALL]:
            store_state[F_SPARE_SLOT] = used_count + 1
            return
        heap[used_count] = spare_slot
        _sift_up(keys, records, heap, record_length, used_count)
        store_state[F_SPARE_SLOT] = used_count
        if used_count + 1 == slot_count:
            store_state[F_WORST_KEY] = keys[2 * to_int64(heap[0])]
        return
    if store_state[F_KEEP_ALL] or not slot_count:
        return
    worst_slot = to_int64(heap[0])
    if is_better(keys, records, record_length, spare_slot, worst_slot):
        heap[0] = spare_slot
        store_state[F_SPARE_SLOT] = worst_slot
        _sift_down(keys, records, heap, record_length, to_int64(0), slot_count)
        store_state[F_WORST_KEY] = keys[2 * to_int64(heap[0])]


@inner_kernel
def sort_heap(
    keys: Numbers, records: Records, heap: Records, record_length: int, start: int, end: int
) -> None:
    """Sort ``heap[start:end]``, best first, with Shellsort."""
    gap = to_int64(1)
    while 3 * gap + 1 < end - start:
        gap = 3 * gap + 1
    while gap:
        for number in range(start + gap, end):
            slot = to_int64(heap[number])
            place = to_int64(number)
            while place - gap >= start and is_better(
                keys, records, record_length, slot, to_int64(heap[place - gap])
            ):
                heap[place] = heap[place - gap]
                place -= gap
            heap[place] = slot
        gap //= 3


@compiled
def sort_ties(store_state: Numbers, keys: Numbers, records: Records, heap: Records) -> None:
    """Sort the plays with equal first keys. ``heap`` must be sorted by first key."""
    used_count = store_state[F_USED_COUNT]
    start = to_int64(0)
    while start < used_count:
        first_key = keys[2 * to_int64(heap[start])]
        end = start + 1
        while end < used_count and keys[2 * to_int64(heap[end])] == first_key:
            end += 1
        sort_heap(keys, records, heap, store_state[F_RECORD_LENGTH], start, end)
        start = end
