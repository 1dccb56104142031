"""Positions of random legal games, played by python-chess."""

from __future__ import annotations

import random

import chess
from hypothesis import strategies as st

STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",  # castling, en passant
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",  # promotions
    "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39",
)


def random_board(seed: int, plies: int, start: str = chess.STARTING_FEN) -> chess.Board:
    """Return the board after ``plies`` random moves, or fewer if the game ends earlier."""
    randomness = random.Random(seed)
    board = chess.Board(start)
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(randomness.choice(moves))
    return board


boards = st.builds(random_board, st.integers(0, 2**32), st.integers(0, 120), st.sampled_from(STARTS))
