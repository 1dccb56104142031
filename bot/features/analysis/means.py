"""What crossword positions are analyzed with: it depends on what is installed where the bot runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult, Progress
from bot.jobs.queue import Jobs

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


@dataclass(frozen=True, slots=True)
class AnalysisMeans:
    """What crossword positions are analyzed with; in ``jobs`` where it takes long."""

    jobs: Jobs[AnalysisRequest, Progress, AnalysisResult]
    lexica: Lexica
    default_lexicon: str
    """The host's."""
