"""A fake UCI engine. The first argument selects its behaviour, such as ``normal``, ``slow`` or ``deaf``.

The engine writes its process id and the names of its environment variables to the file named by the second argument.
"""

import os
import sys
import time
from pathlib import Path

behaviour = sys.argv[1]
if len(sys.argv) > 2:  # written first, so that a test finds the process even if it is soon killed
    Path(sys.argv[2]).write_text(f"{os.getpid()}\n{sorted(os.environ)}", encoding="utf-8")
if behaviour in {"legal", "slow"}:
    import chess


def reply(text):
    print(text, flush=True)


for line in sys.stdin:
    word = line.split()[0]
    if behaviour == "deaf":
        time.sleep(600)
    if behaviour == "dead":
        sys.exit(3)
    if word == "uci":
        reply("id name Fake 1")
        reply("option name MultiPV type spin default 1 min 1 max 2")
        reply("option name UCI_Chess960 type check default false")
        reply("option name UCI_Variant type combo default chess var chess var atomic")
        reply("uciok")
    elif word == "isready":
        reply("readyok")
    elif word == "position" and behaviour in {"legal", "slow"}:
        start, _, moves = line.partition(" moves ")
        board = chess.Board(start.split(" fen ")[1] if " fen " in start else chess.STARTING_FEN)
        for move in moves.split():
            board.push_uci(move)
    elif word == "go":
        if behaviour == "endless":
            continue
        if behaviour in {"legal", "slow"}:
            time.sleep(4 if behaviour == "slow" else 0)
            reply(f"info depth 3 multipv 1 score cp 35 nodes 99 pv {next(iter(board.legal_moves))}")
            reply(f"bestmove {next(iter(board.legal_moves))}")
            continue
        if behaviour == "dies":
            sys.exit(1)
        if behaviour == "talks nonsense":
            reply("info depth 3 multipv 1 score cp 12 pv e2e4 e2e4 a1a8")
            reply("bestmove e2e4")
            continue
        reply("info depth 3 multipv 1 score cp 35 nodes 99 pv e2e4 e7e5 g1f3")
        reply("info depth 3 multipv 2 score mate -4 nodes 99 pv f2f3")
        reply("bestmove e2e4")
    elif word == "quit":
        sys.exit(0)
