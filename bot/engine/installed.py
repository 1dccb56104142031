"""Whether the packages of the analysis are there, and compiling what it needs."""

from __future__ import annotations

import importlib.util
from functools import cache


def is_installed() -> bool:
    """Return whether the packages of the analysis are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "numpy"))


@cache
def compile_first(*parts: str) -> None:
    """Compile parts of the engine, all by default: a job's time must not be spent on the compiler."""
    from bot.engine.warm_up import compile_apart, warm_up  # noqa: PLC0415 - as in perform

    compile_apart(*parts)
    warm_up(*parts)
