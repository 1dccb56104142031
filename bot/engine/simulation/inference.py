"""Infers from the opponent's last play which tiles the opponent may have kept.

Racks that contain the tiles of the play are drawn at random. A rack *explains* the play if the play is almost as good as the
rack's best static play (MAGPIE's rule). The result contains the leave of each rack that explains the play, so more probable
leaves occur more often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bot.domain.crossword.game import board_before, tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.crossword.position import LastPlay, Position, unseen_tiles
from bot.domain.crossword.scoring import score_placement
from bot.engine.analysis import MILLIPOINTS, Deadline, Stop
from bot.engine.kernels import inference as kernel
from bot.engine.kernels.board import G_MIN_BAG_FOR_EXCHANGE, Numbers
from bot.engine.kernels.turn import RACK_STRIDE, seed_random
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.equity import opening_penalty
from bot.engine.simulation.arrays import create_workspace

_MAX_LOSS = 5 * MILLIPOINTS
"""A rack explains the play if the play is at most this much worse than the rack's best play, in millipoints."""
_MAX_BATCH_SIZE = 200
"""Maximum number of racks drawn between checks of the clock. Drawing this many racks of seven tiles takes up to about 20 ms."""
_KINDS = np.arange(RACK_STRIDE)
_SEED_MASK = 0x7FFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class Inference:
    """The leaves that the opponent may have."""

    leaves: tuple[tuple[int, ...], ...]
    """One leave, in ascending order, for each drawn rack that explains the play. If the play was challenged off, the only
    leave is its tiles. If the last play reveals nothing, there are no leaves."""
    drawn_count: int
    """Number of racks drawn."""


NO_INFERENCE = Inference((), 0)


def infer(
    position: Position,
    graph: WordGraph,
    leaves: LeaveValues,
    *,
    max_racks: int = 1_000_000,
    max_leaves: int = 1_500,
    seconds: float = math.inf,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
) -> Inference:
    """In a two-player game, infer from the last play which tiles the opponent may have kept.

    Nothing is inferred if the opponent's rack is known, the bag was empty, the last play is unknown or a pass, or the opponent
    kept no tiles. If the play was challenged off, the result is a single leave with the tiles of the play.

    Args:
        position: The position after the play, with the other player to move.
        graph: The lexicon of both players.
        leaves: The leave values that the opponent uses.
        max_racks: Maximum number of racks to draw. Drawing the default number takes about three seconds.
        max_leaves: Number of leaves, including repetitions, at which the inference stops.
        seconds: Time limit.
        seed: The same seed gives the same result, unless time runs out.
        cancelled: Called about every 20 ms. When it returns true, the inference stops.

    Raises:
        AnalysisError: the position cannot be analyzed.

    """
    last_play = position.last_play
    if (
        last_play is None
        or len(position.players) != 2
        or isinstance(last_play.play, Pass)
        or (position.players[1 - position.on_turn].rack and not position.ignore_opponent_racks)
    ):
        return NO_INFERENCE
    if last_play.withdrawn:
        tiles = tuple(sorted(tiles_used(last_play.play))) if isinstance(last_play.play, Placement) else ()
        pool = _unseen_counts(position)
        is_possible = all(tiles.count(tile) <= pool[tile] for tile in tiles)
        return Inference((tiles,), 0) if tiles and is_possible else NO_INFERENCE
    earlier_position = _position_before(position, last_play)
    if earlier_position is None or (values := _kernel_values(earlier_position, last_play)) is None:
        return NO_INFERENCE
    return _draw_racks(
        earlier_position,
        graph,
        leaves,
        values,
        max_racks=max_racks,
        max_leaves=max_leaves,
        seed=seed & _SEED_MASK,
        deadline=Deadline(seconds, cancelled),
    )


def _unseen_counts(position: Position) -> tuple[int, ...]:
    rack = position.players[position.on_turn].rack
    return unseen_tiles(position.rules.distribution, position.board.squares, [rack]).counts


def _position_before(position: Position, last_play: LastPlay) -> Position | None:
    """Return a position with the board as it was before the last play, or None if the play is not on the board.

    The player to move stays the same.
    """
    if not isinstance(last_play.play, Placement):
        return position
    board = board_before(position.board, last_play.play)
    return None if board is None else replace(position, board=board)


def _kernel_values(earlier_position: Position, last_play: LastPlay) -> Numbers | None:
    """Return the values for the kernel, indexed by the ``I_`` constants, or None if the play reveals nothing."""
    rules = earlier_position.rules
    played_tiles = tiles_used(last_play.play) if isinstance(last_play.play, Placement) else ()
    exchange = last_play.play if isinstance(last_play.play, Exchange) else Exchange()
    values = np.zeros(kernel.LAST_PLAY_ARRAY_LENGTH, dtype=np.int64)
    pool = np.array(_unseen_counts(earlier_position), dtype=np.int64)
    played_counts = np.bincount(played_tiles, minlength=len(pool))
    unseen = pool - played_counts
    bag_count = int(pool.sum()) - rules.rack_size
    leave_size = rules.rack_size - len(played_tiles)
    if bag_count <= 0 or leave_size <= 0 or (unseen < 0).any():
        return None
    if isinstance(last_play.play, Exchange) and not 0 < exchange.size < rules.rack_size:
        return None  # no tiles were exchanged, or none were kept
    for field, value in (
        (kernel.I_UNKNOWN_COUNT, leave_size),
        (kernel.I_MAX_LOSS, _MAX_LOSS),
        (kernel.I_EXCHANGED_COUNT, exchange.size),
        (kernel.I_BAG_COUNT, bag_count),
    ):
        values[field] = value
    values[kernel.I_UNSEEN_COUNTS : kernel.I_UNSEEN_COUNTS + len(pool)] = unseen
    values[kernel.I_PLAYED_COUNTS : kernel.I_PLAYED_COUNTS + len(pool)] = played_counts
    if isinstance(last_play.play, Placement):
        values[kernel.I_PLAY_VALUE] = (
            MILLIPOINTS * score_placement(earlier_position.board, last_play.play, rules).score
        )
        if not earlier_position.board.tile_count:
            values[kernel.I_PLAY_VALUE] -= opening_penalty(earlier_position, last_play.play)
    return values


def _draw_racks(
    earlier_position: Position,
    graph: WordGraph,
    leaves: LeaveValues,
    values: Numbers,
    *,
    max_racks: int,
    max_leaves: int,
    seed: int,
    deadline: Deadline,
) -> Inference:
    arrays = board_arrays(earlier_position, graph)
    size = earlier_position.rules.rack_size
    if values[kernel.I_BAG_COUNT] >= arrays.game[G_MIN_BAG_FOR_EXCHANGE]:
        values[kernel.I_MAX_EXCHANGE] = min(size, int(values[kernel.I_BAG_COUNT]))
    board, search, _ = create_workspace(arrays, rack_size=size, tile_count=0, ply_count=0, stop=Stop())
    random_state = np.zeros(1, dtype=np.int64)
    seed_random(random_state, seed, 0)
    kernel_arrays = (
        board,
        search,
        leaves,
        values,
        np.zeros(kernel.SCORES_LENGTH, dtype=np.int64),
        np.zeros(kernel.SUBSET_LENGTH << size, dtype=np.int64),
        np.zeros(2 * kernel.RACK_CACHE_SIZE, dtype=np.int64),
        np.zeros(2 * RACK_STRIDE, dtype=np.int64),
        np.repeat(_KINDS, values[kernel.I_UNSEEN_COUNTS : kernel.I_UNSEEN_COUNTS + RACK_STRIDE]),
        random_state,
    )
    batch_size = max(1, min(_MAX_BATCH_SIZE, (_MAX_BATCH_SIZE << 7) >> size))
    possible_leaves: list[tuple[int, ...]] = []
    drawn_count = 0
    while len(possible_leaves) < max_leaves and drawn_count < max_racks and not deadline.has_passed():
        rows = np.zeros((min(batch_size, max_racks - drawn_count), RACK_STRIDE), dtype=np.int32)
        explaining_count = kernel.draw_racks(*kernel_arrays, rows.reshape(-1))
        possible_leaves.extend(
            tuple(np.repeat(_KINDS, counts).tolist()) for counts in rows[:explaining_count]
        )
        drawn_count += len(rows)
    return Inference(tuple(possible_leaves), drawn_count)
