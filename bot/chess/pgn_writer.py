"""Writing PGN, with python-chess's exporter: export format, lines of at most 80 characters where words allow it."""

from __future__ import annotations

import chess
import chess.pgn

from bot.chess.game import ROSTER, ChessGame, ChessMove
from bot.chess.position import START


def write(game: ChessGame) -> str:
    """Write a game. Braces in comments become parentheses, since a comment cannot hold its own end."""
    root = chess.pgn.Game()
    tags = {**ROSTER, **{name: _escaped(value) for name, value in game.tags}, "Result": game.result}
    if game.start.fen != START.fen:
        tags |= {"SetUp": "1", "FEN": game.start.fen}
    root.headers = chess.pgn.Headers(tags)
    root.comment = _comment(game.comment)
    _add_line(root, game.turns)
    return f"{root}\n"


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return " ".join(text.replace("{", "(").replace("}", ")").split())


def _add_line(parent: chess.pgn.GameNode, moves: tuple[ChessMove, ...]) -> None:
    """Add a line to a node; its depth is bounded by the reader's."""
    for move in moves:
        node = parent.add_variation(
            chess.Move.from_uci(move.uci),
            comment=_comment(move.comment),
            starting_comment=_comment(move.before),
            nags=move.nags,
        )
        for variation in move.variations:
            _add_line(parent, variation)
        parent = node
