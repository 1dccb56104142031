"""From a position whose bag is empty to the arrays of the endgame's search, and from its records to plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Pass, Placement, Play
from bot.domain.crossword.position import Position
from bot.engine.errors import AnalysisError, require_known_bag
from bot.engine.kernels import board as board_kernel
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.endgame import choices, nodes
from bot.engine.kernels.endgame import plays as records
from bot.engine.kernels.endgame.last_tiles import reach_work
from bot.engine.kernels.rack import MAX_RACK
from bot.engine.kernels.turn import BoardOf
from bot.engine.plays.board_arrays import BoardArrays

MAX_TILES = 30
"""The most tiles on both racks: each takes up to two bits of a rack's number."""
MAX_BLANKS = 4
"""The most blanks on both racks; with more of them the plays of one turn go into the hundreds of thousands."""
FIRST_RECORDS = 1 << 17
"""Initial room for the plays of all turns of a line: 11 MB. It grows when it is too small."""
MAX_RECORDS = 1 << 19
"""The most plays that are kept at once: 56 MB."""
SMALL_TABLE = 1 << 15
LARGE_TABLE = 1 << 20
"""Entries of the table of results, 32 bytes each; memory that is not used is never taken."""
TILE_WORTH = 6
"""Half points that a tile is worth off the rack beside its own: the endgames of the tests take a quarter less time."""
_SMALL = 6
"""Up to so many tiles the small table does."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What an endgame begins with."""

    own: tuple[int, ...]
    other: tuple[int, ...]
    bag: tuple[int, ...] = ()
    """The tiles in the bag, in the order in which they are drawn; both players know them."""

    @property
    def tiles(self) -> int:
        """How many tiles can be laid at most."""
        return len(self.own) + len(self.other) + len(self.bag)


def others_tiles(position: Position) -> tuple[int, ...]:
    """Return the tiles that the player on turn does not see, those of the opponent and of the bag.

    Raises:
        AnalysisError: the game is not one of two players, or over, the player's rack is not known, or more tiles are
            in play than there are.

    """
    if len(position.players) != 2:
        raise AnalysisError(
            "not-two-players",
            "an endgame is for two players; this game has {players}",
            players=len(position.players),
        )
    require_known_bag(position.rules)
    own = position.players[position.on_turn].rack
    if not own:
        raise AnalysisError("no-rack", "the rack of the player on turn is not known")
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [own])
    if unseen.excess:
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    if not unseen.total or position.scoreless_turns >= position.rules.scoreless_limit:
        raise AnalysisError("game-over", "the game is over; there is nothing to solve")
    if not position.board.tile_count:
        raise AnalysisError("empty-board", "an endgame without a tile on the board is not solved")
    return tuple(Counter(dict(enumerate(unseen.counts))).elements())


def check_size(ending: Ending) -> None:
    """Refuse what the search has no room for.

    Raises:
        AnalysisError: a rack is too long, or there are too many tiles or blanks.

    """
    longest = max(len(ending.own), len(ending.other))
    if longest > MAX_RACK:
        raise AnalysisError(
            "rack-too-long",
            "a rack of {tiles} tiles is not analyzed; {limit} are the limit",
            tiles=longest,
            limit=MAX_RACK,
        )
    if ending.tiles > MAX_TILES:
        raise AnalysisError(
            "endgame-too-long",
            "an endgame of {tiles} tiles is not solved; {limit} are the limit",
            tiles=ending.tiles,
            limit=MAX_TILES,
        )
    blanks = [*ending.own, *ending.other, *ending.bag].count(0)
    if blanks > MAX_BLANKS:
        raise AnalysisError(
            "too-many-blanks",
            "an endgame with {blanks} blanks is not solved; {limit} are the limit",
            blanks=blanks,
            limit=MAX_BLANKS,
        )


def board_of(arrays: BoardArrays, tiles: int) -> BoardOf:
    """Return a board of its own for a search that lays down ``tiles`` tiles."""
    log = (board_kernel.LOG_FOR_PLAY + board_kernel.LOG_FOR_TILE) * (tiles + 1)
    return BoardOf(
        arrays.game,
        arrays.squares.copy(),
        arrays.masks.copy(),
        np.zeros(1 + log, dtype=np.int64),
        arrays.graph,
    )


def _kit(ending: Ending, rack_size: int) -> Numbers:
    """Return where the fields of a rack are."""
    kit = np.zeros(records.KIT_LENGTH, dtype=np.int64)
    counts = Counter([*ending.own, *ending.other, *ending.bag])
    at = guards = 0
    for number, kind in enumerate(sorted(counts)):
        width = counts[kind].bit_length()
        kit[records.T_LIST + number] = kind
        kit[records.T_UNIT + kind] = 1 << at
        kit[records.T_FIELD + kind] = ((1 << width) - 1) << at
        at += width + 1
        guards |= 1 << at - 1
    kit[records.T_GUARDS] = guards
    kit[records.T_KINDS] = len(counts)
    kit[records.T_MOST] = rack_size
    return kit


def _lanes(rows: int, columns: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the lane of each square, as records count them."""
    across = np.repeat(np.arange(-1, rows + 1), columns + 2)
    down = np.repeat(np.arange(-1, columns + 1), rows + 2) + records.COLUMN_LANES
    return np.concatenate([across, down]).astype(np.int32)


def search_of(game: Numbers, ending: Ending, passes: int) -> nodes.SearchOf:
    """Return the arrays of a search, without plays yet.

    ``passes`` is how many passes in a row end the game from the next placement on.
    """
    rows, columns = int(game[board_kernel.G_ROWS]), int(game[board_kernel.G_COLUMNS])
    # A pass between any two placements, three at the root, and the plies before and after.
    plies = 2 * ending.tiles + 12
    state = np.zeros(nodes.STATE_LENGTH, dtype=np.int64)
    state[nodes.S_PASSES] = passes
    state[nodes.S_ROOM] = FIRST_RECORDS
    state[nodes.S_LISTED] = 2 * FIRST_RECORDS
    state[nodes.S_ENTRIES] = SMALL_TABLE if ending.tiles <= _SMALL else LARGE_TABLE
    state[nodes.S_PLIES] = plies
    state[nodes.S_TILE_WORTH] = TILE_WORTH
    points = game[board_kernel.G_POINTS : board_kernel.G_POINTS + int(game[board_kernel.G_KINDS])]
    state[nodes.S_REACH] = bool((points >= 0).all())
    return nodes.SearchOf(
        _kit(ending, int(game[board_kernel.G_RACK_SIZE])),
        state,
        np.zeros(nodes.N_LENGTH * plies, dtype=np.int64),
        np.zeros(2 * FIRST_RECORDS, dtype=np.int32),
        np.zeros(2 * FIRST_RECORDS, dtype=np.int64),
        np.zeros(records.E_LENGTH * FIRST_RECORDS, dtype=np.int64),
        np.zeros(nodes.ENTRY * int(state[nodes.S_ENTRIES]), dtype=np.int64),
        np.zeros((1 + plies * records.E_LENGTH) * plies, dtype=np.int64),
        _lanes(rows, columns),
        np.zeros(reach_work(int(game[board_kernel.G_SIZE])), dtype=np.int64),
    )


def with_more_room(search: nodes.SearchOf) -> nodes.SearchOf | None:
    """Return a search with room for twice the plays and all that is in it; None when that is too much."""
    room = 2 * int(search.state[nodes.S_ROOM])
    if room > MAX_RECORDS:
        return None
    search.state[nodes.S_ROOM] = room
    search.state[nodes.S_LISTED] = 2 * room
    lists = np.zeros(2 * room, dtype=np.int32)
    order = np.zeros(2 * room, dtype=np.int64)
    pool = np.zeros(records.E_LENGTH * room, dtype=np.int64)
    for old, new in ((search.lists, lists), (search.order, order), (search.pool, pool)):
        new[: len(old)] = old
    return search._replace(lists=lists, order=order, pool=pool)


def fill_root(board: BoardOf, search: nodes.SearchOf, ending: Ending, left: int) -> bool:
    """Fill in the root and find the plays of both players; return whether there was room for them.

    ``left`` is how many passes in a row end the game now.
    """
    fill_bag(search, ending.bag)
    game, frames, kit = board.game, search.frames, search.kit
    rows = (1 << int(game[board_kernel.G_ROWS])) - 1
    columns = (1 << int(game[board_kernel.G_COLUMNS])) - 1
    for ply in range(nodes.ROOT + 1):
        tiles, others = (ending.other, ending.own) if ply % 2 else (ending.own, ending.other)
        node = ply * nodes.N_LENGTH
        frames[node + nodes.N_RACK] = sum(int(kit[records.T_UNIT + tile]) for tile in tiles)
        frames[node + nodes.N_OTHER] = sum(int(kit[records.T_UNIT + tile]) for tile in others)
        frames[node + nodes.N_POINTS] = sum(int(game[board_kernel.G_POINTS + tile]) for tile in tiles)
        frames[node + nodes.N_OTHER_POINTS] = sum(int(game[board_kernel.G_POINTS + tile]) for tile in others)
        frames[node + nodes.N_PASSES] = left
        if ply < nodes.ROOT:
            # The first takes the whole room, also of a root that was searched before.
            frames[node + nodes.N_TOP] = frames[node + nodes.N_LIST] = 0
            if ply:
                before = node - nodes.N_LENGTH
                frames[node + nodes.N_TOP] = frames[before + nodes.N_TOP]
                frames[node + nodes.N_LIST] = frames[before + nodes.N_LIST] + frames[before + nodes.N_COUNT]
            if not choices.keep_plays(search, ply, 0, 0, rows, columns):
                return False
            if not choices.find_due_plays(board, search, ply):
                return False
    return True


def fill_bag(search: nodes.SearchOf, bag: Sequence[int]) -> None:
    """Fill in what is in the bag at the root, in the order in which it is drawn."""
    number = sum(kind + 1 << nodes.BAG_BITS * place for place, kind in enumerate(bag))
    for ply in range(nodes.ROOT + 1):
        search.frames[ply * nodes.N_LENGTH + nodes.N_BAG] = number


def play_of(record: Sequence[int], rows: int, columns: int) -> Play:
    """Return the play of a record; of one that is all zeros, the pass."""
    first, end, laid = record[records.E_FIRST], record[records.E_END], record[records.E_LAID]
    if not laid:
        return Pass()
    tiles = []
    number = 0
    for place in range(end - first):
        if laid >> place & 1:
            word, at = divmod(number, records.TILES_IN_NUMBER)
            tile = record[records.E_TILES + word] >> (7 * at) & 127
            tiles.append(-(tile & 63) if tile & 64 else tile)
            number += 1
        else:
            tiles.append(THROUGH)
    lane = record[records.E_LANE]
    if lane >= records.COLUMN_LANES:
        place = (first - (rows + 2) * (columns + 2)) % (rows + 2) - 1
        start = Coordinate(place, lane - records.COLUMN_LANES, Direction.DOWN)
    else:
        start = Coordinate(lane, first % (columns + 2) - 1, Direction.ACROSS)
    return Placement(start, tuple(tiles))
