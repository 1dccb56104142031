"""Setting up the analysis of chess: the engine that the host has installed, and the jobs it works in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot import __version__
from bot.app.queues import Queues
from bot.engine.uci import AUTO, ChessAnalysis, find_engine
from bot.features.review.chess.values import ChessReview
from bot.jobs import chess_review
from bot.jobs.chess import ChessRequest, perform
from bot.jobs.chess_review import ChessReviewRequest
from bot.jobs.local import JobLimits
from bot.jobs.queue import Jobs

if TYPE_CHECKING:
    from bot.jobs.hosted.kinds import JobKind

log = logging.getLogger(__name__)

MAX_WAITING = 20
"""Analyses in the queue: the last one of it must not have to wait longer than an interaction can be answered."""


@asynccontextmanager
async def engine_jobs(
    command: str, queues: Queues
) -> AsyncIterator[Jobs[ChessRequest, None, ChessAnalysis] | None]:
    """Give where an engine is asked while the context is open; None unless ``command`` names one that is there."""
    engine = find_engine(command) if command.strip() else None
    if engine is None:
        if command.strip() not in {"", AUTO}:
            log.warning(
                "the chess engine is not installed, so chess is not analyzed: see the setting chess.engine"
            )
        yield None
        return
    async with queues.queue(
        "chess",
        _chess_kind,
        partial(perform, engine),
        JobLimits(waiting=MAX_WAITING),
        seconds_of=lambda request: request.seconds,
        identity=partial(_identity, engine),
    ) as jobs:
        yield jobs


@asynccontextmanager
async def chess_review_jobs(
    command: str, queues: Queues
) -> AsyncIterator[Jobs[ChessReviewRequest, ChessReview, ChessReview]]:
    """Give where chess games are reviewed, one at a time, while the context is open.

    Where ``command`` names no engine that is there, only games with evaluations of their own are.
    """
    engine = find_engine(command) if command.strip() else None
    async with queues.queue(
        "chess_review",
        _chess_review_kind,
        partial(chess_review.perform, engine),
        JobLimits(1, 1, MAX_WAITING),
        seconds_of=lambda request: request.seconds,
        identity=partial(_identity, engine),
    ) as jobs:
        yield jobs


def _chess_kind() -> JobKind[ChessRequest, None, ChessAnalysis]:
    from bot.jobs.hosted.kinds import CHESS  # noqa: PLC0415 - only where workers are

    return CHESS


def _chess_review_kind() -> JobKind[ChessReviewRequest, ChessReview, ChessReview]:
    from bot.jobs.hosted.kinds import CHESS_REVIEW  # noqa: PLC0415 - only where workers are

    return CHESS_REVIEW


def _identity(engine: tuple[str, ...] | None) -> str:
    """Return what a result depends on beside its request: the program, and the engine's command."""
    return "\n".join([__version__, *(engine or ())])
