"""Counting the processor seconds that work takes, on all of its threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


class Meter:
    """The processor time that some work has taken so far. Any thread may add to it."""

    def __init__(self) -> None:
        # Appending is one step for all threads, which adding up is not.
        self._parts: list[float] = []

    def add(self, seconds: float) -> None:
        """Count seconds of a processor."""
        self._parts.append(seconds)

    @property
    def seconds(self) -> float:
        """The seconds counted so far."""
        return sum(self._parts)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what the current thread takes inside, and what metered threads do for it."""
        token = _meter.set(self)
        begun = time.thread_time()
        try:
            yield
        finally:
            self.add(time.thread_time() - begun)
            _meter.reset(token)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


def count_seconds(seconds: float) -> None:
    """Count seconds that the current work took outside its thread, as in another process."""
    if (meter := _meter.get()) is not None:
        meter.add(seconds)


class MeteredThreads(ThreadPoolExecutor):
    """Threads whose work is counted by the meter of the submitting thread, also when it fails or is abandoned."""

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        """Do work, and count it."""
        meter = _meter.get()
        if meter is None:
            return super().submit(fn, *args, **kwargs)

        def metered() -> Value:
            begun = time.thread_time()
            try:
                return fn(*args, **kwargs)
            finally:
                meter.add(time.thread_time() - begun)

        return super().submit(metered)
