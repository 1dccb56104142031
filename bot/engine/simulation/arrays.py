"""Builds the arrays for a simulation (:mod:`bot.engine.kernels.rollouts`) from a position and candidate plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bot.domain.crossword.game import turns_left
from bot.domain.crossword.play import THROUGH, Direction
from bot.domain.crossword.position import Position, unseen_tiles
from bot.domain.crossword.rules import EndScoring
from bot.engine.analysis import MAX_PLAYERS, AnalysisError, Stop, require_known_bag
from bot.engine.kernels import best_plays, board as board_kernel, rollouts
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.turn import RACK_STRIDE, BoardArrays, PlaySearchArrays
from bot.engine.plays.board_arrays import check_rack_size, copy_for_thread
from bot.engine.plays.generate import Buffers
from bot.engine.plays.values import RatedPlay

MAX_PLIES = 30
"""Maximum number of plies after a candidate play."""
_PLIES_TO_THE_END = 200
"""More plies than can follow once the bag is empty, even with passes."""


Workspace: TypeAlias = tuple[BoardArrays, PlaySearchArrays, rollouts.IterationArrays]
"""The arrays of one thread."""


def create_workspace(
    arrays: BoardArrays, *, rack_size: int, tile_count: int, ply_count: int, stop: Stop, player_count: int = 2
) -> Workspace:
    """Create the arrays of one thread, with room to undo ``ply_count`` plays of ``tile_count`` tiles in total."""
    buffers = Buffers()
    buffers.fit_board(int(arrays.game[board_kernel.G_ROWS]), int(arrays.game[board_kernel.G_COLUMNS]))
    buffers.fit_rack(1 << rack_size)
    buffers.fit_plays(1)
    search = PlaySearchArrays(
        buffers.rack,
        buffers.subset_tables,
        buffers.leave_equities,
        buffers.paths,
        buffers.work,
        buffers.store_state,
        buffers.keys,
        buffers.records,
        buffers.heap,
        stop.flag,
        buffers.record_length,
    )
    board = copy_for_thread(arrays, tile_count=tile_count, play_count=min(ply_count, tile_count))
    return board, search, rollouts.create_iteration_arrays(tile_count, player_count)


def create_record(rated: RatedPlay, width: int) -> Records:
    """Convert a play to a record of ``width`` numbers, indexed by the ``R_`` constants."""
    record = np.zeros(width, dtype=np.int32)
    start, tiles = rated.start, rated.tiles
    record[best_plays.R_LENGTH] = record[best_plays.R_TILE_COUNT] = len(tiles)
    if start is None:
        record[best_plays.R_KIND] = best_plays.EXCHANGE if tiles else best_plays.PASS
    else:
        record[best_plays.R_KIND] = best_plays.PLACEMENT
        record[best_plays.R_TILE_COUNT] -= tiles.count(THROUGH)
        record[best_plays.R_START] = (
            best_plays.ROW_STRIDE * start.row + 2 * start.column + (start.direction is Direction.DOWN)
        )
    record[best_plays.R_TILES : best_plays.R_TILES + len(tiles)] = tiles
    return record


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The arrays and limits of a simulation."""

    values: Numbers
    """Indexed by the ``P_`` constants of :mod:`bot.engine.kernels.rollouts`."""
    opponent_leaves: Records
    """The opponent's possible leaves, each as 64 tile counts, in a flat array. If none are known, the array has one unused leave."""
    plies: int
    max_tiles: int
    """Maximum number of tiles that can be laid in a rollout."""


def require_two_players(position: Position) -> None:
    if len(position.players) != 2:
        raise AnalysisError(
            "not-two-players",
            "this works only for games between two players; this one has {players}",
            players=len(position.players),
        )


def create_plan(
    position: Position, *, plies: int, seed: int, opponent_leaves: Sequence[tuple[int, ...]]
) -> Plan:
    """Create the plan for simulating a position. If the bag is empty, games are played to the end, regardless of ``plies``.

    Raises:
        AnalysisError: the position cannot be simulated, or an opponent's leave contains tiles that have already been seen.

    """
    players = position.mover_first().players
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise AnalysisError(
            "wrong-number-of-players",
            "a simulation needs 2 to {limit} players; this game has {players}",
            limit=MAX_PLAYERS,
            players=len(players),
        )
    if opponent_leaves:
        require_two_players(position)
    require_known_bag(position.rules)
    if not players[0].rack:
        raise AnalysisError("no-rack", "the rack of the player to move is not known")
    racks = [
        () if seat and position.ignore_opponent_racks else player.rack for seat, player in enumerate(players)
    ]
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, racks)
    if unseen.excess:
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    check_rack_size(max(map(len, racks)))
    values = np.zeros(rollouts.PLAN_LENGTH, dtype=np.int64)
    bag_count = unseen.total - sum(max(0, position.rules.rack_size - len(rack)) for rack in racks[1:])
    plies = _PLIES_TO_THE_END if bag_count <= 0 else plies
    turns = turns_left(position)
    for field, value in (
        (rollouts.P_SEED, seed & 0x7FFFFFFFFFFFFFFF),
        (rollouts.P_PLY_COUNT, plies),
        (rollouts.P_PLAYER_COUNT, len(players)),
        (rollouts.P_SCORELESS_COUNT, position.scoreless_turns),
        (rollouts.P_EACH_WAY, position.rules.end_scoring is EndScoring.EACH_WAY),
        (rollouts.P_TURNS_LEFT, 0 if turns is None else max(1, turns.count)),
        (rollouts.P_LEAVE_COUNT, len(opponent_leaves)),
    ):
        values[field] = value
    kind_count = len(unseen.counts)
    values[rollouts.P_UNSEEN : rollouts.P_UNSEEN + kind_count] = unseen.counts
    for seat, (player, tiles) in enumerate(zip(players, racks, strict=True)):
        values[rollouts.P_SCORES + seat] = player.score
        start = rollouts.P_RACKS + seat * RACK_STRIDE
        values[start : start + kind_count] = np.bincount(tiles, minlength=kind_count)
    leaves = np.zeros((max(1, len(opponent_leaves)), RACK_STRIDE), dtype=np.int32)
    for row, leave in enumerate(opponent_leaves):
        leaves[row, :kind_count] = np.bincount(leave, minlength=kind_count)
    if (leaves[:, :kind_count] > np.array(unseen.counts)).any():
        raise AnalysisError(
            "impossible-leave", "an opponent's leave contains tiles that have already been seen"
        )
    return Plan(values, leaves.reshape(-1), plies, unseen.total + sum(map(len, racks)))
