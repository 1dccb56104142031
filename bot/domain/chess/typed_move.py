"""Moves as people type them into a chat: ``Nf3``, ``1. e4``, ``e2e4``, ``O-O``."""

from __future__ import annotations

import re
from typing import Final

from bot.domain.chess.game import ChessMove
from bot.domain.chess.moves import read_move
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.reading.piece import Piece

MAX_TYPED: Final = 20
"""Characters of a move that is read."""

_NUMBER: Final = re.compile(r"\A[0-9]{1,4}\s?(?:\.{1,3}|…)\s*")
_CAPITAL: Final = re.compile(r"[ACDEFGH](?=[1-8x])|B(?=[1-8]\Z)")
_MOVE: Final = re.compile(
    r"(?:[NBRQP]?@[a-h][1-8]|[NBRQKP]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?:=?[NBRQKnbrqk])?|[a-h]x[a-h1-8]|[Oo0](?:-[Oo0]){1,2})[+#]?[!?]{0,2}"
)


def meant_move(text: str) -> str:
    """Return a move as it was meant: without a number or code quotes, and no file with the capital a phone gives it."""
    move = _NUMBER.sub("", text.strip(" \t\r\n`"), count=1)
    return move[0].lower() + move[1:] if _CAPITAL.match(move) else move


def is_typed_move(text: str) -> bool:
    """Tell whether a text is a move and nothing else, as far as its form goes."""
    return len(text) <= MAX_TYPED and _MOVE.fullmatch(meant_move(text)) is not None


def moves_by_piece(position: ChessPosition) -> dict[str, tuple[str, ...]]:
    """Return every possible move in UCI, by its first two characters: the square it leaves, or the piece it drops."""
    board = position.board()
    found: dict[str, list[str]] = {}
    for move in board.legal_moves:
        uci = board.uci(move)
        found.setdefault(uci[:2], []).append(uci)
    return {start: tuple(sorted(moves)) for start, moves in sorted(found.items())}


def play_typed(position: ChessPosition, text: str) -> tuple[ChessMove, ChessPosition]:
    """Play a move that somebody typed; return it with the position after it.

    Raises:
        ParseError: the text is no move.
        RuleError: the move is not possible, or could be several.

    """
    board = position.board()
    played = read_move(board, Piece.of(meant_move(text[:MAX_TYPED])))
    board.push(played.move)
    return ChessMove(played.san, played.move.uci()), position_of(board)
