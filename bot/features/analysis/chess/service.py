"""What there is to chess beside showing it: looking into books, asking an engine."""

from __future__ import annotations

from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.engine import ChessAnalyses
from bot.features.analysis.chess.job import ChessRequest
from bot.features.analysis.fairness import Fairness
from bot.features.showing.chess.books import ChessBooks
from bot.features.showing.desk import Desk
from bot.jobs.queue import Jobs


class ChessService:
    """Answers about chess documents of a store."""

    def __init__(
        self, desk: Desk, engine: Jobs[ChessRequest, None, ChessAnalysis] | None, fairness: Fairness
    ) -> None:
        self.books = ChessBooks(desk)
        self.engine = ChessAnalyses(desk, engine, fairness) if engine is not None else None
