"""The cache of compiled kernels, and the processes that fill it (:mod:`bot.engine.warm_up`).

The name of the cache folder contains a digest of the sources of all kernels, because numba recompiles a kernel if the
kernel's own file changes, but not if a kernel that it calls changes.

This module does not import numba, so that the compiling processes start before the calling process has imported it.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

BOARD, PLAYS, BEST_PLAYS, WORD_INDEX, SIMULATION, INFERENCE, ENDGAME = (
    "board",
    "plays",
    "best",
    "words",
    "simulation",
    "inference",
    "endgame",
)
"""The kernels are compiled in these parts.

``PLAYS`` finds and counts all plays. ``BEST_PLAYS`` finds only the best plays, which is faster. It needs the index
that ``WORD_INDEX`` creates. Simulation and inference use ``BEST_PLAYS``.
"""
FUNCTION_COUNT_BY_PART = {
    ENDGAME: 53,
    BEST_PLAYS: 44,
    BOARD: 27,
    SIMULATION: 38,
    PLAYS: 23,
    WORD_INDEX: 7,
    INFERENCE: 17,
}
"""The approximate number of functions in each part. In this order, parts that share inner kernels are compiled in the same process."""
MAX_COMPILE_SECONDS = 600.0
"""Time limit of a process. All parts take about 10 s of CPU time."""

_compile_lock = threading.Lock()
_COMPILER_SCRIPT = """
import runpy, sys
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("bot", sys.argv.pop(1))
sys.modules["bot"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["bot"])
runpy.run_module("bot.engine.warm_up", run_name="__main__")
"""
"""The first argument is the path of ``bot/__init__.py``."""
_FOLDER_PREFIX = "kibitz-engine-"
_MAX_OLD_FOLDERS = 4


def _digest() -> str:
    engine = Path(__file__).parent
    digest = hashlib.sha256(f"{version('numba')} {sys.implementation.cache_tag}".encode())
    for path in (engine / "compiler.py", *sorted((engine / "kernels").rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_FOLDER_NAME = _FOLDER_PREFIX + _digest()


def _choose_cache_folder() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - Path.home() can fail
    parent_folders = [
        os.environ.get("NUMBA_CACHE_DIR"),
        Path(__file__).parent / "__pycache__",
        Path(cache_home, "kibitz"),
    ]
    folders = [Path(parent_folder, _FOLDER_NAME) for parent_folder in parent_folders if parent_folder]
    chosen_folder = next((folder for folder in folders if _prepare_folder(folder)), None)
    try:
        # The code in this folder is executed, so other users must not be able to guess the name.
        chosen_folder = chosen_folder or Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
    except OSError:
        return Path(os.devnull)
    _copy_code_into(chosen_folder, folders)
    return chosen_folder


def _prepare_folder(folder: Path) -> bool:
    """Create a cache folder. Return whether files can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"written")  # on a full disk, the file can be created but not written to
        _remove_old_folders(folder)
    except OSError:
        return False
    return True


def _copy_code_into(chosen_folder: Path, folders: list[Path]) -> None:
    """If the chosen folder is empty, copy another folder's compiled code into it. numba ignores code in read-only folders."""
    with suppress(OSError):
        if any(chosen_folder.iterdir()):
            return
        source = next((folder for folder in folders if folder != chosen_folder and folder.is_dir()), None)
        if source is None:
            return
        with tempfile.TemporaryDirectory(
            prefix=".copy-", dir=chosen_folder.parent, ignore_cleanup_errors=True
        ) as copy:
            shutil.copytree(source, copy, dirs_exist_ok=True)
            # Only a complete copy gets the final name, so no process finds partial files.
            Path(copy).replace(chosen_folder)


def _remove_old_folders(current: Path) -> None:
    old_folders = sorted(
        (folder for folder in current.parent.glob(f"{_FOLDER_PREFIX}*") if folder != current),
        key=lambda folder: folder.stat().st_mtime,
        reverse=True,
    )
    for folder in old_folders[_MAX_OLD_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


CACHE_FOLDER = _choose_cache_folder()
"""The null device if there is no cache folder."""


def shared_cache_folder() -> Path | None:
    """Return the cache folder that processes share, if any."""
    return CACHE_FOLDER if CACHE_FOLDER.name == _FOLDER_NAME else None


def mark_compiled(part: str) -> None:
    with suppress(OSError):
        if (folder := shared_cache_folder()) is not None:
            (folder / part).touch()


def is_compiled() -> bool:
    folder = shared_cache_folder()
    return folder is not None and all((folder / part).exists() for part in FUNCTION_COUNT_BY_PART)


def compile_in_processes(*parts: str, progress: Callable[[float], None] | None = None) -> None:
    """Compile the given parts and the parts that they need, in one or two other processes. Skip parts that are already in the cache.

    The default is all parts.

    The compiler needs about 150 MB of memory, which the calling process would never return to the system. ``progress`` is
    called with the approximate fraction compiled so far. If a process fails, or compiled code cannot be saved, each kernel is
    compiled on its first call.
    """
    folder = shared_cache_folder()
    if folder is None or not sys.executable:
        return
    with _compile_lock:
        required_parts = {BOARD, *parts} if parts else {*FUNCTION_COUNT_BY_PART}
        if required_parts & {BEST_PLAYS, SIMULATION, INFERENCE}:
            required_parts |= {BEST_PLAYS, WORD_INDEX}
        missing_parts = [
            part for part in FUNCTION_COUNT_BY_PART if part in required_parts and not (folder / part).exists()
        ]
        if not missing_parts:
            return
        kernel_numbers = itertools.count(1)
        function_count = sum(FUNCTION_COUNT_BY_PART[part] for part in missing_parts)

        def count_kernel() -> None:
            if progress is not None:
                progress(min(0.99, next(kernel_numbers) / function_count))

        parts_by_process: list[list[str]] = [[] for _ in range(min(2, _processor_count()))]
        for part in missing_parts:
            min(
                parts_by_process,
                key=lambda process_parts: sum(FUNCTION_COUNT_BY_PART[part] for part in process_parts),
            ).append(part)
        with ThreadPoolExecutor(len(parts_by_process)) as threads:
            futures = [
                threads.submit(_compile, process_parts, count_kernel)
                for process_parts in parts_by_process
                if process_parts
            ]
            wait(futures, return_when=FIRST_COMPLETED)
            # The calling process needs numba next. This import loads it while the slower process is still compiling.
            importlib.import_module("bot.engine.warm_up")
            for future in futures:
                future.result()


def _processor_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _compile(parts: Sequence[str], count_kernel: Callable[[], None]) -> None:
    with (
        suppress(OSError),
        subprocess.Popen(  # noqa: S603 - runs Python with this program's own modules
            compiler_command(*parts),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        timeout = threading.Timer(MAX_COMPILE_SECONDS, process.kill)
        timeout.start()
        try:
            for _ in process.stdout or ():
                count_kernel()
        finally:
            timeout.cancel()


def compiler_command(*parts: str) -> list[str]:
    # Neither the current folder nor the package's folder is in ``sys.path``, because their files may be untrusted or shadow
    # Python's modules.
    return [
        sys.executable,
        "-P",
        "-c",
        _COMPILER_SCRIPT,
        str(Path(__file__).parents[1] / "__init__.py"),
        *parts,
    ]
