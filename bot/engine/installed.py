"""Finds the installed packages and engines of the analysis, and compiles its kernels."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from collections.abc import Callable
from typing import Final

loaded: Final[set[str]] = set()
"""The parts of the engine that this process has loaded; contains "all" when all parts are loaded."""


def is_installed() -> bool:
    """Return whether the packages for the analysis are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "numpy"))


def compile_first(*parts: str, progress: Callable[[float], None] | None = None) -> None:
    """Compile parts of the engine, all by default, before a job's time begins.

    If they are not compiled yet, ``progress`` is called with the compiled share, from 0 to 1.
    """
    if loaded.issuperset(parts or ("all",)):
        return
    from bot.engine.warm_up import PARTS, compile_apart, warm_up  # noqa: PLC0415 - as in perform

    compile_apart(*parts, progress=progress)
    warm_up(*parts)
    loaded.update(parts or (*PARTS, "all"))


def find_command(setting: str, *folders: str) -> tuple[str, ...]:
    """Return the program and arguments of a setting; empty if the setting is empty or the program is not installed.

    The program is searched for in the path, then in ``folders``.
    """
    try:
        program, *arguments = shlex.split(setting)
    except ValueError:
        return ()
    found = shutil.which(program, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *folders)))
    return (found, *arguments) if found else ()
