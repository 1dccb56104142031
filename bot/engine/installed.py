"""Finds the packages and engines needed for analysis, and compiles the kernels."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from collections.abc import Callable
from typing import Final

loaded_parts: Final[set[str]] = set()
"""The engine's parts (:data:`bot.engine.kernel_cache.FUNCTION_COUNT_BY_PART`) that this process has loaded, and "all" after a call for all parts."""


def is_installed() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("numba", "numpy"))


def compile_engine(*parts: str, progress: Callable[[float], None] | None = None) -> None:
    """Compile and load the given parts of the engine. The default is all parts. Call this before a job's time limit starts.

    ``progress`` is called with the fraction compiled so far.
    """
    if loaded_parts.issuperset(parts or ("all",)):
        return
    from bot.engine.kernel_cache import FUNCTION_COUNT_BY_PART, compile_in_processes  # noqa: PLC0415 - needs optional packages

    compile_in_processes(*parts, progress=progress)
    from bot.engine.warm_up import warm_up  # noqa: PLC0415 - loads the compiler

    warm_up(*parts)
    loaded_parts.update(parts or (*FUNCTION_COUNT_BY_PART, "all"))


def find_command(command_line: str, *folders: str) -> tuple[str, ...]:
    """Split a command line into its program and arguments. Look up the program in the PATH, and then in ``folders``.

    Return an empty tuple if the command line is malformed or the program is not installed.
    """
    try:
        program, *arguments = shlex.split(command_line)
    except ValueError:
        return ()
    program_path = shutil.which(program, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *folders)))
    return (program_path, *arguments) if program_path else ()
