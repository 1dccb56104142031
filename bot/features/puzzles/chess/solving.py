"""Chess puzzles in chat: of the library and of posted files."""

from __future__ import annotations

from functools import partial

from bot.chat.card import Choice, Drawing, Style
from bot.chat.markdown import escape, escape_line
from bot.domain.chess.documents import Puzzle
from bot.domain.chess.moves import moves_by_piece
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import (
    Attempt,
    line_text,
    position_after,
    position_at,
    try_line,
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
    """Return the menus of the possible moves; ``start`` is the chosen square, or piece to drop, if one is chosen."""
    found = moves_by_piece(position)
    pieces = tuple(Choice(square, _piece(square, position, say)) for square in found)
    if start not in found:
        return move_menus(wanted, pieces)
    moves = tuple(_target(uci, position, say) for uci in found[start])
    return move_menus(wanted, pieces, start, moves)


def _piece(start: str, position: ChessPosition, say: Speaker) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, say).strip()
    return piece_text(_at(start, position), start, 1, say)


def _target(uci: str, position: ChessPosition, say: Speaker) -> Choice:
    square, becomes = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(becomes.upper(), '', 1, say).strip()}" if becomes else square
    captured = _at(square, position)
    return Choice(uci, label, f"× {piece_text(captured, square, 1, say)}" if captured else "")


def _at(square: str, position: ChessPosition) -> str:
    """Return the capital letter of the piece on a square; empty for an empty square."""
    return position.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")].upper()


class ChessTask:
    """A puzzle of the library: accepts the move of the line, and every mate. ``done`` counts the solver's moves."""

    def __init__(self, puzzle: ChessPuzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.line.start
        self.rating = puzzle.rating

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the last move."""
        return "lichess", position_line(self.position(0), say)

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board after the opponent's move."""
        return _drawing(self.position(done), style, white_below=self.position(0).white_to_move)

    def position(self, done: int) -> ChessPosition:
        """Return the position after ``done`` right moves."""
        return position_at(self._puzzle.line, done)

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Name the square that the next move starts from, then the one it ends on."""
        moves = self._puzzle.line.moves
        return _hints(moves[min(2 * done + 1, len(moves) - 1)], say)

    def judge(self, done: int, typed: str) -> Verdict:
        """Try a move."""
        attempt = try_line(self._puzzle.line, done, typed)
        right = attempt.right is True
        return Verdict(right, partial(_comment, attempt), done + right, attempt.solved)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the line, and the board with its first move."""
        puzzle, say = self._puzzle, style.say
        answer = say("**Solution: {answer}**", answer=escape(line_text(puzzle.line)))
        return f"{answer}\n<{puzzle.url}>", _first_move_drawing(self.position(0), puzzle.line.moves[1], style)


_WAY = 256
"""More half-moves than a solution has: ``done`` counts half-moves, and this number more for each way through the solution."""
_MAX_SOLUTION = 900
"""Maximum characters of a solution on a card: escaped and with its other lines it fits into a message."""


class PostedTask:
    """A position of a posted file with its solution: accepts the moves of every way through it, and every mate."""

    rating = None

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._text = puzzle.solution_text
        self.start = puzzle.position

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the description."""
        return position_line(self.start, say), _description(self._puzzle)

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board after the solution's answer."""
        return _drawing(self.position(done), style, white_below=self.start.white_to_move)

    def position(self, done: int) -> ChessPosition:
        """Return the position after the moves that are played."""
        way, played = divmod(done, _WAY)
        return position_after(self.start, self._text, played, way)

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Name the square that the next move of the way starts from, then the one it ends on."""
        way, played = divmod(done, _WAY)
        lines = ways(self.start, self._text)
        line = lines[way] if way < len(lines) else ()
        return _hints(line[played].uci, say) if played < len(line) else ()

    def judge(self, done: int, typed: str) -> Verdict:
        """Try a move; a solution made of words judges nothing."""
        way, played = divmod(done, _WAY)
        attempt = try_move(self.start, self._text, typed, played, way)
        if attempt.right is None:
            raise RuleError(
                "puzzle-words",
                "{move} is legal, but the solution is written in words and cannot be compared with it",
                move=attempt.san,
            )
        done = attempt.line * _WAY + attempt.done
        return Verdict(attempt.right, partial(_comment, attempt), done, attempt.solved)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the beginning of the solution as it was posted, and the board with its first move, if it has moves."""
        lines = ways(self.start, self._text)
        text = style.say("**Solution: {answer}**", answer=escape(self._text, _MAX_SOLUTION))
        return text, _first_move_drawing(self.start, lines[0][0].uci if lines else "", style)


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


def _description(puzzle: Puzzle) -> str:
    return "\n".join(escape_line(text) for text in puzzle.description if text)
