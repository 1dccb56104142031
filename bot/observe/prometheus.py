"""What the bot counts and times, as Prometheus reads it at ``/metrics``.

Labels take few values, all of them the program's own words: nothing that people write, and no ids.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Final

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

from bot import __version__
from bot.observe.metrics import Level, Lookup, Metrics, Refusal, ReplyKind, RequestResult, Stage

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_JOB_SECONDS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120, 300)
_PULSE: Final = 0.1
"""Seconds between two measurements of how late the event loop is."""


class PrometheusMetrics(Metrics):
    """Counts and times in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        counter = partial(Counter, registry=registry)
        gauge = partial(Gauge, registry=registry)
        histogram = partial(Histogram, registry=registry)
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        Info("kibitz", "The running program", registry=registry).info({"version": __version__})
        self._messages = counter("kibitz_messages_seen", "Messages that Discord told of")
        self._detections = counter("kibitz_detections", "Documents found", ("format", "readable"))
        self._replies = counter("kibitz_replies", "Answers sent", ("kind",))
        self._pictures = counter("kibitz_pictures", "Pictures asked for", ("result",))
        self._errors = counter("kibitz_errors", "Faults, by class", ("kind",))
        self._stages = histogram(
            "kibitz_stage_seconds",
            "Time of each part of the way from a message to its answer",
            ("stage",),
            buckets=_SECONDS,
        )
        self._delay = histogram(
            "kibitz_event_loop_delay_seconds", "How late the event loop is", buckets=_SECONDS
        )
        self._guilds = gauge("kibitz_guilds", "Servers that the bot is in")
        self._jobs = gauge("kibitz_jobs_running", "Jobs that this process does")
        self._jobs_waiting = gauge("kibitz_jobs_waiting", "Jobs that wait")
        self._jobs_oldest = gauge("kibitz_jobs_oldest_seconds", "How long the oldest of them has waited")
        self._job_seconds = histogram(
            "kibitz_job_seconds", "Time of jobs that this process did", ("kind",), buckets=_JOB_SECONDS
        )
        self._refused = counter("kibitz_jobs_refused", "Jobs that were refused", ("reason",))
        self._shards = gauge("kibitz_shards", "Shards of this process", ("state",))
        self._starts = gauge("kibitz_session_starts_left", "Starts of shards that Discord allows today")
        self._requests = counter("kibitz_discord_requests", "Requests to Discord", ("result",))
        self._request_wait = counter(
            "kibitz_discord_request_wait_seconds", "Time that requests waited for their turn"
        )
        self._request_rate = gauge(
            "kibitz_discord_requests_allowed", "Requests a second that this process may make"
        )
        self._connections = gauge("kibitz_database_connections", "Connections to the database", ("state",))
        self._waiting = gauge("kibitz_waiting", "Requests that wait", ("for",))

    def count_message(self) -> None:
        """Count a message."""
        self._messages.inc()

    def count_document(self, notation: str, *, readable: bool) -> None:
        """Count a document."""
        self._detections.labels(notation, str(readable).lower()).inc()

    def count_reply(self, kind: ReplyKind) -> None:
        """Count an answer."""
        self._replies.labels(kind).inc()

    def count_picture(self, result: Lookup) -> None:
        """Count a picture."""
        self._pictures.labels(result).inc()

    def count_fault(self, kind: str) -> None:
        """Count a fault."""
        self._errors.labels(kind).inc()

    def count_request(self, result: RequestResult) -> None:
        """Count a request."""
        self._requests.labels(result).inc()

    def count_request_wait(self, seconds: float) -> None:
        """Count seconds."""
        self._request_wait.inc(seconds)

    def count_refusal(self, reason: Refusal) -> None:
        """Count a refusal."""
        self._refused.labels(reason).inc()

    def job(self, kind: str) -> AbstractContextManager[object]:
        """Time a job."""
        return _both(super().job(kind), self._job_seconds.labels(kind).time())

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Time a stage."""
        return _both(super().stage(stage), self._stages.labels(stage).time())

    def watch(self, level: Level, read: Callable[[], float]) -> None:
        """Read a level at every scrape."""
        gauges: dict[Level, Gauge] = {
            "guilds": self._guilds,
            "waiting_for_turn": self._waiting.labels("turn"),
            "waiting_for_worker": self._waiting.labels("worker"),
            "jobs_running": self._jobs,
            "jobs_waiting": self._jobs_waiting,
            "jobs_oldest": self._jobs_oldest,
            "shards_held": self._shards.labels("held"),
            "shards_connected": self._shards.labels("connected"),
            "starts_left": self._starts,
            "requests_a_second": self._request_rate,
            "connections_used": self._connections.labels("used"),
            "connections_most": self._connections.labels("most"),
        }
        gauges[level].set_function(read)

    @asynccontextmanager
    async def watching_loop(self) -> AsyncIterator[None]:
        """Measure how late the event loop is while inside."""
        task = asyncio.create_task(self._watch_loop())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch_loop(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + _PULSE
            await asyncio.sleep(_PULSE)
            self._delay.observe(max(0.0, loop.time() - due))


@contextmanager
def _both(first: AbstractContextManager[object], second: AbstractContextManager[object]) -> Iterator[None]:
    with first, second:
        yield


class FaultCounter(logging.Handler):
    """Counts faults in the log by the class of the exception, also those that libraries log."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(logging.ERROR)
        self._metrics = metrics

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        error = record.exc_info[1] if record.exc_info else None
        self._metrics.count_fault(type(error).__name__ if error is not None else "none")


@asynccontextmanager
async def counting(metrics: PrometheusMetrics) -> AsyncIterator[None]:
    """Count faults and measure the event loop while inside."""
    counter = FaultCounter(metrics)
    root = logging.getLogger()
    root.addHandler(counter)
    try:
        async with metrics.watching_loop():
            yield
    finally:
        root.removeHandler(counter)
