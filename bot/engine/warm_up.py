"""Compiling ahead, so that the first analysis does not wait for the compiler."""

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
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from bot.domain.crossword.play import Exchange
from bot.domain.crossword.position import LastPlay, Player, Position, empty_board
from bot.domain.crossword.rules import default_rules, layout_of_size, load_distribution
from bot.engine.analysis import AnalysisOptions
from bot.engine.compiler import cache_folder, event
from bot.engine.kernels.best_plays import order_equals
from bot.engine.kernels.board import GAME_LENGTH
from bot.engine.kernels.rack import K_CODES
from bot.engine.kernels.turn import BoardOf
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.lexicon.word_graph import ACCEPTS, LAST_SIBLING, TILE_SHIFT, WordGraph, word_graph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import Turn, plays, prepare_rack, search, thread_buffers, turn_of

BOARD, PLAYS, SIMULATION, INFERENCE, ENDGAME = "board", "plays", "simulation", "inference", "endgame"
"""The parts of the kernels. All questions need the board; each other part is compiled only when a question needs it."""
MAX_COMPILING = 600.0
"""Maximum seconds that a process may compile; all parts take about 20 s of CPU time."""

_A = 1
_compiling = threading.Lock()
_START = """
import runpy, sys
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("bot", sys.argv.pop(1))
sys.modules["bot"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["bot"])
runpy.run_module("bot.engine.warm_up", run_name="__main__")
"""


def _warm_board() -> None:
    position = _position()
    board = board_arrays(position, _smallest_graph(), bounds=False)
    prepare_rack(board, thread_buffers(), turn_of(position), NO_LEAVES)


def _warm_plays() -> None:
    """Find the only play, a pass, of a player without tiles; this uses no kernels of another part."""
    kinds = (np.int64, np.int32, np.int64, np.int64, np.uint32)
    arrays: list[Any] = [np.zeros(GAME_LENGTH, dtype=kind) for kind in kinds]
    board = BoardOf(*arrays)
    board.game.flags.writeable = board.graph.flags.writeable = False  # as in those of a position
    buffers = thread_buffers()
    buffers.fit_board(15, 15)
    buffers.fit_rack(1)
    buffers.rack[:] = 0
    buffers.rack[K_CODES] = 1
    search(board, buffers, Turn((), 0, 0, 0), top=1, count=True)


def _warm_simulation() -> None:
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415 - a ranking needs none of it

    position, graph = _position(), _smallest_graph()
    found = plays(position, graph, NO_LEAVES, top=2)
    buffers = thread_buffers()
    order_equals(buffers.found, buffers.keys, buffers.records, buffers.heap)  # for lists of all plays
    simulate(position, found[:1], graph, NO_LEAVES, AnalysisOptions(plies=1, iterations=1), threads=1)


def _warm_inference() -> None:
    from bot.engine.simulation.inference import infer  # noqa: PLC0415 - as above

    exchanged = replace(_position(), last_play=LastPlay(Exchange((), 1)))
    infer(exchanged, _smallest_graph(), NO_LEAVES, samples=1)


def _warm_endgame() -> None:
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415 - as above

    solve_endgame(_ending(), _smallest_graph(), ranked=2)


PARTS: dict[str, tuple[Callable[[], None], int]] = {
    ENDGAME: (_warm_endgame, 63),
    SIMULATION: (_warm_simulation, 90),
    INFERENCE: (_warm_inference, 65),
    PLAYS: (_warm_plays, 17),
    BOARD: (_warm_board, 23),
}
"""A function for each part that uses all its kernels, and the approximate number of functions it compiles; slowest part first."""


def warm_up(*parts: str) -> None:
    """Compile parts of the kernels, all by default, or load them from where compiled code is kept.

    Takes some twenty seconds of one processor the first time and a second afterwards. Safe on any thread: other
    threads that need a kernel meanwhile wait for it.
    """
    for part in parts or PARTS:
        PARTS[part][0]()
        with suppress(OSError):
            if (folder := cache_folder()) is not None:
                (folder / part).touch()  # the note that it is compiled


def is_compiled() -> bool:
    """Return whether the code of all parts is on disk."""
    folder = cache_folder()
    return folder is not None and all((folder / part).exists() for part in PARTS)


def compile_apart(*parts: str, progress: Callable[[float], None] | None = None) -> None:
    """Compile parts of the kernels, all by default, in processes of their own, unless that was done before.

    The compiler takes some 150 MB for all kernels, which no process gives back. Where there are two processors, two
    processes compile. ``progress`` takes the share that is done, from 0 to 1, about. Where nothing compiled can be
    kept, or a process fails, the first caller of a kernel compiles it. Threads wait for each other.
    """
    folder = cache_folder()
    if folder is None or not sys.executable:
        return
    with _compiling:
        wanted = (BOARD, *parts) if parts else PARTS
        missing = [part for part in PARTS if part in wanted and not (folder / part).exists()]
        if not missing:
            return
        done = itertools.count(1)
        functions = sum(PARTS[part][1] for part in missing)

        def count() -> None:
            if progress is not None:
                progress(min(0.99, next(done) / functions))

        # The part that takes longest alone, the others one after the other.
        halves = [missing] if _processors() == 1 else [missing[:1], missing[1:]]
        with ThreadPoolExecutor(len(halves)) as threads:
            list(threads.map(lambda half: _compile(half, count), filter(None, halves)))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compile(parts: Sequence[str], count: Callable[[], None]) -> None:
    """Compile parts in a process, which writes a line for each function."""
    with (
        suppress(OSError),
        subprocess.Popen(  # noqa: S603 - this program
            compiler(*parts), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process,
    ):
        ending = threading.Timer(MAX_COMPILING, process.kill)
        ending.start()
        try:
            for _ in process.stdout or ():
                count()
        finally:
            ending.cancel()


def compiler(*parts: str) -> list[str]:
    """Return the command of a process that compiles parts of the kernels, all by default."""
    # Not what lies in the current folder, nor beside this package: that may be anybody's, or have the names of Python's own.
    return [sys.executable, "-P", "-c", _START, str(Path(__file__).parents[1] / "__init__.py"), *parts]


class _Lines(cast(Any, event.Listener)):  # type: ignore[misc]  # numba has no types
    """Writes a line for each function that was compiled."""

    def on_start(self, _event: object) -> None:
        """Nothing is done yet."""

    def on_end(self, _event: object) -> None:
        """Write the line."""
        print(flush=True)


def _position() -> Position:
    rules = default_rules(load_distribution("english"), layout_of_size(15, 15))
    return Position(rules, empty_board(15, 15), (Player(0, (_A, _A)), Player()))


def _ending() -> Position:
    """Return a position of two players with one tile each and none in the bag."""
    english = load_distribution("english")
    four = tuple(replace(letter, count=4 * (tile == _A)) for tile, letter in enumerate(english.letters))
    rules = default_rules(replace(english, letters=four), layout_of_size(15, 15))
    board = empty_board(15, 15).with_tiles((7 * 15 + column, _A) for column in (7, 8))
    return Position(rules, board, (Player(0, (_A,)), Player(0, (_A,))))


def _smallest_graph() -> WordGraph:
    """Return the graph of one word, AA."""
    tile = _A << TILE_SHIFT
    last = LAST_SIBLING
    nodes = [
        last | 2,
        last | 4,
        tile | last | 3,
        tile | last | ACCEPTS,
        tile | last | 5,
        7,  # the separator, with A after it
        tile | last | ACCEPTS,
        tile | last | ACCEPTS,
    ]
    return word_graph(np.array(nodes, dtype=np.uint32))


if __name__ == "__main__":
    cast(Any, event).register("numba:compile", _Lines())
    gc.freeze()
    gc.set_threshold(100_000, 50)  # looking for garbage takes a twentieth of the time otherwise
    warm_up(*sys.argv[1:])
