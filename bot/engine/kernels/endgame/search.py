"""The endgame search: iterative negamax with principal variation search, without recursion.

An iteration searches to a depth. Beyond that depth, only the most promising play of each player is followed to the
end of the game, so every value is that of a whole line. Results that no deeper search can change are marked as final
in the table, and are never searched again. If the root's result is final, it is proved.

:func:`run` searches some nodes and returns; the next call continues the search. Functions that are called for each
play are inlined: passing a board and a search, over a hundred words, took more than half of their time.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner, wide
from bot.engine.kernels.board import G_COLUMNS, G_ROWS, undo_to
from bot.engine.kernels.endgame.nodes import (
    DONE,
    ENTRY,
    EXACT,
    INFINITE,
    LOWER,
    N_ALPHA,
    N_ANSWERS,
    N_BAG,
    N_BEST,
    N_BEST_HASH,
    N_BETA,
    N_BOARD,
    N_COUNT,
    N_DEPTH,
    N_DUE_COLUMNS,
    N_DUE_ROWS,
    N_FINAL,
    N_FIRST_ALPHA,
    N_FULL,
    N_KEY,
    N_KILLER,
    N_KNOWN,
    N_LENGTH,
    N_LIST,
    N_MARK,
    N_NEXT,
    N_OTHER_RACK,
    N_PASSES,
    N_PLAY,
    N_RACK,
    N_SECOND_KILLER,
    N_SWEPT,
    N_TOP,
    NO_PLAY,
    OVERFLOW,
    PASS_HASH,
    ROOT,
    RUNNING,
    S_ENTRIES,
    S_FINAL,
    S_FIRST,
    S_LOWER,
    S_NODES,
    S_PLIES,
    S_PLY,
    S_STATUS,
    S_VALUE,
    UPPER,
    SearchArrays,
    begin_child,
    find_answers,
    find_due_plays,
    keep_node_plays,
    keep_plays,
    lay_child,
    next_play,
    put_in_order,
)
from bot.engine.kernels.endgame.plays import E_HASH, E_LENGTH, E_SCORE, mixed
from bot.engine.kernels.endgame.refutations import sweep
from bot.engine.kernels.turn import BoardArrays

_ENTER, _NEXT, _RETURN = 0, 1, 2


(
    FIND_PLAYS,  # Find the plays of a ply up to the root's.
    START,  # Start a search of the root.
    START_PLAY,  # Start a search after a play of the root; the plays of the root must have been found.
    GO_ON,  # Search further nodes; ``S_STATUS`` has the state of the iteration.
    GIVE_UP,  # Take back all plays of an unfinished search.
) = range(5)


@compiled
def run(board: BoardArrays, search: SearchArrays, task: int, number: int) -> bool:
    """Run a task on a ply, a play's slot or a number of nodes; return whether there was room for the plays.

    The root has its depth and window. All tasks are one kernel, so that their common parts are compiled only once.
    """
    if task == FIND_PLAYS:
        return _find_plays(board, search, number)
    state = search.state
    if task == START:
        state[S_PLY] = state[S_FIRST] = ROOT
        state[S_STATUS] = RUNNING
        state[S_LOWER] = -INFINITE
        _look_up(search, wide(ROOT))
    elif task == START_PLAY:
        state[S_PLY] = state[S_FIRST] = ROOT + 1
        state[S_STATUS] = RUNNING
        if not _try(board, search, wide(ROOT), number, wide(1)):
            child = (ROOT + 1) * N_LENGTH
            state[S_VALUE] = _score(search, number) - search.frames[child + N_BEST]
            state[S_FINAL] = search.frames[child + N_FINAL]
            state[S_STATUS] = DONE
    elif task == GO_ON:
        _go_on(board, search, number)
    else:
        undo_to(board.squares, board.masks, board.log, wide(0))
    return True


@inner
def _find_plays(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    if ply == ROOT:
        search.frames[ROOT * N_LENGTH + N_KNOWN] = 0
        return _open(board, search, ply) and _open_fully(board, search, ply)
    rows = (wide(1) << board.game[G_ROWS]) - 1
    columns = (wide(1) << board.game[G_COLUMNS]) - 1
    return keep_plays(search, ply, wide(0), wide(0), rows, columns) and find_due_plays(board, search, ply)


@inner
def _go_on(board: BoardArrays, search: SearchArrays, nodes: int) -> None:
    """Search until the iteration is done, or for up to ``nodes`` more nodes."""
    frames, state = search.frames, search.state
    last = state[S_NODES] + nodes
    ply = state[S_PLY]
    step = wide(_ENTER)
    value = wide(0)
    final = wide(0)
    while True:
        node = ply * N_LENGTH
        if step == _ENTER:
            if state[S_NODES] >= last:
                state[S_PLY] = ply
                return
            if ply + 2 >= state[S_PLIES] or not _open(board, search, ply):
                state[S_STATUS] = OVERFLOW
                return
            step = wide(_NEXT)
        elif step == _RETURN:
            if ply < state[S_FIRST]:
                _finish(board, search, value, final)
                return
            if _take(board, search, ply, value, final):
                step = wide(_ENTER)
                ply += 1
                continue
            step = wide(_NEXT)
        else:
            step = _prepare(board, search, ply)
            if step == _RETURN:
                value, final = _close(search, node)
                ply -= 1
                continue
            if step == _ENTER:
                state[S_STATUS] = OVERFLOW
                return
            if _try(board, search, ply, next_play(search, node), wide(0)):
                step = wide(_ENTER)
                ply += 1
            else:
                value = frames[node + N_LENGTH + N_BEST]
                final = frames[node + N_LENGTH + N_FINAL]
                step = wide(_RETURN)


@inlined
def _prepare(board: BoardArrays, search: SearchArrays, ply: int) -> int:
    """Return ``_NEXT`` if a node has another play to try, ``_RETURN`` if it has none, or ``_ENTER`` without room."""
    frames = search.frames
    node = ply * N_LENGTH
    if frames[node + N_BEST] >= frames[node + N_BETA]:
        return wide(_RETURN)
    if frames[node + N_NEXT] > 0:
        if frames[node + N_DEPTH] <= 0:
            return wide(_RETURN)
        if frames[node + N_DUE_ROWS] | frames[node + N_DUE_COLUMNS] and not _open_fully(board, search, ply):
            return wide(_ENTER)
        if not frames[node + N_SWEPT]:
            if not find_answers(board, search, ply):
                return wide(_ENTER)
            sweep(board, search, ply)
    return wide(_NEXT) if frames[node + N_NEXT] < frames[node + N_COUNT] else wide(_RETURN)


@inner
def _finish(board: BoardArrays, search: SearchArrays, value: int, final: int) -> None:
    """Store the result of a search."""
    state = search.state
    if state[S_FIRST] > ROOT:
        value = _score(search, search.frames[ROOT * N_LENGTH + N_PLAY]) - value
        undo_to(board.squares, board.masks, board.log, wide(0))
    state[S_VALUE] = value
    state[S_FINAL] = final
    state[S_STATUS] = DONE


@inner
def _look_up(search: SearchArrays, ply: int) -> int:
    """Start a node; return the index in the table of a result that makes its search unnecessary, or -1."""
    frames, table = search.frames, search.table
    node = ply * N_LENGTH
    search.state[S_NODES] += 1
    key = frames[node + N_BOARD] ^ mixed(frames[node + N_RACK] << 1 | 1)
    key ^= mixed(mixed(frames[node + N_OTHER_RACK]))
    key = key ^ mixed(frames[node + N_BAG] << 8 | frames[node + N_PASSES]) or 1
    frames[node + N_KEY] = key
    frames[node + N_KNOWN] = 0
    search.lines[ply * search.state[S_PLIES] * E_LENGTH] = 0
    place = (key & (search.state[S_ENTRIES] - 1)) * ENTRY
    if table[place] != key:
        place ^= ENTRY
    if table[place] != key:
        return -1
    alpha = frames[node + N_ALPHA]
    beta = frames[node + N_BETA]
    flags = table[place + 2]
    if flags & 1 or flags >> 3:  # otherwise it tried a single play
        frames[node + N_KNOWN] = table[place + 3]
    if beta - alpha > 1 or not (flags & 1 or flags >> 3 >= frames[node + N_DEPTH]):
        return -1
    bound = flags >> 1 & 3
    value = table[place + 1]
    if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
        return place
    return -1


@inner
def _open(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    """Find the plays of a node, unless a known play is certain to be good; return whether there was room for them."""
    frames = search.frames
    node = ply * N_LENGTH
    before = node - N_LENGTH
    frames[node + N_TOP] = frames[before + N_TOP]
    answers = max(wide(0), frames[before + N_ANSWERS] - 1)
    frames[node + N_LIST] = frames[before + N_LIST] + frames[before + N_COUNT] + answers
    frames[node + N_ANSWERS] = 0
    frames[node + N_NEXT] = 0
    frames[node + N_BEST] = -INFINITE
    frames[node + N_BEST_HASH] = 0
    frames[node + N_FIRST_ALPHA] = frames[node + N_ALPHA]
    frames[node + N_FINAL] = 1
    frames[node + N_FULL] = 0
    frames[node + N_SWEPT] = 0
    if not keep_node_plays(board, search, ply):
        return False
    if put_in_order(search, node, wide(0)):
        return True
    return _open_fully(board, search, ply)


@inner
def _open_fully(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    """Find the due plays of a node; return whether there was room for them."""
    node = ply * N_LENGTH
    known = search.frames[node + N_COUNT]
    if not find_due_plays(board, search, ply):
        return False
    put_in_order(search, node, known)
    return True


@inlined
def _score(search: SearchArrays, slot: int) -> int:
    return wide(0) if slot == NO_PLAY else search.pool[slot * E_LENGTH + E_SCORE]


@inner
def _try(board: BoardArrays, search: SearchArrays, ply: int, slot: int, full: int) -> bool:
    """Make a play of a node and set the window of the next node; return whether that node needs a search.

    If not, its ``N_BEST`` is its value, and ``N_FINAL`` is 1 for a final value.
    """
    frames = search.frames
    node = ply * N_LENGTH
    child = node + N_LENGTH
    goes_on = begin_child(board, search, ply, slot)
    score = _score(search, slot)
    alpha = frames[node + N_ALPHA]
    beta = frames[node + N_BETA]
    if frames[node + N_NEXT] > 1 and not full and beta - alpha > 1:
        beta = alpha + 1
        frames[node + N_FULL] = 0
    else:
        frames[node + N_FULL] = 1
    frames[child + N_ALPHA] = score - beta
    frames[child + N_BETA] = score - alpha
    if not goes_on:
        frames[node + N_FULL] = 1
        frames[child + N_FINAL] = 1
        search.lines[(ply + 1) * search.state[S_PLIES] * E_LENGTH] = 0
        return False
    known = _look_up(search, ply + 1)
    if known >= 0:
        frames[child + N_BEST] = search.table[known + 1]
        frames[child + N_FINAL] = search.table[known + 2] & 1
        return False
    lay_child(board, search, ply)
    return True


@inlined
def _take(board: BoardArrays, search: SearchArrays, ply: int, value: int, final: int) -> bool:
    """Take the value of the node after a play; return whether it must be searched again in the full window."""
    frames = search.frames
    node = ply * N_LENGTH
    slot = frames[node + N_PLAY]
    undo_to(board.squares, board.masks, board.log, frames[node + N_MARK])
    value = _score(search, slot) - value
    if not frames[node + N_FULL] and frames[node + N_ALPHA] < value < frames[node + N_BETA]:
        _try(board, search, ply, slot, wide(1))
        return True
    if value > frames[node + N_BEST]:
        frames[node + N_BEST] = value
        hashed = wide(PASS_HASH) if slot == NO_PLAY else search.pool[slot * E_LENGTH + E_HASH]
        frames[node + N_BEST_HASH] = hashed
        if value > frames[node + N_ALPHA]:
            frames[node + N_ALPHA] = value
            _write_line(search, ply, slot)
            if ply == ROOT and final:
                search.state[S_LOWER] = max(search.state[S_LOWER], value)
        if value >= frames[node + N_BETA]:
            frames[node + N_FINAL] = final
            if slot != NO_PLAY and hashed != frames[node + N_KILLER]:
                frames[node + N_SECOND_KILLER] = frames[node + N_KILLER]
                frames[node + N_KILLER] = hashed
            return False
    if not final:
        frames[node + N_FINAL] = 0
    return False


@inlined
def _close(search: SearchArrays, node: int) -> tuple[int, int]:
    """Write a node's result to the table and return its value and whether it is final."""
    frames = search.frames
    best = frames[node + N_BEST]
    final = frames[node + N_FINAL]
    if best >= frames[node + N_BETA]:
        bound = wide(LOWER)
    else:
        is_due = (frames[node + N_DUE_ROWS] | frames[node + N_DUE_COLUMNS]) != 0
        if is_due or frames[node + N_NEXT] < frames[node + N_COUNT]:
            final = wide(0)
        bound = wide(UPPER) if best <= frames[node + N_FIRST_ALPHA] else wide(EXACT)
    # Replace the shallower of two entries.
    table, key = search.table, frames[node + N_KEY]
    place = (key & (search.state[S_ENTRIES] - 1)) * ENTRY
    other = place ^ ENTRY
    if table[place] != key and (table[other] == key or table[other + 2] < table[place + 2]):
        place = other
    table[place] = key
    table[place + 1] = best
    table[place + 2] = max(wide(0), frames[node + N_DEPTH]) << 3 | bound << 1 | final
    table[place + 3] = frames[node + N_BEST_HASH]
    return best, final


@inner
def _write_line(search: SearchArrays, ply: int, slot: int) -> None:
    """Set a node's best line to a play and the best line after it."""
    lines, pool = search.lines, search.pool
    stride = search.state[S_PLIES] * E_LENGTH
    line = ply * stride
    after = line + stride
    length = lines[after]
    lines[line] = length + 1
    for field in range(E_LENGTH):
        lines[line + 1 + field] = pool[slot * E_LENGTH + field] if slot != NO_PLAY else wide(0)
    for number in range(length * E_LENGTH):
        lines[line + 1 + E_LENGTH + number] = lines[after + 1 + number]
