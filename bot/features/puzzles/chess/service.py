"""How chess puzzles are solved that are one line of moves."""

from __future__ import annotations

from bot.chat.reply import Drawing
from bot.chat.style import Style
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import Attempt, position_at, try_line
from bot.features.puzzles.chess import line as answers
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.puzzle_card import Question
from bot.features.puzzles.solving import Setting, Verdict
from bot.features.puzzles.stars import Progress
from bot.text import Speaker


class ChessSolving(Setting[ChessPuzzle, Attempt]):
    """Takes the move of the line, and every mate; ``done`` counts the solver's moves."""

    def question(self, puzzle: ChessPuzzle, say: Speaker) -> Question:
        """Return what is asked."""
        return answers.question(puzzle, say)

    def drawing(self, puzzle: ChessPuzzle, style: Style) -> Drawing:
        """Return the board after the opponent's move."""
        return answers.card_drawing(puzzle, style)

    def hints(self, puzzle: ChessPuzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell from where the next move goes, then where to."""
        return answers.hints(puzzle, done, say)

    def position(self, puzzle: ChessPuzzle, done: int) -> ChessPosition:
        """Return the position after so many right moves."""
        return position_at(puzzle.line, done)

    def judge(self, puzzle: ChessPuzzle, done: int, typed: str) -> Verdict[Attempt]:
        """Try a move."""
        attempt = try_line(puzzle.line, done, typed)
        right = attempt.right is True
        return Verdict(attempt, right, done + right, attempt.solved)

    def told(self, puzzle: ChessPuzzle, verdict: Verdict[Attempt], progress: Progress, say: Speaker) -> str:
        """Tell the opponent's answer to a right move, too."""
        del puzzle
        return answers.attempt_text(verdict.answer, progress, say)

    def after(self, puzzle: ChessPuzzle, done: int, style: Style) -> Drawing:
        """Return the board after the opponent's answer."""
        return answers.card_drawing(puzzle, style, done)

    def solution(self, puzzle: ChessPuzzle, style: Style) -> tuple[str, Drawing]:
        """Return the line, and the board with its first move."""
        return answers.solution_text(puzzle, style.say), answers.solution_drawing(puzzle, style)
