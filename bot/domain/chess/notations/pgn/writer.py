"""Writing PGN, with python-chess's exporter: export format, lines of at most 80 characters where words allow it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from bot.domain.chess.game import ROSTER, ChessGame, ChessMove
from bot.domain.chess.position import START, position_of
from bot.domain.chess.variants import VARIANTS

if TYPE_CHECKING:
    import chess.pgn

_BREAKS = re.compile(r"[\r\n]+")


def write(game: ChessGame) -> str:
    """Write a game. Braces in comments become parentheses, since a comment cannot hold its own end."""
    tags = {**ROSTER, **dict(game.tags), "Result": game.result}
    variant = VARIANTS[game.start.variant] if game.start.variant else None
    usual = position_of(variant.board()).fen if variant else START.fen
    start = {"SetUp": "1", "FEN": game.start.fen} if game.start.fen != usual else {}
    if variant is not None:
        start["Variant"] = variant.name
    import chess.pgn  # noqa: PLC0415 - as long as nobody writes a game, twenty milliseconds of each start

    # The exporter plays the moves by the rules that a Variant tag names, and refuses names it does not know.
    root = chess.pgn.Game({"Result": game.result} | start)
    root.comment = _comment(game.comment)
    _add_line(root, game.turns)
    heads = [f'[{name} "{_escaped(value)}"]' for name, value in (tags | start).items()]
    moves = root.accept(chess.pgn.StringExporter(headers=False))
    return "\n".join([*heads, "", moves]) + "\n"


def _escaped(value: str) -> str:
    return _BREAKS.sub(" ", value).replace("\\", "\\\\").replace('"', '\\"')


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
