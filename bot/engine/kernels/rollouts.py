"""Simulation: playing on from a candidate play with tiles drawn at random, again and again.

Iteration k of every candidate has the same random numbers, so the same opponent's rack and the same bag: what
differs is due to the candidates. After the candidate so many *plies* follow, each the best static play of the player
on turn. The result of an iteration is the spread won from then on, with the leaves of the last two plays, and from
it, unless the game has ended, the probability of winning by a table.

``plan`` (int64) has the numbers of a simulation by the ``P_`` constants.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import allocating, inner, wide
from bot.engine.kernels.best_plays import F_STOPPED, PLACEMENT, R_KEPT, R_KIND, R_LAID, Records
from bot.engine.kernels.board import G_EQUAL, G_KINDS, G_RACK_SIZE, G_SCORELESS, Numbers, undo_to
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    copy_racks,
    draw,
    find_best,
    prepare_player,
    rack_points,
    random_below,
    shuffle,
    start_chance,
    take_turn,
)

P_SEED = 0
P_PLIES = 1
"""How many plies follow the candidate."""
P_SPREAD = 2
"""Points that the player on turn is ahead before the candidate."""
P_SCORELESS = 3
"""Scoreless turns in a row before the candidate."""
P_LEAVES = 4
"""How many leaves the opponent may have kept are listed; 0 for any."""
P_TURNS = 5
"""With ``G_EQUAL``: how many turns are left before the candidate; 0 while the bag has tiles."""
P_POOL = 16
"""64 numbers: the tiles that are not on the board, on the own rack or known to be on the opponent's, by kind."""
P_RACKS = P_POOL + RACK_STRIDE
"""Twice 64 numbers: the own rack, and what is known of the opponent's."""
PLAN_LENGTH = P_RACKS + 2 * RACK_STRIDE

CERTAIN = 1_000_000
"""The probability 1 in a table and in results: they are whole numbers, so that sums do not depend on the order."""

T_TURNS = 0
"""How often the ply was played."""
T_SCORE = 1
"""Sum of scores."""
T_BINGOS = 2
"""How often a full rack was laid down."""
PLY_STRIDE = 3


@inner
def _deal(
    board: BoardOf,
    plan: Numbers,
    leaves_kept: Records,
    racks: Numbers,
    bag: Numbers,
    taken: Numbers,
    chance: Numbers,
) -> None:
    """Set racks and bag up anew: the opponent has what is known, then a listed leave, then tiles drawn."""
    copy_racks(racks, plan, wide(P_RACKS), wide(2 * RACK_STRIDE))
    kinds = board.game[G_KINDS]
    for kind in range(kinds):
        taken[kind] = 0
    if plan[P_LEAVES]:
        at = random_below(chance, plan[P_LEAVES]) * RACK_STRIDE
        for kind in range(kinds):
            taken[kind] = leaves_kept[at + kind]
            racks[RACK_STRIDE + kind] += taken[kind]
    tiles = 0
    for kind in range(kinds):
        for _ in range(plan[P_POOL + kind] - taken[kind]):
            tiles += 1
            bag[tiles] = kind
    bag[0] = tiles
    shuffle(bag, chance)
    draw(board.game, racks, 1, bag)


@inner
def _probability(table: npt.NDArray[np.int32], unseen: int, spread: int) -> int:
    """Look up the chance of winning of the player on turn, with so many tiles unseen and so far ahead."""
    half = table.shape[1] // 2
    unseen = min(unseen, table.shape[0] - 1)
    return wide(table[unseen, max(-half, min(half, spread)) + half])


@inner
def _tiles_on(game: Numbers, racks: Numbers, player: int) -> int:
    tiles = 0
    for kind in range(game[G_KINDS]):
        tiles += racks[player * RACK_STRIDE + kind]
    return tiles


@inner
def _rollout(
    board: BoardOf,
    search: SearchOf,
    leaves: LeavesOf,
    plan: Numbers,
    candidate: Records,
    worth: Numbers,
    racks: Numbers,
    bag: Numbers,
    chance: Numbers,
    plies: Numbers,
    table: npt.NDArray[np.int32],
    result: Numbers,
) -> bool:
    """Play one iteration on; write spread and probability to ``result``. False when it was stopped."""
    game = board.game
    records = candidate
    record = 0
    score, leave, exchange = worth[0], worth[1], wide(0)
    spread = wide(0)
    leftover = wide(0)
    scoreless = plan[P_SCORELESS]
    equal = game[G_EQUAL]
    turns = plan[P_TURNS]
    player = wide(0)
    last = plan[P_PLIES]
    over = False
    for ply in range(last + 1):
        if ply:
            exchange = prepare_player(board, search, leaves, racks, player, bag[0])
            slot = find_best(board, search, exchange, wide(0))
            if search.found[F_STOPPED]:
                return False
            records = search.records
            record = slot * search.width
            score = search.keys[2 * slot + 1]
            leave = search.worth[records[record + R_KEPT]]
        laid = records[record + R_KIND] == PLACEMENT
        at = PLY_STRIDE * ply
        plies[at + T_TURNS] += 1
        plies[at + T_SCORE] += score
        if laid and records[record + R_LAID] == game[G_RACK_SIZE]:
            plies[at + T_BINGOS] += 1
        sign = 1 - 2 * player
        spread += sign * score
        if ply >= last - 1 and bag[0]:
            leftover += sign * leave
        scoreless = 0 if laid else scoreless + 1
        tiles = take_turn(board, records, record, racks, player, bag, chance)
        if equal:
            over = turns == 1 or scoreless >= game[G_SCORELESS]
            if turns:
                turns -= 1
            elif not bag[0]:
                turns = wide(2)
        elif not tiles:
            spread += sign * 2 * rack_points(game, racks, 1 - player)
            over = True
        elif scoreless >= game[G_SCORELESS]:
            spread += rack_points(game, racks, 1) - rack_points(game, racks, 0)
            over = True
        if over:
            break
        player = 1 - player
    _evaluate(game, plan, racks, bag, table, spread, leftover, player, over, result)
    return True


@inner
def _evaluate(
    game: Numbers,
    plan: Numbers,
    racks: Numbers,
    bag: Numbers,
    table: npt.NDArray[np.int32],
    spread: int,
    leftover: int,
    player: int,
    over: bool,  # noqa: FBT001 - a kernel takes its arguments by position
    result: Numbers,
) -> None:
    """Write what an iteration came to; ``player`` is on turn if the game goes on."""
    ahead = plan[P_SPREAD] + spread
    if over:
        result[0] = 1000 * spread
        result[1] = CERTAIN if ahead > 0 else CERTAIN // 2 if ahead == 0 else 0
        return
    result[0] = 1000 * spread + leftover
    ahead += (leftover + 500) // 1000
    unseen = bag[0] + _tiles_on(game, racks, 1 - player)
    if player:
        result[1] = CERTAIN - _probability(table, unseen, -ahead)
    else:
        result[1] = _probability(table, unseen, ahead)


@allocating
def roll_out(
    board: BoardOf,
    search: SearchOf,
    leaves: LeavesOf,
    plan: Numbers,
    candidate: Records,
    worth: Numbers,
    leaves_kept: Records,
    table: npt.NDArray[np.int32],
    first: int,
    results: npt.NDArray[np.int64],
    plies: Numbers,
) -> int:
    """Run the iterations from ``first`` on of one candidate, as many as ``results`` has rows; return how many ended.

    ``candidate`` is a record, ``worth`` has its score in points and its leave in millipoints. A row of ``results``
    gets the spread won in millipoints and the probability in millionths. ``plies`` gets sums by the ``T_`` constants
    for the candidate and each ply after it. The board is left as it was.
    """
    tiles = 1
    for kind in range(board.game[G_KINDS]):
        tiles += plan[P_POOL + kind] + plan[P_RACKS + kind]
    bag = np.zeros(tiles + 1, dtype=np.int64)
    racks = np.zeros(2 * RACK_STRIDE, dtype=np.int64)
    chance = np.zeros(1, dtype=np.int64)
    result = np.zeros(2, dtype=np.int64)
    taken = np.zeros(RACK_STRIDE, dtype=np.int64)
    for row in range(results.shape[0]):
        if search.control[0]:
            return row
        start_chance(chance, plan[P_SEED], first + row)
        _deal(board, plan, leaves_kept, racks, bag, taken, chance)
        board.log[0] = 0
        ended = _rollout(
            board, search, leaves, plan, candidate, worth, racks, bag, chance, plies, table, result
        )
        undo_to(board.squares, board.masks, board.log, 0)
        if not ended:
            return row
        results[row, 0] = result[0]
        results[row, 1] = result[1]
    return results.shape[0]
