"""Compiling ahead, so that the first analysis does not wait for the compiler."""

from __future__ import annotations

import os
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
from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.rules import usual_rules
from bot.engine.compiler import kept_folder
from bot.engine.lexicon.leaves.values import NO_LEAVES
from bot.engine.lexicon.word_graph import ACCEPTS, LAST_SIBLING, TILE_SHIFT, WordGraph, word_graph
from bot.engine.options import AnalysisOptions
from bot.engine.plays.generate import list_and_count, plays

_A = 1
_PLAYS, _ALL = "plays", "all"
_compiling = threading.Lock()


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
    laid = Placement(Coordinate(7, 7, Direction.ACROSS), (_A, _A))
    board = position.board.with_tiles((7 * 15 + column, _A) for column in (7, 8))
    played = Position(position.rules, board, position.players, last_play=LastPlay(laid))
    infer(played, graph, NO_LEAVES, samples=1)
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
    command, environment = compiler(what)
    with _compiling, suppress(OSError):
        if (folder / what).exists():
            return
        subprocess.run(  # noqa: S603 - this program
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )


def compiler(what: str = _ALL) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment of a process that compiles all kernels, or those that find plays."""
    # Not what lies in the current folder: that may be anybody's.
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return [sys.executable, "-P", "-m", __name__, what], {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _note(what: str) -> None:
    """Note beside the compiled code that it is there."""
    with suppress(OSError):
        if (folder := kept_folder()) is not None:
            (folder / what).touch()


def _position() -> Position:
    rules = usual_rules(load_distribution("english"), layout_of_size(15, 15))
    return Position(rules, empty_board(15, 15), (Player(0, (_A, _A)), Player()))


def _ending() -> Position:
    """Return a position of two players with one tile each and none in the bag."""
    english = load_distribution("english")
    few = tuple(replace(letter, count=4 if tile == _A else 0) for tile, letter in enumerate(english.letters))
    rules = usual_rules(replace(english, letters=few), layout_of_size(15, 15))
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
    warm_up_plays() if sys.argv[1:] == [_PLAYS] else warm_up()
