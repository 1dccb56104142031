"""Each move of a bundled chess puzzle is the only best move according to Stockfish."""

from __future__ import annotations

import chess
import chess.engine
import pytest

from bot.engine.uci import find_engine

from .test_lichess import bundled_puzzles

STOCKFISH = find_engine("stockfish")
NODE_LIMITS = (60_000, 600_000, 6_000_000)
"""Search limits in nodes. Stockfish tries them in turn until it agrees with a puzzle."""
MIN_CONFIRMED = 198
"""Minimum number of puzzles, out of 200. A deeper search than lichess' may find another winning move."""


def is_only_move(
    engine: chess.engine.SimpleEngine, board: chess.Board, expected: chess.Move, nodes: int
) -> bool:
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
        move, is_mate = chess.Move.from_uci(uci), False
        if ply % 2:
            board.push(move)
            is_mate = board.is_checkmate()
            board.pop()
            if not is_mate and not any(is_only_move(engine, board, move, nodes) for nodes in NODE_LIMITS):
                return False
        board.push(move)
    return True


@pytest.mark.long
@pytest.mark.skipif(STOCKFISH is None, reason="the Debian package stockfish is not installed")
def test_stockfish_finds_the_moves_of_200_puzzles_and_no_other():
    puzzles = bundled_puzzles()[::12]
    assert len(puzzles) == 200
    assert STOCKFISH is not None
    with chess.engine.SimpleEngine.popen_uci(list(STOCKFISH)) as engine:
        engine.configure({"Threads": 1, "Hash": 64})
        unconfirmed = [puzzle.id for puzzle in puzzles if not is_confirmed(engine, puzzle)]
    print(unconfirmed)
    assert len(unconfirmed) <= 200 - MIN_CONFIRMED, unconfirmed
