"""The composition root of the bot: opens everything that the bot needs, in order, and closes it again."""

from __future__ import annotations

import asyncio
import logging
import signal
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Final

from bot import __version__
from bot.app.queues import AvailableJobKinds, find_job_kinds, open_queues, warming_up
from bot.chat.client import KibitzBot
from bot.chat.connection import find_gateway_problem, stay_connected
from bot.chat.control import Services
from bot.chat.interrupted import reporting_interruptions
from bot.chat.items import dynamic_item_class
from bot.chat.limits import job_budget, work_budget
from bot.config import ConfigError, Links, Settings
from bot.features.analysis.commands import FEATURE as ANALYSIS
from bot.features.live.commands import FEATURE as LIVE
from bot.features.polls.commands import FEATURE as POLLS
from bot.features.puzzles.commands import FEATURE as PUZZLES
from bot.features.review.commands import FEATURE as REVIEW
from bot.features.settings.commands import FEATURE as SETTINGS
from bot.features.showing.commands import FEATURE as SHOWING
from bot.features.showing.document_service import DocumentService
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.reader import PRELOADED_MODULES
from bot.jobs.fair import FairExecutor
from bot.jobs.processes import Processes, ProcessLimits
from bot.jobs.queue import Running, Waiting
from bot.links.fetcher import Fetcher
from bot.observe.health import Check, PrometheusMetrics, health_application, record_errors_and_delays, serve
from bot.observe.logs import log_loop_error
from bot.observe.metrics import Metrics
from bot.observe.process import report_ready, start_exit_timer, watch_loop
from bot.observe.telemetry import telemetry
from bot.storage.address import PostgresServer, ephemeral_provider, read_address
from bot.storage.database import utc_now
from bot.storage.errors import StoreError
from bot.storage.store import Store

log = logging.getLogger(__name__)

FEATURES: Final = (SHOWING, ANALYSIS, POLLS, REVIEW, PUZZLES, LIVE, SETTINGS)
"""All features, each after the features that it uses. The buttons under a board follow this order."""


@asynccontextmanager
async def open_bot(
    settings: Settings,
    metrics: Metrics | None = None,
    *,
    clock: Callable[[], datetime] = utc_now,
    features: Sequence[Feature] = FEATURES,
    kinds: AvailableJobKinds | None = None,
) -> AsyncIterator[KibitzBot]:
    """Open a bot without logging it in.

    Raises:
        ConfigError: the database cannot be opened, an address is invalid, or workers cannot share the database.

    """
    async with AsyncExitStack() as stack:
        metrics = metrics or Metrics()
        limits = settings.limits
        budget = work_budget(limits)
        # Leave a thread for other users, unless there is only one thread.
        max_per_user = max(1, limits.workers - 1)
        executor = stack.enter_context(FairExecutor(limits.workers, max_per_user=max_per_user, budget=budget))
        process_limits = ProcessLimits(limits.process_seconds, memory_bytes=limits.process_bytes)
        processes = Processes(limits.processes, PRELOADED_MODULES, process_limits, budget=budget)
        stack.callback(processes.close)
        try:
            shared_server = _find_shared_server(settings)
            store = await stack.enter_async_context(Store.open(settings.database_url.value, clock=clock))
        except StoreError as error:
            raise ConfigError(str(error)) from None
        documents = DocumentService(
            executor,
            store,
            processes=processes,
            budget=budget,
            clock=clock,
            cache_bytes=limits.cache_bytes,
            metrics=metrics,
            lexica_folder=settings.analysis.lexica,
        )
        fetcher = _create_fetcher(settings.links)
        if fetcher is not None:
            stack.push_async_callback(fetcher.close)
        kinds = kinds or find_job_kinds(settings)
        queues = await stack.enter_async_context(open_queues(settings, kinds, job_budget(limits), metrics))
        services = Services(metrics, queues.values(), documents.stop_reading)
        context = FeatureContext(settings, documents, store, services, clock, fetcher, queues, kinds.lexica)
        for feature in features:
            feature.create_services(context)
        cogs = tuple(cog for feature in features for cog in feature.cogs)
        bot = KibitzBot(settings, services, store, cogs, budget, shared_server=shared_server)
        bot.add_dynamic_items(dynamic_item_class())
        _register_gauges(bot, metrics)
        metrics.register_gauges(
            {"waiting_for_worker": lambda: executor.waiting_count + processes.waiting_count}
        )
        await stack.enter_async_context(reporting_interruptions(bot))
        stack.push_async_callback(bot.close)
        yield bot


def _create_fetcher(links: Links) -> Fetcher | None:
    if not links.enabled:
        return None
    return Fetcher(
        f"Kibitz/{__version__} (+{links.contact})",
        base_urls=links.bases,
        ssl_context=ssl.create_default_context(cafile=links.authority),
    )


def _find_shared_server(settings: Settings) -> PostgresServer | None:
    """Return the server on which processes lock their shards, at its direct address, or None if shards are not locked."""
    if not settings.sharding.may_have_other_processes:
        return None
    address = read_address(settings.direct_database_url.value)
    if isinstance(address, PostgresServer):
        return address
    if settings.sharding.divided:
        log.info("with an SQLite database, this process runs all shards alone")
    return None


async def run(settings: Settings) -> None:
    """Run the bot until SIGTERM or SIGINT.

    Raises:
        ConfigError: the configuration is invalid.

    """
    if settings.discord_token is None:
        raise ConfigError("no token: set DISCORD_TOKEN to the bot's token from the Discord developer portal")
    token = settings.discord_token.value.strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError("DISCORD_TOKEN contains characters that aren't allowed in a token")
    stop = stop_on_signals()
    if provider := ephemeral_provider(settings.database_url.value):
        log.warning(
            "THE DATABASE WILL BE LOST: %s discards this disk on every deploy and restart, with all settings and games."
            " Set DATABASE_URL to a PostgreSQL database, or to a file on a volume",
            provider,
        )
    metrics = PrometheusMetrics() if settings.web_address else None
    kinds = find_job_kinds(settings)
    async with watch_loop(settings.process.stall_seconds), AsyncExitStack() as stack:
        stack.enter_context(telemetry(*settings.telemetry_addresses))
        bot = await stack.enter_async_context(open_bot(settings, metrics, kinds=kinds))
        await stack.enter_async_context(warming_up(kinds))
        if settings.web_address and metrics is not None:
            checks = {
                "gateway": partial(find_gateway_problem, bot),
                "store": partial(find_store_problem, bot.store.check),
            }
            await stack.enter_async_context(health_server(checks, metrics, *settings.web_address))
        report_ready()
        await stay_connected(stop, bot, token)


def stop_on_signals() -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set. After a signal, the process ends soon, even if the event loop is blocked.

    Also log the event loop's uncaught errors.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_loop_error)

    def stop_on_signal(_number: int, _frame: object) -> None:
        # loop.add_signal_handler is not used, because its handlers do not run while the loop is blocked.
        start_exit_timer()
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(stop.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop_on_signal)
    return stop


async def find_store_problem(query: Callable[[], Awaitable[object]]) -> str | None:
    """Query the database. Return a short reason if it cannot be used, otherwise None."""
    try:
        await query()
    except StoreError as error:
        log.warning("not ready: %s", error)
        return "can't be used"
    return None


@asynccontextmanager
async def health_server(
    checks: Mapping[str, Check], metrics: PrometheusMetrics, host: str | None, port: int
) -> AsyncIterator[None]:
    """Serve the checks and the metrics while the ``with`` block runs.

    Raises:
        ConfigError: the address cannot be used.

    """
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(record_errors_and_delays(metrics))
        try:
            await stack.enter_async_context(serve(health_application(checks, metrics.registry), host, port))
        except OSError:
            address = f"port {port}" if host is None else f"port {port} of {host}"
            raise ConfigError(f"{address} can't be used: see PORT and [web]") from None
        yield


def _register_gauges(bot: KibitzBot, metrics: Metrics) -> None:
    queues = bot.services.job_queues
    metrics.register_gauges(
        {
            "guilds": lambda: len(bot.guilds),
            "jobs_waiting": lambda: sum(queue.count(Waiting) for queue in queues),
            "jobs_oldest": lambda: max((queue.longest_wait for queue in queues), default=0.0),
            "shards_held": lambda: len(bot.shards),
            "shards_connected": lambda: sum(not shard.is_closed() for shard in bot.shards.values()),
            "starts_left": lambda: bot.identify_limiter.remaining_starts,
            "requests_per_second": lambda: bot.request_pacer.max_per_second,
            "connections_used": lambda: bot.store.connection_counts[0],
            "connections_max": lambda: bot.store.connection_counts[1],
            "waiting_for_turn": lambda: bot.message_queue.waiting_count,
        }
    )
    if bot.settings.analysis.jobs:  # otherwise, the workers count the running jobs
        metrics.register_gauges({"jobs_running": lambda: sum(queue.count(Running) for queue in queues)})
