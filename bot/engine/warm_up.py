"""Compiles the engine's kernels (:mod:`bot.engine.compiler`) in advance, or loads them from the cache."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bot.engine.compiler import compile_only
from bot.engine.kernel_cache import (
    BEST_PLAYS,
    BOARD,
    ENDGAME,
    INFERENCE,
    PLAYS,
    SIMULATION,
    WORD_INDEX,
    mark_compiled,
)
from bot.engine.kernels.best_plays import sort_ties
from bot.engine.kernels.board import GAME_LENGTH, set_up_board
from bot.engine.kernels.graph import FIRST_LIST_OFFSET, STACK_LENGTH, assign_offsets, index_words, write_lists
from bot.engine.kernels.turn import BoardArrays, seed_random
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.plays.generate import NEVER_STOPPED, AvailableTiles, Buffers, prepare_rack, search


def _warm_board() -> None:
    board, nodes, buffers = _empty_board(), NO_LEAVES.nodes, Buffers()
    offsets = np.zeros(len(nodes), dtype=np.int32)
    assign_offsets(nodes, 0, offsets, offsets.copy())
    write_lists(nodes, np.zeros_like(offsets), np.zeros(1, dtype=np.uint32))
    empty = board.squares[:]
    empty.flags.writeable = False
    set_up_board(
        board.game, empty, board.squares[:0], board.squares, board.masks, board.graph, board.undo_log
    )
    prepare_rack(board, buffers, AvailableTiles((), 0, 0, 0), NO_LEAVES)
    seed_random(buffers.store_state, 0, 0)


def _empty_board() -> BoardArrays:
    """Create the arrays of a board without squares. No kernel is called."""
    dtypes = (np.int64, np.int32, np.int64, np.int64, np.uint32)
    arrays: list[Any] = [np.zeros(GAME_LENGTH, dtype=dtype) for dtype in dtypes]
    board = BoardArrays(*arrays)
    board.game.flags.writeable = board.graph.flags.writeable = False  # as in the arrays of a position
    return board


def _warm_plays(*, count_all: bool = True) -> None:
    buffers = Buffers()
    buffers.fit_board(15, 15)
    search(_empty_board(), buffers, AvailableTiles((), 0, 0, 0), top=1, count_all=count_all)


def _warm_best_plays() -> None:
    _warm_plays(count_all=False)
    buffers = Buffers()
    sort_ties(buffers.store_state, buffers.keys, buffers.records, buffers.heap)


def _warm_word_index() -> None:
    index_words(np.zeros(2 * FIRST_LIST_OFFSET, dtype=np.uint32), np.zeros(STACK_LENGTH, dtype=np.int64))


def _warm_simulation() -> None:
    from bot.engine.kernels.rollouts import PLY_STRIDE, roll_out  # noqa: PLC0415 - other parts do not need it
    from bot.engine.simulation.arrays import create_workspace  # noqa: PLC0415

    workspace = create_workspace(_empty_board(), rack_size=1, tile_count=0, ply_count=0, stop=NEVER_STOPPED)
    numbers, record = np.zeros(PLY_STRIDE, dtype=np.int64), np.zeros(1, dtype=np.int32)
    table = np.zeros((1, 1), dtype=np.int32)
    samples = np.zeros(0, dtype=np.int64)
    roll_out(*workspace, NO_LEAVES, numbers, record, numbers, record, table, 0, samples, numbers)


def _warm_inference() -> None:
    from bot.engine.kernels.inference import draw_racks  # noqa: PLC0415 - as above
    from bot.engine.simulation.arrays import create_workspace  # noqa: PLC0415

    board, search, _ = create_workspace(
        _empty_board(), rack_size=1, tile_count=0, ply_count=0, stop=NEVER_STOPPED
    )
    empty, empty_int32 = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    draw_racks(board, search, NO_LEAVES, empty, empty, empty, empty, empty, empty, empty, empty_int32)


def _warm_endgame() -> None:
    from bot.engine.endgame.search import Root, create_search_arrays  # noqa: PLC0415 - as above
    from bot.engine.kernels.endgame.search import GIVE_UP, run  # noqa: PLC0415

    board = _empty_board()
    run(board, create_search_arrays(board.game, Root((), ()), 0), GIVE_UP, 0)


_WARM_UP_FUNCTIONS: dict[str, Callable[[], None]] = {
    ENDGAME: _warm_endgame,
    BEST_PLAYS: _warm_best_plays,
    WORD_INDEX: _warm_word_index,
    BOARD: _warm_board,
    SIMULATION: _warm_simulation,
    PLAYS: _warm_plays,
    INFERENCE: _warm_inference,
}
"""Each function calls all kernels of a part with empty arguments."""


def warm_up(*parts: str) -> None:
    """Compile the given parts of the kernels, or load them from the cache. The default is all parts.

    Compiling all parts takes about ten seconds of CPU time, and loading them takes about one second. Any thread may call this.
    """
    for part in parts or _WARM_UP_FUNCTIONS:
        _WARM_UP_FUNCTIONS[part]()
        mark_compiled(part)


if __name__ == "__main__":
    gc.freeze()
    gc.set_threshold(100_000, 50)  # with the default thresholds, garbage collection takes 5% of the time
    compile_only.append(True)
    warm_up(*sys.argv[1:])
