"""Simulates the turns after a candidate play many times, with tiles drawn at random.

Iteration k of every candidate uses the same random numbers, so the opponent's rack and the bag are the same. In each following
turn (a *ply*), the play with the highest equity is made. The result is the growth of the player's lead over the highest-scoring
opponent. If the game has not ended, the lead includes the values of the leaves after each player's last play, and a table gives
the probability of winning with this lead.

The table is for two players. With more players, the odds against winning are the sum of the odds against beating each opponent,
because the odds between two players do not depend on other players (Luce's choice axiom, 1959). The table's probabilities are
for the player to move. When two players are compared, this is the player whose turn comes first. The number of unseen tiles is
scaled down to a two-player game with the same number of tiles per player.

``plan`` (int64) is indexed by the ``P_`` constants. Seats are in the order of play, from seat 0 for the player to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bot.engine.analysis import MAX_PLAYERS
from bot.engine.compiler import compiled, inner_kernel, to_int64
from bot.engine.kernels.best_plays import (
    F_STOPPED,
    PLACEMENT,
    R_KIND,
    R_LEAVE_CODE,
    R_TILE_COUNT,
    Records,
    reset_store,
)
from bot.engine.kernels.board import (
    G_EQUAL_TURNS,
    G_KIND_COUNT,
    G_RACK_SIZE,
    G_SCORELESS_LIMIT,
    Numbers,
    undo_to,
)
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardArrays,
    PlaySearchArrays,
    prepare_search,
    rack_points,
    rack_tile_count,
    random_below,
    search_plays,
    seed_random,
    shuffle,
    take_turn,
)
from bot.engine.lexicon.leaves import LeaveValues

(
    P_SEED,
    P_PLY_COUNT,
    P_PLAYER_COUNT,
    P_SCORELESS_COUNT,  # Number of consecutive scoreless turns before the candidate.
    P_LEAVE_COUNT,  # Number of leaves in ``opponent_leaves``. 0 if all unseen tiles are equally likely.
    P_TURNS_LEFT,  # If ``G_EQUAL_TURNS``: number of turns left, from the candidate on. 0 while the bag has tiles.
    # 1 if the player who goes out gains the points of the others' tiles, and the others lose them. 0 if only this player's score
    # changes, by twice these points.
    P_EACH_WAY,
) = range(7)
P_SCORES = 8
"""The scores by seat, before the candidate."""
P_UNSEEN = 16
"""64 counts of the unseen tiles, by kind, excluding the opponents' known tiles."""
P_RACKS = P_UNSEEN + RACK_STRIDE
"""64 counts by kind for each seat: the rack of the player to move, and the known tiles of each opponent."""
PLAN_LENGTH = P_RACKS + MAX_PLAYERS * RACK_STRIDE

PROBABILITY_ONE = 1_000_000
"""Represents probability 1. Probabilities are integers, because float sums depend on the order of addition."""

(
    # The sums for a ply.
    PLY_ITERATIONS,  # Number of iterations that reached the ply.
    PLY_SCORE,
    PLY_BINGOS,
) = range(3)
PLY_STRIDE = 3


class IterationArrays(NamedTuple):
    """:mod:`bot.engine.kernels.turn` describes the first three arrays."""

    racks: Numbers
    bag: Numbers
    random_state: Numbers
    opponent_leave: Numbers
    """The opponent's leave in the current iteration, as counts by kind."""
    tally: Numbers
    """The scores by seat, and then the leave values by seat, all in millipoints."""


def create_iteration_arrays(tile_count: int, player_count: int) -> IterationArrays:
    lengths = (player_count * RACK_STRIDE, tile_count + 1, 1, RACK_STRIDE, 2 * player_count)
    return IterationArrays(*(np.zeros(length, dtype=np.int64) for length in lengths))


@inner_kernel
def _deal(board: BoardArrays, plan: Numbers, opponent_leaves: Records, arrays: IterationArrays) -> None:
    """Give the opponents their known tiles, and one of ``opponent_leaves`` to seat 1. Then deal tiles to the opponents one at a time."""
    racks, bag, opponent_leave = arrays.racks, arrays.bag, arrays.opponent_leave
    player_count = plan[P_PLAYER_COUNT]
    for index in range(player_count * RACK_STRIDE):  # copying a slice would take a second to compile
        racks[index] = plan[P_RACKS + index]
    kind_count = board.game[G_KIND_COUNT]
    for kind in range(kind_count):
        opponent_leave[kind] = 0
    if plan[P_LEAVE_COUNT]:
        leave_start = random_below(arrays.random_state, plan[P_LEAVE_COUNT]) * RACK_STRIDE
        for kind in range(kind_count):
            opponent_leave[kind] = opponent_leaves[leave_start + kind]
            racks[RACK_STRIDE + kind] += opponent_leave[kind]
    tile_count = 0
    for kind in range(kind_count):
        for _ in range(plan[P_UNSEEN + kind] - opponent_leave[kind]):
            tile_count += 1
            bag[tile_count] = kind
    bag[0] = tile_count
    for seat in range(player_count):
        arrays.tally[seat] = 1000 * plan[P_SCORES + seat]
        arrays.tally[player_count + seat] = 0
    shuffle(bag, arrays.random_state)
    # If there are not enough tiles, all opponents get about the same number.
    for size in range(1, board.game[G_RACK_SIZE] + 1):
        for seat in range(1, player_count):
            if bag[0] and rack_tile_count(board.game, racks, seat) < size:
                racks[seat * RACK_STRIDE + bag[bag[0]]] += 1
                bag[0] -= 1


@inner_kernel
def _win_probability(win_table: npt.NDArray[np.int32], unseen: int, lead: int) -> int:
    max_lead = win_table.shape[1] // 2
    unseen = min(unseen, win_table.shape[0] - 1)
    return to_int64(win_table[unseen, max(-max_lead, min(max_lead, lead)) + max_lead])


@inner_kernel
def _settle_racks(game: Numbers, plan: Numbers, racks: Numbers, tally: Numbers, out_seat: int) -> None:
    """Settle the points of the tiles left at the end. ``out_seat`` is the seat of the player who went out, or -1."""
    for seat in range(plan[P_PLAYER_COUNT]):
        points = 1000 * rack_points(game, racks, seat)
        if out_seat < 0 or plan[P_EACH_WAY]:
            tally[seat] -= points
        if out_seat >= 0:
            tally[out_seat] += points if plan[P_EACH_WAY] else 2 * points


@inner_kernel
def _run_iteration(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveValues,
    plan: Numbers,
    candidate: Records,
    score_and_leave: Numbers,
    arrays: IterationArrays,
    ply_sums: Numbers,
    win_table: npt.NDArray[np.int32],
    samples: Numbers,
    sample_index: int,
) -> None:
    game, racks, bag, tally = board.game, arrays.racks, arrays.bag, arrays.tally
    player_count = plan[P_PLAYER_COUNT]
    records = candidate
    record = 0
    score, leave_value = score_and_leave[0], score_and_leave[1]
    scoreless_count = plan[P_SCORELESS_COUNT]
    has_equal_turns = game[G_EQUAL_TURNS]
    turns_left = plan[P_TURNS_LEFT]
    player = to_int64(0)
    last_ply = plan[P_PLY_COUNT]
    is_over = False
    for ply in range(last_ply + 1):
        if ply:
            reset_store(search.store_state, to_int64(1), search.record_length, to_int64(0), to_int64(0))
            search_plays(board, search, prepare_search(board, search, leaves, racks, player, bag[0]))
            slot = to_int64(search.heap[0])
            if search.store_state[F_STOPPED]:
                return
            records = search.records
            record = slot * search.record_length
            score = search.keys[2 * slot + 1]
            leave_value = search.leave_equities[records[record + R_LEAVE_CODE]]
        is_placement = records[record + R_KIND] == PLACEMENT
        first_sum = PLY_STRIDE * ply
        ply_sums[first_sum + PLY_ITERATIONS] += 1
        ply_sums[first_sum + PLY_SCORE] += score
        ply_sums[first_sum + PLY_BINGOS] += to_int64(
            is_placement and records[record + R_TILE_COUNT] == game[G_RACK_SIZE]
        )
        tally[player] += 1000 * score
        if ply > last_ply - player_count and bag[0]:
            tally[player_count + player] = leave_value
        scoreless_count = 0 if is_placement else scoreless_count + 1
        rack_count = take_turn(board, records, record, racks, player, bag, arrays.random_state)
        if has_equal_turns:
            is_over = turns_left == 1 or scoreless_count >= game[G_SCORELESS_LIMIT]
            if turns_left:
                turns_left -= 1
            elif not bag[0]:
                turns_left = player_count
        elif not rack_count or scoreless_count >= game[G_SCORELESS_LIMIT]:
            _settle_racks(game, plan, racks, tally, player if not rack_count else to_int64(-1))
            is_over = True
        if is_over:
            break
        player += 1
        if player == player_count:
            player = to_int64(0)
    if is_over:
        _write_finished_game(plan, tally, samples, sample_index)
    else:
        _write_unfinished_game(game, plan, arrays, win_table, player, samples, sample_index)


@inner_kernel
def _lead_growth(plan: Numbers, tally: Numbers) -> int:
    best_before, best = plan[P_SCORES + 1], tally[1]
    for seat in range(2, plan[P_PLAYER_COUNT]):
        best_before = max(best_before, plan[P_SCORES + seat])
        best = max(best, tally[seat])
    return tally[0] - best - 1000 * (plan[P_SCORES] - best_before)


@inner_kernel
def _write_finished_game(plan: Numbers, tally: Numbers, samples: Numbers, sample_index: int) -> None:
    samples[sample_index] = _lead_growth(plan, tally)
    winner_count = to_int64(1)
    for seat in range(1, plan[P_PLAYER_COUNT]):
        if tally[seat] > tally[0]:
            samples[sample_index + 1] = 0
            return
        if tally[seat] == tally[0]:
            winner_count += 1
    samples[sample_index + 1] = PROBABILITY_ONE // winner_count


@inner_kernel
def _write_unfinished_game(
    game: Numbers,
    plan: Numbers,
    arrays: IterationArrays,
    win_table: npt.NDArray[np.int32],
    player: int,
    samples: Numbers,
    sample_index: int,
) -> None:
    racks, tally = arrays.racks, arrays.tally
    player_count = plan[P_PLAYER_COUNT]
    unplayed_count = arrays.bag[0]
    for seat in range(player_count):
        tally[seat] += tally[player_count + seat]
        unplayed_count += rack_tile_count(game, racks, seat)
    samples[sample_index] = _lead_growth(plan, tally)
    rack_count = rack_tile_count(game, racks, player)
    unseen = max(
        min(to_int64(1), unplayed_count - rack_count), 2 * unplayed_count // player_count - rack_count
    )
    odds_against = to_int64(0)
    for seat in range(1, player_count):
        lead = (tally[0] - tally[seat] + 500) // 1000
        if player and seat >= player:  # this seat moves before seat 0
            chance = PROBABILITY_ONE - _win_probability(win_table, unseen, -lead)
        else:
            chance = _win_probability(win_table, unseen, lead)
        odds_against += (PROBABILITY_ONE - chance) * PROBABILITY_ONE // max(chance, to_int64(1))
    samples[sample_index + 1] = PROBABILITY_ONE * PROBABILITY_ONE // (PROBABILITY_ONE + odds_against)


@compiled
def roll_out(
    board: BoardArrays,
    search: PlaySearchArrays,
    arrays: IterationArrays,
    leaves: LeaveValues,
    plan: Numbers,
    candidate: Records,
    score_and_leave: Numbers,
    opponent_leaves: Records,
    win_table: npt.NDArray[np.int32],
    first: int,
    samples: Numbers,
    ply_sums: Numbers,
) -> None:
    """Run iterations of one candidate, from iteration ``first``, until ``samples`` is full or the search is stopped.

    ``candidate`` is the play, as a record. ``score_and_leave`` is its score in points and its leave value in millipoints. Each iteration
    writes two numbers to ``samples``: the growth of the lead in millipoints, and the win probability in millionths.
    The first sums in ``ply_sums`` are those of the candidate. ``opponent_leaves`` has 64 counts by kind for each
    possible leave.
    """
    for row in range(samples.shape[0] // 2):
        if search.stop_flag[0]:
            return
        seed_random(arrays.random_state, plan[P_SEED], first + row)
        _deal(board, plan, opponent_leaves, arrays)
        board.undo_log[0] = 0
        _run_iteration(
            board,
            search,
            leaves,
            plan,
            candidate,
            score_and_leave,
            arrays,
            ply_sums,
            win_table,
            samples,
            to_int64(2 * row),
        )
        undo_to(board.squares, board.masks, board.undo_log, 0)
