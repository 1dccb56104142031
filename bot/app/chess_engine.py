"""Setting up the analysis of chess: the engine that the host has installed, and the jobs it works in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from bot.engine.uci import ChessAnalysis, find_engine
from bot.jobs.chess import ChessRequest, perform
from bot.jobs.local import JobLimits, LocalJobs
from bot.service import Service

log = logging.getLogger(__name__)

MAX_WAITING = 20
"""Analyses in the queue: the last one of it must not have to wait longer than an interaction can be answered."""


@asynccontextmanager
async def engine_offered(service: Service, command: str) -> AsyncIterator[None]:
    """Let a service ask an engine about chess while the context is open, if ``command`` names one that is there."""
    engine = find_engine(command) if command.strip() else None
    if engine is None:
        if command.strip():
            log.warning(
                "the chess engine is not installed, so chess is not analyzed: see the setting chess.engine"
            )
        yield
        return
    limits = JobLimits(waiting=MAX_WAITING)
    jobs: LocalJobs[ChessRequest, None, ChessAnalysis] = LocalJobs(partial(perform, engine), limits)
    service.offer_engine(jobs)
    try:
        yield
    finally:
        await jobs.close()
