"""Compiles the engine's kernels (:mod:`bot.engine.compiler`) in advance, so that the first analysis need not wait."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from bot.engine.compiler import cache_folder, compile_only
from bot.engine.kernels.best_plays import sort_ties
from bot.engine.kernels.board import GAME_LENGTH, set_up_board
from bot.engine.kernels.graph import FIRST_LIST, STACK_LENGTH, assign_places, fill, index_words
from bot.engine.kernels.turn import BoardArrays, seed_random
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.plays.generate import NEVER_STOPPED, AvailableTiles, Buffers, prepare_rack, search

BOARD, PLAYS, BEST_PLAYS, SIMULATION, INFERENCE, ENDGAME = (
    "board",
    "plays",
    "best",
    "simulation",
    "inference",
    "endgame",
)
"""The kernels are compiled in parts, each when an analysis first needs it.

``PLAYS`` finds and counts all plays. ``BEST_PLAYS`` finds only the best plays, which is faster. Simulation and inference use
``BEST_PLAYS``.
"""
MAX_COMPILE_SECONDS = 600.0
"""Maximum compile time of a process. All parts take about 10 s of CPU time."""

_compile_lock = threading.Lock()
_COMPILER_SCRIPT = """
import runpy, sys
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("bot", sys.argv.pop(1))
sys.modules["bot"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["bot"])
runpy.run_module("bot.engine.warm_up", run_name="__main__")
"""
"""Runs this module in another process. The first argument is the path of ``bot/__init__.py``."""


def _warm_board() -> None:
    board, nodes, buffers = _empty_board(), NO_LEAVES.nodes, Buffers()
    places = np.zeros(len(nodes), dtype=np.int32)
    assign_places(nodes, 0, places, places.copy())
    fill(nodes, np.zeros_like(places), np.zeros(1, dtype=np.uint32))
    empty = board.squares[:]
    empty.flags.writeable = False
    set_up_board(board.game, empty, board.squares[:0], board.squares, board.masks, board.graph, board.log)
    prepare_rack(board, buffers, AvailableTiles((), 0, 0, 0), NO_LEAVES)
    seed_random(buffers.found, 0, 0)


def _empty_board() -> BoardArrays:
    """Return a board without squares, without calling a kernel."""
    kinds = (np.int64, np.int32, np.int64, np.int64, np.uint32)
    arrays: list[Any] = [np.zeros(GAME_LENGTH, dtype=kind) for kind in kinds]
    board = BoardArrays(*arrays)
    board.game.flags.writeable = board.graph.flags.writeable = False  # as in the arrays of a position
    return board


def _warm_plays(*, count: bool = True) -> None:
    buffers = Buffers()
    buffers.fit_board(15, 15)
    search(_empty_board(), buffers, AvailableTiles((), 0, 0, 0), top=1, count=count)


def _warm_best() -> None:
    _warm_plays(count=False)
    index_words(np.zeros(2 * FIRST_LIST, dtype=np.uint32), np.zeros(STACK_LENGTH, dtype=np.int64))
    buffers = Buffers()
    sort_ties(buffers.found, buffers.keys, buffers.records, buffers.heap)


def _warm_simulation() -> None:
    from bot.engine.kernels.rollouts import PLY_STRIDE, roll_out  # noqa: PLC0415 - other parts do not need it
    from bot.engine.simulation.arrays import new_workspace  # noqa: PLC0415

    workspace = new_workspace(_empty_board(), rack_size=1, tiles=0, plies=0, stop=NEVER_STOPPED)
    numbers, record = np.zeros(PLY_STRIDE, dtype=np.int64), np.zeros(1, dtype=np.int32)
    table = np.zeros((1, 1), dtype=np.int32)
    samples = np.zeros(0, dtype=np.int64)
    roll_out(*workspace, NO_LEAVES, numbers, record, numbers, record, table, 0, samples, numbers)


def _warm_inference() -> None:
    from bot.engine.kernels.inference import draw_racks  # noqa: PLC0415 - as above
    from bot.engine.simulation.arrays import new_workspace  # noqa: PLC0415

    board, search, _ = new_workspace(_empty_board(), rack_size=1, tiles=0, plies=0, stop=NEVER_STOPPED)
    empty, empty_int32 = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    draw_racks(board, search, NO_LEAVES, empty, empty, empty, empty, empty, empty, empty, empty_int32)


def _warm_endgame() -> None:
    from bot.engine.endgame.search import Root, search_arrays  # noqa: PLC0415 - as above
    from bot.engine.kernels.endgame.search import GIVE_UP, run  # noqa: PLC0415

    board = _empty_board()
    run(board, search_arrays(board.game, Root((), ()), 0), GIVE_UP, 0)


PARTS: dict[str, tuple[Callable[[], None], int]] = {
    ENDGAME: (_warm_endgame, 53),
    BEST_PLAYS: (_warm_best, 51),
    SIMULATION: (_warm_simulation, 38),
    PLAYS: (_warm_plays, 23),
    BOARD: (_warm_board, 27),
    INFERENCE: (_warm_inference, 17),
}
"""For each part, a function that calls all its kernels with empty arguments, and the approximate number of functions to compile.

The slowest part is first.
"""


def warm_up(*parts: str) -> None:
    """Compile the given parts of the kernels (by default, all of them), or load them from the cache.

    Compiling all parts takes about ten seconds of CPU time; loading them takes about one. Any thread may call this. If another
    thread is already compiling a kernel, this waits for it.
    """
    for part in parts or PARTS:
        PARTS[part][0]()
        with suppress(OSError):
            if (folder := cache_folder()) is not None:
                (folder / part).touch()  # marks the part as compiled


def is_compiled() -> bool:
    """Return whether the compiled code of all parts is on disk."""
    folder = cache_folder()
    return folder is not None and all((folder / part).exists() for part in PARTS)


def compile_in_processes(*parts: str, progress: Callable[[float], None] | None = None) -> None:
    """Compile the given parts of the kernels (by default, all of them) in one or two other processes.

    Parts that are already compiled are skipped. The compiler needs about 150 MB of memory, which the calling process would never
    return to the system. ``progress`` is called with the approximate fraction compiled so far. If a process fails, or compiled
    code cannot be saved, the calling process compiles each kernel on its first call.
    """
    folder = cache_folder()
    if folder is None or not sys.executable:
        return
    with _compile_lock:
        required = (
            {BOARD, *parts, *([BEST_PLAYS] if {SIMULATION, INFERENCE} & {*parts} else [])} if parts else PARTS
        )
        missing = [part for part in PARTS if part in required and not (folder / part).exists()]
        if not missing:
            return
        done = itertools.count(1)
        function_count = sum(PARTS[part][1] for part in missing)

        def count_kernel() -> None:
            if progress is not None:
                progress(min(0.99, next(done) / function_count))

        parts_by_process: list[list[str]] = [[] for _ in range(min(2, _processor_count()))]
        for part in missing:
            min(parts_by_process, key=lambda share: sum(PARTS[part][1] for part in share)).append(part)
        with ThreadPoolExecutor(len(parts_by_process)) as threads:
            list(threads.map(lambda share: _compile(share, count_kernel), filter(None, parts_by_process)))


def _processor_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compile(parts: Sequence[str], count: Callable[[], None]) -> None:
    with (
        suppress(OSError),
        subprocess.Popen(  # noqa: S603 - this program
            compiler_command(*parts),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        timeout = threading.Timer(MAX_COMPILE_SECONDS, process.kill)
        timeout.start()
        try:
            for _ in process.stdout or ():
                count()
        finally:
            timeout.cancel()


def compiler_command(*parts: str) -> list[str]:
    """Return the command that compiles the given parts of the kernels (by default, all of them)."""
    # Neither the current folder nor the package's folder is in ``sys.path``, because their files may be untrusted or shadow
    # Python's modules.
    return [
        sys.executable,
        "-P",
        "-c",
        _COMPILER_SCRIPT,
        str(Path(__file__).parents[1] / "__init__.py"),
        *parts,
    ]


if __name__ == "__main__":
    gc.freeze()
    gc.set_threshold(100_000, 50)  # garbage collection would take a twentieth of the time
    compile_only.append(True)
    warm_up(*sys.argv[1:])
