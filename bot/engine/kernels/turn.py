"""Plays turns: a player finds the best play, makes it, and draws tiles.

``racks[64 * player + kind]`` (int64) counts the tiles of a kind on a player's rack. ``bag[0]`` (int64) is the number of tiles
in the bag. The tiles follow, and the last is drawn first. ``random_state[0]`` (int64) is never 0.
"""

from __future__ import annotations

from typing import NamedTuple

from bot.engine.compiler import compiled, inner_kernel, to_int64
from bot.engine.kernels.best_plays import (
    EXCHANGE,
    PASS,
    PLACEMENT,
    R_KIND,
    R_LENGTH,
    R_START,
    R_TILES,
    ROW_STRIDE,
    Records,
)
from bot.engine.kernels.board import (
    G_KIND_COUNT,
    G_MIN_BAG_FOR_EXCHANGE,
    G_POINTS,
    G_RACK_SIZE,
    Masks,
    Numbers,
    Squares,
    put_tile,
    square_of,
    update_after_play,
)
from bot.engine.kernels.graph import Graph
from bot.engine.kernels.plays import find_best_plays
from bot.engine.kernels.rack import K_COUNTS, K_TILE_COUNT, fill_rack_tables
from bot.engine.lexicon.leaves import LeaveValues

RACK_STRIDE = 64

_SCRAMBLE = -7046029254386353131  # 2 ** 64 divided by the golden ratio, as a signed number
_SECOND_SCRAMBLE = -4658895280553007687  # a multiplier of splitmix64 (Steele, Lea and Flood 2014)


class BoardArrays(NamedTuple):
    """See :mod:`bot.engine.kernels.board`."""

    game: Numbers
    squares: Squares
    masks: Masks
    undo_log: Numbers
    graph: Graph


class PlaySearchArrays(NamedTuple):
    """See the modules ``rack``, ``plays`` and ``best_plays``."""

    rack: Numbers
    subset_tables: Numbers
    leave_equities: Numbers
    paths: Numbers
    work: Numbers
    store_state: Numbers
    keys: Numbers
    records: Records
    heap: Records
    stop_flag: Numbers
    record_length: int


@compiled
def seed_random(random_state: Numbers, seed: int, number: int) -> None:
    """Seed the random generator. Each ``number`` selects a different sequence."""
    state = (seed + 1) * _SCRAMBLE + number * _SECOND_SCRAMBLE
    for _ in range(3):
        state = (state ^ ((state >> 30) & 0x3FFFFFFFF)) * _SECOND_SCRAMBLE
        state = (state ^ ((state >> 27) & 0x1FFFFFFFFF)) * _SCRAMBLE
    random_state[0] = state or 1


@inner_kernel
def random_below(random_state: Numbers, limit: int) -> int:
    """Return a random number from 0 to ``limit - 1``, by xorshift."""
    state = random_state[0]
    state ^= state << 13
    state ^= (state >> 7) & 0x1FFFFFFFFFFFFFF
    state ^= state << 17
    random_state[0] = state
    return ((state >> 11) & 0x1FFFFFFFFFFFFF) % limit


@inner_kernel
def shuffle(bag: Numbers, random_state: Numbers) -> None:
    for place in range(bag[0], 1, -1):
        other = 1 + random_below(random_state, place)
        bag[place], bag[other] = bag[other], bag[place]


@inner_kernel
def rack_tile_count(game: Numbers, racks: Numbers, player: int) -> int:
    tile_count = 0
    for kind in range(game[G_KIND_COUNT]):
        tile_count += racks[player * RACK_STRIDE + kind]
    return tile_count


@inner_kernel
def refill_rack(game: Numbers, racks: Numbers, player: int, bag: Numbers) -> int:
    """Fill a rack from the bag. Return the number of tiles on the rack."""
    tile_count = rack_tile_count(game, racks, player)
    while tile_count < game[G_RACK_SIZE] and bag[0]:
        racks[player * RACK_STRIDE + bag[bag[0]]] += 1
        bag[0] -= 1
        tile_count += 1
    return tile_count


@inner_kernel
def rack_points(game: Numbers, racks: Numbers, player: int) -> int:
    points = 0
    for kind in range(game[G_KIND_COUNT]):
        points += racks[player * RACK_STRIDE + kind] * game[G_POINTS + kind]
    return points


@inner_kernel
def prepare_search(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveValues,
    racks: Numbers,
    player: int,
    bag_count: int,
) -> int:
    """Fill the rack tables of a player. Return how many tiles may be exchanged."""
    for kind in range(board.game[G_KIND_COUNT]):
        search.rack[K_COUNTS + kind] = racks[player * RACK_STRIDE + kind]
    opponent_points = to_int64(0)
    if not bag_count:
        for other in range(racks.shape[0] // RACK_STRIDE):
            if other != player:
                opponent_points += rack_points(board.game, racks, other)
    fill_rack_tables(
        board.game,
        search.rack,
        search.subset_tables,
        search.leave_equities,
        search.paths,
        leaves.nodes,
        leaves.counts,
        leaves.values,
        bag_count,
        opponent_points,
    )
    if bag_count < board.game[G_MIN_BAG_FOR_EXCHANGE]:
        return 0
    return min(search.rack[K_TILE_COUNT], bag_count, board.game[G_RACK_SIZE])


@inner_kernel
def search_plays(board: BoardArrays, search: PlaySearchArrays, max_exchange: int) -> None:
    find_best_plays(
        board.game,
        board.squares,
        board.masks,
        board.graph,
        search.rack,
        search.subset_tables,
        search.leave_equities,
        search.paths,
        search.work,
        search.store_state,
        search.keys,
        search.records,
        search.heap,
        search.stop_flag,
        max_exchange,
    )


@inner_kernel
def lay_tiles(board: BoardArrays, records: Records, record: int) -> None:
    game = board.game
    start = to_int64(records[record + R_START])
    first = square_of(game, start & 1, start // ROW_STRIDE, (start % ROW_STRIDE) >> 1)
    length = to_int64(records[record + R_LENGTH])
    laid_mask = 0
    for place in range(length):
        tile = to_int64(records[record + R_TILES + place])
        if tile:
            laid_mask |= 1 << place
            points = game[G_POINTS + max(tile, 0)]
            put_tile(game, board.squares, board.undo_log, first + place, abs(tile), points)
    update_after_play(
        game, board.squares, board.masks, board.graph, board.undo_log, first, first + length, laid_mask
    )


@inner_kernel
def take_turn(
    board: BoardArrays,
    records: Records,
    record: int,
    racks: Numbers,
    player: int,
    bag: Numbers,
    random_state: Numbers,
) -> int:
    """Make a play. Return the number of tiles on the player's rack, which is 0 if the player has gone out. After a pass, return 1."""
    rack_start = player * RACK_STRIDE
    kind = records[record + R_KIND]
    length = to_int64(records[record + R_LENGTH])
    if kind == PASS:
        return to_int64(1)
    if kind == PLACEMENT:
        lay_tiles(board, records, record)
    for place in range(length):
        tile = to_int64(records[record + R_TILES + place])
        if kind == EXCHANGE or tile:
            racks[rack_start + max(tile, 0)] -= 1
    tile_count = refill_rack(board.game, racks, player, bag)
    if kind == EXCHANGE:
        for place in range(length):
            bag[0] += 1
            other = 1 + random_below(random_state, bag[0])
            bag[bag[0]] = bag[other]
            bag[other] = records[record + R_TILES + place]
    return tile_count
