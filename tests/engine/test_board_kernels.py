"""Making and undoing plays, compared with boards built from scratch."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from bot.domain.crossword.game import board_after
from bot.domain.crossword.play import Placement
from bot.engine.compiler import compiled
from bot.engine.kernels import board as kernel
from bot.engine.kernels.board import undo_to
from bot.engine.kernels.turn import BoardArrays, lay_tiles
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import create_record
from tests.engine.lexica import crowded_positions
from tests.examples import thorough_examples

lay_tiles_compiled = compiled(lay_tiles.py_func)  # type: ignore[attr-defined]


def fields_of(arrays: BoardArrays) -> dict[str, list[int]]:
    """Return only the values that kernels read. For example, kernels read cross-sets only on empty squares."""
    size = 2 * int(arrays.game[kernel.G_SIZE])
    section = {
        name: arrays.squares[number * size : (number + 1) * size]
        for number, name in enumerate(
            ("letter", "points", "cross points", "run", "letter multiplier", "word multiplier")
        )
    }
    masks = {
        name: arrays.masks[number * size : (number + 1) * size]
        for number, name in enumerate(("cross", "before"))
    }
    letters = section["letter"]
    empty = letters == 0
    ends = (letters > 0) & (np.append(letters[1:], 0) <= 0)
    return {
        "letter": letters.tolist(),
        "points": section["points"].tolist(),
        "cross points": section["cross points"][empty].tolist(),
        "cross": masks["cross"][empty].tolist(),
        "before": masks["before"][empty].tolist(),
        "run": section["run"][ends].tolist(),
        "letter multiplier": section["letter multiplier"].tolist(),
        "word multiplier": section["word multiplier"].tolist(),
    }


@given(crowded_positions(), st.data())
@settings(thorough_examples(50), suppress_health_check=list(HealthCheck))
def test_a_play_updates_the_arrays_and_undoing_it_restores_them(case, data):
    position, words = case
    graph = build_word_graph(sorted(words))
    arrays = board_arrays(position, graph)
    undo_log = np.zeros(10_000, dtype=np.int64)
    board = BoardArrays(arrays.game, arrays.squares, arrays.masks, undo_log, arrays.graph)
    steps = []
    for _ in range(3):
        found = [
            rated.play for rated in find_plays(position, graph, top=None) if isinstance(rated.play, Placement)
        ]
        if not found:
            break
        play = data.draw(st.sampled_from(found))
        steps.append((int(undo_log[0]), arrays.squares.copy(), arrays.masks.copy()))
        lay_tiles_compiled(board, create_record(RatedPlay.of(play, 0, (), 0), 8 + 50), 0)
        assert undo_log[0] - steps[-1][
            0
        ] <= kernel.MAX_UNDO_LOG_PER_PLAY + kernel.MAX_UNDO_LOG_PER_TILE * sum(
            tile != 0 for tile in play.tiles
        )
        position = replace(position, board=board_after(position.board, play))
        assert fields_of(arrays) == fields_of(board_arrays(position, graph))
    for undo_mark, squares, masks in reversed(steps):
        undo_to(arrays.squares, arrays.masks, undo_log, undo_mark)
        assert (arrays.squares == squares).all()
        assert (arrays.masks == masks).all()
