"""What answers can offer beside pictures: it depends on what is installed where the bot runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.job import ChessRequest
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult, Progress
from bot.features.review.chess.review import ChessReviewRequest
from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.job import AttemptRequest, ReviewRequest, ReviewResult
from bot.features.review.crossword.values import TurnReview
from bot.jobs.queue import Jobs
from bot.links.fetcher import Fetcher

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


@dataclass(frozen=True, slots=True)
class AnalysisMeans:
    """What crossword positions are analyzed with; in ``jobs`` where it takes long."""

    jobs: Jobs[AnalysisRequest, Progress, AnalysisResult]
    lexica: Lexica
    default_lexicon: str
    """The host's."""


@dataclass(frozen=True, slots=True)
class Offers:
    """What is offered; None where it is not."""

    analysis: AnalysisMeans | None = None
    engine: Jobs[ChessRequest, None, ChessAnalysis] | None = None
    """Where an engine is asked about chess."""
    reviews: Jobs[ReviewRequest, ReviewResult, ReviewResult] | None = None
    """Where crossword games are reviewed."""
    chess_reviews: Jobs[ChessReviewRequest, ChessReview, ChessReview] | None = None
    """Where chess games are reviewed, by their own evaluations if there is no engine."""
    attempts: Jobs[AttemptRequest, float, TurnReview] | None = None
    """Where plays of people who learn are compared with the best."""
    fetcher: Fetcher | None = None
    """Who asks the sites that links lead to."""

    def stop_jobs(self) -> None:
        """Take no more jobs; those under way end within a few seconds with the result they have, or go on elsewhere."""
        for jobs in self._queues():
            jobs.stop()

    def _queues(self) -> Iterator[Jobs[Any, Any, Any]]:
        analyses = self.analysis.jobs if self.analysis is not None else None
        for jobs in (analyses, self.engine, self.reviews, self.chess_reviews, self.attempts):
            if jobs is not None:
                yield jobs
