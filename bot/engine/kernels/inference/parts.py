"""The parts of a rack that grows tile by tile, and whether a known play is better than the one that was made.

``parts`` (int64) has ``PART`` numbers for each part of the rack, by a code as in :mod:`bot.engine.kernels.rack`. Tiles come
in ascending order, so what stands there stays true when one is added. Where what a part scores and what the
rest of the rack is worth are together more than the play that was made, a better one is *known*.
"""

from __future__ import annotations

from bot.engine.compiler import inner, wide
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.inference.pool import key_of, slot_of
from bot.engine.kernels.rack import NEVER, next_leave
from bot.engine.kernels.turn import RACK_STRIDE, LeavesOf
from bot.engine.lexicon.word_graph import ACCEPTS

I_KEPT = 0
"""How many tiles were kept; of an exchange, how many tiles the rack had."""
I_EXCHANGED = 1
"""How many tiles were exchanged, when it is not known which; 0 when the play is known."""
I_WORTH = 2
"""Millipoints of the play without its leave."""
I_MARGIN = 3
"""By how many millipoints the play may have been worse than the best."""
I_BAG = 4
"""Tiles in the bag before the play."""
I_EXCHANGE = 5
"""How many tiles may be exchanged."""
I_POOL = 8
"""64 numbers: the tiles the kept ones were drawn from."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE

P_NODE = 0
"""The node of the part among the leaves, -1 when there is none."""
P_RANK = 1
"""Its rank there."""
P_KEY = 2
"""Its key among the scores."""
P_TILES = 3
"""How many tiles it has."""
P_WORTH = 4
"""Millipoints that it is worth as a leave."""
P_SCORE = 5
"""Millipoints of the best play known of just these tiles, at least 0 where they may be exchanged; ``NEVER`` for none."""
PART = 6


@inner
def begin_parts(parts: Numbers) -> None:
    """Write the parts of no tiles."""
    for field in range(PART):
        parts[field] = 0
    parts[P_SCORE] = NEVER


@inner
def add_tile(
    leaves: LeavesOf, scores: Numbers, exchange: int, parts: Numbers, codes: int, weight: int, kind: int
) -> int:
    """Add a tile to a rack with so many parts, ``weight`` of them without a tile of this kind; return how many it has then."""
    key = key_of(kind)
    for at in range(codes * PART, (codes + weight) * PART, PART):
        before = at - weight * PART
        node, rank = parts[before + P_NODE], parts[before + P_RANK]
        if node >= 0:
            node, rank = next_leave(leaves.nodes, leaves.counts, node, rank, kind)
        parts[at + P_NODE] = node
        parts[at + P_RANK] = rank
        parts[at + P_WORTH] = leaves.values[rank] if node >= 0 and wide(leaves.nodes[node]) & ACCEPTS else 0
        tiles = parts[before + P_TILES] + 1
        parts[at + P_TILES] = tiles
        parts[at + P_KEY] = parts[before + P_KEY] + key
        slot = slot_of(scores, parts[at + P_KEY])
        score = scores[slot + 1] if scores[slot] else wide(NEVER)
        parts[at + P_SCORE] = max(score, 0) if tiles <= exchange else score
    return codes + weight


@inner
def worth_of_play(case: Numbers, parts: Numbers, codes: int, kept: int) -> int:
    """Return what the play is worth with a rack, or the best exchange; ``kept`` is the code of what a play keeps."""
    if not case[I_EXCHANGED]:
        return case[I_WORTH] + parts[kept * PART + P_WORTH]
    tiles = case[I_KEPT] - case[I_EXCHANGED]
    best = wide(NEVER)
    for at in range(0, codes * PART, PART):
        if parts[at + P_TILES] == tiles:
            best = max(best, parts[at + P_WORTH])
    return best


@inner
def knows_better(parts: Numbers, codes: int, limit: int) -> bool:
    """Return whether a known play of a rack is worth more than the limit."""
    rest = (codes - 2) * PART
    for at in range(PART, codes * PART, PART):
        if parts[at + P_SCORE] + parts[rest + P_WORTH] > limit:
            return True
        rest -= PART
    return False
