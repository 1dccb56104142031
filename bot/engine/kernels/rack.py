"""The rack in the form that the kernels use: each part of it has a number, and a value if it is kept.

A part of a rack (a sub-multiset of its tiles) has a *code*: the sum of the ``K_WEIGHT`` of its tiles, where the
weights are those of a mixed-radix number with a digit for each kind of tile. The whole rack has the highest code, no
tiles have code 0, and laying a tile subtracts its weight. So the value of a leave is looked up in a table that is
filled once for a rack: ``worth[code]`` is the value, in millipoints, of keeping a part. ``letters`` has sections of
one number for each code, by the ``L_`` constants; the first is the mask of the kinds in the part.

``rack`` (int64) has the other values, by the ``K_`` constants. The caller sets ``K_COUNTS`` and calls
:func:`prepare`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.board import G_EQUAL, G_KINDS, G_POINTS, G_RACK_SIZE, G_SHARES, Numbers
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT, Nodes

(
    K_TILES,  # Number of tiles on the rack.
    K_CODES,  # Number of parts of the rack: one more than the highest code.
    K_MOST,  # Maximum number of tiles that a play may lay down.
) = range(3)
(
    L_KINDS,  # The mask of the kinds in the part.
    L_SHARES,  # The sum of the shares of the part's letters, without blanks, see :mod:`bot.engine.kernels.graph`.
    L_POINTS,  # The points of the part's tiles.
    # The parts by size, and within a size the best first: the value of the part and its leave, and its code in
    # ``CODE_BITS`` bits.
    L_ORDER,
    L_LISTED,  # The parts that may make a word with certain letters on the board.
    L_BLANKS,  # The letters that their blank can then be, or bit 0 without a blank.
    L_LISTED_ALONE,  # The same for no letters on the board.
    L_BLANKS_ALONE,
    L_SECTIONS,
) = range(9)

K_WEIGHT = 16
"""64 numbers: the weight of each kind of tile."""
K_COUNTS = 80
"""64 numbers: the number of tiles of each kind."""
K_HIGHEST = 144
"""32 numbers: the points of the n most valuable tiles."""
K_BEST = 176
"""32 numbers: the value of the best leave after n tiles are laid."""
K_FIRST = 208
"""33 numbers: the index at which the parts of n tiles begin in the order by size. This and the following are set only
if bounds are needed."""
K_NEXT = 241
"""32 numbers: scratch for sorting the parts."""
K_USE_MAP = 273
"""1 if plays are found with the map of words."""
K_LISTS = 274
"""Two times 96 numbers, first for letters that are played through, then without such letters. For each size: the
letters for which parts that may make a word are listed, the last part examined, and the number of parts listed."""
RACK_LENGTH = 466

MAX_RACK = 20
"""Maximum number of tiles on a rack: a rack of 20 different tiles has 2 ** 20 parts."""

NEVER = -(1 << 62)
"""Less than any equity."""

OUT_FACTOR = 2
"""Multiplier of the opponent's tiles for a player who goes out, and of the player's own leave otherwise."""
STUCK_PENALTY = 10_000
"""Penalty, in millipoints, for a play that does not go out when the bag is empty."""


@inner
def codes_of(rack: Numbers, kinds: int) -> int:
    """Give each kind its weight, and return the number of codes."""
    codes = 1
    tiles = 0
    for kind in range(kinds, 64):  # clear values of a larger alphabet
        rack[K_WEIGHT + kind] = 0
        rack[K_COUNTS + kind] = 0
    for kind in range(kinds):
        count = rack[K_COUNTS + kind]
        rack[K_WEIGHT + kind] = codes if count else 0
        codes *= count + 1
        tiles += count
    rack[K_TILES] = tiles
    rack[K_CODES] = codes
    return codes


@inner
def _sort_points(game: Numbers, rack: Numbers) -> None:
    """Fill ``K_HIGHEST`` with the cumulative sums of the tiles' points in descending order."""
    sums = K_HIGHEST + 1
    tiles = 0
    for kind in range(game[G_KINDS]):
        points = game[G_POINTS + kind]
        for _ in range(rack[K_COUNTS + kind]):
            at = sums + tiles
            while at > sums and rack[at - 1] < points:
                rack[at] = rack[at - 1]
                at -= 1
            rack[at] = points
            tiles += 1
    rack[K_HIGHEST] = 0
    for tile in range(tiles):
        rack[sums + tile] += rack[sums + tile - 1]


@inner
def next_leave(
    nodes: Nodes, counts: npt.NDArray[np.int32], node: int, rank: int, kind: int
) -> tuple[int, int]:
    """Follow a tile from a node in the graph of leaves (0: the root); return the next node, or -1, and its rank."""
    bits = wide(nodes[node])
    first = bits & ARC
    if not first:
        return -1, 0
    if node and bits & ACCEPTS:
        rank += 1
    at = first
    while wide(nodes[at]) >> TILE_SHIFT != kind:
        if wide(nodes[at]) & LAST_SIBLING:
            return -1, 0
        at += 1
    return at, rank + wide(counts[first]) - wide(counts[at])


@compiled
def prepare(
    game: Numbers,
    rack: Numbers,
    letters: Numbers,
    worth: Numbers,
    paths: Numbers,
    leave_nodes: Nodes,
    leave_counts: npt.NDArray[np.int32],
    leave_values: npt.NDArray[np.int32],
    bag: int,
    opponent: int,
) -> None:
    """Fill the tables for the tiles in ``K_COUNTS``.

    ``worth`` has room for all codes (:func:`codes_of`), ``letters`` for ``L_SECTIONS`` and ``paths`` for three times
    as many. While the ``bag`` has tiles, a part is worth its leave value. When the bag is empty, a leave of no tiles
    wins twice the ``opponent``'s points, and any other leave costs twice its points and ``STUCK_PENALTY``. With
    ``G_EQUAL``, tiles then do not count.
    """
    codes = codes_of(rack, game[G_KINDS])
    tiles = rack[K_TILES]
    rack[K_MOST] = min(tiles, game[G_RACK_SIZE])
    _sort_points(game, rack)
    for laid in range(tiles + 1):
        rack[K_BEST + laid] = NEVER
    letters[0] = 0
    letters[L_SHARES * codes] = 0
    letters[L_POINTS * codes] = 0
    paths[0] = 0
    paths[1] = 0
    paths[2] = 0
    worth[0] = 0 if bag or game[G_EQUAL] else OUT_FACTOR * 1000 * opponent
    rack[K_BEST + tiles] = worth[0]
    kind = -1
    weight = 0
    limit = 1  # the first code whose last tile is of the next kind
    for code in range(1, codes):
        if code == limit:
            kind += 1
            while not rack[K_COUNTS + kind]:
                kind += 1
            weight = rack[K_WEIGHT + kind]
            limit = weight * (rack[K_COUNTS + kind] + 1)
        before = code - weight
        letters[code] = letters[before] | 1 << kind
        letters[L_SHARES * codes + code] = letters[L_SHARES * codes + before] + game[G_SHARES + kind]
        letters[L_POINTS * codes + code] = letters[L_POINTS * codes + before] + game[G_POINTS + kind]
        if bag:
            node = paths[3 * before]
            rank = paths[3 * before + 1]
            if node >= 0:
                node, rank = next_leave(leave_nodes, leave_counts, node, rank, kind)
            paths[3 * code] = node
            paths[3 * code + 1] = rank
            worth[code] = leave_values[rank] if node >= 0 and wide(leave_nodes[node]) & ACCEPTS else 0
        else:
            points = paths[3 * before + 1] + game[G_POINTS + kind]
            paths[3 * code + 1] = points
            worth[code] = 0 if game[G_EQUAL] else -OUT_FACTOR * 1000 * points - STUCK_PENALTY
        left = paths[3 * before + 2] + 1
        paths[3 * code + 2] = left
        rack[K_BEST + tiles - left] = max(rack[K_BEST + tiles - left], worth[code])
