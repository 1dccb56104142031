"""Simulation: plays the game out many times from a candidate play, with tiles drawn at random.

Iteration k of every candidate uses the same random numbers, and so the same opponent's rack and the same bag: only
the candidates differ. A number of *plies* follows the candidate, each the best static play of the player to move. The
result of an iteration is the growth of the lead over the best of the others, including the leaves of all players'
last plays. If the game has not ended, a table maps this result to the probability of winning.

The table is for games of two. With more players, the odds against winning are the sum of the odds against beating
each of the others, which for two players is the table itself. This follows Luce's choice axiom (1959): the odds
between two players do not depend on the others. The earlier of two players counts as the player to move, and the
number of unseen tiles is that of a game of two in which each player would still draw as many tiles. Players with the
same highest score share the win.

``plan`` (int64) has the numbers of a simulation by the ``P_`` constants. Seats are counted from the player to move,
in the order of play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bot.engine.analysis import MAX_PLAYERS
from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.best_plays import F_STOPPED, PLACEMENT, R_KEPT, R_KIND, R_LAID, Records, start_keeping
from bot.engine.kernels.board import G_EQUAL, G_KINDS, G_RACK_SIZE, G_SCORELESS, Numbers, undo_to
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardArrays,
    LeaveArrays,
    PlaySearchArrays,
    prepare_player,
    rack_points,
    random_below,
    search_plays,
    shuffle,
    start_chance,
    take_turn,
)

(
    P_SEED,
    P_PLIES,  # Number of plies after the candidate.
    P_PLAYERS,  # Number of players.
    P_SCORELESS,  # Number of consecutive scoreless turns before the candidate.
    P_LEAVES,  # Number of listed leaves of the player in seat 1; 0 for any tiles.
    P_TURNS,  # With ``G_EQUAL``: the number of turns left before the candidate; 0 while the bag has tiles.
    # 1 if the other players lose the value of their tiles when a player goes out; 0 if that player wins twice their
    # value.
    P_EACH_WAY,
) = range(7)
P_SCORES = 8
"""A number for each seat: the score before the candidate."""
P_POOL = 16
"""64 numbers: the unseen tiles that are not known to be on an opponent's rack, by kind."""
P_RACKS = P_POOL + RACK_STRIDE
"""64 numbers for each seat: the player's rack, and the known tiles of each opponent."""
PLAN_LENGTH = P_RACKS + MAX_PLAYERS * RACK_STRIDE

CERTAIN = 1_000_000
"""The value that represents a probability of 1 in tables and results. They are whole numbers, so that sums do not
depend on the order of addition."""

(
    T_TURNS,  # Number of times the ply was played.
    T_SCORE,  # Sum of the ply's scores.
    T_BINGOS,  # Number of times that a full rack was laid down.
) = range(3)
PLY_STRIDE = 3


class HandsOf(NamedTuple):
    """The arrays of one iteration, apart from its board. For the first three, see :mod:`bot.engine.kernels.turn`."""

    racks: Numbers
    bag: Numbers
    chance: Numbers
    drawn: Numbers
    """The tiles of the leave drawn for the opponent, by kind."""
    tally: Numbers
    """In millipoints: the scores of all players, then the leaves of all players."""


def hands_of(tiles: int, players: int) -> HandsOf:
    """Return the arrays for ``tiles`` tiles and ``players`` players."""
    lengths = (players * RACK_STRIDE, tiles + 1, 1, RACK_STRIDE, 2 * players)
    return HandsOf(*(np.zeros(length, dtype=np.int64) for length in lengths))


@inner
def _tiles_on(game: Numbers, racks: Numbers, player: int) -> int:
    tiles = 0
    for kind in range(game[G_KINDS]):
        tiles += racks[player * RACK_STRIDE + kind]
    return tiles


@inner
def _deal(board: BoardArrays, plan: Numbers, leaves_kept: Records, hands: HandsOf) -> None:
    """Set up scores, racks and bag. The others get their known tiles, then a listed leave, then tiles drawn in turn."""
    racks, bag, drawn = hands.racks, hands.bag, hands.drawn
    players = plan[P_PLAYERS]
    for place in range(players * RACK_STRIDE):  # a slice would take a second to compile
        racks[place] = plan[P_RACKS + place]
    kinds = board.game[G_KINDS]
    for kind in range(kinds):
        drawn[kind] = 0
    if plan[P_LEAVES]:
        at = random_below(hands.chance, plan[P_LEAVES]) * RACK_STRIDE
        for kind in range(kinds):
            drawn[kind] = leaves_kept[at + kind]
            racks[RACK_STRIDE + kind] += drawn[kind]
    tiles = 0
    for kind in range(kinds):
        for _ in range(plan[P_POOL + kind] - drawn[kind]):
            tiles += 1
            bag[tiles] = kind
    bag[0] = tiles
    for seat in range(players):
        hands.tally[seat] = 1000 * plan[P_SCORES + seat]
        hands.tally[players + seat] = 0
    shuffle(bag, hands.chance)
    # If there are too few tiles for all, every player gets about the same number.
    for size in range(1, board.game[G_RACK_SIZE] + 1):
        for player in range(1, players):
            if bag[0] and _tiles_on(board.game, racks, player) < size:
                racks[player * RACK_STRIDE + bag[bag[0]]] += 1
                bag[0] -= 1


@inner
def _probability(table: npt.NDArray[np.int32], unseen: int, spread: int) -> int:
    """Look up the win probability of the player to move, by the number of unseen tiles and the lead."""
    half = table.shape[1] // 2
    unseen = min(unseen, table.shape[0] - 1)
    return wide(table[unseen, max(-half, min(half, spread)) + half])


@inner
def _count_racks(game: Numbers, plan: Numbers, racks: Numbers, tally: Numbers, out: int) -> None:
    """Count the tiles left at the end of a game. ``out`` is the player without tiles, or -1 if all players lose their own."""
    for player in range(plan[P_PLAYERS]):
        points = 1000 * rack_points(game, racks, player)
        if out < 0 or plan[P_EACH_WAY]:
            tally[player] -= points
        if out >= 0:
            tally[out] += points if plan[P_EACH_WAY] else 2 * points


@inner
def _rollout(
    board: BoardArrays,
    search: PlaySearchArrays,
    leaves: LeaveArrays,
    plan: Numbers,
    candidate: Records,
    worth: Numbers,
    hands: HandsOf,
    plies: Numbers,
    table: npt.NDArray[np.int32],
    samples: Numbers,
    sample: int,
) -> bool:
    """Play one iteration; write the growth of the lead and the win probability at ``sample``. Return False if stopped."""
    game, racks, bag, tally = board.game, hands.racks, hands.bag, hands.tally
    players = plan[P_PLAYERS]
    records = candidate
    record = 0
    score, leave = worth[0], worth[1]
    scoreless = plan[P_SCORELESS]
    equal = game[G_EQUAL]
    turns = plan[P_TURNS]
    player = wide(0)
    last = plan[P_PLIES]
    over = False
    for ply in range(last + 1):
        if ply:
            start_keeping(search.found, wide(1), search.width, wide(0), wide(0))
            search_plays(board, search, prepare_player(board, search, leaves, racks, player, bag[0]))
            slot = wide(search.heap[0])
            if search.found[F_STOPPED]:
                return False
            records = search.records
            record = slot * search.width
            score = search.keys[2 * slot + 1]
            leave = search.worth[records[record + R_KEPT]]
        laid = records[record + R_KIND] == PLACEMENT
        sums = PLY_STRIDE * ply
        plies[sums + T_TURNS] += 1
        plies[sums + T_SCORE] += score
        plies[sums + T_BINGOS] += wide(laid and records[record + R_LAID] == game[G_RACK_SIZE])
        tally[player] += 1000 * score
        if ply > last - players and bag[0]:
            tally[players + player] = leave
        scoreless = 0 if laid else scoreless + 1
        tiles = take_turn(board, records, record, racks, player, bag, hands.chance)
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
        _settle_scores(plan, tally, samples, sample)
    else:
        _evaluate(game, plan, hands, table, player, samples, sample)
    return True


@inner
def _growth(plan: Numbers, tally: Numbers) -> int:
    """Return the growth of the lead over the best of the others, in millipoints."""
    best_before, best = plan[P_SCORES + 1], tally[1]
    for seat in range(2, plan[P_PLAYERS]):
        best_before = max(best_before, plan[P_SCORES + seat])
        best = max(best, tally[seat])
    return tally[0] - best - 1000 * (plan[P_SCORES] - best_before)


@inner
def _settle_scores(plan: Numbers, tally: Numbers, samples: Numbers, sample: int) -> None:
    """Write the result of a finished game."""
    samples[sample] = _growth(plan, tally)
    sharing = wide(1)
    for seat in range(1, plan[P_PLAYERS]):
        if tally[seat] > tally[0]:
            samples[sample + 1] = 0
            return
        if tally[seat] == tally[0]:
            sharing += 1
    samples[sample + 1] = CERTAIN // sharing


@inner
def _evaluate(
    game: Numbers,
    plan: Numbers,
    hands: HandsOf,
    table: npt.NDArray[np.int32],
    player: int,
    samples: Numbers,
    sample: int,
) -> None:
    """Write the result of an unfinished game, with ``player`` to move."""
    racks, tally = hands.racks, hands.tally
    players = plan[P_PLAYERS]
    left = hands.bag[0]
    for seat in range(players):
        tally[seat] += tally[players + seat]
        left += _tiles_on(game, racks, seat)
    samples[sample] = _growth(plan, tally)
    own = _tiles_on(game, racks, player)
    unseen = max(min(wide(1), left - own), 2 * left // players - own)
    against = wide(0)
    for seat in range(1, players):
        ahead = (tally[0] - tally[seat] + 500) // 1000
        if player and seat >= player:  # this seat plays before the player
            better = CERTAIN - _probability(table, unseen, -ahead)
        else:
            better = _probability(table, unseen, ahead)
        against += (CERTAIN - better) * CERTAIN // max(better, wide(1))
    samples[sample + 1] = CERTAIN * CERTAIN // (CERTAIN + against)


@compiled
def roll_out(
    board: BoardArrays,
    search: PlaySearchArrays,
    hands: HandsOf,
    leaves: LeaveArrays,
    plan: Numbers,
    candidate: Records,
    worth: Numbers,
    leaves_kept: Records,
    table: npt.NDArray[np.int32],
    first: int,
    samples: Numbers,
    plies: Numbers,
) -> int:
    """Run iterations of one candidate, from ``first`` on, until ``samples`` is full; return the number finished.

    ``candidate`` is a record, ``worth`` has its score in points and its leave in millipoints. Each iteration writes
    two ``samples``: the growth of the lead in millipoints and the probability in millionths. ``plies`` receives sums,
    by the ``T_`` constants, for the candidate and each ply after it. The board is left unchanged.
    """
    rows = samples.shape[0] // 2
    for row in range(rows):
        if search.control[0]:
            return row
        start_chance(hands.chance, plan[P_SEED], first + row)
        _deal(board, plan, leaves_kept, hands)
        board.log[0] = 0
        finished = _rollout(
            board, search, leaves, plan, candidate, worth, hands, plies, table, samples, wide(2 * row)
        )
        undo_to(board.squares, board.masks, board.log, 0)
        if not finished:
            return row
    return rows
