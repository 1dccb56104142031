"""Simulation: playing on from a candidate play with tiles drawn at random, again and again.

Iteration k of every candidate has the same random numbers, so the same opponent's rack and the same bag: what
differs is due to the candidates. After the candidate so many *plies* follow, each the best static play of the player
on turn. The result of an iteration is by how much the lead over the best of the others grew from then on, with the
leaves of everybody's last play, and from it, unless the game has ended, the probability of winning by a table.

The table is for games of two. Among more, the odds against winning are the sum of the odds against doing better than
each of the others, which for two is the table itself: Luce's choice axiom (1959), by which the odds between two do not
depend on who else is there. Whoever of two plays first counts as on turn, and as many tiles are unseen as in a game of
two in which each would have as many tiles to come. Who share the highest score share the win.

``plan`` (int64) has the numbers of a simulation by the ``P_`` constants. Seats are counted from the player on turn,
in the order of play.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bot.engine.analysis import MAX_PLAYERS
from bot.engine.compiler import allocating, inner, wide
from bot.engine.kernels.best_plays import F_STOPPED, PLACEMENT, R_KEPT, R_KIND, R_LAID, Records
from bot.engine.kernels.board import G_EQUAL, G_KINDS, G_RACK_SIZE, G_SCORELESS, Numbers, undo_to
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    copy_racks,
    find_best,
    prepare_player,
    rack_points,
    random_below,
    shuffle,
    start_chance,
    take_turn,
)

(
    P_SEED,
    P_PLIES,  # How many plies follow the candidate.
    P_PLAYERS,  # How many players there are.
    P_SCORELESS,  # Scoreless turns in a row before the candidate.
    P_LEAVES,  # How many leaves the player in seat 1 may have kept are listed; 0 for any.
    P_TURNS,  # With ``G_EQUAL``: how many turns are left before the candidate; 0 while the bag has tiles.
    # 1 when the others lose the tiles that they have left as somebody goes out; else who goes out wins them
    # twice.
    P_EACH_WAY,
) = range(7)
P_SCORES = 8
"""A number for each seat: the score before the candidate."""
P_POOL = 16
"""64 numbers: the tiles that are not on the board, on the own rack or known to be on another's, by kind."""
P_RACKS = P_POOL + RACK_STRIDE
"""64 numbers for each seat: the own rack, and what is known of the others'."""
PLAN_LENGTH = P_RACKS + MAX_PLAYERS * RACK_STRIDE

CERTAIN = 1_000_000
"""The probability 1 in a table and in results: they are whole numbers, so that sums do not depend on the order."""

(
    T_TURNS,  # How often the ply was played.
    T_SCORE,  # Sum of scores.
    T_BINGOS,  # How often a full rack was laid down.
) = range(3)
PLY_STRIDE = 3


@inner
def _tiles_on(game: Numbers, racks: Numbers, player: int) -> int:
    tiles = 0
    for kind in range(game[G_KINDS]):
        tiles += racks[player * RACK_STRIDE + kind]
    return tiles


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
    """Set racks and bag up anew: the others have what is known, then a listed leave, then tiles drawn in turns."""
    players = plan[P_PLAYERS]
    copy_racks(racks, plan, wide(P_RACKS), players * RACK_STRIDE)
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
    # Where there are too few tiles for all, everybody has about as many.
    for size in range(1, board.game[G_RACK_SIZE] + 1):
        for player in range(1, players):
            if bag[0] and _tiles_on(board.game, racks, player) < size:
                racks[player * RACK_STRIDE + bag[bag[0]]] += 1
                bag[0] -= 1


@inner
def _probability(table: npt.NDArray[np.int32], unseen: int, spread: int) -> int:
    """Look up the chance of winning of the player on turn, with so many tiles unseen and so far ahead."""
    half = table.shape[1] // 2
    unseen = min(unseen, table.shape[0] - 1)
    return wide(table[unseen, max(-half, min(half, spread)) + half])


@inner
def _count_racks(game: Numbers, plan: Numbers, racks: Numbers, tally: Numbers, out: int) -> None:
    """Count the tiles left at the end of a game; ``out`` is who has none, or -1 when all lose their own."""
    for player in range(plan[P_PLAYERS]):
        points = 1000 * rack_points(game, racks, player)
        if out < 0 or plan[P_EACH_WAY]:
            tally[player] -= points
        if out >= 0:
            tally[out] += points if plan[P_EACH_WAY] else 2 * points


@inner
def _begin(plan: Numbers, tally: Numbers) -> None:
    """Set the scores to those before the candidate, and the leaves to none."""
    players = plan[P_PLAYERS]
    for seat in range(players):
        tally[seat] = 1000 * plan[P_SCORES + seat]
        tally[players + seat] = 0


@inner
def _note_ply(plies: Numbers, at: int, score: int, bingo: int) -> None:
    """Add a play to the sums of its ply, which begin at ``at``."""
    plies[at + T_TURNS] += 1
    plies[at + T_SCORE] += score
    plies[at + T_BINGOS] += bingo


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
    tally: Numbers,
    result: Numbers,
) -> bool:
    """Play one iteration on; write the growth of the lead and the probability to ``result``. False when it was stopped.

    ``tally`` gets two numbers for each player, in millipoints: the scores of all, then the leaves of all.
    """
    game = board.game
    players = plan[P_PLAYERS]
    _begin(plan, tally)
    records = candidate
    record = 0
    score, leave, exchange = worth[0], worth[1], wide(0)
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
        bingo = laid and records[record + R_LAID] == game[G_RACK_SIZE]
        _note_ply(plies, PLY_STRIDE * ply, score, wide(bingo))
        tally[player] += 1000 * score
        if ply > last - players and bag[0]:
            tally[players + player] = leave
        scoreless = 0 if laid else scoreless + 1
        tiles = take_turn(board, records, record, racks, player, bag, chance)
        if equal:
            over = turns == 1 or scoreless >= game[G_SCORELESS]
            if turns:
                turns -= 1
            elif not bag[0]:
                turns = players
        elif not tiles or scoreless >= game[G_SCORELESS]:
            _count_racks(game, plan, racks, tally, player if not tiles else wide(-1))
            over = True
        if over:
            break
        player += 1
        if player == players:
            player = wide(0)
    if over:
        _settle_scores(plan, tally, result)
    else:
        _evaluate(game, plan, racks, bag, table, tally, player, result)
    return True


@inner
def _growth(plan: Numbers, tally: Numbers) -> int:
    """Return by how many millipoints the lead over the best of the others grew."""
    best_before, best = plan[P_SCORES + 1], tally[1]
    for seat in range(2, plan[P_PLAYERS]):
        best_before = max(best_before, plan[P_SCORES + seat])
        best = max(best, tally[seat])
    return tally[0] - best - 1000 * (plan[P_SCORES] - best_before)


@inner
def _settle_scores(plan: Numbers, tally: Numbers, result: Numbers) -> None:
    """Write what a game that has ended came to."""
    result[0] = _growth(plan, tally)
    sharing = wide(1)
    for seat in range(1, plan[P_PLAYERS]):
        if tally[seat] > tally[0]:
            result[1] = 0
            return
        if tally[seat] == tally[0]:
            sharing += 1
    result[1] = CERTAIN // sharing


@inner
def _evaluate(
    game: Numbers,
    plan: Numbers,
    racks: Numbers,
    bag: Numbers,
    table: npt.NDArray[np.int32],
    tally: Numbers,
    player: int,
    result: Numbers,
) -> None:
    """Write what an iteration came to whose game goes on, with ``player`` on turn."""
    players = plan[P_PLAYERS]
    left = bag[0]
    for seat in range(players):
        tally[seat] += tally[players + seat]
        left += _tiles_on(game, racks, seat)
    result[0] = _growth(plan, tally)
    own = _tiles_on(game, racks, player)
    unseen = max(min(wide(1), left - own), 2 * left // players - own)
    against = wide(0)
    for seat in range(1, players):
        ahead = (tally[0] - tally[seat] + 500) // 1000
        if player and seat >= player:  # that seat plays before the own one
            better = CERTAIN - _probability(table, unseen, -ahead)
        else:
            better = _probability(table, unseen, ahead)
        against += (CERTAIN - better) * CERTAIN // max(better, wide(1))
    result[1] = CERTAIN * CERTAIN // (CERTAIN + against)


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
    gets the growth of the lead in millipoints and the probability in millionths. ``plies`` gets sums by the ``T_`` constants
    for the candidate and each ply after it. The board is left as it was.
    """
    tiles = 1
    for kind in range(board.game[G_KINDS]):
        tiles += plan[P_POOL + kind] + plan[P_RACKS + kind]
    bag = np.zeros(tiles + 1, dtype=np.int64)
    racks = np.zeros(plan[P_PLAYERS] * RACK_STRIDE, dtype=np.int64)
    tally = np.zeros(2 * plan[P_PLAYERS], dtype=np.int64)
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
            board, search, leaves, plan, candidate, worth, racks, bag, chance, plies, table, tally, result
        )
        undo_to(board.squares, board.masks, board.log, 0)
        if not ended:
            return row
        results[row, 0] = result[0]
        results[row, 1] = result[1]
    return results.shape[0]
