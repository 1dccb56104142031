"""Setting up the analysis: lexica, jobs, and code that is compiled before anybody waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from bot import __version__
from bot.app.queues import Queues
from bot.features.analysis.offers import AnalysisMeans
from bot.features.review.crossword.values import TurnReview
from bot.features.service import Service
from bot.jobs.analysis import AnalysisRequest, AnalysisResult, Progress, is_installed, perform
from bot.jobs.attempt import AttemptRequest, compare
from bot.jobs.local import JobLimits
from bot.jobs.queue import Jobs
from bot.jobs.review import ReviewRequest, ReviewResult, review, usual_seconds

if TYPE_CHECKING:
    from bot.config import Analysis
    from bot.engine.lexicon.lexica import Lexica
    from bot.jobs.hosted.kinds import JobKind
    from bot.jobs.queue import Control

log = logging.getLogger(__name__)

_NICE = 10


@asynccontextmanager
async def analysis_means(settings: Analysis, queues: Queues) -> AsyncIterator[AnalysisMeans | None]:
    """Give what positions are analyzed with while the context is open; None where it is not wanted, or cannot be."""
    if not settings.enabled or not is_installed():
        yield None
        return
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the packages
    from bot.engine.ucgi import find_command  # noqa: PLC0415

    engine = find_command(settings.engine)
    if settings.engine.strip() and not engine:
        log.warning("the program of analysis.engine is not installed; positions are analyzed without it")
    lexica = Lexica(settings.lexica, max_loaded=settings.lexica_loaded, aliases=settings.aliases)
    async with queues.queue(
        "analysis",
        _analysis_kind,
        partial(perform_analysis, lexica, engine),
        JobLimits(settings.jobs, settings.jobs_a_server, settings.jobs_waiting),
        seconds_of=lambda request: request.options.seconds,
        identity=lambda: "\n".join((_identity(lexica), *engine)),
    ) as jobs:
        yield AnalysisMeans(jobs, lexica, settings.lexicon)


@asynccontextmanager
async def review_jobs(
    means: AnalysisMeans | None, settings: Analysis, queues: Queues
) -> AsyncIterator[Jobs[ReviewRequest, ReviewResult, ReviewResult] | None]:
    """Give where games are reviewed, one at a time, while the context is open; None where nothing is analyzed."""
    if means is None:
        yield None
        return
    async with queues.queue(
        "review",
        _review_kind,
        partial(perform_review, means.lexica),
        JobLimits(1, 1, settings.jobs_waiting),
        seconds_of=usual_seconds,
        identity=partial(_identity, means.lexica),
    ) as jobs:
        yield jobs


@asynccontextmanager
async def attempt_jobs(
    means: AnalysisMeans | None, settings: Analysis, queues: Queues
) -> AsyncIterator[Jobs[AttemptRequest, float, TurnReview] | None]:
    """Give where answers of people who learn are judged while the context is open; None where nothing is analyzed."""
    if means is None:
        yield None
        return
    async with queues.queue(
        "attempt",
        _attempt_kind,
        partial(perform_attempt, means.lexica),
        JobLimits(1, 1, settings.jobs_waiting),
        seconds_of=lambda request: request.seconds,
        identity=partial(_identity, means.lexica),
    ) as jobs:
        yield jobs


def _attempt_kind() -> JobKind[AttemptRequest, float, TurnReview]:
    from bot.jobs.hosted.kinds import ATTEMPT  # noqa: PLC0415 - only where workers are

    return ATTEMPT


def perform_attempt(lexica: Lexica, request: AttemptRequest, control: Control[float]) -> TurnReview:
    """Judge an answer, on a thread."""
    return compare(request, lexica, control)


def _analysis_kind() -> JobKind[AnalysisRequest, Progress, AnalysisResult]:
    from bot.jobs.hosted.kinds import analysis_kind  # noqa: PLC0415 - only where workers are

    return analysis_kind()


def _review_kind() -> JobKind[ReviewRequest, ReviewResult, ReviewResult]:
    from bot.jobs.hosted.kinds import REVIEW  # noqa: PLC0415 - only where workers are

    return REVIEW


def _identity(lexica: Lexica) -> str:
    """Return what a result depends on beside its request: the program, and the lexica that are installed."""
    return "\n".join([__version__, *sorted(f"{one.name} {one.digest}" for one in lexica.installed())])


def perform_review(lexica: Lexica, request: ReviewRequest, control: Control[ReviewResult]) -> ReviewResult:
    """Review a game, on a thread."""
    return review(request, lexica, control)


def perform_analysis(
    lexica: Lexica, engine: tuple[str, ...], request: AnalysisRequest, control: Control[Progress]
) -> AnalysisResult:
    """Analyze a position, on a thread; ``engine`` is the program of another engine, where there is one."""
    return perform(request, lexica, control, engine)


@asynccontextmanager
async def warming_up(service: Service) -> AsyncIterator[None]:
    """Compile what the analysis needs while the context is open, beside everything else.

    The compiler would hold up this process for half a minute, a little at a time; so another one compiles, at a low
    priority, and keeps the code on disk, where this one finds it.
    """
    if service.analyses is None:
        yield
        return
    compiling = asyncio.create_task(compile_ahead())
    try:
        yield
    finally:
        compiling.cancel()
        with suppress(asyncio.CancelledError):
            await compiling


async def compile_ahead(nice: int = _NICE) -> None:
    """Compile in a process, by default at a low priority, and load what it compiled."""
    from bot.engine.warm_up import MAX_COMPILING, compiler  # noqa: PLC0415 - needs the packages

    process = await asyncio.create_subprocess_exec(
        *compiler(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    with suppress(AttributeError, OSError):  # not on Windows; gone already
        os.setpriority(os.PRIO_PROCESS, process.pid, nice)
    said = b""
    try:
        with suppress(TimeoutError):
            _, said = await asyncio.wait_for(process.communicate(), MAX_COMPILING)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
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
