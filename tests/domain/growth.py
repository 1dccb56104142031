"""The growth of work with the length of a text, measured in CPU time far above noise."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator

TIMES = 4
"""Ratio of the lengths of two texts."""

MAX_RATIO = 2 * TIMES
"""Most that the longer text may cost, measured by the shorter one: twice what linear work costs, half of quadratic."""

FLOOR = 0.05
"""Seconds of CPU that are too few to tell anything."""

MAX_SECONDS = 10.0
"""Seconds of CPU after which a piece of work is given up: what grows with the power of the length never ends."""


class EndlessError(AssertionError):
    """A piece of work took longer than :data:`MAX_SECONDS`."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that a piece of work takes.

    Raises:
        EndlessError: it took over :data:`MAX_SECONDS`.

    """
    with _bounded():
        before = time.process_time()
        work()
        return time.process_time() - before


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise EndlessError(f"given up after {MAX_SECONDS} s of CPU")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def blow_up(work: Callable[[str], object], text: Callable[[int], str], size: int) -> str:
    """Return how work on a text grows faster than the text, ``TIMES`` as long as ``size``; empty when it does not.

    A slow result is measured again, since another process may have interfered.
    """
    short, long = text(size), text(size * TIMES)
    shorter = longer = 0.0
    for _ in range(3):
        try:
            longer = cpu_seconds(lambda: work(long))
        except EndlessError as error:
            return str(error)
        if longer < FLOOR:
            return ""
        shorter = cpu_seconds(lambda: work(short))
        if longer < MAX_RATIO * shorter:
            return ""
    return f"{shorter:.3f} s for {size:,}, {longer:.3f} s for {TIMES} times as many"
