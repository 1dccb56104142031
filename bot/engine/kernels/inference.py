"""What the opponent may have kept: racks drawn at random, of which those stay that explain the last play."""

from __future__ import annotations

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.best_plays import F_STOPPED, Records
from bot.engine.kernels.board import G_KINDS, Numbers
from bot.engine.kernels.rack import K_BEST, K_CODES, K_TILES, K_WEIGHT
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    copy_racks,
    find_best,
    prepare_player,
    random_below,
)

I_SAMPLES = 1
"""How many racks are drawn."""
I_KEPT = 2
"""How many tiles were kept; of an exchange, how many tiles the rack had."""
I_EXCHANGED = 3
"""How many tiles were exchanged, when it is not known which; 0 when the play is known."""
I_WORTH = 4
"""Millipoints of the play without its leave."""
I_MARGIN = 5
"""By how many millipoints the play may have been worse than the best."""
I_BAG = 6
"""Tiles in the bag before the play."""
I_DRAWN = 7
"""Set to how many racks were drawn."""
I_POOL = 16
"""64 numbers: the tiles the kept ones were drawn from."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE


@inner
def _best_exchange(case: Numbers, search: SearchOf) -> tuple[int, int]:
    """Return the worth of the best exchange of so many tiles, and the code of what it keeps."""
    tiles = search.rack[K_TILES] - case[I_EXCHANGED]
    best = search.rack[K_BEST + case[I_EXCHANGED]]
    for code in range(search.rack[K_CODES]):
        if search.paths[3 * code + 2] == tiles and search.worth[code] == best:
            return best, code
    return best, wide(0)  # not reached: the best is among them


@compiled
def sample_leaves(
    board: BoardOf,
    search: SearchOf,
    leaves: LeavesOf,
    case: Numbers,
    tiles: Numbers,
    racks: Numbers,
    chance: Numbers,
    kept: Records,
) -> int:
    """Draw racks and write what was kept of those that fit as rows of 64 counts into ``kept``; return how many.

    ``tiles`` has room for the pool, ``racks`` is two racks. The search tables are those of two-player turns, the
    first player being the one who made the play.
    """
    kinds = board.game[G_KINDS]
    pool = 0
    for kind in range(kinds):
        for _ in range(case[I_POOL + kind]):
            tiles[pool] = kind
            pool += 1
    rows = 0
    for sample in range(case[I_SAMPLES]):
        case[I_DRAWN] = sample
        if search.control[0]:
            return rows
        copy_racks(racks, case, wide(I_PLAYED), wide(RACK_STRIDE))
        for place in range(case[I_KEPT]):
            other = place + random_below(chance, pool - place)
            tiles[place], tiles[other] = tiles[other], tiles[place]
            racks[tiles[place]] += 1
        exchange = prepare_player(board, search, leaves, racks, wide(0), case[I_BAG])
        if case[I_EXCHANGED]:
            equity, code = _best_exchange(case, search)
        else:
            code = wide(0)
            for place in range(case[I_KEPT]):
                code += search.rack[K_WEIGHT + tiles[place]]
            equity = case[I_WORTH] + search.worth[code]
        slot = find_best(board, search, exchange, wide(0))
        if search.found[F_STOPPED]:
            return rows
        if equity + case[I_MARGIN] < search.keys[2 * slot]:
            continue
        for kind in range(kinds - 1, -1, -1):
            weight = search.rack[K_WEIGHT + kind]
            count = 0
            if weight:
                count = code // weight
                code -= count * weight
            kept[rows * RACK_STRIDE + kind] = count
        rows += 1
    case[I_DRAWN] = case[I_SAMPLES]
    return rows
