"""The names of openings by position, with their codes of the *Encyclopaedia of Chess Openings*.

They come from lichess' data set chess-openings (CC0; version in ``data/openings.md``). The name of a position does not depend on
the moves that led to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import chess
import chess.polyglot

from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition

_TABLE = Path(__file__).with_name("data") / "openings.tsv"
MAX_TURNS = 60
"""Half-moves of a game that are looked at: no opening is longer."""


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening, or a variation of one."""

    eco: str
    """The code, from A00 to E99."""
    name: str
    """As lichess has it, in English: ``Italian Game: Evans Gambit``."""

    def __str__(self) -> str:
        return f"{self.eco} {self.name}"


def opening_of(position: ChessPosition) -> Opening | None:
    """Return the opening that a position is the end of; None where it is not named, and in variants."""
    return None if position.variant else _openings().get(chess.polyglot.zobrist_hash(position.board()))


def opening_at(game: ChessGame, turn: int) -> Opening | None:
    """Return the last opening that a game has been in up to a turn; None when it was in none."""
    found = None
    if game.start.variant:
        return None
    board = game.start.board()
    for move in game.turns[: min(turn, MAX_TURNS)]:
        board.push(chess.Move.from_uci(move.uci))
        found = _openings().get(chess.polyglot.zobrist_hash(board), found)
    return found


@cache
def _openings() -> Mapping[int, Opening]:
    """Return the openings by the Polyglot keys of their positions."""
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:])
    return {int(key, 16): Opening(eco, name) for key, eco, name in rows}
