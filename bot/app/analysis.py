"""Setting up the analysis: lexica, jobs, and code that is compiled before anybody waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from bot.jobs.analysis import AnalysisRequest, AnalysisResult, Progress, is_installed, perform
from bot.jobs.attempt import AttemptRequest, compare
from bot.jobs.local import JobLimits, LocalJobs
from bot.jobs.review import ReviewRequest, ReviewResult, review, usual_seconds
from bot.review.crossword.values import TurnReview
from bot.service import Service
from bot.service.offers import AnalysisMeans

if TYPE_CHECKING:
    from bot.config import Analysis
    from bot.engine.lexicon.lexica import Lexica
    from bot.jobs.account import Budget
    from bot.jobs.queue import Control

log = logging.getLogger(__name__)

_NICE = 10


@asynccontextmanager
async def analysis_means(settings: Analysis, budget: Budget) -> AsyncIterator[AnalysisMeans | None]:
    """Give what positions are analyzed with while the context is open; None where it is not wanted, or cannot be.

    What it takes is charged to ``budget``.
    """
    if not settings.enabled or not is_installed():
        yield None
        return
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the packages

    lexica = Lexica(settings.lexica, max_loaded=settings.lexica_loaded, aliases=settings.aliases)
    jobs: LocalJobs[AnalysisRequest, Progress, AnalysisResult] = LocalJobs(
        partial(_perform, lexica),
        JobLimits(settings.jobs, settings.jobs_a_server, settings.jobs_waiting),
        budget=budget,
        seconds_of=lambda request: request.options.seconds,
    )
    try:
        yield AnalysisMeans(jobs, lexica, settings.lexicon)
    finally:
        await jobs.close()


@asynccontextmanager
async def review_jobs(
    means: AnalysisMeans | None, settings: Analysis, budget: Budget
) -> AsyncIterator[LocalJobs[ReviewRequest, ReviewResult, ReviewResult] | None]:
    """Give where games are reviewed, one at a time, while the context is open; None where nothing is analyzed."""
    if means is None:
        yield None
        return
    lexica = means.lexica
    jobs: LocalJobs[ReviewRequest, ReviewResult, ReviewResult] = LocalJobs(
        lambda request, control: review(request, lexica, control),
        JobLimits(1, 1, settings.jobs_waiting),
        budget=budget,
        seconds_of=usual_seconds,
    )
    try:
        yield jobs
    finally:
        await jobs.close()


@asynccontextmanager
async def attempt_jobs(
    means: AnalysisMeans | None, settings: Analysis, budget: Budget
) -> AsyncIterator[LocalJobs[AttemptRequest, float, TurnReview] | None]:
    """Give where answers of people who learn are judged while the context is open; None where nothing is analyzed."""
    if means is None:
        yield None
        return
    lexica = means.lexica
    jobs: LocalJobs[AttemptRequest, float, TurnReview] = LocalJobs(
        lambda request, control: compare(request, lexica, control),
        JobLimits(1, 1, settings.jobs_waiting),
        budget=budget,
        seconds_of=lambda request: request.seconds,
    )
    try:
        yield jobs
    finally:
        await jobs.close()


def _perform(lexica: Lexica, request: AnalysisRequest, control: Control[Progress]) -> AnalysisResult:
    return perform(request, lexica, control)


@asynccontextmanager
async def warming_up(service: Service) -> AsyncIterator[None]:
    """Compile what the analysis needs while the context is open, beside everything else.

    The compiler would hold up this process for half a minute, a little at a time; so another one compiles, at a low
    priority, and keeps the code on disk, where this one finds it.
    """
    if service.analyses is None:
        yield
        return
    compiling = asyncio.create_task(_compile())
    try:
        yield
    finally:
        compiling.cancel()
        with suppress(asyncio.CancelledError):
            await compiling


async def _compile() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "warm-up",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    with suppress(AttributeError, OSError):  # not on Windows; gone already
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if process.returncode:
        log.warning("compiling ahead failed; the first analysis will take longer: %d", process.returncode)
        log.debug("the compiler said %r", said[-500:])
        return
    await asyncio.to_thread(_load)
    log.info("the analysis is compiled")


def _load() -> None:
    """Load the compiled code, which takes a second."""
    from bot.engine.warm_up import warm_up  # noqa: PLC0415 - needs the packages

    warm_up()
