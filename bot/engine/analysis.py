"""Shared by all analyses: options, the unit of equity, errors, stop flags and processor time."""

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
"""Equities are whole millipoints, so that sums do not depend on their order."""


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The number of plays to compare and the effort spent on them."""

    plays: int | None = 15
    """Plays to rank; None for all."""
    seconds: float = field(default_factory=lambda: DEFAULT_SECONDS)
    """Approximate time limit of a simulation or a solution; infinity for none."""
    plies: int = DEFAULT_PLIES
    """Plies that follow a candidate in a simulation. With an empty bag each game is played to its end."""
    infer: bool = False
    """Whether a simulation infers the opponent's tiles from the last play."""
    iterations: int = DEFAULT_ITERATIONS
    """Maximum iterations of each candidate in a simulation."""
    confidence: float | None = 0.99
    """Probability of the best play being the best at which a simulation ends early, such as 0.95; None for never."""
    seed: int = 0
    """Seed of a simulation's random numbers."""


def plies_among(players: int, plies: int) -> int:
    """Return the number of plies that follow a candidate when ``plies`` are requested; with more than two players, one for each."""
    return plies if players == 2 else max(plies, players)


class AnalysisError(DomainError):
    """A position that cannot be analyzed, with a sentence that says why."""


def require_known_bag(rules: Rules) -> None:
    """Check that the tiles left in a game can be counted.

    Raises:
        AnalysisError: its bag is refilled for every game.

    """
    if not rules.distribution.has_known_bag:
        raise AnalysisError(
            "bag-not-known",
            "{game} refills its bag for every game, so the remaining tiles are unknown",
            game=OWN_GAMES[rules.distribution.name],
        )


class StoppedError(Exception):
    """The work was stopped from outside before there was a result."""


class Stop:
    """A flag that the kernels look at every few thousand steps; any thread may set it."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 - the errors and options here are for shells without the analysis, too

        self.flag: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """Ask the work to end."""
        self.flag[0] = 1

    @property
    def is_set(self) -> bool:
        """Whether the work was asked to end."""
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
    """The processor time that some work has taken so far. Any thread may add to it."""

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
