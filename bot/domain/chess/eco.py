"""The names of openings, with their codes from the *Encyclopaedia of Chess Openings*.

The names are from lichess' data set chess-openings (CC0; version in ``data/openings.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.python_chess import chess

_OPENINGS_FILE = Path(__file__).with_name("data") / "openings.tsv"
MAX_SEARCHED_TURNS = 60
"""Maximum number of half-moves searched for an opening."""


def opening_of(position: ChessPosition) -> str:
    """Return the name of a position's opening, or an empty string. The order of the moves does not matter."""
    return "" if position.variant else _openings().get(chess.polyglot.zobrist_hash(position.board()), "")


def opening_at(game: ChessGame, turn: int) -> str:
    """Return the name of the last opening that a game has reached by ``turn``, or an empty string."""
    name = ""
    if game.start.variant:
        return name
    board = game.start.board()
    for move in game.turns[: min(turn, MAX_SEARCHED_TURNS)]:
        board.push(chess.Move.from_uci(move.uci))
        name = _openings().get(chess.polyglot.zobrist_hash(board), name)
    return name


@cache
def _openings() -> Mapping[int, str]:
    """Return names such as ``C51 Italian Game: Evans Gambit``, by Polyglot key."""
    rows = (line.split("\t") for line in _OPENINGS_FILE.read_text(encoding="utf-8").splitlines()[1:])
    return {int(key, 16): f"{eco} {name}" for key, eco, name in rows}
