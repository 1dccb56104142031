"""Counts, times and traces of the bot; by default nothing is recorded.

A span has names from the code and Discord's ids, never text that people write or text of an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal

_tracers: list[Tracer] = []


@contextmanager
def tracing(tracer: Tracer) -> Iterator[None]:
    """Trace spans while the context is open."""
    _tracers.append(tracer)
    try:
        yield
    finally:
        _tracers.remove(tracer)


@contextmanager
def span(name: str, **ids: int) -> Iterator[None]:
    """Trace the work in the context, as part of the surrounding span; without a tracer, do nothing."""
    if not _tracers:
        yield
        return
    with _tracers[-1].start_as_current_span(
        name, attributes=ids, record_exception=False, set_status_on_exception=False
    ):
        yield


Stage = Literal["read", "compose", "draw", "keep", "send"]
"""A part of the way from a message to its answer: finding and reading documents, putting the answer together,
drawing a picture, keeping documents, handing the answer to Discord until it is taken."""

ReplyKind = Literal["message", "edit", "command", "control"]
"""The cause of an answer: a message, an edit of one, a command or menu, the press of a control."""

Lookup = Literal["hit", "shared", "miss"]
"""Source of a picture: the cache, a drawing in progress for another request, or a new drawing."""

RequestResult = Literal["ok", "refused", "limited", "failed"]
"""Outcome of a request to Discord: accepted, refused, too many, or failed on Discord's side."""

Refusal = Literal["user", "full", "spent"]
"""Reason why a job is refused: its requester has one already, too many wait, or the allowance is used up."""

Level = Literal[
    "guilds",
    "waiting_for_turn",
    "waiting_for_worker",
    "jobs_running",
    "jobs_waiting",
    "jobs_oldest",
    "shards_held",
    "shards_connected",
    "starts_left",
    "requests_a_second",
    "connections_used",
    "connections_most",
]
"""Values that can be read at any time: servers, requests that wait, jobs that run and wait and for how many seconds the oldest has
waited, shards of this process, starts of shards that Discord allows today, requests that this process may make in a second,
connections to the database."""


Counted = Literal[
    "messages_seen",
    "detections",
    "replies",
    "pictures",
    "errors",
    "jobs_refused",
    "discord_requests",
    "discord_request_wait_seconds",
]
"""Counters: messages received; documents found, by notation and ``readable`` (``true``, ``false``); answers
sent, by :data:`ReplyKind`; pictures, by :data:`Lookup`; faults, by class; jobs refused, by :data:`Refusal`; requests to Discord,
by :data:`RequestResult`, and the seconds they waited for their turn."""


class Metrics:
    """Ignores everything; :class:`bot.observe.health.PrometheusMetrics` counts."""

    def count(self, what: Counted, *labels: str, by: float = 1) -> None:
        """Count something. Labels take few values, the program's own words: no text that people write, and no ids."""

    def job(self, kind: str) -> AbstractContextManager[object]:
        """Time the job in the context, by the name of its kind. Called on any thread."""
        return span(f"job {kind}")

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Time the work in the context."""
        return span(stage)

    def watch(self, level: Level, read: Callable[[], float]) -> None:
        """Use ``read`` to get the value of a level."""
