"""The endgame search: iterative negamax with principal variation search, without recursion.

An iteration searches all plays up to a depth. Beyond it, only each player's most promising play is followed to the end of the
game, so every value belongs to a complete line.

Most functions that are called for each play are inlined. Otherwise, they would spend more than half of their time passing arguments:
a board and a search take over a hundred machine words.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner_kernel, to_int64
from bot.engine.kernels.board import G_COLUMNS, G_ROWS, undo_to
from bot.engine.kernels.endgame.nodes import (
    DONE,
    ENTRY_LENGTH,
    EXACT,
    INFINITY,
    LOWER,
    NO_PLAY,
    NODE_ALPHA,
    NODE_ANSWERS,
    NODE_BAG,
    NODE_BEST_HASH,
    NODE_BEST_VALUE,
    NODE_BETA,
    NODE_BOARD_HASH,
    NODE_DEPTH,
    NODE_DUE_COLUMNS,
    NODE_DUE_ROWS,
    NODE_EARLIER_BEST,
    NODE_FIRST_ALPHA,
    NODE_HAS_FULL_WINDOW,
    NODE_IS_FINAL,
    NODE_KEY,
    NODE_KILLER,
    NODE_LENGTH,
    NODE_LIST_START,
    NODE_OTHER_RACK,
    NODE_PASSES_LEFT,
    NODE_PLAY,
    NODE_PLAY_COUNT,
    NODE_RACK,
    NODE_RECORD_COUNT,
    NODE_SECOND_KILLER,
    NODE_SKIPPED_REFUTED,
    NODE_TRIED_COUNT,
    NODE_UNDO_MARK,
    OVERFLOW,
    PASS_HASH,
    ROOT,
    RUNNING,
    STATE_ENTRY_COUNT,
    STATE_FIRST_PLY,
    STATE_IS_FINAL,
    STATE_LOWER_BOUND,
    STATE_NODE_COUNT,
    STATE_PLIES_ROOM,
    STATE_PLY,
    STATE_STATUS,
    STATE_VALUE,
    UPPER,
    SearchArrays,
    begin_child,
    estimate_plays,
    find_answers,
    find_due_plays,
    keep_node_plays,
    keep_plays,
    make_current_play,
    take_next_play,
)
from bot.engine.kernels.endgame.plays import E_HASH, E_LENGTH, E_SCORE, mix
from bot.engine.kernels.endgame.refutations import skip_refuted_plays
from bot.engine.kernels.turn import BoardArrays

_ENTER, _NEXT, _RETURN, _OVERFLOW = 0, 1, 2, 3
"""The steps of a node. ``_RETURN`` passes the value to the parent. ``_OVERFLOW`` ends the search, because the buffers are full."""

(
    FIND_PLAYS,  # At the ply of the root, or an earlier ply.
    START,
    START_PLAY,  # Start a search after a play of the root. The root's plays must have been found.
    CONTINUE,  # Search more nodes. ``STATE_STATUS`` is then the status of the iteration.
    GIVE_UP,  # Undo all plays of an unfinished search.
) = range(5)


@compiled
def run(board: BoardArrays, search: SearchArrays, task: int, number: int) -> bool:
    """Run a task. Return whether :data:`FIND_PLAYS` had room for all plays.

    ``number`` is the ply for :data:`FIND_PLAYS`, the play's slot for :data:`START_PLAY`, and the number of nodes for
    :data:`CONTINUE`. Before a search starts, the caller must set the depth and the window of the root.

    Shared code is compiled once, because one kernel runs all tasks.
    """
    if task == FIND_PLAYS:
        return _find_plays(board, search, number)
    state = search.state
    if task == START:
        state[STATE_PLY] = state[STATE_FIRST_PLY] = ROOT
        state[STATE_STATUS] = RUNNING
        _start_node(search, to_int64(ROOT))
    elif task == START_PLAY:
        state[STATE_PLY] = state[STATE_FIRST_PLY] = ROOT + 1
        state[STATE_STATUS] = RUNNING
        if not _try_play(board, search, to_int64(ROOT), number, to_int64(1)):
            child = (ROOT + 1) * NODE_LENGTH
            state[STATE_VALUE] = _score(search, number) - search.frames[child + NODE_BEST_VALUE]
            state[STATE_IS_FINAL] = search.frames[child + NODE_IS_FINAL]
            state[STATE_STATUS] = DONE
    elif task == CONTINUE:
        _search_nodes(board, search, number)
    else:
        undo_to(board.squares, board.masks, board.undo_log, to_int64(0))
    return True


@inner_kernel
def _find_plays(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    if ply == ROOT:
        search.frames[ROOT * NODE_LENGTH + NODE_EARLIER_BEST] = 0
        return _open_node(board, search, ply) and _open_fully(board, search, ply)
    rows = (to_int64(1) << board.game[G_ROWS]) - 1
    columns = (to_int64(1) << board.game[G_COLUMNS]) - 1
    return keep_plays(search, ply, to_int64(0), to_int64(0), rows, columns) and find_due_plays(
        board, search, ply
    )


@inner_kernel
def _search_nodes(board: BoardArrays, search: SearchArrays, max_nodes: int) -> None:
    frames, state = search.frames, search.state
    node_limit = state[STATE_NODE_COUNT] + max_nodes
    ply = state[STATE_PLY]
    step = to_int64(_ENTER)
    value = to_int64(0)
    final = to_int64(0)
    while True:
        node = ply * NODE_LENGTH
        if step == _ENTER:
            if state[STATE_NODE_COUNT] >= node_limit:
                state[STATE_PLY] = ply
                return
            if ply + 2 >= state[STATE_PLIES_ROOM] or not _open_node(board, search, ply):
                state[STATE_STATUS] = OVERFLOW
                return
            step = to_int64(_NEXT)
        elif step == _RETURN:
            if ply < state[STATE_FIRST_PLY]:
                _write_result(board, search, value, final)
                return
            if _take_value(board, search, ply, value, final):
                step = to_int64(_ENTER)
                ply += 1
                continue
            step = to_int64(_NEXT)
        else:
            step = _next_step(board, search, ply)
            if step == _RETURN:
                value, final = _close_node(search, node)
                ply -= 1
                continue
            if step == _OVERFLOW:
                state[STATE_STATUS] = OVERFLOW
                return
            if _try_play(board, search, ply, take_next_play(search, node), to_int64(0)):
                step = to_int64(_ENTER)
                ply += 1
            else:
                value = frames[node + NODE_LENGTH + NODE_BEST_VALUE]
                final = frames[node + NODE_LENGTH + NODE_IS_FINAL]
                step = to_int64(_RETURN)


@inlined
def _next_step(board: BoardArrays, search: SearchArrays, ply: int) -> int:
    """Return ``_NEXT`` to try another play, ``_RETURN`` to close the node, or ``_OVERFLOW`` if the buffers are full."""
    frames = search.frames
    node = ply * NODE_LENGTH
    if frames[node + NODE_BEST_VALUE] >= frames[node + NODE_BETA]:
        return to_int64(_RETURN)
    if frames[node + NODE_TRIED_COUNT] > 0:
        if frames[node + NODE_DEPTH] <= 0:
            return to_int64(_RETURN)
        if frames[node + NODE_DUE_ROWS] | frames[node + NODE_DUE_COLUMNS] and not _open_fully(
            board, search, ply
        ):
            return to_int64(_OVERFLOW)
        if not frames[node + NODE_SKIPPED_REFUTED]:
            if not find_answers(board, search, ply):
                return to_int64(_OVERFLOW)
            skip_refuted_plays(board, search, ply)
    return (
        to_int64(_NEXT)
        if frames[node + NODE_TRIED_COUNT] < frames[node + NODE_PLAY_COUNT]
        else to_int64(_RETURN)
    )


@inner_kernel
def _write_result(board: BoardArrays, search: SearchArrays, value: int, final: int) -> None:
    state = search.state
    if state[STATE_FIRST_PLY] > ROOT:
        value = _score(search, search.frames[ROOT * NODE_LENGTH + NODE_PLAY]) - value
        undo_to(board.squares, board.masks, board.undo_log, to_int64(0))
    state[STATE_VALUE] = value
    state[STATE_IS_FINAL] = final
    state[STATE_STATUS] = DONE


@inner_kernel
def _start_node(search: SearchArrays, ply: int) -> int:
    """Look up a node in the table. Return the index of an entry that decides the node's value, or -1."""
    frames, table = search.frames, search.table
    node = ply * NODE_LENGTH
    search.state[STATE_NODE_COUNT] += 1
    key = frames[node + NODE_BOARD_HASH] ^ mix(frames[node + NODE_RACK] << 1 | 1)
    key ^= mix(mix(frames[node + NODE_OTHER_RACK]))
    key = key ^ mix(frames[node + NODE_BAG] << 8 | frames[node + NODE_PASSES_LEFT]) or 1
    frames[node + NODE_KEY] = key
    frames[node + NODE_EARLIER_BEST] = 0
    search.lines[ply * search.state[STATE_PLIES_ROOM] * E_LENGTH] = 0
    entry = (key & (search.state[STATE_ENTRY_COUNT] - 1)) * ENTRY_LENGTH
    if table[entry] != key:
        entry ^= ENTRY_LENGTH
    if table[entry] != key:
        return -1
    alpha = frames[node + NODE_ALPHA]
    beta = frames[node + NODE_BETA]
    flags = table[entry + 2]
    if flags & 1 or flags >> 3:  # at depth 0, only one play was tried, so it may not be the best
        frames[node + NODE_EARLIER_BEST] = table[entry + 3]
    if beta - alpha > 1 or not (flags & 1 or flags >> 3 >= frames[node + NODE_DEPTH]):
        return -1
    bound = flags >> 1 & 3
    value = table[entry + 1]
    if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
        return entry
    return -1


@inner_kernel
def _open_node(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    """List the plays of a node, without due plays if another play is almost certain to be good."""
    frames = search.frames
    node = ply * NODE_LENGTH
    parent = node - NODE_LENGTH
    frames[node + NODE_RECORD_COUNT] = frames[parent + NODE_RECORD_COUNT]
    answers = max(to_int64(0), frames[parent + NODE_ANSWERS] - 1)
    frames[node + NODE_LIST_START] = (
        frames[parent + NODE_LIST_START] + frames[parent + NODE_PLAY_COUNT] + answers
    )
    frames[node + NODE_ANSWERS] = 0
    frames[node + NODE_TRIED_COUNT] = 0
    frames[node + NODE_BEST_VALUE] = -INFINITY
    frames[node + NODE_BEST_HASH] = 0
    frames[node + NODE_FIRST_ALPHA] = frames[node + NODE_ALPHA]
    frames[node + NODE_IS_FINAL] = 1
    frames[node + NODE_HAS_FULL_WINDOW] = 0
    frames[node + NODE_SKIPPED_REFUTED] = 0
    if not keep_node_plays(board, search, ply):
        return False
    if estimate_plays(search, node, to_int64(0)):
        return True
    return _open_fully(board, search, ply)


@inner_kernel
def _open_fully(board: BoardArrays, search: SearchArrays, ply: int) -> bool:
    node = ply * NODE_LENGTH
    count = search.frames[node + NODE_PLAY_COUNT]
    if not find_due_plays(board, search, ply):
        return False
    estimate_plays(search, node, count)
    return True


@inlined
def _score(search: SearchArrays, slot: int) -> int:
    return to_int64(0) if slot == NO_PLAY else search.pool[slot * E_LENGTH + E_SCORE]


@inner_kernel
def _try_play(board: BoardArrays, search: SearchArrays, ply: int, slot: int, full_window: int) -> bool:
    """Make a play of a node, and set the window of the child. Return whether the child must be searched.

    The child gets the node's window if ``full_window`` is 1 or the play is the node's first. Otherwise its window has width 1.
    If the child need not be searched, its ``NODE_BEST_VALUE`` and ``NODE_IS_FINAL`` hold the result.
    """
    frames = search.frames
    node = ply * NODE_LENGTH
    child = node + NODE_LENGTH
    game_continues = begin_child(board, search, ply, slot)
    score = _score(search, slot)
    alpha = frames[node + NODE_ALPHA]
    beta = frames[node + NODE_BETA]
    if frames[node + NODE_TRIED_COUNT] > 1 and not full_window and beta - alpha > 1:
        beta = alpha + 1
        frames[node + NODE_HAS_FULL_WINDOW] = 0
    else:
        frames[node + NODE_HAS_FULL_WINDOW] = 1
    frames[child + NODE_ALPHA] = score - beta
    frames[child + NODE_BETA] = score - alpha
    if not game_continues:
        frames[node + NODE_HAS_FULL_WINDOW] = 1
        frames[child + NODE_IS_FINAL] = 1
        search.lines[(ply + 1) * search.state[STATE_PLIES_ROOM] * E_LENGTH] = 0
        return False
    entry = _start_node(search, ply + 1)
    if entry >= 0:
        frames[child + NODE_BEST_VALUE] = search.table[entry + 1]
        frames[child + NODE_IS_FINAL] = search.table[entry + 2] & 1
        return False
    make_current_play(board, search, ply)
    return True


@inlined
def _take_value(board: BoardArrays, search: SearchArrays, ply: int, value: int, final: int) -> bool:
    """Update a node with the value of its current play. Return whether the search of the play starts again with the full window."""
    frames = search.frames
    node = ply * NODE_LENGTH
    slot = frames[node + NODE_PLAY]
    undo_to(board.squares, board.masks, board.undo_log, frames[node + NODE_UNDO_MARK])
    value = _score(search, slot) - value
    if (
        not frames[node + NODE_HAS_FULL_WINDOW]
        and frames[node + NODE_ALPHA] < value < frames[node + NODE_BETA]
    ):
        # The child must be searched: the game continues, and the table decides only nodes with a window of width 1.
        _try_play(board, search, ply, slot, to_int64(1))
        return True
    if value > frames[node + NODE_BEST_VALUE]:
        frames[node + NODE_BEST_VALUE] = value
        play_hash = to_int64(PASS_HASH) if slot == NO_PLAY else search.pool[slot * E_LENGTH + E_HASH]
        frames[node + NODE_BEST_HASH] = play_hash
        if value > frames[node + NODE_ALPHA]:
            frames[node + NODE_ALPHA] = value
            _write_line(search, ply, slot)
            if ply == ROOT and final:
                search.state[STATE_LOWER_BOUND] = max(search.state[STATE_LOWER_BOUND], value)
        if value >= frames[node + NODE_BETA]:
            frames[node + NODE_IS_FINAL] = final
            if slot != NO_PLAY and play_hash != frames[node + NODE_KILLER]:
                frames[node + NODE_SECOND_KILLER] = frames[node + NODE_KILLER]
                frames[node + NODE_KILLER] = play_hash
            return False
    if not final:
        frames[node + NODE_IS_FINAL] = 0
    return False


@inlined
def _close_node(search: SearchArrays, node: int) -> tuple[int, int]:
    frames = search.frames
    best = frames[node + NODE_BEST_VALUE]
    final = frames[node + NODE_IS_FINAL]
    if best >= frames[node + NODE_BETA]:
        bound = to_int64(LOWER)
    else:
        is_due = (frames[node + NODE_DUE_ROWS] | frames[node + NODE_DUE_COLUMNS]) != 0
        if is_due or frames[node + NODE_TRIED_COUNT] < frames[node + NODE_PLAY_COUNT]:
            final = to_int64(0)
        bound = to_int64(UPPER) if best <= frames[node + NODE_FIRST_ALPHA] else to_int64(EXACT)
    # Of the two possible entries, replace the shallower, unless one already has this key.
    table, key = search.table, frames[node + NODE_KEY]
    entry = (key & (search.state[STATE_ENTRY_COUNT] - 1)) * ENTRY_LENGTH
    other_entry = entry ^ ENTRY_LENGTH
    if table[entry] != key and (table[other_entry] == key or table[other_entry + 2] < table[entry + 2]):
        entry = other_entry
    table[entry] = key
    table[entry + 1] = best
    table[entry + 2] = max(to_int64(0), frames[node + NODE_DEPTH]) << 3 | bound << 1 | final
    table[entry + 3] = frames[node + NODE_BEST_HASH]
    return best, final


@inner_kernel
def _write_line(search: SearchArrays, ply: int, slot: int) -> None:
    lines, pool = search.lines, search.pool
    stride = search.state[STATE_PLIES_ROOM] * E_LENGTH
    line = ply * stride
    child_line = line + stride
    length = lines[child_line]
    lines[line] = length + 1
    for field in range(E_LENGTH):
        lines[line + 1 + field] = pool[slot * E_LENGTH + field] if slot != NO_PLAY else to_int64(0)
    for number in range(length * E_LENGTH):
        lines[line + 1 + E_LENGTH + number] = lines[child_line + 1 + number]
