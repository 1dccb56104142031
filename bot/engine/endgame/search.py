"""Runs the kernels of the endgame search in short steps, so that the search can stop on time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Pass, Placement, Play
from bot.domain.crossword.position import Position, unseen_tiles
from bot.engine.analysis import AnalysisError, Deadline, require_known_bag
from bot.engine.endgame.result import EndgameTurn
from bot.engine.kernels import board as board_kernel
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.endgame import nodes, plays as records
from bot.engine.kernels.endgame.search import CONTINUE, FIND_PLAYS, GIVE_UP, START, START_PLAY, run
from bot.engine.kernels.turn import BoardArrays
from bot.engine.plays.board_arrays import check_rack_size, copy_for_thread

MAX_TILES = 30
"""Maximum number of tiles not yet on the board. A rack is stored in 64 bits, with up to two bits per tile."""
MAX_BLANKS = 4
"""Maximum number of blanks. With more blanks, a turn has hundreds of thousands of plays."""
INITIAL_RECORD_COUNT = 1 << 17
"""Initial room for plays (14 MB)."""
MAX_RECORDS = 1 << 19
"""Maximum room for plays (56 MB)."""
SMALL_TABLE_ENTRIES = 1 << 15
LARGE_TABLE_ENTRIES = 1 << 20
"""An entry has 32 bytes. The system allocates memory only for entries in use."""
LAID_TILE_BONUS = 6
"""Bonus for each tile laid, in half points. It affects only the search order. With it, the endgames in the tests are solved a quarter
faster."""
_SMALL_TABLE_TILES = 6


@dataclass(frozen=True, slots=True)
class Root:
    """The racks and the bag at the start of a search."""

    rack: tuple[int, ...]
    opponent_rack: tuple[int, ...]
    bag: tuple[int, ...] = ()
    """The bag's tiles in the order in which they will be drawn. Both players know this order."""

    @property
    def tile_count(self) -> int:
        return len(self.rack) + len(self.opponent_rack) + len(self.bag)


def checked_unseen_tiles(position: Position) -> tuple[int, ...]:
    """Check that a search can start, and return the unseen tiles.

    Raises:
        AnalysisError: the position cannot be searched.

    """
    if len(position.players) == 2:
        require_known_bag(position.rules)
    unseen = find_unseen_tiles(position)
    if not unseen or position.scoreless_turns >= position.rules.scoreless_limit:
        raise AnalysisError("game-over", "the game is over; there is nothing to solve")
    if not position.board.tile_count:
        raise AnalysisError("empty-board", "an endgame can't start from an empty board")
    return unseen


def find_unseen_tiles(position: Position) -> tuple[int, ...]:
    """Return the tiles that are neither on the board nor on the rack of the player to move, in ascending order.

    Raises:
        AnalysisError: the game does not have two players, the rack is not known, or the position shows too many tiles.

    """
    if len(position.players) != 2:
        raise AnalysisError(
            "not-two-players",
            "an endgame can be solved only for two players; this game has {players}",
            players=len(position.players),
        )
    rack = position.players[position.on_turn].rack
    if not rack:
        raise AnalysisError("no-rack", "the rack of the player to move is not known")
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [rack])
    if unseen.excess:
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    return tuple(Counter(dict(enumerate(unseen.counts))).elements())


def check_size(root: Root) -> None:
    check_rack_size(max(len(root.rack), len(root.opponent_rack)))
    if root.tile_count > MAX_TILES:
        raise AnalysisError(
            "endgame-too-long",
            "an endgame of {tiles} tiles is too large to solve; the limit is {limit}",
            tiles=root.tile_count,
            limit=MAX_TILES,
        )
    blanks = [*root.rack, *root.opponent_rack, *root.bag].count(0)
    if blanks > MAX_BLANKS:
        raise AnalysisError(
            "too-many-blanks",
            "an endgame with {blanks} blanks is too large to solve; the limit is {limit}",
            blanks=blanks,
            limit=MAX_BLANKS,
        )


def _create_rack_fields(root: Root) -> Numbers:
    """Create the ``rack_fields`` array that :mod:`bot.engine.kernels.endgame.plays` describes."""
    rack_fields = np.zeros(records.RACK_FIELDS_LENGTH, dtype=np.int64)
    counts = Counter([*root.rack, *root.opponent_rack, *root.bag])
    bit = guards = 0
    for number, kind in enumerate(sorted(counts)):
        width = counts[kind].bit_length()
        rack_fields[records.T_KIND_LIST + number] = kind
        rack_fields[records.T_UNIT + kind] = 1 << bit
        rack_fields[records.T_FIELD + kind] = ((1 << width) - 1) << bit
        bit += width + 1
        guards |= 1 << bit - 1
    rack_fields[records.T_GUARDS] = guards
    rack_fields[records.T_KIND_COUNT] = len(counts)
    return rack_fields


def _lane_numbers(rows: int, columns: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the lane numbers of all squares: first the row lanes, and then the column lanes."""
    across = np.repeat(np.arange(-1, rows + 1), columns + 2)
    down = np.repeat(np.arange(-1, columns + 1), rows + 2) + records.COLUMN_LANES
    return np.concatenate([across, down]).astype(np.int32)


def create_search_arrays(game: Numbers, root: Root, pass_limit: int) -> nodes.SearchArrays:
    """Create the arrays for a search. After a placement, the game ends if ``pass_limit`` turns in a row are passes."""
    # Enough for the two plies before the root (see the kernel module ``nodes``), three passes at the root, a pass between any two
    # placements, and the end of the game.
    plies = 2 * root.tile_count + 12
    state = np.zeros(nodes.STATE_LENGTH, dtype=np.int64)
    entry_count = SMALL_TABLE_ENTRIES if root.tile_count <= _SMALL_TABLE_TILES else LARGE_TABLE_ENTRIES
    for field, value in (
        (nodes.STATE_PASS_LIMIT, pass_limit),
        (nodes.STATE_POOL_ROOM, INITIAL_RECORD_COUNT),
        (nodes.STATE_LISTS_ROOM, 2 * INITIAL_RECORD_COUNT),
        (nodes.STATE_ENTRY_COUNT, entry_count),
        (nodes.STATE_PLIES_ROOM, plies),
        (nodes.STATE_LAID_TILE_BONUS, LAID_TILE_BONUS),
    ):
        state[field] = value
    return nodes.SearchArrays(
        _create_rack_fields(root),
        state,
        np.zeros(nodes.NODE_LENGTH * plies, dtype=np.int64),
        np.zeros(2 * INITIAL_RECORD_COUNT, dtype=np.int32),
        np.zeros(2 * INITIAL_RECORD_COUNT, dtype=np.int64),
        np.zeros(records.E_LENGTH * INITIAL_RECORD_COUNT, dtype=np.int64),
        np.zeros(nodes.ENTRY_LENGTH * entry_count, dtype=np.int64),
        np.zeros((1 + plies * records.E_LENGTH) * plies, dtype=np.int64),
        _lane_numbers(int(game[board_kernel.G_ROWS]), int(game[board_kernel.G_COLUMNS])),
        np.zeros(records.WORK_LENGTH, dtype=np.int64),
    )


def fill_root(board: BoardArrays, search: nodes.SearchArrays, root: Root, passes_left: int) -> bool:
    """Set up the root, and find the plays of both players. Return whether there was room for all plays.

    ``passes_left`` is the number of passes after which the game ends.
    """
    fill_bag(search, root.bag)
    search.state[nodes.STATE_LOWER_BOUND] = -nodes.INFINITY
    game, frames, rack_fields = board.game, search.frames, search.rack_fields
    frames[nodes.NODE_RECORD_COUNT] = 0  # overwrite the plays of an earlier root
    for ply in range(nodes.ROOT + 1):
        rack, other_rack = (root.opponent_rack, root.rack) if ply % 2 else (root.rack, root.opponent_rack)
        node = ply * nodes.NODE_LENGTH
        for rack_field, points_field, tiles in (
            (nodes.NODE_RACK, nodes.NODE_POINTS, rack),
            (nodes.NODE_OTHER_RACK, nodes.NODE_OTHER_POINTS, other_rack),
        ):
            frames[node + rack_field] = sum(int(rack_fields[records.T_UNIT + tile]) for tile in tiles)
            frames[node + points_field] = sum(int(game[board_kernel.G_POINTS + tile]) for tile in tiles)
        frames[node + nodes.NODE_PASSES_LEFT] = passes_left
        if ply:
            previous_node = node - nodes.NODE_LENGTH
            frames[node + nodes.NODE_RECORD_COUNT] = frames[previous_node + nodes.NODE_RECORD_COUNT]
            frames[node + nodes.NODE_LIST_START] = (
                frames[previous_node + nodes.NODE_LIST_START] + frames[previous_node + nodes.NODE_PLAY_COUNT]
            )
        if not run(board, search, FIND_PLAYS, ply):
            return False
    return True


def fill_bag(search: nodes.SearchArrays, bag: Sequence[int]) -> None:
    encoded_bag = sum(kind + 1 << nodes.BAG_BITS * place for place, kind in enumerate(bag))
    for ply in range(nodes.ROOT + 1):
        search.frames[ply * nodes.NODE_LENGTH + nodes.NODE_BAG] = encoded_bag


def decode_play(record: Sequence[int], rows: int, columns: int) -> Play:
    first, end, laid_mask = record[records.E_FIRST], record[records.E_END], record[records.E_LAID_MASK]
    if not laid_mask:
        return Pass()
    tiles = []
    laid_count = 0
    for place in range(end - first):
        if laid_mask >> place & 1:
            number_index, tile_index = divmod(laid_count, records.TILES_IN_NUMBER)
            tile = record[records.E_TILES + number_index] >> (7 * tile_index) & 127
            tiles.append(-(tile & 63) if tile & 64 else tile)
            laid_count += 1
        else:
            tiles.append(THROUGH)
    lane = record[records.E_LANE]
    if lane >= records.COLUMN_LANES:
        row = (first - (rows + 2) * (columns + 2)) % (rows + 2) - 1
        start = Coordinate(row, lane - records.COLUMN_LANES, Direction.DOWN)
    else:
        start = Coordinate(lane, first % (columns + 2) - 1, Direction.ACROSS)
    return Placement(start, tuple(tiles))


UNBOUNDED = nodes.INFINITY >> 1
"""A number greater than any value."""

_STEP_SECONDS = 0.01
_FIRST_STEP_NODES = 16
_MAX_STEP_NODES = 50_000
_PROOF_LAID_TILE_BONUS = 40
"""Replaces :data:`LAID_TILE_BONUS` in proofs of who wins. If one player clearly wins, half or double this bonus takes up to twice as
many nodes, and a bonus of 6 takes ten times as many.
"""


class SearchStatus(Enum):
    """The way a search ended."""

    DONE = "done"
    STOPPED = "stopped"
    """Time was up, or the search was cancelled."""
    NO_ROOM = "no room"
    OUT_OF_NODES = "out of nodes"


class Searcher:
    """The arrays and the result of a search. Only one thread may use it at a time."""

    def __init__(self, position: Position, arrays: BoardArrays, root: Root) -> None:
        """Allocate the arrays.

        Raises:
            AnalysisError: there are too many tiles, blanks or plays.

        """
        check_size(root)
        rules = position.rules
        # If a pass gains nothing, another pass with the same board and racks gains nothing either. So it is enough to search two
        # consecutive passes, or three at the root, where the pass needs its own value.
        self._passes_left = min(3, rules.scoreless_limit - position.scoreless_turns)
        self._rows, self._columns = position.board.rows, position.board.columns
        self._board = copy_for_thread(arrays, tile_count=root.tile_count, play_count=root.tile_count)
        self._search = create_search_arrays(self._board.game, root, min(2, rules.scoreless_limit))
        self._racks: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self.set_root(root)

    def set_root(self, root: Root) -> None:
        """Set a new root, which must have the same tiles in total as the first root.

        Raises:
            AnalysisError: there are too many plays.

        """
        racks = root.rack, root.opponent_rack
        if racks == self._racks:  # the plays are the same
            fill_bag(self._search, root.bag)
            return
        self._racks = None
        while not fill_root(self._board, self._search, root, self._passes_left):
            if not self._grow():
                raise AnalysisError(
                    "too-many-plays",
                    "the endgame has more than {limit} plays",
                    limit=int(self._state(nodes.STATE_POOL_ROOM)),
                )
        self._racks = racks

    def _grow(self) -> bool:
        search = self._search
        room = 2 * int(search.state[nodes.STATE_POOL_ROOM])
        if room > MAX_RECORDS:
            return False
        search.state[nodes.STATE_POOL_ROOM] = room
        search.state[nodes.STATE_LISTS_ROOM] = 2 * room
        lists = np.zeros(2 * room, dtype=np.int32)
        promises = np.zeros(2 * room, dtype=np.int64)
        pool = np.zeros(records.E_LENGTH * room, dtype=np.int64)
        for old, new in ((search.lists, lists), (search.promises, promises), (search.pool, pool)):
            new[: len(old)] = old
        self._search = search._replace(lists=lists, promises=promises, pool=pool)
        return True

    def _state(self, field: int) -> int:
        return int(self._search.state[field])

    @property
    def node_count(self) -> int:
        return self._state(nodes.STATE_NODE_COUNT)

    @property
    def max_depth(self) -> int:
        """The depth, in plies, at which every line reaches the end of the game."""
        return self._state(nodes.STATE_PLIES_ROOM) - nodes.ROOT - 2

    @property
    def value(self) -> int:
        return self._state(nodes.STATE_VALUE)

    @property
    def is_final(self) -> bool:
        """Whether the result is proven.

        If :attr:`value` is outside the window, it is proven only as a bound: above the window as a lower bound, and below it as an
        upper bound.
        """
        return bool(self._state(nodes.STATE_IS_FINAL))

    @property
    def lower_bound(self) -> int | None:
        lower = self._state(nodes.STATE_LOWER_BOUND)
        return None if lower == -nodes.INFINITY else lower

    def search(
        self,
        depth: int,
        window: tuple[int, int],
        deadline: Deadline,
        *,
        slot: int | None = None,
        max_nodes: int | None = None,
    ) -> SearchStatus:
        """Search for the value of the root, or of the play in ``slot``. ``depth`` is in plies.

        If the true value is outside the window, :attr:`value` is outside it on the same side.
        """
        root = nodes.ROOT * nodes.NODE_LENGTH
        while True:
            frames = self._search.frames
            frames[root + nodes.NODE_DEPTH] = depth
            frames[root + nodes.NODE_ALPHA], frames[root + nodes.NODE_BETA] = window
            task, number = (START, 0) if slot is None else (START_PLAY, slot)
            run(self._board, self._search, task, number)
            status = self._run(deadline, None if max_nodes is None else self.node_count + max_nodes)
            if status is not SearchStatus.NO_ROOM or not self._grow():
                return status

    def prove_at_least(self, slot: int, min_value: int, deadline: Deadline, max_nodes: int) -> SearchStatus:
        """Prove whether the value of a play is at least ``min_value``.

        The search goes directly to the end of the game, with a third of the nodes that iterative deepening needs.
        """
        self._search.state[nodes.STATE_LAID_TILE_BONUS] = _PROOF_LAID_TILE_BONUS
        try:
            return self.search(
                self.max_depth, (min_value - 1, min_value), deadline, slot=slot, max_nodes=max_nodes
            )
        finally:
            self._search.state[nodes.STATE_LAID_TILE_BONUS] = LAID_TILE_BONUS

    def _give_up(self, status: SearchStatus) -> SearchStatus:
        run(self._board, self._search, GIVE_UP, 0)
        return status

    def _run(self, deadline: Deadline, node_limit: int | None = None) -> SearchStatus:
        """Run a search in steps until it is done, is stopped, runs out of room, or reaches node number ``node_limit``."""
        state = self._search.state
        # The time per node varies, so each search begins with a short step.
        step = _FIRST_STEP_NODES
        while state[nodes.STATE_STATUS] == nodes.RUNNING:
            start = time.perf_counter()
            run(
                self._board,
                self._search,
                CONTINUE,
                step if node_limit is None else min(step, node_limit - self.node_count),
            )
            seconds = max(time.perf_counter() - start, 1e-6)
            step = max(1, min(_MAX_STEP_NODES, int(step * min(2.0, _STEP_SECONDS / seconds))))
            if state[nodes.STATE_STATUS] != nodes.RUNNING:
                break
            if deadline.has_passed():
                return self._give_up(SearchStatus.STOPPED)
            if node_limit is not None and self.node_count >= node_limit:
                return self._give_up(SearchStatus.OUT_OF_NODES)
        return (
            SearchStatus.DONE
            if state[nodes.STATE_STATUS] == nodes.DONE
            else self._give_up(SearchStatus.NO_ROOM)
        )

    def plays(self) -> list[tuple[int, EndgameTurn]]:
        """Return each play of the root with its slot. The pass is last."""
        root = nodes.ROOT * nodes.NODE_LENGTH
        first = int(self._search.frames[root + nodes.NODE_LIST_START])
        count = int(self._search.frames[root + nodes.NODE_PLAY_COUNT])
        slots = sorted(self._search.lists[first : first + count].tolist())
        pool = self._search.pool.reshape(-1, records.E_LENGTH)
        turns = [(slot, self._turn(pool[slot].tolist())) for slot in slots if slot != nodes.NO_PLAY]
        return [*turns, (nodes.NO_PLAY, EndgameTurn(Pass(), 0))]

    def _turn(self, record: Sequence[int]) -> EndgameTurn:
        return EndgameTurn(decode_play(record, self._rows, self._columns), record[records.E_SCORE])

    def best_line(self, *, after_play: bool = False) -> tuple[EndgameTurn, ...]:
        """Return the best line. If ``after_play``, leave out the searched play. The line is empty before the first result."""
        lines = self._search.lines
        start = (nodes.ROOT + after_play) * self._state(nodes.STATE_PLIES_ROOM) * records.E_LENGTH
        length = int(lines[start])
        line = lines[start + 1 : start + 1 + length * records.E_LENGTH].reshape(length, records.E_LENGTH)
        return tuple(map(self._turn, line.tolist()))

    def best_value_so_far(self) -> int:
        """Return the best value of an unfinished iteration. It is meaningless if :meth:`best_line` is empty."""
        return int(self._search.frames[nodes.ROOT * nodes.NODE_LENGTH + nodes.NODE_BEST_VALUE])
