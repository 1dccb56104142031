"""Finds the plays of a position, best first.

Each play appears at most once in the result:

- On an empty board, plays go across. If the layout is not symmetric, they also go down.
- A play of one tile that makes words in both directions is listed as a play across.
- Plays that differ only in the letter of a blank are different plays.
- Exchanges of the same tiles are the same play.

Exchanges are listed if the bag has enough tiles. The pass comes last, and is left out if enough other plays are found.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product, starmap
from struct import iter_unpack
from typing import overload

import numpy as np
import numpy.typing as npt

from bot.domain.crossword.play import Coordinate, Direction
from bot.domain.crossword.position import Position
from bot.engine.analysis import AnalysisError, Stop, StoppedError
from bot.engine.kernels import best_plays, board as board_kernel, rack
from bot.engine.kernels.anchors import work_length
from bot.engine.kernels.plays import find_all_plays, find_best_plays
from bot.engine.kernels.turn import BoardArrays
from bot.engine.lexicon.leaves import NO_LEAVES, LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays, check_rack_size
from bot.engine.plays.equity import unseen_points
from bot.engine.plays.values import PlayCount, RatedPlay, SortKey


class PlayList(Sequence[RatedPlay]):
    """The plays of a rack, best first. Play objects are created on access."""

    def __init__(self, buffers: Buffers, rack: tuple[int, ...], by: SortKey) -> None:
        slots = buffers.heap[: int(buffers.store_state[best_plays.F_USED_COUNT])]
        slot_count = int(buffers.store_state[best_plays.F_SLOT_COUNT]) + 1
        self._keys = buffers.keys[: 2 * slot_count].reshape(slot_count, 2).take(slots, axis=0)
        self._records = (
            buffers.records[: slot_count * buffers.record_length]
            .reshape(slot_count, buffers.record_length)
            .take(slots, axis=0)
        )
        self._rack_counts = [(tile, rack.count(tile)) for tile in sorted(set(rack))]
        self._by_score = by is SortKey.SCORE

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> RatedPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RatedPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> RatedPlay | tuple[RatedPlay, ...]:
        """Create the play objects. A long slice is created column by column, which is three times as fast."""
        if not isinstance(index, slice):
            return self._rated_play(self._keys[index].tolist(), self._records[index].tolist())
        keys, records = self._keys[index], self._records[index]
        if len(records) < _MIN_COLUMNWISE_PLAYS:
            return tuple(map(self._rated_play, keys.tolist(), records.tolist()))
        scores, equities = keys.T.tolist()[:: 1 if self._by_score else -1]
        kinds, start_codes, _, lengths, codes = records[:, : best_plays.R_TILES].T
        coordinates = _coordinates(records.shape[1] - best_plays.R_TILES)
        starts = coordinates.take(np.where(kinds == best_plays.PLACEMENT, start_codes, _NO_START)).tolist()
        # One call unpacks the tiles of all plays with the same length. NumPy sorts small integers in linear time.
        width = int(lengths.max())
        by_length = lengths.astype(np.int16).argsort(kind="stable")
        tiles = records[:, best_plays.R_TILES : best_plays.R_TILES + width].astype(np.int8)
        tile_bytes = tiles.take(by_length, axis=0).tobytes()
        # All leaves of the rack, sorted by code.
        leaves: list[tuple[int, ...]] = [()]
        for tile, count in self._rack_counts:
            parts = [(tile,) * kept_count for kept_count in range(count + 1)]
            leaves = [leave + part for part in parts for leave in leaves]
        unpacked: list[tuple[int, ...]] = []
        for length, count in enumerate(np.bincount(lengths).tolist()):
            begin, end = len(unpacked) * width, (len(unpacked) + count) * width
            unpacked += iter_unpack(f"{length}b{width - length}x", tile_bytes[begin:end])
        play_tiles = np.empty(len(records), dtype=object)
        play_tiles[by_length] = np.fromiter(unpacked, dtype=object, count=len(records))
        play_leaves = np.fromiter(leaves, dtype=object, count=len(leaves)).take(codes).tolist()
        return tuple(map(RatedPlay, starts, play_tiles.tolist(), scores, play_leaves, equities))

    def __iter__(self) -> Iterator[RatedPlay]:
        return iter(self[:])

    def _rated_play(self, keys: Sequence[int], record: Sequence[int]) -> RatedPlay:
        score, equity = keys[:: 1 if self._by_score else -1]
        kind, start_code, _, length, code = record[: best_plays.R_TILES]
        tiles = tuple(record[best_plays.R_TILES : best_plays.R_TILES + length])
        leave: tuple[int, ...] = ()
        for tile, count in self._rack_counts:
            code, kept_count = divmod(code, count + 1)
            leave += (tile,) * kept_count
        coordinates = _coordinates(len(record) - best_plays.R_TILES)
        return RatedPlay(
            coordinates[start_code if kind == best_plays.PLACEMENT else _NO_START],
            tiles,
            score,
            leave,
            equity,
        )


_MIN_COLUMNWISE_PLAYS = 32
"""Minimum number of plays for which the column-by-column method is faster."""
_NO_START = -1


@cache
def _coordinates(max_rows: int) -> npt.NDArray[np.object_]:
    """Return the coordinates on a board of up to ``max_rows`` rows, indexed by ``R_START``, and None at :data:`_NO_START`."""
    coordinates = starmap(Coordinate, product(range(max_rows), range(best_plays.ROW_STRIDE // 2), Direction))
    return np.fromiter((*coordinates, None), dtype=object)


DEFAULT_TOP = 15
MAX_PLAYS = 2_000_000
"""Maximum number of plays when all are requested."""
_START_BITS = 13
"""Number of bits for the start of a play. The start is less than 64 times ``ROW_STRIDE``."""
_INITIAL_SLOT_COUNT = 1 << 14
"""If the plays need more slots, the search is repeated with enough slots."""


@dataclass(frozen=True, slots=True)
class AvailableTiles:
    """The tiles available to the player to move."""

    rack: tuple[int, ...]
    bag_count: int
    opponent_points: int
    """0 while the bag has tiles."""
    max_exchange: int


class Buffers:
    """Arrays that the searches of one thread reuse."""

    def __init__(self) -> None:
        self.rack = np.zeros(rack.RACK_LENGTH, dtype=np.int64)
        self.store_state = np.zeros(best_plays.STORE_LENGTH, dtype=np.int64)
        self.subset_tables = self.leave_equities = self.paths = self.work = self.keys = np.zeros(
            0, dtype=np.int64
        )
        self.records = self.heap = np.zeros(0, dtype=np.int32)
        self.record_length = 0

    def fit_board(self, rows: int, columns: int) -> None:
        self.record_length = best_plays.R_TILES + max(rows, columns, rack.MAX_RACK)
        length = work_length(rows, columns)
        if len(self.work) < length:
            self.work = np.zeros(length, dtype=np.int64)

    def fit_rack(self, subset_count: int) -> None:
        if len(self.leave_equities) < subset_count:
            self.subset_tables = np.zeros(rack.L_SECTIONS * subset_count, dtype=np.int64)
            self.leave_equities = np.zeros(subset_count, dtype=np.int64)
            self.paths = np.zeros(3 * subset_count, dtype=np.int64)

    def fit_plays(self, slot_count: int) -> None:
        if len(self.heap) < slot_count + 1:
            self.heap = np.zeros(slot_count + 1, dtype=np.int32)
            self.keys = np.zeros(2 * (slot_count + 1), dtype=np.int64)
        if len(self.records) < self.record_length * (slot_count + 1):
            self.records = np.zeros(self.record_length * (slot_count + 1), dtype=np.int32)


class _ThreadLocal(threading.local):
    def __init__(self) -> None:
        self.buffers = Buffers()


_thread_local = _ThreadLocal()


def find_plays(
    position: Position,
    graph: WordGraph,
    leaves: LeaveValues = NO_LEAVES,
    *,
    top: int | None = DEFAULT_TOP,
    by: SortKey = SortKey.EQUITY,
    stop: Stop | None = None,
) -> PlayList:
    """Return the ``top`` best plays of the player to move, or all plays if ``top`` is None.

    Raises:
        AnalysisError: the position cannot be analyzed, or has over :data:`MAX_PLAYS` plays and ``top`` is None.
        StoppedError: ``stop`` was set during the search.

    """
    return find_and_count_plays(position, graph, leaves, top=top, by=by, stop=stop, count_all=False)[0]


def find_and_count_plays(
    position: Position,
    graph: WordGraph,
    leaves: LeaveValues = NO_LEAVES,
    *,
    top: int | None = DEFAULT_TOP,
    by: SortKey = SortKey.EQUITY,
    stop: Stop | None = None,
    count_all: bool = True,
) -> tuple[PlayList, PlayCount]:
    """Return the result of :func:`find_plays` and the number of all plays.

    Without ``count_all``, the number leaves out exchanges and, unless ``top`` is None, placements that cannot be among the best.
    """
    tiles = available_tiles(position)
    arrays = board_arrays(position, graph, with_index=top is not None and not count_all)
    buffers = _thread_local.buffers
    prepare_rack(arrays, buffers, tiles, leaves)
    search(arrays, buffers, tiles, top=top, by=by, stop=stop, count_all=count_all, in_order=True)
    exchanges = count_subsets([*Counter(tiles.rack).values()], tiles.max_exchange) if count_all else 0
    return PlayList(buffers, tiles.rack, by), PlayCount(
        int(buffers.store_state[best_plays.F_PLACEMENT_COUNT]), exchanges
    )


def count_subsets(counts: Sequence[int], max_tiles: int) -> int:
    """Return the number of different sets of 1 to ``max_tiles`` tiles."""
    ways = [1] + [0] * max_tiles
    for count in counts:
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(max_tiles + 1)]
    return sum(ways[1:])


def available_tiles(position: Position) -> AvailableTiles:
    """Return the tiles available to the player to move.

    Raises:
        AnalysisError: the player's rack is not known, or has too many tiles.

    """
    mover = position.players[position.on_turn]
    if not mover.rack:
        raise AnalysisError("no-rack", "the rack of the player to move is not known")
    check_rack_size(len(mover.rack))
    return _tiles_of_rack(position, mover.rack, position.bag_count)


def _tiles_of_rack(position: Position, tiles: Sequence[int], bag_count: int) -> AvailableTiles:
    rules = position.rules
    opponent_points = 0 if bag_count else unseen_points(rules, position.board, tiles)
    can_exchange = bag_count >= rules.min_bag_for_exchange
    max_exchange = min(len(tiles), rules.rack_size, bag_count) if can_exchange else 0
    return AvailableTiles(tuple(sorted(tiles)), bag_count, opponent_points, max_exchange)


def prepare_rack(arrays: BoardArrays, buffers: Buffers, tiles: AvailableTiles, leaves: LeaveValues) -> None:
    game = arrays.game
    buffers.fit_board(int(game[board_kernel.G_ROWS]), int(game[board_kernel.G_COLUMNS]))
    kind_count = int(game[board_kernel.G_KIND_COUNT])
    counts = np.bincount(tiles.rack, minlength=kind_count)
    buffers.rack[rack.K_COUNTS : rack.K_COUNTS + kind_count] = counts
    buffers.fit_rack(math.prod((counts + 1).tolist()))
    rack.fill_rack_tables(
        game,
        buffers.rack,
        buffers.subset_tables,
        buffers.leave_equities,
        buffers.paths,
        leaves.nodes,
        leaves.counts,
        leaves.values,
        tiles.bag_count,
        tiles.opponent_points,
    )


def search(
    arrays: BoardArrays,
    buffers: Buffers,
    tiles: AvailableTiles,
    *,
    top: int | None = DEFAULT_TOP,
    by: SortKey = SortKey.EQUITY,
    stop: Stop | None = None,
    count_all: bool = False,
    in_order: bool = False,
) -> None:
    slot_count = _INITIAL_SLOT_COUNT if top is None else max(1, min(top, MAX_PLAYS))
    while True:
        buffers.fit_plays(slot_count)
        store_state = buffers.store_state
        best_plays.reset_store(
            store_state, slot_count, buffers.record_length, by is SortKey.SCORE, top is None
        )
        store_state[best_plays.F_IN_ORDER] = in_order and top is not None
        first_arguments = (
            arrays.game,
            arrays.squares,
            arrays.masks,
            arrays.graph,
            buffers.rack,
            buffers.subset_tables,
            buffers.leave_equities,
        )
        last_arguments = (
            buffers.work,
            store_state,
            buffers.keys,
            buffers.records,
            buffers.heap,
            (stop or NEVER_STOPPED).flag,
            tiles.max_exchange,
        )
        if count_all or top is None:
            find_all_plays(*first_arguments, *last_arguments)
        else:
            find_best_plays(*first_arguments, buffers.paths, *last_arguments)
        if store_state[best_plays.F_STOPPED]:
            raise StoppedError
        if top is not None:
            return
        needed_slot_count = int(store_state[best_plays.F_PLACEMENT_COUNT]) + int(
            buffers.rack[rack.K_CODE_COUNT]
        )
        if needed_slot_count <= slot_count:
            break
        if needed_slot_count > MAX_PLAYS:
            raise AnalysisError(
                "too-many-plays",
                "the position has more than {limit} plays; request only the best",
                limit=MAX_PLAYS,
            )
        slot_count = needed_slot_count
    if in_order:
        _sort(buffers)


def _sort(buffers: Buffers) -> None:
    kept_count = int(buffers.store_state[best_plays.F_USED_COUNT])
    # NumPy sorts ten times as fast as the kernel, which then sorts only plays with equal first keys. From the high bits to the
    # low, a number in ``order`` has the first key, the start if high scores leave room for it, and the slot
    # (``board_arrays.MAX_SCORE``).
    first_keys = -buffers.keys[: 2 * kept_count : 2]
    slot_bits = kept_count.bit_length()
    if (int(np.abs(first_keys).max()) + 1) << (_START_BITS + slot_bits) < 1 << 63:
        starts = buffers.records[
            best_plays.R_START : buffers.record_length * kept_count : buffers.record_length
        ]
        first_keys = (first_keys << _START_BITS) + starts
    order = (first_keys << slot_bits) + np.arange(kept_count)
    order.sort()
    buffers.heap[:kept_count] = order & ((1 << slot_bits) - 1)
    best_plays.sort_ties(buffers.store_state, buffers.keys, buffers.records, buffers.heap)


NEVER_STOPPED = Stop()


class RackEvaluator:
    """Evaluates racks on one board. Only one thread may use it at a time."""

    def __init__(self, position: Position, graph: WordGraph, leaves: LeaveValues, *, bag_count: int) -> None:
        self._position = position
        self._arrays = board_arrays(position, graph)
        self._buffers = Buffers()
        self._leaves = leaves
        self._bag_count = bag_count

    def best_equity(self, rack: Sequence[int]) -> int:
        """Return the equity of a rack's best play, in millipoints."""
        tiles = _tiles_of_rack(self._position, rack, self._bag_count)
        prepare_rack(self._arrays, self._buffers, tiles, self._leaves)
        search(self._arrays, self._buffers, tiles, top=1)
        return int(self._buffers.keys[2 * self._buffers.heap[0]])
