"""Plays that are left out, since after an answer what is asked for is out of reach.

The other player may answer a play and pass from then on. That is one way to play on; so a play is worth at most its
score, less that of the answer, and what the rest of the rack can reach (:mod:`.reach`) on the board with the answer.
There the play's own tiles count as older ones, wherever they may lie. So this is found once for all plays that leave the
lane of the answer as it is: to these it can be given, for the same score. The answer is a pass, or what answered the
play that was tried last.
"""

from __future__ import annotations

from bot.engine.compiler import inner, wide
from bot.engine.kernels.board import undo_to
from bot.engine.kernels.endgame.last_tiles import R_ALL, R_TOTAL, set_of
from bot.engine.kernels.endgame.nodes import (
    BAG_BITS,
    IN_BAG,
    N_ALPHA,
    N_ANSWERS,
    N_BAG,
    N_BEST,
    N_BEST_HASH,
    N_COUNT,
    N_FINAL,
    N_LENGTH,
    N_LIST,
    N_NEXT,
    N_OTHER,
    N_OTHER_POINTS,
    N_PASSES,
    N_RACK,
    NO_PLAY,
    PASS_HASH,
    SearchOf,
    lay_play,
)
from bot.engine.kernels.endgame.plays import (
    COLUMN_LANES,
    E_HASH,
    E_LANE,
    E_LENGTH,
    E_POINTS,
    E_SCORE,
    E_USED,
    T_FIELD,
    T_KINDS,
    T_LIST,
    T_UNIT,
)
from bot.engine.kernels.endgame.reach import find_reach
from bot.engine.kernels.endgame.refutations import lanes_of
from bot.engine.kernels.turn import BoardOf

_PATIENCE = 3
"""How often that many nodes are halved. Unhalved, the hardest endgame of the tests takes a third more time; others take as long."""


@inner
def patience(search: SearchOf, node: int) -> int:
    """Return how many nodes are searched below a node before it is looked at, which takes longer with each tile and blank."""
    kit = search.kit
    rack = search.frames[node + N_RACK]
    tiles = wide(0)
    for number in range(kit[T_KINDS]):
        kind = kit[T_LIST + number]
        many = (rack & kit[T_FIELD + kind]) // kit[T_UNIT + kind]
        tiles += many if kind else 6 * many
    bag = search.frames[node + N_BAG]
    while bag:
        tiles += 1 if bag & IN_BAG > 1 else 6
        bag >>= BAG_BITS
    return max(wide(1), wide(1) << tiles >> _PATIENCE)


@inner
def leave_out(board: BoardOf, search: SearchOf, ply: int) -> None:
    """Count the plays of a node as tried that an answer refutes, whatever the player can reach after it."""
    frames = search.frames
    node = ply * N_LENGTH
    answer = wide(NO_PLAY)
    is_last = frames[node + N_ALPHA] < 2 * frames[node + N_OTHER_POINTS]  # which a pass does not refute
    while True:
        if is_last:
            answer = _likely_answer(search, node)
            if answer == NO_PLAY:
                return
        if refute(board, search, ply, answer) or is_last:
            return
        is_last = True


@inner
def refute(board: BoardOf, search: SearchOf, ply: int, answer: int) -> bool:
    """Count the plays as tried that one answer refutes; return whether these are all."""
    frames, lists, order, pool, work = search.frames, search.lists, search.order, search.pool, search.work
    node = ply * N_LENGTH
    others = frames[node + N_OTHER_POINTS]
    answered = answer * E_LENGTH
    score = wide(0)
    lane = wide(0)
    mark = board.log[0]
    if answer != NO_PLAY:
        score = pool[answered + E_SCORE]
        lane = pool[answered + E_LANE]
        others -= pool[answered + E_POINTS]
        lay_play(board, search, answered)
    known = find_reach(board, search, node, others)
    undo_to(board.squares, board.masks, board.log, mark)
    if not known:
        return True
    alpha = frames[node + N_ALPHA]
    every = set_of(search, work[R_ALL])
    if answer == NO_PLAY and work[R_TOTAL + every] <= alpha:  # whatever is played, or was tried
        frames[node + N_BEST] = work[R_TOTAL + every]
        frames[node + N_FINAL] = 1
        frames[node + N_NEXT] = frames[node + N_COUNT]
        return True
    begin = frames[node + N_LIST]
    at = begin + frames[node + N_NEXT]
    end = begin + frames[node + N_COUNT]
    for number in range(at, end):
        slot = wide(lists[number])
        record = slot * E_LENGTH
        value = -score
        left = every
        hashed = wide(PASS_HASH)
        if slot != NO_PLAY:
            value += pool[record + E_SCORE]
            left -= set_of(search, pool[record + E_USED])
            hashed = pool[record + E_HASH]
        value += work[R_TOTAL + left]
        if value > alpha or (answer != NO_PLAY and not _may_answer(board, search, node, slot, left, lane)):
            continue
        if value > frames[node + N_BEST]:
            frames[node + N_BEST] = value
            frames[node + N_BEST_HASH] = hashed
        lists[number] = lists[at]
        order[number] = order[at]
        lists[at] = slot
        at += 1
    frames[node + N_NEXT] = at - begin
    return at == end


@inner
def _may_answer(board: BoardOf, search: SearchOf, node: int, slot: int, left: int, lane: int) -> bool:
    """Return whether an answer in a lane can be given to a play, for the same score."""
    if slot == NO_PLAY:
        return search.frames[node + N_PASSES] > 1
    rows, columns = lanes_of(board, search, slot * E_LENGTH)
    touched = columns >> (lane - COLUMN_LANES) if lane >= COLUMN_LANES else rows >> lane
    return left != 0 and not touched & 1


@inner
def _likely_answer(search: SearchOf, node: int) -> int:
    """Return what answered the play that was tried last, when the board has it without that play, else what scores most."""
    frames, lists, pool = search.frames, search.lists, search.pool
    begin = frames[node + N_LIST] + frames[node + N_COUNT]
    best = wide(NO_PLAY)
    if frames[node + N_BAG]:
        return best  # what it draws is not looked at
    most = wide(0)
    for number in range(begin, begin + frames[node + N_ANSWERS] - 1):
        slot = wide(lists[number])
        record = slot * E_LENGTH
        if pool[record + E_USED] == frames[node + N_OTHER]:
            continue  # the game is over then
        if pool[record + E_HASH] == frames[node + N_LENGTH + N_BEST_HASH]:
            return slot
        if pool[record + E_SCORE] > most:
            best = slot
            most = pool[record + E_SCORE]
    return best
