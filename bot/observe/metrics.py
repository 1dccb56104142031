"""Counters, timings and traces. By default, nothing is recorded.

A span contains only Discord ids and names from the code. It never contains users' text or the text of an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_tracers: list[Tracer] = []


@contextmanager
def tracing(tracer: Tracer) -> Iterator[None]:
    """Record spans with a tracer while the ``with`` block runs."""
    _tracers.append(tracer)
    try:
        yield
    finally:
        _tracers.remove(tracer)


def span(name: str, **ids: int) -> AbstractContextManager[object]:
    """Trace the work inside the ``with`` block. Without a tracer, do nothing."""
    if not _tracers:
        return nullcontext()
    return _tracers[-1].start_as_current_span(
        name, attributes=ids, record_exception=False, set_status_on_exception=False
    )


Stage = Literal["read", "compose", "draw", "keep", "send"]
"""A stage between a message and the reply: parsing, composing the reply, drawing, storing documents, or sending the reply."""

ReplyKind = Literal["message", "edit", "command", "control"]
"""The kind of event that Kibitz replies to."""

PictureSource = Literal["hit", "shared", "miss"]
"""The source of a picture: the cache, another request's drawing in progress, or a new drawing."""

RequestResult = Literal["ok", "refused", "limited", "failed"]
"""The outcome of a request to Discord: accepted, refused, rate limited, or failed on Discord's side."""

Refusal = Literal["user", "full", "spent"]
"""The reason for refusing a job: the user already has a job, too many jobs are waiting, or the allowance is used up."""

GaugeName = Literal[
    "guilds",
    "waiting_for_turn",
    "waiting_for_worker",
    "jobs_running",
    "jobs_waiting",
    "jobs_oldest",
    "shards_held",
    "shards_connected",
    "starts_left",
    "requests_per_second",
    "connections_used",
    "connections_max",
]
"""Values that can be read at any time. :mod:`bot.observe.health` describes them."""


CounterName = Literal[
    "messages_seen",
    "detections",
    "replies",
    "pictures",
    "errors",
    "jobs_refused",
    "discord_requests",
    "discord_request_wait_seconds",
]
"""Counters. Their labels are, in this order:

- ``detections``: the notation, and whether it was readable (``true`` or ``false``);
- ``replies``: :data:`ReplyKind`;
- ``pictures``: :data:`PictureSource`;
- ``errors``: the class of the exception;
- ``jobs_refused``: :data:`Refusal`;
- ``discord_requests``: :data:`RequestResult`.
"""


class Metrics:
    """Records jobs and stages as spans, and ignores counts and gauges. :class:`bot.observe.health.PrometheusMetrics` exports all four."""

    def count(self, counter_name: CounterName, *labels: str, by: float = 1) -> None:
        """Increase a counter. A label is one of a few fixed values, never an id or text from users."""

    def measure_job(self, kind: str) -> AbstractContextManager[object]:
        """Measure the job inside the ``with`` block. Any thread may call this method."""
        return span(f"job {kind}")

    def measure_stage(self, stage: Stage) -> AbstractContextManager[object]:
        return span(stage)

    def register_gauges(self, readers: Mapping[GaugeName, Callable[[], float]]) -> None:
        """Register functions that read the values of gauges."""
