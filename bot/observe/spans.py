"""Traces: what is done for a message or a press, and how long each part of it takes, for OpenTelemetry where a host wants it.

A span holds names of our own and Discord's ids, never what somebody wrote, and no text of an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_tracers: list[Tracer] = []


@contextmanager
def tracing(tracer: Tracer) -> Iterator[None]:
    """Let spans be traced while inside."""
    _tracers.append(tracer)
    try:
        yield
    finally:
        _tracers.remove(tracer)


@contextmanager
def span(name: str, **ids: int) -> Iterator[None]:
    """Trace what is done inside, as a part of the span around it; without a tracer, do nothing."""
    if not _tracers:
        yield
        return
    with _tracers[-1].start_as_current_span(
        name, attributes=ids, record_exception=False, set_status_on_exception=False
    ):
        yield
