"""What the solution of a puzzle says in moves, and whether a move that somebody tries is in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import chess

from bot.chess.game import ChessMove
from bot.chess.lines import LineReader
from bot.chess.moves import read_move
from bot.chess.movetext import Kind, Sign, signs
from bot.chess.position import ChessPosition
from bot.chess.tokens import Token
from bot.domain.errors import DomainError, Warnings

_MOVETEXT = frozenset({Kind.MOVE, Kind.BEGIN, Kind.END, Kind.NAG})


class Verdict(Enum):
    """What a solution says about a move."""

    RIGHT = "right"
    WRONG = "wrong"
    UNTOLD = "untold"
    """The solution is not told in moves that can be played, or ends before."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A move that somebody tried."""

    verdict: Verdict
    san: str
    reply: str = ""
    """The solution's answer to a right move, in standard notation; empty when the solution ends with the move."""
    done: int = 0
    """Half-moves of the solution that are played now, the reply included."""
    solved: bool = False
    """Whether the solution, as far as it can be understood, has been played to its end."""


def solutions(position: ChessPosition, text: str) -> tuple[tuple[ChessMove, ...], ...]:
    """Return the lines of a solution, as far as they can be played: each with a first move of its own, none empty.

    Words between moves are passed over; a line ends before a move that cannot be played. A second ``1.`` starts
    another way to solve the puzzle, and so does a variation on the first move.
    """
    lines: list[tuple[ChessMove, ...]] = []
    for part in _parts(text):
        reader = LineReader(position.board(), Warnings(text))
        for sign in part:
            try:
                reader.take(sign)
            except DomainError:
                break
        moves = reader.moves()
        if moves:
            lines += [moves, *moves[0].variations]
    return tuple(lines)


def _parts(text: str) -> list[list[Sign]]:
    """Divide a solution where its first move number comes again."""
    parts: list[list[Sign]] = [[]]
    first = ""
    depth = 0
    for sign in signs(text):
        depth += (sign.kind is Kind.BEGIN) - (sign.kind is Kind.END and depth > 0)
        if sign.kind is Kind.NUMBER and not depth:
            number = sign.text.rstrip(" .…")
            black = sign.text.count(".") > 1 or "…" in sign.text
            first = first or number
            if number == first and parts[-1] and not (black and len(parts[-1]) == 1):
                parts.append([])
        elif sign.kind in _MOVETEXT:
            parts[-1].append(sign)
    return parts


def try_move(position: ChessPosition, solution: str, text: str, done: int = 0) -> Attempt:
    """Try a move, written in standard notation or UCI, after so many half-moves of the solution (0 for the first).

    Mate is right in any case.

    Raises:
        ParseError: the text is no move.
        RuleError: the move is not possible.

    """
    lines = solutions(position, solution)
    main = next((line for line in lines if len(line) >= done), ())
    board = position.board()
    for move in main[:done]:
        board.push(chess.Move.from_uci(move.uci))
    stripped = text.strip()
    played = read_move(board, Token(stripped, 0, stripped))
    board.push(played.move)
    if board.is_checkmate():
        return Attempt(Verdict.RIGHT, played.san, done=done + 1, solved=True)
    expected = _expected(lines, main, done)
    if not expected:
        return Attempt(Verdict.UNTOLD, played.san, done=done)
    for line in expected:
        if line[0].uci == played.move.uci():
            reply = line[1].san if len(line) > 1 else ""
            return Attempt(
                Verdict.RIGHT, played.san, reply, done + (2 if reply else 1), solved=len(line) <= 2
            )
    return Attempt(Verdict.WRONG, played.san, done=done)


def _expected(
    lines: tuple[tuple[ChessMove, ...], ...], main: tuple[ChessMove, ...], done: int
) -> list[tuple[ChessMove, ...]]:
    """Return the rests of the lines that the tried move may start."""
    if not done:
        return list(lines)
    if len(main) <= done:
        return []
    return [main[done:], *main[done].variations]
