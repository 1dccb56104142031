"""The rack as the kernels see it: every part of it by a number, with what that part is worth when it is kept.

A part of a rack (a sub-multiset of its tiles) has a *code*: the sum of the ``K_WEIGHT`` of its tiles, where the
weights are those of a mixed-radix number with a digit for each kind of tile. The whole rack has the highest code,
no tile code 0, and laying a tile takes its weight away. So the leave of a play is looked up in a table that
is filled once for a rack: ``worth[code]`` is the value of a part in millipoints, when it is kept. ``letters`` has
sections of one number for each code, by the ``L_`` constants; the first is the mask of the kinds in the part.

``rack`` (int64) has the rest, by the ``K_`` constants; a caller fills in ``K_COUNTS`` and calls :func:`prepare`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.board import G_EQUAL, G_KINDS, G_POINTS, G_RACK_SIZE, G_SHARES, Numbers
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT, Nodes

(
    K_TILES,  # Tiles on the rack.
    K_CODES,  # Parts of the rack: one more than the highest code.
    K_MOST,  # Tiles that a play may lay down.
) = range(3)
(
    L_KINDS,  # The mask of the kinds in the part.
    L_SHARES,  # The sum of its letters' shares, blanks left out, see :mod:`bot.engine.kernels.graph`.
    L_POINTS,  # The points of its tiles.
    # The parts by size, of each size the best first: what the part scores and leaves, and its code in ``CODE_BITS`` bits.
    L_ORDER,
    L_LISTED,  # Those of them that may make a word with some letters on the board.
    L_BLANKS,  # Which letters their blank may be then, or bit 0 when they have none.
    L_LISTED_ALONE,  # The same for no letters on the board.
    L_BLANKS_ALONE,
    L_SECTIONS,
) = range(9)

K_WEIGHT = 16
"""64 numbers: the weight of each kind of tile."""
K_COUNTS = 80
"""64 numbers: how many of each kind there are."""
K_HIGHEST = 144
"""32 numbers: the points of the n tiles that count most."""
K_BEST = 176
"""32 numbers: the worth of the best part that is left when n tiles are laid."""
K_FIRST = 208
"""33 numbers: where the parts of n tiles begin in their order by size. Filled in when bounds are needed, as are the next."""
K_NEXT = 241
"""32 numbers: scratch for this order."""
K_USE_MAP = 273
"""1 when plays are found with the map of words."""
K_LISTS = 274
"""Two times 96 numbers: of each size, for which letters that are played through the parts that may make a word with them are
listed, up to which part, and how many these are; first for any letters, then for none."""
RACK_LENGTH = 466

MAX_RACK = 20
"""Maximum number of tiles on a rack: a rack of 20 different tiles has 2 ** 20 parts."""

NEVER = -(1 << 62)
"""Less than any equity."""

OUT_FACTOR = 2
"""Multiplier of the opponent's tiles for a player who goes out, and otherwise of the player's leave."""
STUCK_PENALTY = 10_000
"""Millipoints that a play costs that does not go out when the bag is empty."""


@inner
def codes_of(rack: Numbers, kinds: int) -> int:
    """Give each kind its weight and return how many codes there are."""
    codes = 1
    tiles = 0
    for kind in range(kinds, 64):  # what a larger alphabet left
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
    """Fill ``K_HIGHEST`` with sums over the tiles' points in descending order."""
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
    """Continue with a tile from a node of the leaves (0: from the root); return the node, or -1, and its rank."""
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

    ``worth`` has room for all codes (:func:`codes_of`), ``letters`` for ``L_SECTIONS`` and ``paths`` for three times as many. While the
    ``bag`` has tiles, a part is worth its leave value. When it is empty, no tile left wins twice the ``opponent``'s
    points, and any left cost twice their own and ``STUCK_PENALTY``; with ``G_EQUAL`` no tile counts then.
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
    limit = 1  # the first code whose last tile is of a later kind
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
