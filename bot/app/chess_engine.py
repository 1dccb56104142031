"""Setting up the analysis of chess: the engine that the host has installed, and the jobs it works in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from bot.engine.uci import AUTO, ChessAnalysis, find_engine
from bot.jobs.account import Budget
from bot.jobs.chess import ChessRequest, perform
from bot.jobs.local import JobLimits, LocalJobs
from bot.jobs.queue import Jobs

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
