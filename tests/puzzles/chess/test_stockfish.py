"""Chess puzzles of the package, put to a real Stockfish: every move of the solver is its best, and no other is as good."""

from __future__ import annotations

import chess
import chess.engine
import pytest

from bot.engine.uci import find_engine

from .test_lichess import shipped

STOCKFISH = find_engine("stockfish")
NODES = (60_000, 600_000, 6_000_000)
"""Looked at, until it agrees."""
OF_200 = 198
"""Minimum number of confirmed puzzles: a deeper search than lichess' own may find another winning move."""


def is_only_move(
    engine: chess.engine.SimpleEngine, board: chess.Board, expected: chess.Move, nodes: int
) -> bool:
    """Whether the engine plays a move, or mates with it as soon as with its own, and thinks no other nearly as good."""
    lines = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2)
    if lines[0]["pv"][0] != expected:
        return False
    if len(lines) < 2:
        return True
    best, second = (line["score"].pov(board.turn).wdl(model="lichess").expectation() for line in lines)
    return best - second > 0.1


def is_confirmed(engine: chess.engine.SimpleEngine, puzzle) -> bool:
    board = chess.Board(puzzle.line.start.fen)
    for ply, uci in enumerate(puzzle.line.moves):
        move, mates = chess.Move.from_uci(uci), False
        if ply % 2:
            board.push(move)
            mates = board.is_checkmate()
            board.pop()
            # Any mate is right, so other moves may be as good.
            if not mates and not any(is_only_move(engine, board, move, nodes) for nodes in NODES):
                return False
        board.push(move)
    return True


@pytest.mark.long
@pytest.mark.skipif(STOCKFISH is None, reason="the Debian package stockfish is not installed")
def test_stockfish_finds_the_moves_of_200_puzzles_and_no_other():
    puzzles = shipped()[::12]
    assert len(puzzles) == 200
    assert STOCKFISH is not None
    with chess.engine.SimpleEngine.popen_uci(list(STOCKFISH)) as engine:
        engine.configure({"Threads": 1, "Hash": 64})
        doubted = [puzzle.id for puzzle in puzzles if not is_confirmed(engine, puzzle)]
    print(doubted)
    assert len(doubted) <= 200 - OF_200, doubted
