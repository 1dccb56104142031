"""How the work grows with the length of a text, told from CPU time far from noise."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4
"""How many times as long the longer of two texts is."""

MAX_RATIO = 2 * TIMES
"""Most that the longer text may cost, measured by the shorter one: twice what linear work costs, half of quadratic."""

FLOOR = 0.05
"""Seconds of CPU that are too few to tell anything."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that a piece of work takes in this thread."""
    before = time.thread_time()
    work()
    return time.thread_time() - before


def blow_up(work: Callable[[str], object], text: Callable[[int], str], size: int) -> str:
    """Return how work on a text grows faster than the text, ``TIMES`` as long as ``size``; empty when it does not.

    What looks too slow is measured again, as another process may have been in the way of the caches.
    """
    short, long = text(size), text(size * TIMES)
    for _ in range(3):
        longer = cpu_seconds(lambda: work(long))
        if longer < FLOOR:
            return ""
        shorter = cpu_seconds(lambda: work(short))
        if longer < MAX_RATIO * shorter:
            return ""
    return f"{shorter:.3f} s for {size:,}, {longer:.3f} s for {TIMES} times as many"
