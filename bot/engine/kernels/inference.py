"""Infers an opponent's leave: draws random racks, and keeps the leaves of the racks that explain the last play.

A rack *explains* the last play if it allows no play that is better by more than a margin. If the kernel finds a better play, it
stores that play's tiles and score. Later, any other rack that contains these tiles can be excluded without a search, if its leave
after that play is good enough. So most racks need no search.

``last_play`` (int64) is indexed by the ``I_`` constants. ``subsets`` (int64) has ``SUBSET_LENGTH`` numbers for each subset of a
rack's tiles. The subsets are sorted by code (:mod:`bot.engine.kernels.rack`).

``scores`` (int64) is a hash table. ``scores[2*slot]`` is the key of a set of tiles: the sum of their hashes, or 0 if the slot
is free. ``scores[2*slot + 1]`` is the score, in millipoints, of the best known play of exactly these tiles. The last number is
the number of sets.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner_kernel, to_int64
from bot.engine.kernels.best_plays import (
    F_SPARE_SLOT,
    F_USED_COUNT,
    F_WORST_KEY,
    R_LEAVE_CODE,
    Records,
    reset_store,
)
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.graph import letter_hash
from bot.engine.kernels.rack import LOWEST_VALUE, follow_tile
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardArrays,
    PlaySearchArrays,
    prepare_search,
    random_below,
    search_plays,
)
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import ACCEPTS

(
    I_UNKNOWN_COUNT,  # Number of unknown tiles on the rack before the play. A placement's tiles are known.
    I_EXCHANGED_COUNT,  # Number of unknown tiles that were exchanged.
    I_PLAY_VALUE,  # The value of the play without its leave, in millipoints.
    I_MAX_LOSS,  # Maximum loss compared with the best play, in millipoints.
    I_BAG_COUNT,  # Number of tiles in the bag before the play.
    I_MAX_EXCHANGE,
) = range(6)
I_UNSEEN_COUNTS = 8
"""The number of unseen tiles of each of the 64 kinds, excluding the tiles of the play."""
I_PLAYED_COUNTS = I_UNSEEN_COUNTS + RACK_STRIDE
"""The number of tiles of each of the 64 kinds in the play."""
LAST_PLAY_ARRAY_LENGTH = I_PLAYED_COUNTS + RACK_STRIDE

(
    # The fields of a subset.
    SUBSET_NODE,  # In the DAWG of leave values, or -1.
    SUBSET_RANK,  # In the DAWG of leave values.
    SUBSET_KEY,  # In ``scores``.
    SUBSET_TILE_COUNT,
    SUBSET_LEAVE_VALUE,  # In millipoints.
    # The score, in millipoints, of the best known play of exactly these tiles, or ``LOWEST_VALUE``. If the tiles may be exchanged,
    # it is at least 0, because an exchange scores 0.
    SUBSET_SCORE,
) = range(6)
SUBSET_LENGTH = 6

SLOT_COUNT = 1 << 16
SCORES_LENGTH = 2 * SLOT_COUNT + 1
RACK_CACHE_SIZE = 1 << 13
"""Number of racks in ``rack_cache``. Each has two numbers: its key, and 1 if it explains the play."""


@inlined
def _score_index(scores: Numbers, key: int) -> int:
    """Return the index of a set in ``scores``. The key there is 0 if the set is new."""
    index = 2 * (key >> 40 & (SLOT_COUNT - 1))
    while scores[index] != key and scores[index]:
        index = (index + 2) & (2 * SLOT_COUNT - 1)
    return index


@inner_kernel
def _list_subsets(
    leaves: LeaveValues, last_play: Numbers, scores: Numbers, subsets: Numbers, racks: Numbers
) -> int:
    for field in range(SUBSET_LENGTH):
        subsets[field] = 0
    subsets[SUBSET_SCORE] = LOWEST_VALUE
    code_count = to_int64(1)
    for kind in range(RACK_STRIDE):
        key = letter_hash(kind)
        weight = code_count
        for subset in range(
            code_count * SUBSET_LENGTH, code_count * (racks[kind] + 1) * SUBSET_LENGTH, SUBSET_LENGTH
        ):
            without_tile = subset - weight * SUBSET_LENGTH
            node, rank = subsets[without_tile + SUBSET_NODE], subsets[without_tile + SUBSET_RANK]
            if node >= 0:
                node, rank = follow_tile(leaves.nodes, leaves.counts, node, rank, kind)
            is_listed = node >= 0 and to_int64(leaves.nodes[node]) & ACCEPTS
            subsets[subset + SUBSET_NODE] = node
            subsets[subset + SUBSET_RANK] = rank
            subsets[subset + SUBSET_LEAVE_VALUE] = leaves.values[rank] if is_listed else 0
            subsets[subset + SUBSET_TILE_COUNT] = subsets[without_tile + SUBSET_TILE_COUNT] + 1
            subsets[subset + SUBSET_KEY] = subsets[without_tile + SUBSET_KEY] + key
            index = _score_index(scores, subsets[subset + SUBSET_KEY])
            score = scores[index + 1] if scores[index] else to_int64(LOWEST_VALUE)
            subsets[subset + SUBSET_SCORE] = (
                max(score, 0) if subsets[subset + SUBSET_TILE_COUNT] <= last_play[I_MAX_EXCHANGE] else score
            )
        code_count *= racks[kind] + 1
    return code_count


@inner_kernel
def _find_leave_code(last_play: Numbers, subsets: Numbers, code_count: int, racks: Numbers) -> int:
    """Return the code of the leave, or of the best leave if unknown tiles were exchanged."""
    code = to_int64(0)
    if not last_play[I_EXCHANGED_COUNT]:
        weight = to_int64(1)
        for kind in range(RACK_STRIDE):
            code += weight * (racks[kind] - last_play[I_PLAYED_COUNTS + kind])
            weight *= racks[kind] + 1
        return code
    best_value = to_int64(LOWEST_VALUE)
    for subset_code in range(code_count):
        subset = subset_code * SUBSET_LENGTH
        if (
            subsets[subset + SUBSET_TILE_COUNT] == last_play[I_UNKNOWN_COUNT] - last_play[I_EXCHANGED_COUNT]
            and subsets[subset + SUBSET_LEAVE_VALUE] > best_value
        ):
            best_value = subsets[subset + SUBSET_LEAVE_VALUE]
            code = to_int64(subset_code)
    return code


@inner_kernel
def _has_known_better_play(subsets: Numbers, code_count: int, max_value: int) -> bool:
    complement = (code_count - 2) * SUBSET_LENGTH
    for subset in range(SUBSET_LENGTH, code_count * SUBSET_LENGTH, SUBSET_LENGTH):
        if subsets[subset + SUBSET_SCORE] + subsets[complement + SUBSET_LEAVE_VALUE] > max_value:
            return True
        complement -= SUBSET_LENGTH
    return False


@inner_kernel
def _find_best_play(board: BoardArrays, search: PlaySearchArrays, max_exchange: int, max_value: int) -> int:
    """Return the slot of the best play, or of a placeholder if no play has a higher value than ``max_value``."""
    reset_store(search.store_state, to_int64(1), search.record_length, to_int64(0), to_int64(0))
    # A placeholder with exactly this value takes the only slot.
    search.keys[0] = max_value
    search.keys[1] = -LOWEST_VALUE
    search.heap[0] = 0
    search.store_state[F_USED_COUNT] = 1
    search.store_state[F_SPARE_SLOT] = 1
    search.store_state[F_WORST_KEY] = max_value
    search_plays(board, search, max_exchange)
    return to_int64(search.heap[0])


@inner_kernel
def _store_score(scores: Numbers, key: int, score: int) -> None:
    """Store a set's highest score. If the table is half full, store no new set."""
    index = _score_index(scores, key)
    if scores[index]:
        scores[index + 1] = max(scores[index + 1], score)
    elif scores[2 * SLOT_COUNT] < SLOT_COUNT // 2:
        scores[2 * SLOT_COUNT] += 1
        scores[index] = key
        scores[index + 1] = score


@inner_kernel
def _explains(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveValues,
    last_play: Numbers,
    scores: Numbers,
    subsets: Numbers,
    rack_cache: Numbers,
    racks: Numbers,
    drawn_leaves: Records,
    leave_start: int,
) -> bool:
    """Return whether the first rack in ``racks`` explains the play. If so, its leave is in ``drawn_leaves[leave_start:]``."""
    code_count = _list_subsets(leaves, last_play, scores, subsets, racks)
    code = _find_leave_code(last_play, subsets, code_count, racks)
    max_value = (
        last_play[I_PLAY_VALUE] + subsets[code * SUBSET_LENGTH + SUBSET_LEAVE_VALUE] + last_play[I_MAX_LOSS]
    )
    if _has_known_better_play(subsets, code_count, max_value):
        return False
    key = subsets[(code_count - 1) * SUBSET_LENGTH + SUBSET_KEY]
    cache_index = 2 * (key >> 40 & (RACK_CACHE_SIZE - 1))
    if rack_cache[cache_index] != key:
        max_exchange = prepare_search(board, search, leaves, racks, to_int64(0), last_play[I_BAG_COUNT])
        rack_cache[cache_index] = key
        best_slot = _find_best_play(board, search, max_exchange, max_value)
        rack_cache[cache_index + 1] = search.keys[2 * best_slot] <= max_value
        if not rack_cache[cache_index + 1]:
            leave_code = to_int64(search.records[best_slot * search.record_length + R_LEAVE_CODE])
            score = search.keys[2 * best_slot] - search.leave_equities[leave_code]
            _store_score(scores, subsets[(code_count - 1 - leave_code) * SUBSET_LENGTH + SUBSET_KEY], score)
    for kind in range(RACK_STRIDE):
        drawn_leaves[leave_start + kind] = code % (racks[kind] + 1)
        code //= racks[kind] + 1
    return rack_cache[cache_index + 1] != 0


@compiled
def draw_racks(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveValues,
    last_play: Numbers,
    scores: Numbers,
    subsets: Numbers,
    rack_cache: Numbers,
    racks: Numbers,
    unseen_tiles: Numbers,
    random_state: Numbers,
    drawn_leaves: Records,
) -> int:
    """Draw a rack for each row of 64 counts in ``drawn_leaves``. Return how many racks explain the play.

    The leaves of these racks are written to the first rows. A rack has the tiles of the play, and unknown tiles drawn from
    ``unseen_tiles``. ``racks`` has room for two racks, and ``subsets`` for all subsets of a rack. ``rack_cache`` must be all
    zeros before the first call. The game must have two players.
    """
    leave_start = to_int64(0)
    for _ in range(drawn_leaves.shape[0] // RACK_STRIDE):
        for kind in range(RACK_STRIDE):
            racks[kind] = last_play[I_PLAYED_COUNTS + kind]
        for place in range(last_play[I_UNKNOWN_COUNT]):
            other = place + random_below(random_state, unseen_tiles.shape[0] - place)
            unseen_tiles[place], unseen_tiles[other] = unseen_tiles[other], unseen_tiles[place]
            racks[unseen_tiles[place]] += 1
        if _explains(
            board, search, leaves, last_play, scores, subsets, rack_cache, racks, drawn_leaves, leave_start
        ):
            leave_start += RACK_STRIDE
    return leave_start // RACK_STRIDE
