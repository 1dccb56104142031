"""Puzzles that are one line of moves: the opponent's move, then move and answer in turn, as lichess has them.

Every move of the solver is the only good one, but that a last move may give mate in any way.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from bot.domain.chess.moves import read_move
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.chess.typed_move import MAX_TYPED, meant_move
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ParseError

MAX_MOVES = 60
"""Half-moves of a line, the opponent's first included."""


@dataclass(frozen=True, slots=True)
class MoveLine:
    """A position and the line from it; ``moves`` are in UCI and begin with the opponent's."""

    start: ChessPosition
    moves: tuple[str, ...]

    @property
    def answers(self) -> int:
        """How many moves the solver makes."""
        return len(self.moves) // 2


@dataclass(frozen=True, slots=True)
class LineAttempt:
    """What a move that somebody tries comes to."""

    right: bool
    san: str
    """The move in standard notation."""
    reply: str = ""
    """The line's answer in standard notation; empty after a wrong move or the last one."""
    solved: bool = False


def check_line(line: MoveLine) -> None:
    """Check that a line can be played and ends with a move of the solver.

    Raises:
        ParseError: a move has not the form of one, or there are too few or too many.
        RuleError: a move is not possible.

    """
    if len(line.moves) % 2 or not 2 <= len(line.moves) <= MAX_MOVES:
        raise ParseError("puzzle-moves", "a puzzle has the opponent's move and then an odd number of others")
    _play(line, len(line.moves))


def _play(line: MoveLine, moves: int) -> chess.Board:
    board = line.start.board()
    for uci in line.moves[:moves]:
        board.push(read_move(board, Piece.of(uci)).move)
    return board


def position_at(line: MoveLine, done: int) -> ChessPosition:
    """Return the position that the solver has before the eyes after ``done`` right moves."""
    return position_of(_play(line, min(2 * done + 1, len(line.moves))))


def line_text(line: MoveLine, done: int = 0) -> str:
    """Return the moves that are left after ``done`` right ones, in standard notation with numbers."""
    board = _play(line, 2 * done + 1)
    return board.variation_san([chess.Move.from_uci(uci) for uci in line.moves[2 * done + 1 :]])


def try_line(line: MoveLine, done: int, text: str) -> LineAttempt:
    """Try a move that somebody typed, after ``done`` right ones.

    Raises:
        ParseError: the text is no move.
        RuleError: the move is not possible, or could be several, also for want of what a pawn becomes.

    """
    board = _play(line, 2 * done + 1)
    played = read_move(board, Piece.of(meant_move(text[:MAX_TYPED])))
    expected = line.moves[2 * done + 1]
    last = 2 * done + 2 >= len(line.moves)
    board.push(played.move)
    if board.is_checkmate() or played.move.uci() == expected:
        if last or board.is_checkmate():
            return LineAttempt(right=True, san=played.san, solved=True)
        reply = chess.Move.from_uci(line.moves[2 * done + 2])
        return LineAttempt(right=True, san=played.san, reply=board.san(reply))
    return LineAttempt(right=False, san=played.san)
