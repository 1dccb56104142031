"""What the opponent may have kept: the racks that explain the last play, which are those that had no better one.

What a play is worth is what its tiles score on this board and what the others are worth as a leave. So for every set of
unseen tiles the most that it scores is found once (``pool``), and a rack needs no search of its own to know most of its
plays (``parts``). Racks are drawn at random (``racks``); where hardly any of them explains the play, all that there are
are gone through instead, those that begin alike together (``listing``). Whatever the known plays do not speak against is
searched for all its plays, with blanks, too.

The parts of a rack that grows tile by tile, and whether a known play is better than the one that was made.

``parts`` (int64) has ``PART`` numbers for each part of the rack, by a code as in :mod:`bot.engine.kernels.rack`. Tiles come
in ascending order, so what stands there stays true when one is added. Where what a part scores and what the
rest of the rack is worth are together more than the play that was made, a better one is *known*.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inner, wide
from bot.engine.kernels.best_plays import F_KEPT, F_SPARE, F_WORST, Records, start_keeping
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.graph import share_of
from bot.engine.kernels.pool import slot_of
from bot.engine.kernels.rack import NEVER, next_leave
from bot.engine.kernels.turn import (
    RACK_STRIDE,
    BoardOf,
    LeavesOf,
    SearchOf,
    prepare_player,
    random_below,
    search_plays,
)
from bot.engine.lexicon.word_graph import ACCEPTS

(
    I_KEPT,  # How many tiles were kept; of an exchange, how many tiles the rack had.
    I_EXCHANGED,  # How many tiles were exchanged, when it is not known which; 0 when the play is known.
    I_WORTH,  # Millipoints of the play without its leave.
    I_MARGIN,  # By how many millipoints the play may have been worse than the best.
    I_BAG,  # Tiles in the bag before the play.
    I_EXCHANGE,  # How many tiles may be exchanged.
) = range(6)
I_POOL = 8
"""64 numbers: the tiles the kept ones were drawn from."""
I_PLAYED = I_POOL + RACK_STRIDE
"""64 numbers: the tiles of the play."""
CASE_LENGTH = I_PLAYED + RACK_STRIDE

(
    P_NODE,  # The node of the part among the leaves, -1 when there is none.
    P_RANK,  # Its rank there.
    P_KEY,  # Its key among the scores.
    P_TILES,  # How many tiles it has.
    P_WORTH,  # Millipoints that it is worth as a leave.
    # Millipoints of the best play known of just these tiles, at least 0 where they may be exchanged;
    # ``NEVER`` for none.
    P_SCORE,
) = range(6)
PART = 6


@inner
def begin_parts(parts: Numbers) -> None:
    """Write the parts of no tiles."""
    for field in range(PART):
        parts[field] = 0
    parts[P_SCORE] = NEVER


@inner
def add_tile(
    leaves: LeavesOf, scores: Numbers, exchange: int, parts: Numbers, codes: int, weight: int, kind: int
) -> int:
    """Add a tile to a rack with so many parts, ``weight`` of them without a tile of this kind; return how many it has then."""
    key = share_of(kind)
    for at in range(codes * PART, (codes + weight) * PART, PART):
        before = at - weight * PART
        node, rank = parts[before + P_NODE], parts[before + P_RANK]
        if node >= 0:
            node, rank = next_leave(leaves.nodes, leaves.counts, node, rank, kind)
        parts[at + P_NODE] = node
        parts[at + P_RANK] = rank
        parts[at + P_WORTH] = leaves.values[rank] if node >= 0 and wide(leaves.nodes[node]) & ACCEPTS else 0
        tiles = parts[before + P_TILES] + 1
        parts[at + P_TILES] = tiles
        parts[at + P_KEY] = parts[before + P_KEY] + key
        slot = slot_of(scores, parts[at + P_KEY])
        score = scores[slot + 1] if scores[slot] else wide(NEVER)
        parts[at + P_SCORE] = max(score, 0) if tiles <= exchange else score
    return codes + weight


@inner
def worth_of_play(case: Numbers, parts: Numbers, codes: int, kept: int) -> int:
    """Return what the play is worth with a rack, or the best exchange; ``kept`` is the code of what a play keeps."""
    if not case[I_EXCHANGED]:
        return case[I_WORTH] + parts[kept * PART + P_WORTH]
    tiles = case[I_KEPT] - case[I_EXCHANGED]
    best = wide(NEVER)
    for at in range(0, codes * PART, PART):
        if parts[at + P_TILES] == tiles:
            best = max(best, parts[at + P_WORTH])
    return best


@inner
def knows_better(parts: Numbers, codes: int, limit: int) -> bool:
    """Return whether a known play of a rack is worth more than the limit."""
    rest = (codes - 2) * PART
    for at in range(PART, codes * PART, PART):
        if parts[at + P_SCORE] + parts[rest + P_WORTH] > limit:
            return True
        rest -= PART
    return False


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
    place = 2 * (key >> 40 & (ANSWERS - 1))
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
