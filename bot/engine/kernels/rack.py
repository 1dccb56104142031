"""The rack in the kernels' format, with the leave value of each subset of its tiles.

The *code* of a subset is a mixed-radix number, whose digits are the numbers of tiles of each kind. It is the sum of the tiles'
weights (``K_WEIGHT``), so laying a tile subtracts its weight.

:func:`fill_rack_tables` fills tables that are indexed by code. ``leave_equities[code]`` is the value of keeping the subset, in
millipoints. ``subset_tables`` has a section for each of the ``L_`` constants. ``paths`` has three numbers for each code: the
subset's node and rank in the DAWG of leave values, and its number of tiles. If the bag is empty, the second number is the
subset's points instead, and the first is not used. ``rack`` (int64) is indexed by the ``K_`` constants. The caller sets
``K_COUNTS``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner_kernel, to_int64
from bot.engine.kernels.board import G_EQUAL_TURNS, G_HASHES, G_KIND_COUNT, G_POINTS, G_RACK_SIZE, Numbers
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT, Nodes

(
    K_TILE_COUNT,
    K_CODE_COUNT,
    K_MAX_LAID,  # Maximum number of tiles in a play.
) = range(3)
(
    L_KINDS,  # The mask of the kinds of tiles in the subset.
    L_HASHES,  # The sum of the tiles' hashes.
    L_POINTS,
    # The subsets, sorted by size and then from best to worst. The lowest ``CODE_BITS`` bits are the code. The higher bits are
    # the value of laying the subset and keeping the rest.
    L_ORDER,
    L_LISTED,  # The subsets that may make a word with certain letters on the board (``K_LISTS``), in the form of ``L_ORDER``.
    L_BLANKS,  # For each of ``L_LISTED``: the mask of its blank's possible letters, or 1 without a blank.
    L_LISTED_ALONE,  # Like ``L_LISTED``, for words without letters on the board.
    L_BLANKS_ALONE,
    L_SECTIONS,
) = range(9)

K_WEIGHT = 16
"""64 numbers, by kind."""
K_COUNTS = 80
"""64 numbers: how many tiles of each kind the rack has."""
K_TOP_POINTS = 144
"""32 numbers. Number n is the sum of the points of the n tiles with the most points."""
K_BEST_LEAVE = 176
"""32 numbers. Number n is the value of the best leave after a play of n tiles."""
K_FIRST_SUBSETS = 208
"""33 numbers. Number n is the index, in ``L_ORDER``, of the first subset with n tiles. This field and the following fields are
set only if bounds are needed."""
K_NEXT_SUBSETS = 241
"""32 numbers of scratch space."""
K_USE_MAP = 273
"""1 if plays are found with the map of words."""
K_LISTS = 274
"""Three groups of 32 numbers for ``L_LISTED``, then three for ``L_LISTED_ALONE``, indexed by a subset's number of tiles: the sum
of the hashes of the letters on the board, the index of the next subset to examine, and the number of listed subsets."""
LIST_NEXT, LIST_COUNT, LISTS_ALONE = 32, 64, 96
"""Offsets of the second and third group in ``K_LISTS``, and of the groups for ``L_LISTED_ALONE``."""
RACK_LENGTH = 466

MAX_RACK = 20
"""Maximum number of tiles on a rack. A rack of 20 different tiles already has 2 ** 20 subsets."""

LOWEST_VALUE = -(1 << 62)

OUT_FACTOR = 2
"""With an empty bag, going out gains this factor times the points on the opponents' racks. Any other play loses this factor times
the points of its leave, plus ``STUCK_PENALTY``."""
STUCK_PENALTY = 10_000
"""In millipoints."""


@inner_kernel
def set_weights(rack: Numbers, kind_count: int) -> int:
    """Set the weight of each kind of tile. Return the number of codes."""
    code_count = 1
    tile_count = 0
    for kind in range(kind_count, 64):  # an earlier game may have had more letters
        rack[K_WEIGHT + kind] = 0
        rack[K_COUNTS + kind] = 0
    for kind in range(kind_count):
        count = rack[K_COUNTS + kind]
        rack[K_WEIGHT + kind] = code_count if count else 0
        code_count *= count + 1
        tile_count += count
    rack[K_TILE_COUNT] = tile_count
    rack[K_CODE_COUNT] = code_count
    return code_count


@inner_kernel
def _sum_top_points(game: Numbers, rack: Numbers) -> None:
    first = K_TOP_POINTS + 1
    tile_count = 0
    for kind in range(game[G_KIND_COUNT]):
        points = game[G_POINTS + kind]
        for _ in range(rack[K_COUNTS + kind]):
            place = first + tile_count
            while place > first and rack[place - 1] < points:
                rack[place] = rack[place - 1]
                place -= 1
            rack[place] = points
            tile_count += 1
    rack[K_TOP_POINTS] = 0
    for place in range(first, first + tile_count):
        rack[place] += rack[place - 1]


@inner_kernel
def follow_tile(
    nodes: Nodes, counts: npt.NDArray[np.int32], node: int, rank: int, kind: int
) -> tuple[int, int]:
    """Follow a tile from a node in the DAWG of leave values. Node 0 is the root.

    Return the next node and its rank, or -1 and 0 if no leave continues with the tile.
    """
    bits = to_int64(nodes[node])
    first = bits & ARC
    if not first:
        return -1, 0
    if node and bits & ACCEPTS:
        rank += 1
    child = first
    while to_int64(nodes[child]) >> TILE_SHIFT != kind:
        if to_int64(nodes[child]) & LAST_SIBLING:
            return -1, 0
        child += 1
    return child, rank + to_int64(counts[first]) - to_int64(counts[child])


@compiled
def fill_rack_tables(
    game: Numbers,
    rack: Numbers,
    subset_tables: Numbers,
    leave_equities: Numbers,
    paths: Numbers,
    leave_nodes: Nodes,
    leave_counts: npt.NDArray[np.int32],
    leave_values: npt.NDArray[np.int32],
    bag_count: int,
    opponent_points: int,
) -> None:
    """Fill the tables for the tiles in ``K_COUNTS``.

    ``leave_equities`` has room for all codes (:func:`set_weights`), ``subset_tables`` for ``L_SECTIONS`` times as many numbers,
    and ``paths`` for three times as many. ``opponent_points`` is the total points on the opponents' racks.
    """
    code_count = set_weights(rack, game[G_KIND_COUNT])
    tile_count = rack[K_TILE_COUNT]
    rack[K_MAX_LAID] = min(tile_count, game[G_RACK_SIZE])
    _sum_top_points(game, rack)
    for laid_count in range(tile_count + 1):
        rack[K_BEST_LEAVE + laid_count] = LOWEST_VALUE
    subset_tables[0] = 0
    subset_tables[L_HASHES * code_count] = 0
    subset_tables[L_POINTS * code_count] = 0
    paths[0] = 0
    paths[1] = 0
    paths[2] = 0
    leave_equities[0] = 0 if bag_count or game[G_EQUAL_TURNS] else OUT_FACTOR * 1000 * opponent_points
    rack[K_BEST_LEAVE + tile_count] = leave_equities[0]
    kind = -1
    weight = 0
    next_kind_code = 1  # the first code whose last tile is of the next kind
    for code in range(1, code_count):
        if code == next_kind_code:
            kind += 1
            while not rack[K_COUNTS + kind]:
                kind += 1
            weight = rack[K_WEIGHT + kind]
            next_kind_code = weight * (rack[K_COUNTS + kind] + 1)
        without_tile = code - weight
        subset_tables[code] = subset_tables[without_tile] | 1 << kind
        subset_tables[L_HASHES * code_count + code] = (
            subset_tables[L_HASHES * code_count + without_tile] + game[G_HASHES + kind]
        )
        subset_tables[L_POINTS * code_count + code] = (
            subset_tables[L_POINTS * code_count + without_tile] + game[G_POINTS + kind]
        )
        if bag_count:
            node = paths[3 * without_tile]
            rank = paths[3 * without_tile + 1]
            if node >= 0:
                node, rank = follow_tile(leave_nodes, leave_counts, node, rank, kind)
            paths[3 * code] = node
            paths[3 * code + 1] = rank
            leave_equities[code] = (
                leave_values[rank] if node >= 0 and to_int64(leave_nodes[node]) & ACCEPTS else 0
            )
        else:
            points = paths[3 * without_tile + 1] + game[G_POINTS + kind]
            paths[3 * code + 1] = points
            leave_equities[code] = 0 if game[G_EQUAL_TURNS] else -OUT_FACTOR * 1000 * points - STUCK_PENALTY
        kept_count = paths[3 * without_tile + 2] + 1
        paths[3 * code + 2] = kept_count
        rack[K_BEST_LEAVE + tile_count - kept_count] = max(
            rack[K_BEST_LEAVE + tile_count - kept_count], leave_equities[code]
        )
