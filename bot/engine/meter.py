"""Counting the seconds of processors that work takes, on whatever threads it runs."""

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
    """What some work has taken so far. Any thread may add to it."""

    def __init__(self) -> None:
        # Appending is one step for all threads, which adding up is not.
        self._parts: list[float] = []

    def add(self, seconds: float) -> None:
        """Count seconds of a processor."""
        self._parts.append(seconds)

    @property
    def seconds(self) -> float:
        """What was counted."""
        return sum(self._parts)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what the current thread takes inside, and what it has done elsewhere by what knows of meters."""
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
    """Threads whose work is counted by the meter of whoever submits it, also when it fails or is given up."""

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        """Have work done."""
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
