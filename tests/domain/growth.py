"""Measures how the CPU time of a function grows with the length of a text."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator

LENGTH_RATIO = 4
"""Length of the longer of two texts, as a multiple of the shorter."""

MAX_RATIO = 2 * LENGTH_RATIO
"""Limit for the ratio of the two CPU times. It is twice the ratio of linear work, and half the ratio of quadratic work."""

MIN_SECONDS = 0.05
"""Shorter CPU times are too noisy to compare."""

MAX_SECONDS = 10.0
"""Work is aborted after this much CPU time, because exponential work would never end."""


class TooSlowError(AssertionError):
    """Work took longer than :data:`MAX_SECONDS`."""


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of ``work``.

    Raises:
        TooSlowError: ``work`` took over :data:`MAX_SECONDS`.

    """
    with _time_limit():
        start = time.process_time()
        work()
        return time.process_time() - start


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def abort(*_: object) -> None:
        raise TooSlowError(f"aborted after {MAX_SECONDS} s of CPU time")

    previous_handler = signal.signal(signal.SIGVTALRM, abort)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous_handler)


def find_superlinear_growth(work: Callable[[str], object], make_text: Callable[[int], str], size: int) -> str:
    """Time ``work`` on a text of ``size`` characters, and on a text :data:`LENGTH_RATIO` times as long.

    Return a description of superlinear growth, or an empty string if the time grows about linearly or is too short to measure.
    A slow result is measured again, because another process may have interfered.
    """
    short_text, long_text = make_text(size), make_text(size * LENGTH_RATIO)
    short_seconds = long_seconds = 0.0
    for _ in range(3):
        try:
            long_seconds = cpu_seconds(lambda: work(long_text))
        except TooSlowError as error:
            return str(error)
        if long_seconds < MIN_SECONDS:
            return ""
        short_seconds = cpu_seconds(lambda: work(short_text))
        if long_seconds < MAX_RATIO * short_seconds:
            return ""
    return f"{short_seconds:.3f} s for {size:,}, {long_seconds:.3f} s for {LENGTH_RATIO} times as many characters"
