"""Whether the packages of the analysis are there, and compiling what it needs."""

from __future__ import annotations

import importlib.util
from functools import cache


@cache
def compile_search() -> None:
    """Compile the search for plays first: its time limit must not be spent on the compiler."""
    from bot.engine.warm_up import compile_apart, warm_up_plays  # noqa: PLC0415 - as in perform

    compile_apart(plays_only=True)
    warm_up_plays()


def is_installed() -> bool:
    """Tell whether the packages of the analysis are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "numpy"))


@cache
def compile_all() -> None:
    """Compile everything first: a job's time must not be spent on the compiler."""
    from bot.engine.warm_up import compile_apart, warm_up  # noqa: PLC0415 - as in perform

    compile_apart()
    warm_up()
