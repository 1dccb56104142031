"""Chess puzzles in chat: of the library and of posted files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from bot.chat.card import Choice, Drawing, Style
from bot.chat.markdown import escape, escape_line
from bot.domain.chess.documents import Puzzle
from bot.domain.chess.moves import moves_by_piece
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import (
    Attempt,
    Ways,
    line_text,
    position_after,
    try_move,
    ways,
)
from bot.domain.reading.problems import RuleError
from bot.features.puzzles.cards import Verdict, solved_text
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.controls import Pick, move_menus
from bot.features.puzzles.selection import Wanted
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, piece_text, squares_of
from bot.storage.puzzles import Progress
from bot.text import Speaker


def moves_of_piece(wanted: Wanted, position: ChessPosition, start: str, say: Speaker) -> tuple[Pick, ...]:
    """Return the menus of the legal moves. ``start`` is the chosen square or piece to drop, if any."""
    found = moves_by_piece(position)
    pieces = tuple(Choice(square, _piece(square, position, say)) for square in found)
    if start not in found:
        return move_menus(wanted, pieces)
    moves = tuple(_target(uci, position, say) for uci in found[start])
    return move_menus(wanted, pieces, start, moves)


def _piece(start: str, position: ChessPosition, say: Speaker) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, say).strip()
    return piece_text(position.piece_on(start).upper(), start, 1, say)


def _target(uci: str, position: ChessPosition, say: Speaker) -> Choice:
    square, becomes = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(becomes.upper(), '', 1, say).strip()}" if becomes else square
    captured = position.piece_on(square).upper()
    return Choice(uci, label, f"× {piece_text(captured, square, 1, say)}" if captured else "")


class _MovesTask(ABC):
    """A puzzle that is solved in moves: accepts those of every line of the solution, and every mate.

    ``done`` is a number for the line that was taken and the half-moves of it that are played; each kind has its own.
    """

    start: ChessPosition
    rating: int | None = None

    @abstractmethod
    def _lines(self) -> Ways:
        """Return the lines of the solution."""

    @abstractmethod
    def _played(self, done: int) -> tuple[int, int]:
        """Return the number of the line, and the half-moves that are played."""

    @abstractmethod
    def _done(self, attempt: Attempt) -> int:
        """Return what ``done`` is after an attempt."""

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board after the opponent's move."""
        return _drawing(self.position(done), style, white_below=self.position(0).white_to_move)

    def position(self, done: int) -> ChessPosition:
        """Return the position after the moves that are played."""
        line, played = self._played(done)
        return position_after(self.start, self._lines(), played, line)

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Name the square that the next move of the line starts from, then the one it ends on."""
        (line, played), lines = self._played(done), self._lines()
        following = lines[line][played:] if line < len(lines) else ()
        return _hints(following[0], say) if following else ()

    def judge(self, done: int, typed: str) -> Verdict:
        """Try a move. A solution in words cannot judge moves."""
        line, played = self._played(done)
        attempt = try_move(self.start, self._lines(), typed, played, line)
        if attempt.right is None:
            raise RuleError(
                "puzzle-words",
                "{move} is legal, but the solution is written in words and can't be compared with it",
                move=attempt.san,
            )
        return Verdict(attempt.right, partial(_comment, attempt), self._done(attempt), attempt.solved)


class ChessTask(_MovesTask):
    """A puzzle of the library. ``done`` counts the solver's moves."""

    def __init__(self, puzzle: ChessPuzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.line.start
        self.rating = puzzle.rating

    def _lines(self) -> Ways:
        return (self._puzzle.line.moves,)

    def _played(self, done: int) -> tuple[int, int]:
        return 0, 2 * done + 1

    def _done(self, attempt: Attempt) -> int:
        return attempt.done // 2

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the last move."""
        return "lichess", position_line(self.position(0), say)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the line, and the board with its first move."""
        puzzle, say = self._puzzle, style.say
        answer = say("**Solution: {answer}**", answer=escape(line_text(puzzle.line)))
        return f"{answer}\n<{puzzle.url}>", _first_move_drawing(self.position(0), puzzle.line.moves[1], style)


_LINE_FACTOR = 256
"""A number larger than any solution's half-moves. ``done`` is the number of half-moves plus this number for each
earlier path through the solution."""
_MAX_SOLUTION = 900
"""Maximum characters of a solution on a card: escaped and with its other lines it fits into a message."""


class PostedTask(_MovesTask):
    """A position of a posted file with its solution."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.position

    def _lines(self) -> Ways:
        return ways(self.start, self._puzzle.solution_text)

    def _played(self, done: int) -> tuple[int, int]:
        return divmod(done, _LINE_FACTOR)

    def _done(self, attempt: Attempt) -> int:
        return attempt.line * _LINE_FACTOR + attempt.done

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the description."""
        return position_line(self.start, say), "\n".join(
            escape_line(text) for text in self._puzzle.description if text
        )

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the beginning of the posted solution, and the board with its first move, if it has moves."""
        text = style.say("**Solution: {answer}**", answer=escape(self._puzzle.solution_text, _MAX_SOLUTION))
        first = next(iter(self._lines()), ("",))[0]
        return text, _first_move_drawing(self.start, first, style)


def _drawing(position: ChessPosition, style: Style, *, white_below: bool) -> Drawing:
    """Return a board after the opponent's move, which is an arrow; a dropped piece is circled."""
    say, squares, lead = style.say, squares_of(position.known_move), ""
    if len(squares) == 2:
        lead = say("The last move went from {start} to {end}.", start=squares[0], end=squares[1])
        scene = chess_scene(position, style, white_below=white_below, arrows={(squares[0], squares[1]): ""})
    else:
        scene = chess_scene(position, style, white_below=white_below, circles=dict.fromkeys(squares, ""))
    return Drawing(scene, chess_alt_text(position, say, lead), name="puzzle")


def _first_move_drawing(position: ChessPosition, move: str, style: Style) -> Drawing:
    """Return the board that the solver saw first, with a move in UCI as an arrow that stands out, if there is one."""
    say, lead = style.say, ""
    if squares := squares_of(move):
        start, end = squares[0], squares[-1]
        lead = say("The best move goes from {start} to {end}.", start=start, end=end)
    scene = chess_scene(position, style, white_below=position.white_to_move, best=move)
    return Drawing(scene, chess_alt_text(position, say, lead), name="solution")


def _hints(move: str, say: Speaker) -> tuple[str, ...]:
    *start, end = squares_of(move)
    moved = tuple(say("It moves the piece on {square}.", square=square) for square in start)
    return (*moved, say("It moves to {square}.", square=end))


def _comment(attempt: Attempt, progress: Progress, say: Speaker) -> str:
    """Return the judgement of a move, with the opponent's answer."""
    san = escape(attempt.san)
    if attempt.solved:
        return solved_text(san, progress, say)
    if attempt.right:
        return say(
            "✅ {move} is right. Your opponent answers {reply}. What next?",
            move=f"**{san}**",
            reply=f"**{escape(attempt.reply)}**",
        )
    return say("❌ **{word}** is not the answer.", word=san)
