"""The long work of a process: what it can do by what is installed, in which queues, compiled before anybody waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot import __version__
from bot.app.queues import Queues
from bot.config import Settings
from bot.engine.installed import is_installed
from bot.engine.uci import AUTO, ChessAnalysis, find_engine
from bot.features.analysis import chess
from bot.features.analysis.chess import CHESS, ChessRequest
from bot.features.analysis.crossword.perform import perform
from bot.features.analysis.crossword.request import ANALYSIS, AnalysisRequest, AnalysisResult, Progress
from bot.features.review.chess import review as chess_review
from bot.features.review.chess.review import ChessReviewRequest
from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.service import compare, review
from bot.features.review.crossword.values import (
    AttemptRequest,
    Review,
    ReviewRequest,
    TurnReview,
    usual_seconds,
)
from bot.features.review.jobs import ATTEMPT, CHESS_REVIEW, REVIEW
from bot.jobs.kinds import Work
from bot.jobs.local import JobLimits
from bot.jobs.queue import Jobs

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica

log = logging.getLogger(__name__)

MAX_WAITING = 20
"""Chess jobs in the queue: the last one of it must not have to wait longer than an interaction can be answered."""

_NICE = 10
_START = 2.0
"""Seconds in which a starting bot has the processors to itself."""


@dataclass(frozen=True, slots=True)
class Works:
    """The long work that can be done; None where its packages or its engine are not installed, or it is not wanted."""

    lexica: Lexica | None
    analysis: Work[AnalysisRequest, Progress, AnalysisResult] | None
    review: Work[ReviewRequest, Review, Review] | None
    attempt: Work[AttemptRequest, float, TurnReview] | None
    chess: Work[ChessRequest, None, ChessAnalysis] | None
    chess_review: Work[ChessReviewRequest, ChessReview, ChessReview]
    """Without an engine, games with evaluations of their own can be reviewed."""

    @property
    def by_name(self) -> dict[str, Work[Any, Any, Any]]:
        """What can be done, by the names of the kinds."""
        works = (self.analysis, self.review, self.attempt, self.chess, self.chess_review)
        return {work.kind.name: work for work in works if work is not None}


def installed_works(settings: Settings) -> Works:
    """Return what this host can do."""
    command = settings.chess.engine.strip()
    engine = find_engine(command) if command else None
    if engine is None and command not in {"", AUTO}:
        log.warning(
            "the chess engine is not installed, so chess is not analyzed: see the setting chess.engine"
        )

    def engine_identity() -> str:
        return "\n".join([__version__, *(engine or ())])

    on_chess = engine and Work(
        CHESS,
        lambda request, control: chess.perform(engine, request, control),
        lambda request: request.seconds,
        engine_identity,
    )
    on_chess_games = Work(
        CHESS_REVIEW,
        lambda request, control: chess_review.perform(engine, request, control),
        lambda request: request.seconds,
        engine_identity,
    )
    analysis = settings.analysis
    if not analysis.enabled or not is_installed():
        return Works(None, None, None, None, on_chess or None, on_chess_games)
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the packages
    from bot.engine.ucgi import find_command  # noqa: PLC0415

    other = find_command(analysis.engine)
    if analysis.engine.strip() and not other:
        log.warning("the program of analysis.engine is not installed; positions are analyzed without it")
    lexica = Lexica(analysis.lexica, max_loaded=analysis.lexica_loaded, aliases=analysis.aliases)

    def identity() -> str:
        return "\n".join([__version__, *sorted(f"{one.name} {one.digest}" for one in lexica.installed())])

    return Works(
        lexica,
        Work(
            ANALYSIS,
            lambda request, control: perform(request, lexica, control, other),
            lambda request: request.options.seconds,
            lambda: "\n".join((identity(), *other)),
        ),
        Work(REVIEW, lambda request, control: review(request, lexica, control), usual_seconds, identity),
        Work(
            ATTEMPT,
            lambda request, control: compare(request, lexica, control),
            lambda request: request.seconds,
            identity,
        ),
        on_chess or None,
        on_chess_games,
    )


@asynccontextmanager
async def working(
    settings: Settings, works: Works, queues: Queues
) -> AsyncIterator[dict[str, Jobs[Any, Any, Any]]]:
    """Give the queues of all kinds of work by their names while the context is open."""
    analysis = settings.analysis
    one, chess_jobs = JobLimits(1, 1, analysis.jobs_waiting), JobLimits(waiting=MAX_WAITING)
    limits = {
        "analysis": JobLimits(analysis.jobs, analysis.jobs_a_server, analysis.jobs_waiting),
        "chess": chess_jobs,
        "review": one,
        "attempt": one,
        "chess_review": JobLimits(1, 1, MAX_WAITING),
    }
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(queues.queue(work, limits[name]))
            for name, work in works.by_name.items()
        }


@asynccontextmanager
async def warming_up(works: Works) -> AsyncIterator[None]:
    """Compile what the analysis needs while the context is open, beside everything else.

    The compiler would hold up this process for half a minute, a little at a time; so another one compiles, at a low
    priority, and keeps the code on disk, where this one finds it.
    """
    if works.analysis is None:
        yield
        return

    async def after_the_start() -> None:
        await asyncio.sleep(_START)
        await compile_ahead()

    compiling = asyncio.create_task(after_the_start())
    try:
        yield
    finally:
        compiling.cancel()
        with suppress(asyncio.CancelledError):
            await compiling


async def compile_ahead(nice: int = _NICE) -> None:
    """Compile in a process, by default at a low priority, what is not compiled yet, and load it."""
    if not await asyncio.to_thread(_is_compiled) and not await _compile(nice):
        return
    await asyncio.to_thread(_load)
    log.info("the analysis is compiled")


def _is_compiled() -> bool:
    from bot.engine.warm_up import is_compiled  # noqa: PLC0415 - needs the packages, and a third of a second

    return is_compiled()


async def _compile(nice: int) -> bool:
    """Compile in a process; False when it failed."""
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
        return False
    return True


def _load() -> None:
    """Load the compiled code, which takes a second."""
    from bot.engine.warm_up import warm_up  # noqa: PLC0415 - needs the packages

    warm_up()
