"""Finds the kinds of jobs that this machine can run, and opens their queues."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot import __version__
from bot.config import ConfigError, Settings
from bot.engine.installed import find_command, is_installed
from bot.engine.uci import AUTO, find_engine, kill_child
from bot.features.analysis import chess
from bot.features.analysis.chess import CHESS_ANALYSIS
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.request import ANALYSIS
from bot.features.review.chess import service as chess_review
from bot.features.review.chess.service import CHESS_REVIEW
from bot.features.review.crossword.service import compare_with_best_play, review
from bot.features.review.crossword.values import PLAY_COMPARISON, REVIEW, seconds_limit
from bot.jobs.account import Budget
from bot.jobs.kinds import Work
from bot.jobs.local import JobLimits, LocalJobQueue
from bot.jobs.queue import JobQueue
from bot.observe.metrics import Metrics
from bot.storage.address import PostgresServer, read_address
from bot.storage.errors import StoreError

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


log = logging.getLogger(__name__)

_MAX_WAITING_CHESS_JOBS = 20
"""Maximum number of waiting chess jobs of each kind. If more waited, interactions could expire before their jobs started."""

_COMPILER_NICE = 10
_COMPILE_DELAY = 2.0
"""Seconds between the start of the bot and the start of the compiler."""


@dataclass(frozen=True, slots=True)
class AvailableJobKinds:
    """The kinds of jobs that this machine can run."""

    lexica: Lexica | None
    """None if crossword positions are not analyzed."""
    work_by_kind: dict[str, Work[Any, Any, Any]]


def find_job_kinds(settings: Settings) -> AvailableJobKinds:
    command = settings.chess.engine.strip()
    engine = find_engine(command) if command else None
    if engine is None and command not in {"", AUTO}:
        log.warning(
            "the chess engine is not installed, so chess is not analyzed: see chess.engine in the settings"
        )

    def result_version() -> str:
        return "\n".join([__version__, *(engine or ())])

    # A chess review needs no engine if the game contains evaluations, so this kind is always available.
    available_work: list[Work[Any, Any, Any]] = [
        Work(
            CHESS_REVIEW,
            lambda request, control: chess_review.review_game(engine, request, control),
            lambda request: request.estimated_seconds,
            result_version,
        )
    ]
    if engine:
        available_work.append(
            Work(
                CHESS_ANALYSIS,
                lambda request, control: chess.analyze_position(engine, request, control),
                lambda request: request.seconds,
                result_version,
            )
        )
    analysis, lexica = settings.analysis, None
    if analysis.enabled and is_installed():
        from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs optional packages

        lexica = Lexica(analysis.lexica, max_loaded=analysis.lexica_loaded, aliases=analysis.aliases)
        available_work += _list_crossword_work(settings, lexica)
    return AvailableJobKinds(lexica, {work.kind.name: work for work in available_work})


def _list_crossword_work(settings: Settings, lexica: Lexica) -> tuple[Work[Any, Any, Any], ...]:
    command = settings.analysis.engine
    other_engine_command = find_command(command)
    if command.strip() and not other_engine_command:
        log.warning("the program set in analysis.engine is not installed; positions are analyzed without it")

    def result_version() -> str:
        return "\n".join(
            [__version__, *sorted(f"{lexicon.name} {lexicon.digest}" for lexicon in lexica.installed())]
        )

    return (
        Work(
            ANALYSIS,
            lambda request, control: analyze_position(request, lexica, control, other_engine_command),
            lambda request: request.options.seconds,
            lambda: "\n".join((result_version(), *other_engine_command)),
        ),
        Work(
            REVIEW, lambda request, control: review(request, lexica, control), seconds_limit, result_version
        ),
        Work(
            PLAY_COMPARISON,
            lambda request, control: compare_with_best_play(request, lexica, control),
            lambda request: request.seconds,
            result_version,
        ),
    )


@asynccontextmanager
async def open_queues(
    settings: Settings, kinds: AvailableJobKinds, budget: Budget, metrics: Metrics
) -> AsyncIterator[dict[str, JobQueue[Any, Any, Any]]]:
    """Open a queue for each kind of job, and yield the queues by kind name.

    If ``analysis.jobs`` is 0, all jobs run in workers. Otherwise, they run on threads of this process, and are charged to
    ``budget``.

    Raises:
        ConfigError: workers cannot share the database.

    """
    analysis = settings.analysis
    review_limits = JobLimits(max_running_per_server=1, max_waiting=analysis.jobs_waiting)
    limits = {
        "analysis": JobLimits(
            max_running=analysis.jobs,
            max_running_per_server=analysis.jobs_a_server,
            max_waiting=analysis.jobs_waiting,
        ),
        "chess": JobLimits(max_waiting=_MAX_WAITING_CHESS_JOBS),
        "review": review_limits,
        "attempt": review_limits,
        "chess_review": JobLimits(max_running_per_server=1, max_waiting=_MAX_WAITING_CHESS_JOBS),
    }
    async with AsyncExitStack() as stack:
        if analysis.jobs:
            queues: dict[str, JobQueue[Any, Any, Any]] = {
                name: LocalJobQueue(
                    work.perform,
                    limits[name],
                    name=name,
                    budget=budget,
                    estimate_seconds=work.estimate_seconds,
                    metrics=metrics,
                )
                for name, work in kinds.work_by_kind.items()
            }
        else:
            server, direct_server = await prepare_shared_database(settings)
            from bot.jobs.hosted.gateway import HostedJobQueue, JobFollower  # noqa: PLC0415 - needs optional packages

            try:
                follower = await stack.enter_async_context(JobFollower.open(server, direct_server))
            except StoreError as error:
                raise ConfigError(str(error)) from None
            allowances = (
                settings.limits.user_job_seconds_per_hour,
                settings.limits.channel_job_seconds_per_hour,
            )
            queues = {
                name: HostedJobQueue(follower, work, limits[name], allowances, metrics)
                for name, work in kinds.work_by_kind.items()
            }
        for queue in queues.values():
            stack.push_async_callback(queue.close)
        yield queues


@asynccontextmanager
async def warming_up(kinds: AvailableJobKinds) -> AsyncIterator[None]:
    """Compile the analysis code in the background while the ``with`` block runs."""
    if kinds.lexica is None:
        yield
        return

    compile_task = asyncio.create_task(compile_ahead(delay=_COMPILE_DELAY))
    try:
        yield
    finally:
        compile_task.cancel()
        with suppress(asyncio.CancelledError):
            await compile_task


async def compile_ahead(nice: int = _COMPILER_NICE, delay: float = 0.0) -> None:
    """Compile the analysis code if necessary, then load it.

    The compiler runs in another process, so that it does not slow down this process for several seconds.
    """
    await asyncio.sleep(delay)
    kernel_cache = await asyncio.to_thread(importlib.import_module, "bot.engine.kernel_cache")
    if not await asyncio.to_thread(kernel_cache.is_compiled) and not await _compile(
        kernel_cache.compiler_command(), nice, kernel_cache.MAX_COMPILE_SECONDS
    ):
        return
    # The import needs optional packages, and takes a third of a second.
    warm_up = await asyncio.to_thread(importlib.import_module, "bot.engine.warm_up")
    await asyncio.to_thread(warm_up.warm_up)
    log.info("the analysis code is compiled")


async def _compile(command: Sequence[str], nice: int, max_seconds: float) -> bool:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    with suppress(AttributeError, OSError):  # not available on Windows, or the process has ended
        os.setpriority(os.PRIO_PROCESS, process.pid, nice)
    errors = b""
    try:
        with suppress(TimeoutError):
            _, errors = await asyncio.wait_for(process.communicate(), max_seconds)
    finally:
        if process.returncode is None:
            kill_child(process.pid)
            await process.wait()
    if process.returncode:
        log.warning(
            "compiling in advance failed with code %d; the first analysis will take longer",
            process.returncode,
        )
        log.debug("compiler errors: %r", errors[-500:])
        return False
    return True


async def prepare_shared_database(settings: Settings) -> tuple[PostgresServer, PostgresServer]:
    """Migrate the job engine's tables. Return the database's address, and the direct address that bypasses any connection pooler.

    Raises:
        ConfigError: the database cannot be used, or packages are missing.

    """
    try:
        server = read_address(settings.database_url.value)
        direct_server = read_address(settings.direct_database_url.value)
        if not isinstance(server, PostgresServer) or not isinstance(direct_server, PostgresServer):
            raise ConfigError(
                "analysis.jobs = 0 leaves the work to workers, which need PostgreSQL: set DATABASE_URL"
            )
        from bot.storage.jobs.job_engine_schema import migrate_job_engine  # noqa: PLC0415 - needs optional packages

        await migrate_job_engine(direct_server)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    except ModuleNotFoundError:
        raise ConfigError("workers need more packages: pip install 'kibitz[hosting]'") from None
    return server, direct_server
