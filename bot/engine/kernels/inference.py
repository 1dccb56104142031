"""What the opponent may have kept: racks drawn at random, of which those stay that explain the last play.

Most racks do not, since a better play is there, and mostly it is one that was met with another rack before. So the better
plays are kept as *witnesses*, by the tiles they take and what they score. A rack that has the tiles of a witness and comes
out ahead with it needs no search; only where no witness speaks against a rack all its plays are looked at, and no
farther than it takes to know whether one of them is better. A rack that is drawn again has the answer it had.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.best_plays import (
    F_KEPT,
    F_SPARE,
    F_STOPPED,
    F_WORST,
    R_KEPT,
    R_LAID,
    Records,
    start_keeping,
)
from bot.engine.kernels.board import G_KINDS, Numbers
from bot.engine.kernels.plays import find_plays
from bot.engine.kernels.rack import K_BEST, K_CODES, K_COUNTS, K_TILES, K_WEIGHT, NEVER
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    copy_racks,
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
I_WITNESSES = 8
"""How many witnesses there are."""
I_POOL = 16
"""64 numbers: the tiles the kept ones were drawn from."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE

CHOICES = 8
"""Better plays of a rack among which a witness is chosen."""
MAX_WITNESSES = 256
WITNESS = RACK_STRIDE
"""Numbers of a witness: how many kinds of tiles it takes, millipoints without the leave, then kinds and their counts."""
_KINDS, _MILLIPOINTS, _TILES = 0, 1, 2
RACKS = 1 << 13
"""Racks whose answers are remembered: the key of each, and 0 where a better play is there."""
_MIX = -7046029254386353131  # 2 ** 64 divided by the golden ratio, as a signed number


@inner
def _best_exchange(case: Numbers, search: SearchOf) -> tuple[int, int]:
    """Return the worth of the best exchange of so many tiles, and the code of what it keeps."""
    tiles = search.rack[K_TILES] - case[I_EXCHANGED]
    best = search.rack[K_BEST + case[I_EXCHANGED]]
    for code in range(search.rack[K_CODES]):
        if search.paths[3 * code + 2] == tiles and search.worth[code] == best:
            return best, code
    return best, wide(0)  # not reached: the best is among them


@inner
def _key_of(racks: Numbers, kinds: int) -> int:
    """Return a number for the first rack; two racks have the same once in 2**64."""
    key = wide(1)
    for kind in range(kinds):
        key = (key + racks[kind]) * _MIX
        key ^= key >> 29
    return key


@inner
def _is_refuted(case: Numbers, search: SearchOf, known: Numbers, limit: int) -> bool:
    """Return whether a witness is worth more than the limit; it moves ahead, where it is asked sooner."""
    rack = search.rack
    for number in range(case[I_WITNESSES]):
        row = number * WITNESS
        code = rack[K_CODES] - 1
        for at in range(row + _TILES, row + _TILES + 2 * known[row + _KINDS], 2):
            if rack[K_COUNTS + known[at]] < known[at + 1]:
                code = wide(-1)
                break
            code -= known[at + 1] * rack[K_WEIGHT + known[at]]
        if code >= 0 and known[row + _MILLIPOINTS] + search.worth[code] > limit:
            ahead = (number >> 1) * WITNESS
            for at in range(WITNESS):
                known[row + at], known[ahead + at] = known[ahead + at], known[row + at]
            return True
    return False


@inner
def _find_better(board: BoardOf, search: SearchOf, exchange: int, limit: int) -> int:
    """Return the slot of a play of a prepared rack that is worth more than the limit, or -1.

    Of the best such plays it is the one that takes the fewest tiles: other racks are likelier to have them.
    """
    found = search.found
    start_keeping(found, wide(CHOICES), search.width, wide(0), wide(0))
    # The slots are taken by plays that nobody made, just worth the limit.
    for slot in range(CHOICES):
        search.keys[2 * slot] = limit
        search.keys[2 * slot + 1] = -NEVER
        search.heap[slot] = slot
    found[F_KEPT] = CHOICES
    found[F_SPARE] = CHOICES
    found[F_WORST] = limit
    find_plays(
        board.game,
        board.squares,
        board.masks,
        board.graph,
        search.rack,
        search.letters,
        search.worth,
        search.paths,
        search.work,
        found,
        search.keys,
        search.records,
        search.heap,
        search.control,
        exchange,
    )
    fewest = wide(-1)
    for at in range(CHOICES):
        slot = wide(search.heap[at])
        if search.keys[2 * slot] > limit and (
            fewest < 0
            or search.records[slot * search.width + R_LAID] < search.records[fewest * search.width + R_LAID]
        ):
            fewest = slot
    return fewest


@inner
def _add_witness(case: Numbers, search: SearchOf, known: Numbers, slot: int) -> None:
    """Keep a play by what it takes from the rack; when there is no room, in place of the last."""
    number = min(case[I_WITNESSES], wide(MAX_WITNESSES - 1))
    case[I_WITNESSES] = number + 1
    row = number * WITNESS
    kept = wide(search.records[slot * search.width + R_KEPT])
    known[row + _MILLIPOINTS] = search.keys[2 * slot] - search.worth[kept]
    kinds = 0
    taken = search.rack[K_CODES] - 1 - kept
    for kind in range(RACK_STRIDE - 1, -1, -1):
        weight = search.rack[K_WEIGHT + kind]
        if weight and taken >= weight:
            known[row + _TILES + 2 * kinds] = kind
            known[row + _TILES + 2 * kinds + 1] = taken // weight
            taken -= taken // weight * weight
            kinds += 1
    known[row + _KINDS] = kinds


@inner
def _fits(board: BoardOf, search: SearchOf, case: Numbers, known: Numbers, exchange: int, limit: int) -> bool:
    """Return whether no play of a prepared rack is worth more than the limit."""
    search.found[F_STOPPED] = 0
    if _is_refuted(case, search, known, limit):
        return False
    slot = _find_better(board, search, exchange, limit)
    if slot >= 0 and not search.found[F_STOPPED]:
        _add_witness(case, search, known, slot)
    return slot < 0


@inner
def _draw_rack(case: Numbers, tiles: Numbers, pool: int, racks: Numbers, chance: Numbers) -> None:
    """Give the first rack the tiles of the play, and the tiles drawn, which are the first in ``tiles`` then."""
    copy_racks(racks, case, wide(I_PLAYED), wide(RACK_STRIDE))
    for place in range(case[I_KEPT]):
        other = place + random_below(chance, pool - place)
        tiles[place], tiles[other] = tiles[other], tiles[place]
        racks[tiles[place]] += 1


@inner
def _play_of(case: Numbers, search: SearchOf, tiles: Numbers) -> tuple[int, int]:
    """Return what the play is worth with a prepared rack, and the code of what it keeps."""
    if case[I_EXCHANGED]:
        return _best_exchange(case, search)
    code = wide(0)
    for place in range(case[I_KEPT]):
        code += search.rack[K_WEIGHT + tiles[place]]
    return case[I_WORTH] + search.worth[code], code


@inner
def _write_leave(search: SearchOf, code: int, kept: Records, row: int) -> None:
    """Write the tiles of a code as a row of counts."""
    for kind in range(RACK_STRIDE - 1, -1, -1):
        weight = search.rack[K_WEIGHT + kind]
        count = 0
        if weight:
            count = code // weight
            code -= count * weight
        kept[row * RACK_STRIDE + kind] = count


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
    known: Numbers,
    answers: Numbers,
) -> int:
    """Draw racks and write what was kept of those that fit as rows of 64 counts into ``kept``; return how many.

    ``tiles`` has room for the pool, ``racks`` is two racks, ``known`` has the witnesses so far and ``answers`` twice
    ``RACKS`` numbers. The search tables are those of two-player turns, the first player being the one who made the play.
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
        _draw_rack(case, tiles, pool, racks, chance)
        key = _key_of(racks, kinds)
        place = 2 * (key & (RACKS - 1))
        is_known = answers[place] == key
        if is_known and not answers[place + 1]:
            continue
        exchange = prepare_player(board, search, leaves, racks, wide(0), case[I_BAG])
        equity, code = _play_of(case, search, tiles)
        if not is_known:
            fits = _fits(board, search, case, known, exchange, equity + case[I_MARGIN])
            if search.found[F_STOPPED]:
                return rows
            answers[place] = key
            answers[place + 1] = fits
            if not fits:
                continue
        _write_leave(search, code, kept, rows)
        rows += 1
    case[I_DRAWN] = case[I_SAMPLES]
    return rows
