"""The tiles an opponent may have kept: racks for which the last play was nearly the best.

A search finds out whether a rack has a better play. The value of that play is its score on this board plus the value
of its leave, so it excludes every rack that has the same tiles and an equally good leave. Its score is recorded, so
most racks do not need a search.

``parts`` (int64) has ``PART`` numbers for each part of a rack, by a code as in :mod:`bot.engine.kernels.rack`.

``scores`` (int64) is a hash table: ``scores[2 * slot]`` is the key of a set of tiles, the sum of their shares (see
:mod:`bot.engine.kernels.graph`), or 0. The millipoints of the best known play of exactly these tiles follow. The last
number counts the sets.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner, wide
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
    I_KEPT,  # Number of tiles kept; for an exchange, number of tiles on the rack.
    I_EXCHANGED,  # Number of tiles exchanged if their kinds are unknown; 0 if the play is known.
    I_WORTH,  # Millipoints of the play without its leave.
    I_MARGIN,  # Maximum number of millipoints by which the play may be worse than the best.
    I_BAG,  # Tiles in the bag before the play.
    I_EXCHANGE,  # Maximum number of tiles that may be exchanged.
) = range(6)
I_POOL = 8
"""64 numbers: the unseen tiles without those of the play, by kind."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play, by kind."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE

(
    P_NODE,  # The node of the part in the graph of leaves, or -1.
    P_RANK,  # Its rank there.
    P_KEY,  # Its key in the table of scores.
    P_TILES,  # The number of tiles of the part.
    P_WORTH,  # The value of the part as a leave, in millipoints.
    # The score, in millipoints, of the best known play of exactly these tiles; 0 for an exchange, ``NEVER`` without a
    # play.
    P_SCORE,
) = range(6)
PART = 6

SLOTS = 1 << 16
SCORES_LENGTH = 2 * SLOTS + 1
ANSWERS = 1 << 13
"""Number of racks whose answer is remembered: the key of each, then 1 if it explains the play, else 0."""


@inlined
def _slot_of(scores: Numbers, key: int) -> int:
    """Return the slot of a set of tiles. For a new set, the key there is 0."""
    at = 2 * (key >> 40 & (SLOTS - 1))
    while scores[at] != key and scores[at]:
        at = (at + 2) & (2 * SLOTS - 1)
    return at


@inner
def _list_parts(leaves: LeaveArrays, case: Numbers, scores: Numbers, parts: Numbers, racks: Numbers) -> int:
    """Write the parts of the first rack; return their number."""
    for field in range(PART):
        parts[field] = 0
    parts[P_SCORE] = NEVER
    codes = wide(1)
    for kind in range(RACK_STRIDE):
        key = share_of(kind)
        weight = codes
        for at in range(codes * PART, codes * (racks[kind] + 1) * PART, PART):
            before = at - weight * PART
            node, rank = parts[before + P_NODE], parts[before + P_RANK]
            if node >= 0:
                node, rank = next_leave(leaves.nodes, leaves.counts, node, rank, kind)
            is_listed = node >= 0 and wide(leaves.nodes[node]) & ACCEPTS
            parts[at + P_NODE] = node
            parts[at + P_RANK] = rank
            parts[at + P_WORTH] = leaves.values[rank] if is_listed else 0
            parts[at + P_TILES] = parts[before + P_TILES] + 1
            parts[at + P_KEY] = parts[before + P_KEY] + key
            slot = _slot_of(scores, parts[at + P_KEY])
            score = scores[slot + 1] if scores[slot] else wide(NEVER)
            parts[at + P_SCORE] = max(score, 0) if parts[at + P_TILES] <= case[I_EXCHANGE] else score
        codes *= racks[kind] + 1
    return codes


@inner
def _code_of_kept(case: Numbers, parts: Numbers, codes: int, racks: Numbers) -> int:
    """Return the part that the play keeps, or the best part after an exchange of unknown tiles."""
    code = wide(0)
    if not case[I_EXCHANGED]:
        weight = wide(1)
        for kind in range(RACK_STRIDE):
            code += weight * (racks[kind] - case[I_PLAYED + kind])
            weight *= racks[kind] + 1
        return code
    best = wide(NEVER)
    for part in range(codes):
        at = part * PART
        if parts[at + P_TILES] == case[I_KEPT] - case[I_EXCHANGED] and parts[at + P_WORTH] > best:
            best = parts[at + P_WORTH]
            code = wide(part)
    return code


@inner
def _has_known_better(parts: Numbers, codes: int, limit: int) -> bool:
    """Return whether a known play of a rack is worth more than the limit."""
    rest = (codes - 2) * PART
    for at in range(PART, codes * PART, PART):
        if parts[at + P_SCORE] + parts[rest + P_WORTH] > limit:
            return True
        rest -= PART
    return False


@inner
def _find_best(board: BoardArrays, search: PlaySearchArrays, exchange: int, limit: int) -> int:
    """Return the slot of the best play of a prepared rack, or of a placeholder if no play is worth more than the limit."""
    start_keeping(search.found, wide(1), search.width, wide(0), wide(0))
    # A placeholder of exactly this value takes the only slot.
    search.keys[0] = limit
    search.keys[1] = -NEVER
    search.heap[0] = 0
    search.found[F_KEPT] = 1
    search.found[F_SPARE] = 1
    search.found[F_WORST] = limit
    search_plays(board, search, exchange)
    return wide(search.heap[0])


@inner
def _record(scores: Numbers, key: int, score: int) -> None:
    """Record the score of a set of tiles if it is their best score and the table is less than half full."""
    at = _slot_of(scores, key)
    if scores[at]:
        scores[at + 1] = max(scores[at + 1], score)
    elif scores[2 * SLOTS] < SLOTS // 2:
        scores[2 * SLOTS] += 1
        scores[at] = key
        scores[at + 1] = score


@inner
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
    """Return whether the first rack explains the play; if so, write the tiles it kept as 64 counts from ``row`` on."""
    codes = _list_parts(leaves, case, scores, parts, racks)
    code = _code_of_kept(case, parts, codes, racks)
    limit = case[I_WORTH] + parts[code * PART + P_WORTH] + case[I_MARGIN]
    if _has_known_better(parts, codes, limit):
        return False
    key = parts[(codes - 1) * PART + P_KEY]
    place = 2 * (key >> 40 & (ANSWERS - 1))
    if answers[place] != key:
        exchange = prepare_player(board, search, leaves, racks, wide(0), case[I_BAG])
        answers[place] = key
        best = _find_best(board, search, exchange, limit)
        answers[place + 1] = search.keys[2 * best] <= limit
        if not answers[place + 1]:
            rest = wide(search.records[best * search.width + R_KEPT])
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
    """Draw one rack for each row of 64 counts in ``leaves_drawn``; return how many explain the play.

    The first rows get the tiles those racks kept. Racks have the tiles of the play and others from ``tiles``, which is in
    any order. ``racks`` is two racks, ``parts`` has room for all parts of a rack, and ``answers`` for twice ``ANSWERS``
    numbers, zeros at first. The search is that of a player in a game of two.
    """
    row = wide(0)
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
