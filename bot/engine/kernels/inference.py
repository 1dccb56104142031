"""Finds the tiles that an opponent may have kept: draws racks, and checks for which of them the last play was nearly best.

A rack *explains* the play if no play of the rack is better by more than a margin. To check this, the kernel searches for the
plays of the rack. If it finds a better play, the score of its tiles on this board is stored. The same tiles then exclude other
racks whose leaves are good enough. So most racks do not need a search.

``parts`` (int64) has ``PART`` numbers for each part of a rack, indexed by its code (:mod:`bot.engine.kernels.rack`).

``scores`` (int64) is a hash table. ``scores[2 * slot]`` is the key of a set of tiles, which is the sum of their shares
(:mod:`bot.engine.kernels.graph`), or 0 if the slot is free. ``scores[2 * slot + 1]`` is the score, in millipoints, of the
best known play of exactly these tiles. The last number of the array is the number of sets.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner_kernel, to_int64
from bot.engine.kernels.best_plays import F_KEPT, F_SPARE, F_WORST, R_KEPT, Records, start_keeping
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.graph import share_of
from bot.engine.kernels.rack import NEVER, next_leave
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardArrays,
    LeaveArrays,
    PlaySearchArrays,
    prepare_player,
    random_below,
    search_plays,
)
from bot.engine.lexicon.word_graph import ACCEPTS

(
    I_KEPT,  # Number of tiles that the opponent kept; for an exchange, the number of tiles on the rack.
    I_EXCHANGED,  # Number of tiles that were exchanged, if it is unknown which; 0 if the tiles of the play are known.
    I_WORTH,  # The value of the play without its leave, in millipoints.
    I_MARGIN,  # Maximum number of millipoints by which the play may be worse than the best play.
    I_BAG,  # Number of tiles in the bag before the play.
    I_EXCHANGE,  # Maximum number of tiles that may be exchanged.
) = range(6)
I_POOL = 8
"""64 numbers: the unseen tiles, except the tiles of the play, by kind."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play, by kind."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE

(
    P_NODE,  # The node of the part in the graph of leaves, or -1.
    P_RANK,  # The rank of the part in the graph of leaves.
    P_KEY,  # The key of the part in ``scores``.
    P_TILES,  # Number of tiles of the part.
    P_WORTH,  # The value of the part as a leave, in millipoints.
    # The score, in millipoints, of the best known play of exactly these tiles. At least 0 if they may be exchanged, and
    # ``NEVER`` if no play is known.
    P_SCORE,
) = range(6)
PART = 6
"""Length of a part."""

SLOTS = 1 << 16
"""Number of slots of the hash table ``scores``."""
SCORES_LENGTH = 2 * SLOTS + 1
ANSWERS = 1 << 13
"""Number of racks in ``answers``. The array has two numbers for each: the key of the rack, and 1 if the rack explains the play, or 0."""


@inlined
def _slot_of(scores: Numbers, key: int) -> int:
    """Return the index of a set of tiles in ``scores``. If the set is new, the key at this index is 0."""
    at = 2 * (key >> 40 & (SLOTS - 1))
    while scores[at] != key and scores[at]:
        at = (at + 2) & (2 * SLOTS - 1)
    return at


@inner_kernel
def _list_parts(leaves: LeaveArrays, case: Numbers, scores: Numbers, parts: Numbers, racks: Numbers) -> int:
    """Write the parts of the first rack. Return their number."""
    for field in range(PART):
        parts[field] = 0
    parts[P_SCORE] = NEVER
    codes = to_int64(1)
    for kind in range(RACK_STRIDE):
        key = share_of(kind)
        weight = codes
        for at in range(codes * PART, codes * (racks[kind] + 1) * PART, PART):
            before = at - weight * PART
            node, rank = parts[before + P_NODE], parts[before + P_RANK]
            if node >= 0:
                node, rank = next_leave(leaves.nodes, leaves.counts, node, rank, kind)
            is_listed = node >= 0 and to_int64(leaves.nodes[node]) & ACCEPTS
            parts[at + P_NODE] = node
            parts[at + P_RANK] = rank
            parts[at + P_WORTH] = leaves.values[rank] if is_listed else 0
            parts[at + P_TILES] = parts[before + P_TILES] + 1
            parts[at + P_KEY] = parts[before + P_KEY] + key
            slot = _slot_of(scores, parts[at + P_KEY])
            score = scores[slot + 1] if scores[slot] else to_int64(NEVER)
            parts[at + P_SCORE] = max(score, 0) if parts[at + P_TILES] <= case[I_EXCHANGE] else score
        codes *= racks[kind] + 1
    return codes


@inner_kernel
def _code_of_kept(case: Numbers, parts: Numbers, codes: int, racks: Numbers) -> int:
    """Return the code of the leave: the part that the play keeps, or after an exchange of unknown tiles, the best part."""
    code = to_int64(0)
    if not case[I_EXCHANGED]:
        weight = to_int64(1)
        for kind in range(RACK_STRIDE):
            code += weight * (racks[kind] - case[I_PLAYED + kind])
            weight *= racks[kind] + 1
        return code
    best = to_int64(NEVER)
    for part in range(codes):
        at = part * PART
        if parts[at + P_TILES] == case[I_KEPT] - case[I_EXCHANGED] and parts[at + P_WORTH] > best:
            best = parts[at + P_WORTH]
            code = to_int64(part)
    return code


@inner_kernel
def _has_known_better(parts: Numbers, codes: int, limit: int) -> bool:
    """Return whether any known play of the rack is worth more than the limit."""
    rest = (codes - 2) * PART
    for at in range(PART, codes * PART, PART):
        if parts[at + P_SCORE] + parts[rest + P_WORTH] > limit:
            return True
        rest -= PART
    return False


@inner_kernel
def _find_best(board: BoardArrays, search: PlaySearchArrays, exchange: int, limit: int) -> int:
    """Find the best play of a prepared rack. Return its slot, or the slot of a placeholder if no play is above the limit."""
    start_keeping(search.found, to_int64(1), search.width, to_int64(0), to_int64(0))
    # A placeholder of exactly this value takes the only slot.
    search.keys[0] = limit
    search.keys[1] = -NEVER
    search.heap[0] = 0
    search.found[F_KEPT] = 1
    search.found[F_SPARE] = 1
    search.found[F_WORST] = limit
    search_plays(board, search, exchange)
    return to_int64(search.heap[0])


@inner_kernel
def _record(scores: Numbers, key: int, score: int) -> None:
    """Store the score of a set of tiles, unless a higher score is stored, or the set is new and the table is half full."""
    at = _slot_of(scores, key)
    if scores[at]:
        scores[at + 1] = max(scores[at + 1], score)
    elif scores[2 * SLOTS] < SLOTS // 2:
        scores[2 * SLOTS] += 1
        scores[at] = key
        scores[at + 1] = score


@inner_kernel
def _explains(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveArrays,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    answers: Numbers,
    racks: Numbers,
    leaves_drawn: Records,
    row: int,
) -> bool:
    """Return whether the first rack explains the play. If it does, write its leave as 64 counts at the index ``row``."""
    codes = _list_parts(leaves, case, scores, parts, racks)
    code = _code_of_kept(case, parts, codes, racks)
    limit = case[I_WORTH] + parts[code * PART + P_WORTH] + case[I_MARGIN]
    if _has_known_better(parts, codes, limit):
        return False
    key = parts[(codes - 1) * PART + P_KEY]
    place = 2 * (key >> 40 & (ANSWERS - 1))
    if answers[place] != key:
        exchange = prepare_player(board, search, leaves, racks, to_int64(0), case[I_BAG])
        answers[place] = key
        best = _find_best(board, search, exchange, limit)
        answers[place + 1] = search.keys[2 * best] <= limit
        if not answers[place + 1]:
            rest = to_int64(search.records[best * search.width + R_KEPT])
            score = search.keys[2 * best] - search.worth[rest]
            _record(scores, parts[(codes - 1 - rest) * PART + P_KEY], score)
    for kind in range(RACK_STRIDE):
        leaves_drawn[row + kind] = code % (racks[kind] + 1)
        code //= racks[kind] + 1
    return answers[place + 1] != 0


@compiled
def draw_racks(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveArrays,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    answers: Numbers,
    racks: Numbers,
    tiles: Numbers,
    chance: Numbers,
    leaves_drawn: Records,
) -> int:
    """Draw as many racks as ``leaves_drawn`` has rows of 64 counts. Return how many of them explain the play.

    The leaves of these racks are written to the first rows. A rack has the tiles of the play, and others from ``tiles``,
    which may be in any order. ``racks`` has room for two racks, ``parts`` for all parts of a rack, and ``answers`` for
    twice ``ANSWERS`` numbers, which must be 0 at first. The game has two players.
    """
    row = to_int64(0)
    for _ in range(leaves_drawn.shape[0] // RACK_STRIDE):
        for kind in range(RACK_STRIDE):
            racks[kind] = case[I_PLAYED + kind]
        for place in range(case[I_KEPT]):
            other = place + random_below(chance, tiles.shape[0] - place)
            tiles[place], tiles[other] = tiles[other], tiles[place]
            racks[tiles[place]] += 1
        if _explains(board, search, leaves, case, scores, parts, answers, racks, leaves_drawn, row):
            row += RACK_STRIDE
    return row // RACK_STRIDE
