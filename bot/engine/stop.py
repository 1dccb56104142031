"""Stopping long work from outside."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt


class Stop:
    """A flag that the kernels look at every few thousand steps; any thread may set it."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
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
    """Yield a flag that is set after so many seconds inside the ``with``."""
    stop = Stop()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
