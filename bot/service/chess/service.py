"""What there is to chess beside showing it: trying a puzzle, looking into books, asking an engine."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor

from bot.answers.chess.page import Telling
from bot.answers.chess.puzzles import answer_attempt
from bot.answers.conversion import answer_expired
from bot.answers.reply import Answer, Moment, Reply
from bot.domain.chess.puzzles import PuzzleSet
from bot.engine.uci import ChessAnalysis
from bot.jobs.chess import ChessRequest
from bot.jobs.queue import Jobs
from bot.scenes.crossword import View
from bot.service.chess.books import ChessBooks
from bot.service.chess.engine import ChessAnalyses
from bot.service.documents import Documents
from bot.service.drawing import Artist
from bot.service.reader import Reader
from bot.text import speaker


class ChessService:
    """Answers about chess documents of a store."""

    def __init__(self, executor: Executor, artist: Artist, documents: Documents, reader: Reader) -> None:
        self._executor = executor
        self._artist = artist
        self._documents = documents
        self.books = ChessBooks(executor, artist, documents, reader)
        self.engine: ChessAnalyses | None = None
        """None where no engine is there; see :meth:`offer_engine`."""

    def offer_engine(self, jobs: Jobs[ChessRequest, None, ChessAnalysis]) -> None:
        """Have an engine asked in ``jobs``; from now on answers offer it."""
        self.engine = ChessAnalyses(self._executor, self._artist, self._documents, jobs)

    async def try_move(
        self, moment: Moment, played: tuple[int, int], text: str, locale: str, view: View
    ) -> Reply:
        """Tell somebody what a puzzle's solution says about a move; see :func:`answer_attempt`."""
        say = speaker(locale)
        item = await self._documents.open(moment.digest)
        puzzles = item.document if item is not None else None
        if not isinstance(puzzles, PuzzleSet):
            return answer_expired(say).undrawn()

        def answer() -> Answer:
            return answer_attempt(puzzles, played, text, Telling(moment, view, say))

        answered = await asyncio.get_running_loop().run_in_executor(self._executor, answer)
        return await self._artist.drawn(answered)
