"""Reads puzzle solutions, and compares players' moves with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import MAX_MOVE_LENGTH, normalize_move, read_move
from bot.domain.chess.notations.movetext import LineReader, Token, tokens
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import DomainError, ParseError, TextPiece, Warnings

MAX_LINES = 100
"""Maximum number of lines, including variations."""

_MOVETEXT_KINDS = frozenset({"move", "begin", "end", "nag"})


@dataclass(frozen=True, slots=True)
class MoveAttempt:
    """A player's move, and its result."""

    san: str
    is_right: bool | None
    """None if the solution has no playable moves or ends before this move. Any checkmate is right."""
    reply: str = ""
    """The solution's reply to a right move; empty at the end of the solution."""
    played_count: int = 0
    """Number of half-moves of the solution played so far, including the reply."""
    is_solved: bool = False
    """Whether the move is checkmate, or the readable part of the solution has been played."""
    line_index: int = 0
    """Index of the line in the result of :func:`solution_lines`."""


def main_lines(position: ChessPosition, text: str) -> tuple[tuple[ChessMove, ...], ...]:
    """Return the playable main lines in a solution. Each move has the variations that replace it.

    Words between moves are skipped, and a line ends before an impossible move. If the first move number occurs
    again, it starts another main line. A variation on the first move is also a main line.
    """
    lines: list[tuple[ChessMove, ...]] = []
    for line_tokens in _tokens_by_line(text):
        reader = LineReader(position.board(), Warnings(text))
        for token in line_tokens:
            try:
                reader.take(token)
            except DomainError:
                break
        moves = reader.moves()
        if moves:
            lines += [moves, *moves[0].variations]
    return tuple(lines)


def _tokens_by_line(text: str) -> list[list[Token]]:
    lines: list[list[Token]] = [[]]
    first_number = ""
    depth = 0
    for token in tokens(text):
        depth += (token.kind == "begin") - (token.kind == "end" and depth > 0)
        if token.kind == "number" and not depth:
            number = token.text.rstrip(" .…")
            is_black_move = token.text.count(".") > 1 or "…" in token.text
            first_number = first_number or number
            if number == first_number and lines[-1] and not (is_black_move and len(lines[-1]) == 1):
                lines.append([])
        elif token.kind in _MOVETEXT_KINDS:
            lines[-1].append(token)
    return lines


SolutionLines: TypeAlias = tuple[tuple[str, ...], ...]
"""Lines of moves in UCI, all from the same position."""


def solution_lines(position: ChessPosition, solution: str) -> SolutionLines:
    """Return the first :data:`MAX_LINES` lines of a solution and its variations, each from the first move on."""
    branches = chain.from_iterable(_branches(line, 1) for line in main_lines(position, solution))
    return tuple(tuple(move.uci for move in branch) for branch in islice(branches, MAX_LINES))


def _branches(line: tuple[ChessMove, ...], start: int) -> Iterator[tuple[ChessMove, ...]]:
    """Yield a line, and the lines that branch off from it at the move with index ``start`` or later."""
    yield line
    for index, move in enumerate(line[start:], start=start):
        for variation in move.variations:
            yield from _branches((*line[:index], *variation), index)


def position_after(
    start: ChessPosition, lines: SolutionLines, played_count: int, line_index: int
) -> ChessPosition:
    return position_of(start.board(_moves_played(lines, played_count, line_index)))


def _moves_played(lines: SolutionLines, played_count: int, line_index: int) -> tuple[str, ...]:
    return lines[line_index][:played_count] if line_index < len(lines) else ()


def try_move(
    start: ChessPosition, lines: SolutionLines, text: str, played_count: int = 0, line_index: int = 0
) -> MoveAttempt:
    """Try a typed move. ``played_count`` and ``line_index`` come from the previous :class:`MoveAttempt`.

    Raises:
        ParseError: the text is not a move.
        RuleError: the move is illegal or ambiguous, or is a promotion that does not name the new piece.

    """
    moves_before = _moves_played(lines, played_count, line_index)
    played_count = len(moves_before)
    board = start.board(moves_before)
    move, san = read_move(board, TextPiece.of(normalize_move(text[:MAX_MOVE_LENGTH])))
    board.push(move)
    if board.is_checkmate():
        return MoveAttempt(
            san, is_right=True, played_count=played_count + 1, is_solved=True, line_index=line_index
        )
    possible_lines = [
        (index, moves[played_count:])
        for index, moves in enumerate(lines)
        if moves[:played_count] == moves_before and moves[played_count:]
    ]
    for index, (right_move, *later_moves) in possible_lines:
        if right_move == move.uci():
            reply = board.san(chess.Move.from_uci(later_moves[0])) if later_moves else ""
            return MoveAttempt(
                san,
                is_right=True,
                reply=reply,
                played_count=played_count + len(later_moves[:1]) + 1,
                is_solved=len(later_moves) < 2,
                line_index=index,
            )
    return MoveAttempt(
        san, False if possible_lines else None, played_count=played_count, line_index=line_index
    )


MAX_MOVES = 60
"""Maximum number of half-moves in a :class:`MoveLine`, including the opponent's first move."""


@dataclass(frozen=True, slots=True)
class MoveLine:
    """The moves of a lichess puzzle, in UCI, and their starting position. The opponent moves first."""

    start: ChessPosition
    moves: tuple[str, ...]


def check_line(line: MoveLine) -> None:
    """Check that a line can be played and ends with a move by the solver.

    Raises:
        ParseError: a move is malformed, or the number of moves is 0, odd or over :data:`MAX_MOVES`.
        RuleError: a move is illegal.

    """
    if len(line.moves) > MAX_MOVES:
        raise ParseError("puzzle-moves-many", "the solution is too long")
    if len(line.moves) % 2 or not line.moves:
        raise ParseError("puzzle-moves", "a puzzle needs the opponent's move and then an odd number of moves")
    board = line.start.board()
    for uci in line.moves:
        board.push(read_move(board, TextPiece.of(uci))[0])


def position_to_solve(line: MoveLine, correct_count: int) -> ChessPosition:
    """Return the position that the solver sees after ``correct_count`` correct moves."""
    return position_of(line.start.board(line.moves[: 2 * correct_count + 1]))


def line_text(line: MoveLine) -> str:
    """Return the moves after the opponent's first move, numbered, in standard notation."""
    return line.start.board(line.moves[:1]).variation_san(map(chess.Move.from_uci, line.moves[1:]))
