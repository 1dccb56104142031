"""Compiling ahead, so that the first analysis does not wait for the compiler."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from bot.domain.crossword.board import empty_board
from bot.domain.crossword.distributions import load_distribution
from bot.domain.crossword.layouts import layout_of_size
from bot.domain.crossword.play import Exchange
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.rules import Rules, usual_rules
from bot.engine.analysis import AnalysisOptions
from bot.engine.compiler import kept_folder
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.lexicon.word_graph import ACCEPTS, LAST_SIBLING, TILE_SHIFT, WordGraph, word_graph
from bot.engine.plays.generate import list_and_count, plays

_A, _B = 1, 2
_PLAYS, _ALL = "plays", "all"
_compiling = threading.Lock()
_START = """
import runpy, sys
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("bot", sys.argv.pop(1))
sys.modules["bot"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["bot"])
runpy.run_module("bot.engine.warm_up", run_name="__main__")
"""
MAX_COMPILING = 600.0
"""Seconds after which a process that compiles is ended; it takes some twenty of one processor."""


def warm_up() -> None:
    """Compile every kernel of plays, simulation, inference and endgames, or load it from where compiled code is kept.

    Takes some twenty seconds of one processor the first time and a second afterwards. Safe on any thread, beside
    everything else; other threads that need a kernel meanwhile wait for it.
    """
    # Imported here: a ranking needs none of these.
    from bot.engine.endgame.solve import solve_endgame  # noqa: PLC0415
    from bot.engine.simulation.inference import infer  # noqa: PLC0415
    from bot.engine.simulation.simulate import simulate  # noqa: PLC0415

    warm_up_plays()
    graph = _smallest_graph()
    position = _position()
    plays(position, graph, NO_LEAVES, top=None)
    found = plays(position, graph, NO_LEAVES, top=2)
    simulate(position, found[:1], graph, NO_LEAVES, AnalysisOptions(plies=1, iterations=1), threads=1)
    infer(_exchanged(), graph, NO_LEAVES, samples=300, margin=0)
    solve_endgame(_ending(), graph, ranked=2)
    _note(_ALL)


def warm_up_plays() -> None:
    """Compile the kernels that find plays, or load them; a part of :func:`warm_up`, and all that a ranking needs."""
    list_and_count(_position(), _smallest_graph(), NO_LEAVES, top=2)
    _note(_PLAYS)


def compile_apart(*, plays_only: bool = False) -> None:
    """Compile the kernels in a process of its own, those that find plays or all, unless that was done before.

    The compiler takes some 50 MB for a ranking and 150 MB for all kernels, which no process gives back. Where nothing
    compiled can be kept, or the process fails, whoever calls a kernel compiles it. Threads wait for each other.
    """
    folder = kept_folder()
    what = _PLAYS if plays_only else _ALL
    if folder is None or not sys.executable:
        return
    with _compiling, suppress(OSError, subprocess.TimeoutExpired):
        if (folder / what).exists():
            return
        subprocess.run(  # noqa: S603 - this program
            compiler(what),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=MAX_COMPILING,
        )


def compiler(what: str = _ALL) -> list[str]:
    """Return the command of a process that compiles all kernels, or those that find plays."""
    # Not what lies in the current folder, nor beside this package: that may be anybody's, or have the names of Python's own.
    return [sys.executable, "-P", "-c", _START, str(Path(__file__).parents[1] / "__init__.py"), what]


def _note(what: str) -> None:
    """Note beside the compiled code that it is there."""
    with suppress(OSError):
        if (folder := kept_folder()) is not None:
            (folder / what).touch()


def _position() -> Position:
    rules = usual_rules(load_distribution("english"), layout_of_size(15, 15))
    return Position(rules, empty_board(15, 15), (Player(0, (_A, _A)), Player()))


def _rules(tiles: dict[int, int], rack_size: int) -> Rules:
    """Return rules for so many of each tile."""
    english = load_distribution("english")
    few = tuple(replace(letter, count=tiles.get(tile, 0)) for tile, letter in enumerate(english.letters))
    rules = usual_rules(replace(english, letters=few), layout_of_size(15, 15))
    return replace(rules, rack_size=rack_size)


def _ending() -> Position:
    """Return a position of two players with one tile each and none in the bag."""
    board = empty_board(15, 15).with_tiles((7 * 15 + column, _A) for column in (7, 8))
    return Position(_rules({_A: 4}, 7), board, (Player(0, (_A,)), Player(0, (_A,))))


def _exchanged() -> Position:
    """Return a position after an exchange that only those make who hold two of B, one rack in five: so all are listed."""
    board = empty_board(15, 15).with_tiles([(7 * 15 + 7, _A)])
    exchanged = LastPlay(Exchange((), 1))
    return Position(_rules({_A: 5, _B: 3}, 2), board, (Player(0, (_A,)), Player()), last_play=exchanged)


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
    warm_up_plays() if sys.argv[1:] == [_PLAYS] else warm_up()
