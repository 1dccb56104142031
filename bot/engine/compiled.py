"""Compiling: the options that all kernels of the engine share, where compiled code is kept, and single bits.

Kernels are plain functions over arrays and numbers, compiled with numba when they are first called. They hold no
interpreter lock, so that several threads compute at once, and check no bounds: their callers check everything
first. The compiled code is kept on disk, in a folder of its own for each state of the kernels' sources: numba looks
at the file of a kernel only, not at those of the kernels it calls.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

Kernel = TypeVar("Kernel", bound=Callable[..., object])

_config = cast(Any, numba.config)
_FOLDER = "kibitz-engine-"
_KEPT_FOLDERS = 4


def cache_folder() -> Path:
    """Return where compiled code is kept: beside the sources, in the user's cache, or for this process alone.

    The environment's ``NUMBA_CACHE_DIR`` goes before all of them.
    """
    return Path(_config.CACHE_DIR)


def _sources_digest() -> str:
    here = Path(__file__)
    digest = hashlib.sha256(here.read_bytes())
    for path in sorted((here.parent / "kernels").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _choose_cache_folder() -> Path:
    name = _FOLDER + _sources_digest()
    cache_home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - no home: no error
    places = [
        os.environ.get("NUMBA_CACHE_DIR"),
        Path(__file__).parent / "__pycache__",
        Path(cache_home, "kibitz"),
    ]
    folders = [Path(place, name) for place in places if place]
    chosen = next((folder for folder in folders if _is_writable(folder)), None)
    # Not a name that others could guess: what lies in this folder is run.
    chosen = chosen or Path(tempfile.mkdtemp(prefix=_FOLDER))
    _fill(chosen, folders)
    return chosen


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        _remove_old(folder)
    except OSError:
        return False
    return True


def _fill(chosen: Path, folders: list[Path]) -> None:
    """Begin an empty folder with what was compiled when the program was installed, where it cannot be written.

    numba keeps nothing in a folder that it cannot write, and does not read there either.
    """
    try:
        if any(chosen.iterdir()):
            return
        for folder in folders:
            if folder != chosen and folder.is_dir():
                shutil.copytree(folder, chosen, dirs_exist_ok=True)
                return
    except (OSError, shutil.Error):
        return  # it is compiled again


def _remove_old(current: Path) -> None:
    """Remove what older sources left; a process that still runs them compiles again, nothing worse."""
    others = [folder for folder in current.parent.glob(f"{_FOLDER}*") if folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


# Before any kernel is defined, which is when numba asks for it.
_config.CACHE_DIR = str(_choose_cache_folder())


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function with numba: without the interpreter's lock, kept on disk after the first time."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, boundscheck=False, error_model="numpy")(kernel))


@intrinsic
def _count_ones(_context: Any, mask: Any) -> Any:  # noqa: ANN401 - numba's own interface
    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.ctpop(args[0])

    return types.int64(mask), generate


_ones = cast("Callable[[int], int]", _count_ones)


@compiled
def bit_count(mask: int) -> int:
    """Return how many bits of a 64-bit number are set."""
    return _ones(mask)


wide = cast("Callable[[object], int]", np.int64)
"""Makes a number of an array one of 64 bits, since numba's arithmetic goes by the types of both sides."""


@compiled
def lowest_bit(mask: int) -> int:
    """Return the place of the lowest bit that is set; the mask must not be 0."""
    return _ones(~mask & (mask - 1))
