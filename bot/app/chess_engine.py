"""Setting up the analysis of chess: the engine that the host has installed, and the jobs it works in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from bot.engine.uci import AUTO, ChessAnalysis, find_engine
from bot.jobs import chess_review
from bot.jobs.account import Budget
from bot.jobs.chess import ChessRequest, perform
from bot.jobs.chess_review import ChessReviewRequest
from bot.jobs.local import JobLimits, LocalJobs
from bot.jobs.queue import Jobs
from bot.review.chess.values import ChessReview

log = logging.getLogger(__name__)

MAX_WAITING = 20
"""Analyses in the queue: the last one of it must not have to wait longer than an interaction can be answered."""


@asynccontextmanager
async def engine_jobs(
    command: str, budget: Budget
) -> AsyncIterator[Jobs[ChessRequest, None, ChessAnalysis] | None]:
    """Give where an engine is asked while the context is open; None unless ``command`` names one that is there.

    What it takes is charged to ``budget``.
    """
    engine = find_engine(command) if command.strip() else None
    if engine is None:
        if command.strip() not in {"", AUTO}:
            log.warning(
                "the chess engine is not installed, so chess is not analyzed: see the setting chess.engine"
            )
        yield None
        return
    limits = JobLimits(waiting=MAX_WAITING)
    jobs: LocalJobs[ChessRequest, None, ChessAnalysis] = LocalJobs(
        partial(perform, engine), limits, budget=budget, seconds_of=lambda request: request.seconds
    )
    try:
        yield jobs
    finally:
        await jobs.close()


@asynccontextmanager
async def chess_review_jobs(
    command: str, budget: Budget
) -> AsyncIterator[Jobs[ChessReviewRequest, ChessReview, ChessReview]]:
    """Give where chess games are reviewed, one at a time, while the context is open.

    Where ``command`` names no engine that is there, only games with evaluations of their own are.
    """
    engine = find_engine(command) if command.strip() else None
    jobs: LocalJobs[ChessReviewRequest, ChessReview, ChessReview] = LocalJobs(
        partial(chess_review.perform, engine),
        JobLimits(1, 1, MAX_WAITING),
        budget=budget,
        seconds_of=lambda request: request.seconds,
    )
    try:
        yield jobs
    finally:
        await jobs.close()
