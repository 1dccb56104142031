"""Web endpoints for monitoring: liveness, readiness, and metrics for Prometheus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Final

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.aiohttp import make_aiohttp_handler

from bot import __version__
from bot.observe.logs import error_of, forward_errors
from bot.observe.metrics import CounterName, GaugeName, Metrics, Stage

log = logging.getLogger(__name__)


Check = Callable[[], Awaitable[str | None]]
"""Checks a part of the bot. Returns None if the part can be used, otherwise a short explanation that may be shown publicly."""

MAX_CHECK_SECONDS: Final = 3.0
"""If a check takes longer, the part is considered unusable."""


def health_application(checks: Mapping[str, Check], registry: CollectorRegistry) -> web.Application:
    """Return an application with three endpoints.

    ``/healthz`` answers 200 while the process runs. ``/readyz`` lists the parts, and answers 503 unless all can be used.
    ``/metrics`` shows the metrics of ``registry``.
    """

    async def healthz(_request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def readyz(_request: web.Request) -> web.Response:
        problems = await asyncio.gather(*(_run_check(check) for check in checks.values()))
        lines = [f"{name}: {problem or 'ok'}\n" for name, problem in zip(checks, problems, strict=True)]
        return web.Response(text="".join(lines), status=503 if any(problems) else 200)

    application = web.Application()
    application.add_routes(
        [
            web.get("/healthz", healthz),
            web.get("/readyz", readyz),
            web.get("/metrics", make_aiohttp_handler(registry)),
        ]
    )
    return application


async def _run_check(check: Check) -> str | None:
    try:
        async with asyncio.timeout(MAX_CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return "no answer in time"


@asynccontextmanager
async def serve(application: web.Application, host: str | None, port: int) -> AsyncIterator[int]:
    """Serve an application while the ``with`` block runs, and yield the port.

    If ``host`` is None, listen on all addresses. If ``port`` is 0, use any free port.

    Raises:
        OSError: the port is in use, or the address does not belong to this machine.

    """
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        # For port 0, IPv4 and IPv6 get different ports. This is the port for IPv4, whose address tuple is shorter.
        actual_port = int(min(runner.addresses, key=len)[1])
        log.info("serving health endpoints on %s, port %d", host or "every address", actual_port)
        yield actual_port
    finally:
        await runner.cleanup()


_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Bucket boundaries for stages and for delays of the event loop, in seconds."""
_JOB_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120, 300)
_LOOP_CHECK_INTERVAL: Final = 0.1
"""Seconds between measurements of the event loop's delay."""


_COUNTERS: Final[dict[CounterName, tuple[str, ...]]] = {
    "messages_seen": ("Messages received",),
    "detections": ("Documents found", "format", "readable"),
    "replies": ("Replies sent", "kind"),
    "pictures": ("Pictures requested", "result"),
    "errors": ("Errors, by class", "kind"),
    "jobs_refused": ("Refused jobs", "reason"),
    "discord_requests": ("Requests to Discord", "result"),
    "discord_request_wait_seconds": ("Time that requests waited for their turn",),
}
"""For each counter: the help text, and then the names of the labels."""
_GAUGES: Final = {
    "kibitz_guilds": ("Servers that the bot is in",),
    "kibitz_jobs_running": ("Jobs running in this process",),
    "kibitz_jobs_waiting": ("Waiting jobs",),
    "kibitz_jobs_oldest_seconds": ("Seconds that the oldest waiting job has waited",),
    "kibitz_shards": ("Shards of this process", "state"),
    "kibitz_session_starts_left": ("Shard starts that Discord still allows today",),
    "kibitz_discord_requests_allowed": ("Requests per second that this process may make",),
    "kibitz_database_connections": ("Connections to the database", "state"),
    "kibitz_waiting": ("Waiting requests", "for"),
}
"""For each Prometheus gauge: the help text, and then the names of the labels."""
_GAUGE_SAMPLES: Final[dict[GaugeName, tuple[str, ...]]] = {
    "guilds": ("kibitz_guilds",),
    "waiting_for_turn": ("kibitz_waiting", "turn"),
    "waiting_for_worker": ("kibitz_waiting", "worker"),
    "jobs_running": ("kibitz_jobs_running",),
    "jobs_waiting": ("kibitz_jobs_waiting",),
    "jobs_oldest": ("kibitz_jobs_oldest_seconds",),
    "shards_held": ("kibitz_shards", "held"),
    "shards_connected": ("kibitz_shards", "connected"),
    "starts_left": ("kibitz_session_starts_left",),
    "requests_per_second": ("kibitz_discord_requests_allowed",),
    "connections_used": ("kibitz_database_connections", "used"),
    "connections_max": ("kibitz_database_connections", "most"),
}
"""For each :data:`GaugeName`: the Prometheus gauge, and then a value for each label."""


class PrometheusMetrics(Metrics):
    """Metrics in their own Prometheus registry."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        histogram = partial(Histogram, registry=registry)
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        Info("kibitz", "The running program", registry=registry).info({"version": __version__})
        self._counters = {
            name: Counter(f"kibitz_{name}", text, labels, registry=registry)
            for name, (text, *labels) in _COUNTERS.items()
        }
        self._gauges = {
            name: Gauge(name, text, labels, registry=registry) for name, (text, *labels) in _GAUGES.items()
        }
        self._stages = histogram(
            "kibitz_stage_seconds",
            "Time of each stage between a message and its reply",
            ("stage",),
            buckets=_BUCKETS,
        )
        self._job_seconds = histogram(
            "kibitz_job_seconds", "Time of jobs run by this process", ("kind",), buckets=_JOB_BUCKETS
        )
        self.loop_delay = histogram(
            "kibitz_event_loop_delay_seconds", "How late the event loop is", buckets=_BUCKETS
        )

    def count(self, counter_name: CounterName, *labels: str, by: float = 1) -> None:
        counter = self._counters[counter_name]
        (counter.labels(*labels) if labels else counter).inc(by)

    @contextmanager
    def measure_job(self, kind: str) -> Iterator[None]:
        with super().measure_job(kind), self._job_seconds.labels(kind).time():
            yield

    @contextmanager
    def measure_stage(self, stage: Stage) -> Iterator[None]:
        with super().measure_stage(stage), self._stages.labels(stage).time():
            yield

    def register_gauges(self, readers: Mapping[GaugeName, Callable[[], float]]) -> None:
        """Call each reader at every scrape to get the value of its gauge."""
        for gauge_name, read in readers.items():
            name, *labels = _GAUGE_SAMPLES[gauge_name]
            gauge = self._gauges[name]
            (gauge.labels(*labels) if labels else gauge).set_function(read)


@asynccontextmanager
async def record_errors_and_delays(metrics: PrometheusMetrics) -> AsyncIterator[None]:
    """Count logged errors (including those from libraries) by exception class, and measure how late the event loop is."""
    loop = asyncio.get_running_loop()

    async def measure_delays() -> None:
        while True:
            due_time = loop.time() + _LOOP_CHECK_INTERVAL
            await asyncio.sleep(_LOOP_CHECK_INTERVAL)
            metrics.loop_delay.observe(max(0.0, loop.time() - due_time))

    def count_error(record: logging.LogRecord) -> None:
        error = error_of(record)
        metrics.count("errors", "none" if error is None else type(error).__name__)

    with forward_errors(count_error):
        task = asyncio.create_task(measure_delays())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
