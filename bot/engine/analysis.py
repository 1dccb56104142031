"""Shared by all analyses: options, the unit of equity, errors, stop flags and CPU time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from bot.domain.crossword.rules import OWN_GAMES, Rules
from bot.domain.reading.problems import DomainError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEFAULT_SECONDS = 15.0
DEFAULT_ITERATIONS = 5_000
DEFAULT_PLIES = 2
MAX_PLAYERS = 4
"""Maximum number of players in a game that is simulated."""
MILLIPOINTS = 1000
"""Millipoints per point. Equities are whole millipoints, so sums do not depend on the order of addition."""


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The number of plays to compare, and the effort to spend on them."""

    plays: int | None = 15
    """Number of plays to rank; None for all."""
    seconds: float = field(default_factory=lambda: DEFAULT_SECONDS)
    """Approximate time limit of a simulation or a solution; infinity for none."""
    plies: int = DEFAULT_PLIES
    """Number of plies that follow a candidate in a simulation. With an empty bag, each game is played to its end."""
    infer: bool = False
    """Whether a simulation infers the opponent's tiles from the last play."""
    iterations: int = DEFAULT_ITERATIONS
    """Maximum number of iterations for each candidate in a simulation."""
    confidence: float | None = 0.99
    """A simulation ends early when the leading play is the best with this probability, such as 0.95; None for
    never."""
    seed: int = 0
    """Seed for a simulation's random numbers."""


def plies_among(players: int, plies: int) -> int:
    """Return the number of plies that follow a candidate: ``plies``, or one for each player if there are more than two."""
    return plies if players == 2 else max(plies, players)


class AnalysisError(DomainError):
    """A position cannot be analyzed. The message is a sentence with the reason."""


def require_known_bag(rules: Rules) -> None:
    """Check that the tiles left in a game can be counted.

    Raises:
        AnalysisError: the number of tiles is unknown, because the bag is refilled during the game.

    """
    if not rules.distribution.has_known_bag:
        raise AnalysisError(
            "bag-not-known",
            "{game} refills its bag for every game, so the remaining tiles are unknown",
            game=OWN_GAMES[rules.distribution.name],
        )


class StoppedError(Exception):
    """The caller stopped the work before there was a result."""


class Stop:
    """A flag that the kernels check every few thousand steps. Any thread may set it."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - the errors and options here are for shells without the analysis, too

        self.flag: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """Request that the work stop."""
        self.flag[0] = 1

    @property
    def is_set(self) -> bool:
        """Whether the work was requested to stop."""
        return bool(self.flag[0])


@contextmanager
def stop_after(seconds: float) -> Iterator[Stop]:
    """Yield a flag that is set after ``seconds`` inside the ``with`` block."""
    stop = Stop()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


class Meter:
    """The CPU time that some work has taken so far. Any thread may add to it."""

    def __init__(self) -> None:
        # Appending is one step for all threads, which adding up is not.
        self._parts: list[float] = []

    def add(self, seconds: float) -> None:
        """Count seconds of CPU time."""
        self._parts.append(seconds)

    @property
    def seconds(self) -> float:
        """The seconds counted so far."""
        return sum(self._parts)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the CPU time of the current thread inside the ``with`` block, and of metered threads that work for it."""
        token = _meter.set(self)
        begun = time.thread_time()
        try:
            yield
        finally:
            self.add(time.thread_time() - begun)
            _meter.reset(token)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


def count_seconds(seconds: float) -> None:
    """Count CPU seconds that the current work took outside its thread, for example in another process."""
    if (meter := _meter.get()) is not None:
        meter.add(seconds)


class MeteredThreads(ThreadPoolExecutor):
    """Threads whose work the meter of the submitting thread counts, even if the work fails or is abandoned."""

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        """Submit work whose CPU time is counted."""
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
