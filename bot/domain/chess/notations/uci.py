"""Moves as UCI engines read them: ``e2e4 e7e5``, or ``position fen … moves …`` for another starting position.

>>> game = read("e2e4 e7e5").value
>>> game.turns[1].san
'e5'
>>> write(game)
'e2e4 e7e5'
"""

from __future__ import annotations

import contextlib
import re

from bot.domain.chess.documents import ChessGame, ChessMove
from bot.domain.chess.moves import illegal_move_error
from bot.domain.chess.notations.fen import MAX_LENGTH as MAX_FEN_LENGTH, read_fields, split
from bot.domain.chess.notations.movetext import MAX_MOVES
from bot.domain.chess.position import START_POSITION
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import Reading, TextPiece, Warnings

MAX_LENGTH = 100_000

_LOOKS_LIKE_MOVES = re.compile(
    r"\s{0,40}(?:position\s{1,4}(?:startpos|fen\s)|(?:[a-h][1-8]){2}\s{1,4}(?:[a-h][1-8]){2})"
)
_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrqkNBRQK]?|[PNBRQ]@[a-h][1-8]|0000")


def read(text: str) -> Reading[ChessGame]:
    """Read a list of moves up to an illegal move or :data:`MAX_MOVES` moves. ``error`` is set if moves remain.

    Raises:
        ParseError: the text is too long, or the starting position or a move is malformed.
        RuleError: the starting position is impossible.

    """
    warnings = Warnings(text)
    tokens = split(text, MAX_LENGTH)
    start, moves = START_POSITION, tokens
    if tokens[0].text == "position":
        end = next((index for index, token in enumerate(tokens) if token.text == "moves"), len(tokens))
        start_tokens, moves = tokens[1:end], tokens[end + 1 :]
        if start_tokens and start_tokens[0].text == "fen" and 2 <= len(start_tokens) <= 8:
            start = read_fields(start_tokens[1:], text[: start_tokens[-1].end][:MAX_FEN_LENGTH], warnings)
        elif [token.text for token in start_tokens] != ["startpos"]:
            raise tokens[0].parse_error(
                "uci-start", 'after "position", write "startpos", or "fen" followed by a FEN'
            )
    turns: list[ChessMove] = []
    error = None
    board = start.board()
    for token, move in [(token, _read_move(token)) for token in moves]:
        if move and not board.is_legal(move):
            error = illegal_move_error(board, token)
        elif len(turns) == MAX_MOVES:
            error = token.rule_error(
                "too-many-moves", "only the first {limit:,} moves are read", limit=MAX_MOVES
            )
        if error is not None:
            break
        turns.append(ChessMove(board.san(move), move.uci()))
        board.push(move)
    return Reading(ChessGame(start, tuple(turns)), warnings.all(), error)


def _read_move(token: TextPiece) -> chess.Move:
    if _MOVE.fullmatch(token.text):
        with contextlib.suppress(ValueError):  # raised for a move from a square to itself
            return chess.Move.from_uci(token.text.lower())
    raise token.parse_error("uci-move", "{move!r} is not a move in the form e2e4", move=token.text[:20])


def write(game: ChessGame) -> str:
    moves = " ".join(turn.uci for turn in game.turns)
    if game.start.fen == START_POSITION.fen:
        return moves or "position startpos"
    return f"position fen {game.start.fen}" + (f" moves {moves}" if moves else "")


def sniff(text: str) -> bool:
    return _LOOKS_LIKE_MOVES.match(text) is not None
