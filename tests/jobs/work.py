"""Functions that tests run in child processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

HEAVY_PACKAGES = ("numba", "discord", "sqlalchemy", "aiohttp", "msgspec")


def double(number: int) -> int:
    return 2 * number


def pid() -> int:
    return os.getpid()


def burn() -> None:
    while True:
        pass


def hoard() -> None:
    stored = []
    while True:
        stored.append(b"x" * 2**26)


def sleep() -> None:
    time.sleep(600)


def die() -> None:
    """Kill this process, as the system does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(folder: str) -> str:
    try:
        (Path(folder) / "died").touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def raise_(error: Exception) -> None:
    raise error


def heavy_imports() -> list[str]:
    return [name for name in HEAVY_PACKAGES if name in sys.modules]


def thread_count_after_multiplying() -> int:
    """Multiply large matrices, and return the number of threads."""
    import numpy as np  # noqa: PLC0415 - only this function needs it

    matrix = np.ones((512, 512), np.float32)
    matrix @ matrix
    return len(list(Path("/proc/self/task").iterdir()))


def new_imports(function: Callable[..., object], *args: object) -> list[str]:
    before = set(sys.modules)
    function(*args)
    return sorted(set(sys.modules) - before)


def meet(folder: str, name: str, other: str) -> bool:
    (Path(folder) / name).touch()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if (Path(folder) / other).exists():
            return True
        time.sleep(0.005)
    return False


def runs_alone(folder: str) -> bool:
    mark = Path(folder) / "mark"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    time.sleep(0.02)
    mark.unlink()
    return True
