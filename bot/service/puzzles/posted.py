"""How chess puzzles of posted files are solved: by the moves of a solution that somebody wrote."""

from __future__ import annotations

from collections.abc import Sequence

from bot.answers.chess.puzzles import posted as answers
from bot.answers.chess.puzzles.line import answered_drawing, attempt_text
from bot.answers.conversion import answer_expired
from bot.answers.reply import Drawing, NoAnswerError
from bot.domain.chess.line import LineAttempt
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.puzzles import Puzzle, PuzzleSet
from bot.domain.chess.solution import Verdict as Told
from bot.domain.chess.solution import position_after, try_move
from bot.domain.reading.problems import RuleError
from bot.puzzles.stars import Progress
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.puzzles.solving import Solving, Verdict
from bot.text import Speaker

_WAY = 256
"""More half-moves than a solution has. How far somebody is counts them, and so many more for each way through it."""


class PostedSolving(Solving[Puzzle, LineAttempt]):
    """Takes the moves of every way through a solution, and every mate."""

    def hints(self, puzzle: Puzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell from where the next move goes, then where to."""
        way, played = divmod(done, _WAY)
        return answers.hints(puzzle, played, way, say)

    def position(self, puzzle: Puzzle, done: int) -> ChessPosition:
        """Return the position after what was played."""
        way, played = divmod(done, _WAY)
        return position_after(puzzle.position, puzzle.solution_text, played, way)

    def judge(self, puzzle: Puzzle, done: int, typed: str) -> Verdict[LineAttempt]:
        """Try a move; where the solution is made of words, nothing is judged."""
        way, played = divmod(done, _WAY)
        attempt = try_move(puzzle.position, puzzle.solution_text, typed, played, way)
        if attempt.verdict is Told.UNTOLD:
            raise RuleError(
                "puzzle-words",
                "{move} can be played, but the words of the solution do not tell whether it is right",
                move=attempt.san,
            )
        right = attempt.verdict is Told.RIGHT
        said = LineAttempt(right, attempt.san, attempt.reply, attempt.solved)
        return Verdict(said, right, attempt.line * _WAY + attempt.done, attempt.solved)

    def told(self, puzzle: Puzzle, verdict: Verdict[LineAttempt], progress: Progress, say: Speaker) -> str:
        """Tell the solution's answer to a right move, too."""
        del puzzle
        return attempt_text(verdict.answer, progress, say)

    def after(self, puzzle: Puzzle, done: int, style: Style) -> Drawing:
        """Return the board after the solution's answer."""
        white_below = puzzle.position.white_to_move
        return answered_drawing(self.position(puzzle, done), style, white_below=white_below)

    def solution(self, puzzle: Puzzle, style: Style) -> tuple[str, Drawing]:
        """Return the solution as it was posted, and the board with its first move."""
        return answers.solution_text(puzzle, style.say), answers.solution_drawing(puzzle, style)


async def posted_puzzles(desk: Desk, place: tuple[str, int], say: Speaker) -> tuple[Puzzle, ...]:
    """Return the puzzles of a posted file; ``place`` is its digest, and which of its puzzles there must be.

    Raises:
        NoAnswerError: it is not kept any more, or has no such puzzle.

    """
    digest, index = place
    document = (await desk.document(digest, say)).document
    if not isinstance(document, PuzzleSet) or index >= len(document.puzzles):
        raise NoAnswerError(answer_expired(say))
    return document.puzzles


def following(puzzles: Sequence[Puzzle], index: int) -> int | None:
    """Return the place of the next puzzle that has a solution; None when there is none."""
    return next(
        (place for place in range(index + 1, len(puzzles)) if puzzles[place].solution_text.strip()), None
    )
