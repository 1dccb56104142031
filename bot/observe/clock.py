"""A clock that nobody can set."""

from __future__ import annotations

import time


def steady_seconds() -> float:
    """Return the seconds of a clock that nobody can set, and that goes on while the machine sleeps where there is one."""
    boot_clock: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_clock is None else time.clock_gettime(boot_clock)
