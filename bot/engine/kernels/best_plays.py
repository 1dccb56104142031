"""Plays that were found: all of them, or only the best, in a heap whose root is the worst of these.

``found`` (int64) holds how they are kept, by the ``F_`` constants. A play in slot n has ``keys[2 * n]`` and
``keys[2 * n + 1]``, which decide first (equity and score in millipoints and points, or the other way round), and the
record ``records[width * n :]`` of the ``R_`` constants, which decides between plays that are equal in both: by kind,
row, column, direction, number of tiles laid and then tiles. So what is kept does not depend on the order of finding.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.rack import NEVER
from bot.engine.lexicon.word_graph import MAX_TILE

Records: TypeAlias = npt.NDArray[np.int32]

(
    F_TOTAL,  # Placements found, kept or not.
    F_KEPT,  # Slots in use.
    F_SLOTS,  # Slots, without the extra slot to work in.
    # The first key of the worst play kept, once all slots are in use; what is worse is not even offered.
    F_WORST,
    F_BY_SCORE,  # 1 when score decides before equity.
    F_ALL,  # 1 to keep all plays: without a free slot they are counted and dropped.
    F_WIDTH,  # Numbers in a record.
    F_SPARE,  # The slot to work in.
    F_STOPPED,  # 1 when the search was stopped before its end.
    F_STEPS,  # Tiles tried, a measure of work.
    F_ORDER,  # 1 to have the heap list all slots in use at the end, best first; not with ``F_ALL``.
) = range(11)
FOUND_LENGTH = 16

(
    R_KIND,
    R_ROW,
    R_COLUMN,
    R_DIRECTION,
    R_LAID,  # Tiles that leave the rack.
    R_LENGTH,  # Tiles in the record: of the word, or exchanged.
    R_KEPT,  # The code of the part of the rack that stays.
) = range(7)
R_TILES = 8
"""A placement's tiles: n for tile n, -n for a blank, 0 for a tile on the board; of an exchange, n as on the rack."""

(
    PLACEMENT,
    EXCHANGE,
    PASS,
) = range(3)


@inner
def start_keeping(found: Numbers, slots: int, width: int, by_score: int, keep_all: int) -> None:
    """Reset ``found``; the caller may then set ``F_ORDER``."""
    for field in range(FOUND_LENGTH):
        found[field] = 0
    found[F_SLOTS] = slots
    found[F_WORST] = NEVER
    found[F_BY_SCORE] = by_score
    found[F_ALL] = keep_all
    found[F_WIDTH] = width
    found[F_SPARE] = 0 if keep_all else slots


@inner
def is_better(keys: Numbers, records: Records, width: int, slot: int, rival: int) -> bool:
    """Return whether the play in ``slot`` goes before the play in slot ``rival``."""
    for key in range(2):
        first, second = keys[2 * slot + key], keys[2 * rival + key]
        if first != second:
            return first > second
    slot *= width
    rival *= width
    for field in range(R_LAID + 1):
        first, second = records[slot + field], records[rival + field]
        if first != second:
            return first < second
    length = min(records[slot + R_LENGTH], records[rival + R_LENGTH])
    for field in range(R_TILES, R_TILES + length):
        first, second = records[slot + field], records[rival + field]
        if first != second:
            # Blanks come after all tiles, in the order of their letters.
            return (first if first >= 0 else MAX_TILE - first) < (
                second if second >= 0 else MAX_TILE - second
            )
    return records[slot + R_LENGTH] < records[rival + R_LENGTH]


@inner
def _sift_up(keys: Numbers, records: Records, heap: Records, width: int, at: int) -> None:
    slot = wide(heap[at])
    while at:
        parent = (at - 1) >> 1
        if not is_better(keys, records, width, wide(heap[parent]), slot):
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = slot


@inner
def _sift_down(
    keys: Numbers, records: Records, heap: Records, width: int, start: int, at: int, size: int
) -> None:
    """Let a slot sink in the heap that begins at ``start``."""
    slot = wide(heap[start + at])
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and is_better(
            keys, records, width, wide(heap[start + child]), wide(heap[start + child + 1])
        ):
            child += 1
        if not is_better(keys, records, width, slot, wide(heap[start + child])):
            break
        heap[start + at] = heap[start + child]
        at = child
    heap[start + at] = slot


@inner
def keep_spare(found: Numbers, keys: Numbers, records: Records, heap: Records) -> None:
    """Keep the play that was written into the spare slot, if it is good enough."""
    width = found[F_WIDTH]
    used = found[F_KEPT]
    slots = found[F_SLOTS]
    spare = found[F_SPARE]
    if used < slots:
        if found[F_ALL]:
            found[F_KEPT] = used + 1
            found[F_SPARE] = used + 1
            return
        heap[used] = spare
        _sift_up(keys, records, heap, width, used)
        found[F_KEPT] = used + 1
        found[F_SPARE] = used
        if used + 1 == slots:
            found[F_WORST] = keys[2 * wide(heap[0])]
        return
    if found[F_ALL] or not slots:
        return
    worst = wide(heap[0])
    if is_better(keys, records, width, spare, worst):
        heap[0] = spare
        found[F_SPARE] = worst
        _sift_down(keys, records, heap, width, wide(0), wide(0), slots)
        found[F_WORST] = keys[2 * wide(heap[0])]


@inner
def _take_apart(keys: Numbers, records: Records, heap: Records, width: int, start: int, left: int) -> None:
    """Have a heap that begins at ``start`` list its slots, the best first."""
    while left > 1:
        left -= 1
        worst = heap[start]
        heap[start] = heap[start + left]
        heap[start + left] = worst
        _sift_down(keys, records, heap, width, start, wide(0), left)


@inner
def put_in_order(found: Numbers, keys: Numbers, records: Records, heap: Records) -> None:
    """Have the heap list all slots in use, the best first."""
    _take_apart(keys, records, heap, found[F_WIDTH], wide(0), found[F_KEPT])


@compiled
def order_equals(found: Numbers, keys: Numbers, records: Records, heap: Records) -> None:
    """Put plays that are equal in their first key into order, where ``heap`` lists all slots by it, the best first."""
    width = found[F_WIDTH]
    used = found[F_KEPT]
    start = wide(0)
    while start < used:
        first = keys[2 * wide(heap[start])]
        end = start + 1
        while end < used and keys[2 * wide(heap[end])] == first:
            end += 1
        size = end - start
        for at in range(size // 2 - 1, -1, -1):
            _sift_down(keys, records, heap, width, start, at, size)
        _take_apart(keys, records, heap, width, start, size)
        start = end
