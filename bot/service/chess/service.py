"""What there is to chess beside showing it: trying a puzzle, looking into books, asking an engine."""

from __future__ import annotations

from bot.answers.chess.page import Page
from bot.answers.chess.puzzles import answer_attempt
from bot.answers.controls import Moment
from bot.answers.conversion import answer_expired
from bot.answers.reply import NoAnswerError, Reply
from bot.domain.chess.puzzles import PuzzleSet
from bot.engine.uci import ChessAnalysis
from bot.jobs.chess import ChessRequest
from bot.jobs.queue import Jobs
from bot.scenes.style import Style
from bot.service.chess.books import ChessBooks
from bot.service.chess.engine import ChessAnalyses
from bot.service.desk import Desk
from bot.service.fairness import Fairness


class ChessService:
    """Answers about chess documents of a store."""

    def __init__(
        self, desk: Desk, engine: Jobs[ChessRequest, None, ChessAnalysis] | None, fairness: Fairness
    ) -> None:
        self._desk = desk
        self.books = ChessBooks(desk)
        self.engine = ChessAnalyses(desk, engine, fairness) if engine is not None else None

    async def try_move(self, moment: Moment, played: tuple[int, int], text: str, style: Style) -> Reply:
        """Return whether a puzzle's solution has a move; see :func:`answer_attempt`."""
        say = style.say
        puzzles = (await self._desk.document(moment.digest, say)).document
        if not isinstance(puzzles, PuzzleSet):
            raise NoAnswerError(answer_expired(say))

        def answer() -> Reply:
            return answer_attempt(puzzles, played, text, Page(moment, style))

        return await self._desk.answer(answer)
