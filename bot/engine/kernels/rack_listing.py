"""All racks there are that no known play speaks against.

They are gone through tile by tile in ascending order, so that racks which begin alike share their parts. The last tile is not
added to ask: a play of the others, whose rest keeps it, is compared for all last tiles in one walk over the leaves that go on
from that rest. Nine of ten racks end there.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bot.engine.compiler import compiled, inner, lowest_bit, wide
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.rack import NEVER
from bot.engine.kernels.racks import (
    I_EXCHANGE,
    I_EXCHANGED,
    I_KEPT,
    I_MARGIN,
    I_PLAYED,
    I_POOL,
    I_WORTH,
    P_NODE,
    P_RANK,
    P_SCORE,
    P_TILES,
    P_WORTH,
    PART,
    add_tile,
    begin_parts,
    knows_better,
    worth_of_play,
)
from bot.engine.kernels.turn import RACK_STRIDE, LeavesOf
from bot.engine.lexicon.word_graph import ACCEPTS, ARC, LAST_SIBLING, TILE_SHIFT

Chances: TypeAlias = npt.NDArray[np.float64]

BITS = 6
"""Bits of each tile in the list."""
MOST_TILES = 10
"""Tiles of a rack in the list, those of the play left out."""
(
    L_DEPTH,  # Of ``list`` (int64): how many tiles the rack has that is looked at; -1 at the end.
    L_LISTED,  # How many racks are listed, or would be if there were room.
    L_SEEN,  # How many racks were gone through.
) = range(3)
_LIMITS = 8
"""64 numbers: what the play and its margin are worth with each last tile."""
_WORTHS = _LIMITS + RACK_STRIDE
"""64 numbers: what a part and each last tile are worth."""
_FRAMES = _WORTHS + RACK_STRIDE

# The numbers of a frame, which is a rack to add tiles to: the kind that is next, how many of it were drawn, the tiles drawn,
# the code of these; how many parts there are, the latest kind and how many parts are without it; and the first kind of
# which the tiles of the play are not there yet.
_NEXT, _SAME, _TILES, _DRAWN, _CODES, _LATEST, _WEIGHT, _PLAYED = range(8)
_FRAME = 8
LIST_LENGTH = _FRAMES + (MOST_TILES + 1) * _FRAME

_TRIES = 6
"""Plays that are compared for all last tiles at once before these are looked at one by one."""


@inner
def _grow(
    leaves: LeavesOf, case: Numbers, scores: Numbers, parts: Numbers, state: Numbers, frame: int, kind: int
) -> None:
    """Add a tile to the rack of a frame, or with ``RACK_STRIDE`` none; before it the tiles of the play up to its kind."""
    codes, latest, weight = state[frame + _CODES], state[frame + _LATEST], state[frame + _WEIGHT]
    played = state[frame + _PLAYED]
    exchange = case[I_EXCHANGE]
    while played < RACK_STRIDE and played <= kind:
        for _ in range(case[I_PLAYED + played]):
            if latest != played:
                latest, weight = played, codes
            codes = add_tile(leaves, scores, exchange, parts, codes, weight, played)
        played += 1
    if kind < RACK_STRIDE:
        if latest != kind:
            latest, weight = kind, codes
        codes = add_tile(leaves, scores, exchange, parts, codes, weight, kind)
        state[frame + _DRAWN] += weight
    state[frame + _CODES], state[frame + _LATEST], state[frame + _WEIGHT] = codes, latest, weight
    state[frame + _PLAYED] = played


@inner
def _begin(state: Numbers, frame: int, other: int) -> None:
    """Begin a frame like another."""
    for field in range(_FRAME):
        state[frame + field] = state[other + field]


@inner
def _chance(case: Numbers, state: Numbers, frame: int, kind: int) -> float:
    """Return in how many times as many ways a rack is drawn with one tile more."""
    same = state[frame + _SAME] if kind == state[frame + _NEXT] else wide(0)
    return (case[I_POOL + kind] - same) / (same + 1)


@inner
def _look_up(leaves: LeavesOf, parts: Numbers, part: int, kinds: int, state: Numbers) -> None:
    """Write what a part is worth with one more tile of each of some kinds, none of them before its own."""
    left = kinds
    node = parts[part * PART + P_NODE]
    if node >= 0:
        bits = wide(leaves.nodes[node])
        rank = parts[part * PART + P_RANK]
        if node and bits & ACCEPTS:
            rank += 1
        at = bits & ARC
        if at:
            rank += wide(leaves.counts[at])
            while True:
                bits = wide(leaves.nodes[at])
                kind = bits >> TILE_SHIFT
                if left >> kind & 1 and bits & ACCEPTS:
                    left &= ~(1 << kind)
                    state[_WORTHS + kind] = leaves.values[rank - wide(leaves.counts[at])]
                if bits & LAST_SIBLING:
                    break
                at += 1
    while left:
        state[_WORTHS + lowest_bit(left)] = 0
        left &= left - 1


@inner
def _set_limits(
    leaves: LeavesOf, case: Numbers, parts: Numbers, state: Numbers, frame: int, kinds: int
) -> None:
    """Write what the play and its margin are worth with each of some kinds for a last tile."""
    codes = state[frame + _CODES]
    if not case[I_EXCHANGED]:
        _look_up(leaves, parts, state[frame + _DRAWN], kinds, state)
        for kind in range(RACK_STRIDE):
            state[_LIMITS + kind] = state[_WORTHS + kind] + case[I_WORTH] + case[I_MARGIN]
        return
    best = worth_of_play(case, parts, codes, wide(0))
    for kind in range(RACK_STRIDE):
        state[_LIMITS + kind] = best
    tiles = case[I_KEPT] - case[I_EXCHANGED] - 1
    for part in range(codes):
        if parts[part * PART + P_TILES] == tiles:
            _look_up(leaves, parts, part, kinds, state)
            left = kinds
            while left:
                kind = lowest_bit(left)
                left &= left - 1
                state[_LIMITS + kind] = max(state[_LIMITS + kind], state[_WORTHS + kind])
    for kind in range(RACK_STRIDE):
        state[_LIMITS + kind] += case[I_MARGIN]


@inner
def _rule_out(
    leaves: LeavesOf, parts: Numbers, state: Numbers, codes: int, hopes: Numbers, kinds: int
) -> int:
    """Return those kinds of a last tile with which none of a few known plays is better; ``hopes`` is scratch."""
    full = codes - 1
    for part in range(1, codes):
        score = parts[part * PART + P_SCORE]
        hopes[part] = score + parts[(full - part) * PART + P_WORTH] if score > NEVER else NEVER
    for _ in range(_TRIES):
        best = wide(0)
        hope = wide(NEVER)
        for part in range(1, codes):
            if hopes[part] > hope:
                best = wide(part)
                hope = hopes[part]
        if not best:
            break
        hopes[best] = NEVER
        _look_up(leaves, parts, full - best, kinds, state)
        left = kinds
        while left:
            kind = lowest_bit(left)
            left &= left - 1
            if parts[best * PART + P_SCORE] + state[_WORTHS + kind] > state[_LIMITS + kind]:
                kinds &= ~(1 << kind)
        if not kinds:
            break
    return kinds


@inner
def _note(state: Numbers, frame: int, kind: int, chance: float, listed: Numbers, chances: Chances) -> None:
    """List the rack of a frame with one tile more."""
    number = state[L_LISTED]
    state[L_LISTED] = number + 1
    if number < listed.shape[0]:
        listed[number] = state[frame + _TILES] << BITS | kind
        chances[number] = chance


@inner
def _finish(
    leaves: LeavesOf,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    state: Numbers,
    frame: int,
    chance: float,
    hopes: Numbers,
    listed: Numbers,
    chances: Chances,
) -> None:
    """List the racks with one tile more than a frame has."""
    other = frame + _FRAME
    kinds = wide(0)
    for kind in range(state[frame + _NEXT], RACK_STRIDE):
        if _chance(case, state, frame, kind) > 0:
            kinds |= 1 << kind
            state[L_SEEN] += 1
    # Where tiles of the play come after the last one, each by itself.
    first = RACK_STRIDE
    while first > state[frame + _PLAYED] and not case[I_PLAYED + first - 1]:
        first -= 1
    while kinds and lowest_bit(kinds) + 1 < first and first > state[frame + _PLAYED]:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        _begin(state, other, frame)
        _grow(leaves, case, scores, parts, state, other, kind)
        _grow(leaves, case, scores, parts, state, other, wide(RACK_STRIDE))
        codes = state[other + _CODES]
        worth = worth_of_play(case, parts, codes, state[other + _DRAWN])
        if not knows_better(parts, codes, worth + case[I_MARGIN]):
            _note(state, frame, kind, chance * _chance(case, state, frame, kind), listed, chances)
    if not kinds:
        return
    _begin(state, other, frame)
    _grow(leaves, case, scores, parts, state, other, wide(RACK_STRIDE))
    codes, latest, weight = state[other + _CODES], state[other + _LATEST], state[other + _WEIGHT]
    _set_limits(leaves, case, parts, state, other, kinds)
    kinds = _rule_out(leaves, parts, state, codes, hopes, kinds)
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        whole = add_tile(
            leaves, scores, case[I_EXCHANGE], parts, codes, weight if kind == latest else codes, kind
        )
        if not knows_better(parts, whole, state[_LIMITS + kind]):
            _note(state, frame, kind, chance * _chance(case, state, frame, kind), listed, chances)


@compiled
def list_racks(
    leaves: LeavesOf,
    case: Numbers,
    scores: Numbers,
    parts: Numbers,
    state: Numbers,
    ways: Chances,
    hopes: Numbers,
    listed: Numbers,
    chances: Chances,
    steps: int,
) -> bool:
    """Go on listing racks for so many steps; return whether those were all, or more than there is room for.

    Each is written into ``listed``, the tiles drawn in ``BITS`` bits each, and into ``chances`` in how many ways it is
    drawn. ``state`` begins with zeros and ``ways`` with 1; ``hopes`` has room for all parts of a rack.
    """
    if not state[_FRAMES + _CODES]:
        begin_parts(parts)
        state[_FRAMES + _CODES] = 1
        state[_FRAMES + _LATEST] = -1
    while steps and state[L_DEPTH] >= 0 and state[L_LISTED] <= listed.shape[0]:
        steps -= 1
        depth = state[L_DEPTH]
        frame = _FRAMES + depth * _FRAME
        if depth == case[I_KEPT] - 1:
            _finish(leaves, case, scores, parts, state, frame, ways[depth], hopes, listed, chances)
            state[L_DEPTH] = depth - 1
            continue
        while state[frame + _NEXT] < RACK_STRIDE and _chance(case, state, frame, state[frame + _NEXT]) <= 0:
            state[frame + _NEXT] += 1
            state[frame + _SAME] = 0
        kind = state[frame + _NEXT]
        if kind == RACK_STRIDE:
            state[L_DEPTH] = depth - 1
            continue
        child = frame + _FRAME
        _begin(state, child, frame)
        _grow(leaves, case, scores, parts, state, child, kind)
        state[child + _SAME] = state[frame + _SAME] + 1
        state[child + _TILES] = state[frame + _TILES] << BITS | kind
        ways[depth + 1] = ways[depth] * _chance(case, state, frame, kind)
        state[frame + _NEXT] = kind + 1
        state[frame + _SAME] = 0
        state[L_DEPTH] = depth + 1
    return state[L_DEPTH] < 0 or state[L_LISTED] > listed.shape[0]
