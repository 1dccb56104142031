"""Racks that are drawn at random, and whether a rack explains the last play."""

from __future__ import annotations

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.best_plays import F_KEPT, F_SPARE, F_WORST, Records, start_keeping
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.inference.parts import (
    I_BAG,
    I_EXCHANGE,
    I_EXCHANGED,
    I_KEPT,
    I_MARGIN,
    I_PLAYED,
    P_KEY,
    P_TILES,
    P_WORTH,
    PART,
    add_tile,
    begin_parts,
    knows_better,
    worth_of_play,
)
from bot.engine.kernels.rack import NEVER
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    prepare_player,
    random_below,
    search_plays,
)

ANSWERS = 1 << 13
"""Racks of which it is remembered whether they explain the play: the key of each, then 1 or 0."""


@inner
def _is_best(board: BoardOf, search: SearchOf, exchange: int, limit: int) -> bool:
    """Return whether no play of a prepared rack is worth more than the limit."""
    start_keeping(search.found, wide(1), search.width, wide(0), wide(0))
    # The slot is taken by a play that nobody made, just worth the limit.
    search.keys[0] = limit
    search.keys[1] = -NEVER
    search.heap[0] = 0
    search.found[F_KEPT] = 1
    search.found[F_SPARE] = 1
    search.found[F_WORST] = limit
    search_plays(board, search, exchange)
    return search.keys[2 * wide(search.heap[0])] <= limit


@inner
def _explains(
    board: BoardOf,
    search: SearchOf,
    leaves: LeavesOf,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    answers: Numbers,
    racks: Numbers,
    kept: Records,
    row: int,
) -> bool:
    """Return whether the first rack explains the play; if so, what it kept is written as 64 counts from ``row`` on."""
    begin_parts(parts)
    codes = wide(1)
    code = wide(0)
    for kind in range(RACK_STRIDE):
        weight = codes
        code += weight * (racks[kind] - case[I_PLAYED + kind])
        for _ in range(racks[kind]):
            codes = add_tile(leaves, scores, case[I_EXCHANGE], parts, codes, weight, kind)
    worth = worth_of_play(case, parts, codes, code)
    limit = worth + case[I_MARGIN]
    if knows_better(parts, codes, limit):
        return False
    key = parts[(codes - 1) * PART + P_KEY]
    place = 2 * (key & (ANSWERS - 1))
    if answers[place] != key:
        exchange = prepare_player(board, search, leaves, racks, wide(0), case[I_BAG])
        answers[place] = key
        answers[place + 1] = _is_best(board, search, exchange, limit)
    if not answers[place + 1]:
        return False
    if case[I_EXCHANGED]:
        code = wide(0)
        tiles = case[I_KEPT] - case[I_EXCHANGED]
        while parts[code * PART + P_TILES] != tiles or parts[code * PART + P_WORTH] != worth:
            code += 1
    for kind in range(RACK_STRIDE):
        kept[row + kind] = code % (racks[kind] + 1)
        code //= racks[kind] + 1
    return True


@compiled
def draw_racks(tiles: Numbers, chance: Numbers, kept: int, drawn: Numbers) -> None:
    """Draw ``kept`` tiles for each row of 64 counts in ``drawn``, from those in ``tiles``, which are in any order."""
    for place in range(drawn.shape[0]):
        drawn[place] = 0
    for row in range(0, drawn.shape[0], RACK_STRIDE):
        for place in range(kept):
            other = place + random_below(chance, tiles.shape[0] - place)
            tiles[place], tiles[other] = tiles[other], tiles[place]
            drawn[row + tiles[place]] += 1


@compiled
def explain(
    board: BoardOf,
    search: SearchOf,
    leaves: LeavesOf,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    answers: Numbers,
    racks: Numbers,
    drawn: Numbers,
    kept: Records,
    fits: Numbers,
) -> None:
    """Set a number of ``fits`` for each row of tiles drawn: 1 where they explain the play, with the tiles of the play, else 0.

    What was kept is written into the same row of ``kept``. ``racks`` is two racks, ``parts`` has room for all parts of a rack and
    ``answers`` twice ``ANSWERS`` numbers, all 0 at first. The search is that of a player in a game of two.
    """
    for row in range(fits.shape[0]):
        for kind in range(RACK_STRIDE):
            racks[kind] = case[I_PLAYED + kind] + drawn[row * RACK_STRIDE + kind]
        fits[row] = _explains(
            board, search, leaves, case, scores, parts, answers, racks, kept, row * RACK_STRIDE
        )
