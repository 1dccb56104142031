"""Shared by all analyses: options, the unit of equity, errors, time limits, and CPU time measurement."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from bot.domain.crossword.rules import GAMES_WITH_OWN_TILES, Rules
from bot.domain.reading.problems import DomainError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_SECONDS = 15.0
DEFAULT_PLIES = 2
MAX_PLAYERS = 4
MILLIPOINTS = 1000
"""Millipoints per point. Equities are whole millipoints, so sums do not depend on the order of addition."""


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The options of an analysis."""

    plays: int | None = 15
    """Number of plays to rank, or None for all."""
    seconds: float = field(default_factory=lambda: DEFAULT_SECONDS)
    """Approximate time limit; infinity for no limit."""
    plies: int = DEFAULT_PLIES
    """Number of turns (*plies*) that a simulation plays after a candidate play. If the position's bag is empty, games are played to the end."""
    infer: bool = False
    """Whether a simulation infers the opponent's tiles from the opponent's last play."""
    iterations: int = 5_000
    confidence: float | None = 0.99
    """A simulation ends early once the leading play is the best with at least this probability; None to never end early."""
    seed: int = 0


def plies_for_players(players: int, plies: int) -> int:
    """Return ``plies``, but at least one ply per player if there are more than two players."""
    return plies if players == 2 else max(plies, players)


class AnalysisError(DomainError):
    """A position cannot be analyzed."""


def require_known_bag(rules: Rules) -> None:
    if not rules.distribution.has_known_bag:
        raise AnalysisError(
            "bag-not-known",
            "{game} has different tiles in every game, so the remaining tiles are unknown",
            game=GAMES_WITH_OWN_TILES[rules.distribution.name],
        )


class StoppedError(Exception):
    """The work was stopped before it had a result."""


class Stop:
    """A flag that the kernels check every few thousand steps. Any thread may set it."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - installations without numpy use the errors and options of this module

        self.flag: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        self.flag[0] = 1

    @property
    def is_set(self) -> bool:
        return bool(self.flag[0])


@contextmanager
def stop_after(seconds: float) -> Iterator[Stop]:
    stop = Stop()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


class Deadline:
    """The end of a time limit. It passes early if the work is cancelled."""

    def __init__(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        self._end = time.perf_counter() + seconds
        self._cancelled = cancelled
        self.is_cancelled = False

    def has_passed(self) -> bool:
        self.is_cancelled = self.is_cancelled or self._cancelled()
        return self.is_cancelled or time.perf_counter() >= self._end


Parameters = ParamSpec("Parameters")
Task = TypeVar("Task")
Value = TypeVar("Value")

_POLL_SECONDS = 0.02


class Meter:
    """Adds up CPU time. Any thread may add to it."""

    def __init__(self) -> None:
        # Appending to a list is atomic, but adding to a number is not.
        self._added_seconds: list[float] = []

    def add(self, seconds: float) -> None:
        self._added_seconds.append(seconds)

    @property
    def seconds(self) -> float:
        return sum(self._added_seconds)

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Add the CPU time of the ``with`` block, including work that it runs on a :class:`MeteredThreadPool`."""
        token = _meter.set(self)
        start = time.thread_time()
        try:
            yield
        finally:
            self.add(time.thread_time() - start)
            _meter.reset(token)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)
"""The meter of the current work, or None if the work is not measured."""


def add_cpu_seconds(seconds: float) -> None:
    """Add the CPU time of other threads or processes to the current meter."""
    if (meter := _meter.get()) is not None:
        meter.add(seconds)


@contextmanager
def measure_other_process() -> Iterator[None]:
    """Add the elapsed time of the ``with`` block to the current meter, as an estimate of a single-threaded engine's CPU time."""
    start = time.monotonic()
    try:
        yield
    finally:
        add_cpu_seconds(time.monotonic() - start)


class MeteredThreadPool(ThreadPoolExecutor):
    """A thread pool that adds its CPU time to the meter of the submitting thread."""

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        meter = _meter.get()
        if meter is None:
            return super().submit(fn, *args, **kwargs)

        def run_metered() -> Value:
            with meter.measure():
                return fn(*args, **kwargs)

        return super().submit(run_metered)

    def run_each(
        self, work: Callable[[Task], Value], tasks: Iterable[Task], deadline: Deadline, stop: Stop
    ) -> list[Value] | None:
        """Call ``work`` with each task. Return the results, or None if time ran out or the work was cancelled.

        Before returning None or raising an error, set ``stop`` and wait for the threads.
        """
        futures = [self.submit(work, task) for task in tasks]
        pending = set(futures)
        try:
            while pending:
                if deadline.has_passed():
                    return None
                finished, pending = wait(pending, timeout=_POLL_SECONDS, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
            return [future.result() for future in futures]
        finally:
            if pending:
                stop.set()
                wait([future for future in pending if not future.cancel()])
