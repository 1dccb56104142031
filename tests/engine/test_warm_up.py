"""Compiling kernels in advance, and the folder of compiled code."""

import asyncio
import math
import os
import pkgutil
import resource
import subprocess
import sys
import threading
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest

import bot.engine.kernels
from bot.app.queues import compile_ahead
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange
from bot.domain.crossword.position import LastPlay, Player
from bot.engine import compiler, kernel_cache, warm_up as warming_up
from bot.engine.analysis import AnalysisOptions
from bot.engine.endgame.solve import solve_endgame
from bot.engine.kernel_cache import (
    BEST_PLAYS,
    BOARD,
    ENDGAME,
    INFERENCE,
    PLAYS,
    SIMULATION,
    WORD_INDEX,
    compile_in_processes,
)
from bot.engine.plays.generate import find_and_count_plays, find_plays
from bot.engine.simulation.inference import infer
from bot.engine.simulation.simulate import simulate
from bot.engine.warm_up import warm_up
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves
from tests.engine.test_endgame import SHORT_ENDGAMES


def compiled_versions() -> dict[str, int]:
    """Return the number of signatures that this process has compiled for each kernel."""
    modules = [
        import_module(module_info.name)
        for module_info in pkgutil.walk_packages(bot.engine.kernels.__path__, "bot.engine.kernels.")
    ]
    return {
        f"{module.__name__}.{name}": len(kernel.signatures)
        for module in modules
        for name, kernel in vars(module).items()
        if hasattr(kernel, "signatures")
    }


@needs_corpus
def test_after_warming_up_nothing_is_left_to_compile():
    warm_up()
    before = compiled_versions()
    for position, _ in analyzed_positions()[:3]:
        found = find_plays(position, enable1_graph(), enable1_leaves(), top=3)
        find_plays(position, enable1_graph(), enable1_leaves(), top=None)
        find_and_count_plays(position, enable1_graph())
        simulate(position, found, enable1_graph(), enable1_leaves(), AnalysisOptions(iterations=2), threads=2)
        unknown = replace(
            position, players=(position.players[0], Player()), last_play=LastPlay(Exchange((), 2))
        )
        infer(unknown, enable1_graph(), enable1_leaves(), max_leaves=3)
    solve_endgame(cgp.read(SHORT_ENDGAMES[0][0]).value, enable1_graph(), seconds=math.inf, top=5)
    assert compiled_versions() == before


def chosen_folder(environment: dict[str, str], code: str = "") -> Path:
    completed = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{code}\nimport bot.engine.compiler, numba; print(numba.config.CACHE_DIR)",
        ],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return Path(completed.stdout.strip())


def test_compiled_code_is_stored_in_the_configured_folder(tmp_path):
    folder = chosen_folder({"NUMBA_CACHE_DIR": str(tmp_path)})
    assert folder.parent == tmp_path
    assert folder.is_dir()


def test_without_a_writable_folder_a_temporary_one_is_used(tmp_path):
    # A file in place of the folder stops even root, who can write anywhere.
    (tmp_path / "file").touch()
    no_folder = str(tmp_path / "file")
    failing_mkdir = "import pathlib; pathlib.Path.mkdir = lambda *_, **__: (_ for _ in ()).throw(OSError())"
    folder = chosen_folder({"NUMBA_CACHE_DIR": no_folder, "TMPDIR": str(tmp_path)}, failing_mkdir)
    assert folder.parent == tmp_path


def test_folders_of_older_sources_are_removed_except_the_latest_four(tmp_path):
    for number in range(8):
        old = tmp_path / f"kibitz-engine-{number:016d}"
        old.mkdir()
        os.utime(old, (number, number))
    folder = chosen_folder({"NUMBA_CACHE_DIR": str(tmp_path)})
    remaining = sorted(path.name for path in tmp_path.iterdir())
    assert remaining == sorted([folder.name, *(f"kibitz-engine-{number:016d}" for number in range(4, 8))])


@compiler.compiled
def count_and_place(mask: int) -> int:
    return 100 * compiler.bit_count(mask) + compiler.lowest_bit(mask)


def test_bits_are_counted_and_found():
    for mask in (1, 2, 0b1011000, (1 << 62) | 8, 1 << 62):
        assert divmod(count_and_place(mask), 100) == (mask.bit_count(), (mask & -mask).bit_length() - 1)


@compiler.inner_kernel
def scaled(numbers, factor):
    return numbers[0] * factor


@compiler.compiled
def scaled_twice(numbers, factor):
    return scaled(numbers, scaled(numbers, factor))


def test_an_inner_kernel_is_inlined_into_its_callers():
    three = np.array([3])
    assert scaled_twice(three, 5) == 45
    assert scaled(["text"], 2) == "texttext"
    assert len(cast(Any, scaled).signatures) <= 1, "the inner kernel was also compiled for calls from Python"


@compiler.compiled
def halved(number: int) -> "int":
    return number // 2


@compiler.compiled
def quartered(number: int) -> int:
    return halved(halved(number))


def test_a_compiled_kernel_is_called_not_inlined():
    assert quartered(40) == 10
    called = cast(Any, halved).overloads
    assert len(called) == 1
    (compiled,) = cast(Any, quartered).overloads.values()
    assert [call.name for call in compiled.reload_init] == ["halved"], (
        "the caller does not load the code of the kernel"
    )


@compiler.compiled
def third(number: float) -> "int":
    return number / 3  # type: ignore[return-value]


@compiler.compiled
def ninth(number: float) -> "int":
    return third(third(number))


def test_a_called_kernel_must_return_the_declared_type():
    with pytest.raises(TypeError, match="third returns a type other"):
        ninth(18.0)


def test_code_compiled_at_installation_is_used(tmp_path):
    written = chosen_folder({"NUMBA_CACHE_DIR": str(tmp_path / "installed")})
    (written / "engine").mkdir(exist_ok=True)
    (written / "engine" / "kernel.nbi").write_bytes(b"compiled")
    guard = (
        "import tempfile; original = tempfile.TemporaryFile\n"
        "def only_elsewhere(dir):\n"
        "    if 'elsewhere' not in str(dir): raise PermissionError(dir)\n"
        "    return original(dir=dir)\n"
        "tempfile.TemporaryFile = only_elsewhere"
    )
    elsewhere = tmp_path / "elsewhere"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "installed"), "XDG_CACHE_HOME": str(elsewhere)}
    folder = chosen_folder(environment, guard)
    assert folder.is_relative_to(elsewhere)
    assert (folder / "engine" / "kernel.nbi").read_bytes() == b"compiled"


SMALL_KERNEL = (
    "import numpy; from bot.engine.compiler import numba; from bot.engine.kernels.turn import seed_random;"
    "random_state = numpy.zeros(1, dtype=numpy.int64); seed_random(random_state, 0, 0); assert random_state[0];"
    "print(numba.config.CACHE_DIR)"
)
CHECK_NO_COMPILER = "; import sys; assert not {'numba.np.linalg', 'numba.np.arrayobj'} & sys.modules.keys()"


def compile_small_kernel(folder: Path, code: str = SMALL_KERNEL, **options: Any) -> Path:
    """Compile a small kernel in another process. Return the cache folder that the process chose."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "TMPDIR": str(folder)}
    completed = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, **options
    )
    return Path(completed.stdout.strip())


def test_on_a_full_disk_compiled_code_is_not_stored(tmp_path):
    def limit_file_size():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert compile_small_kernel(tmp_path, preexec_fn=limit_file_size) == Path(os.devnull)


@pytest.mark.slow
def test_broken_compiled_code_is_compiled_again(tmp_path):
    folder = compile_small_kernel(tmp_path)
    for suffix in (".nbi", ".nbc"):
        for file in folder.rglob(f"*seed_random*{suffix}"):
            file.write_bytes(file.read_bytes()[:10])
    compile_small_kernel(tmp_path)
    stored = [file.stat().st_mtime_ns for file in folder.rglob("*seed_random*.nbi")]
    assert stored
    compile_small_kernel(tmp_path, SMALL_KERNEL + CHECK_NO_COMPILER)
    assert [file.stat().st_mtime_ns for file in folder.rglob("*seed_random*.nbi")] == stored, (
        "the stored code was replaced"
    )


class FakeCompiler:
    """Replaces a compiler process. Records the parts to compile, and writes some lines."""

    started_processes: ClassVar[list[list[str]]] = []
    lines: ClassVar[list[bytes]] = [b"\n"]

    def __init__(self, command, **_options):
        self.parts = command[5:]
        self.started_processes.append(self.parts)
        self.stdout = iter(self.lines)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None

    def kill(self):
        pass


@pytest.fixture
def started_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(FakeCompiler, "started_processes", [])
    monkeypatch.setattr(subprocess, "Popen", FakeCompiler)
    monkeypatch.setattr(kernel_cache, "shared_cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernel_cache, "_processor_count", lambda: 2)
    return FakeCompiler.started_processes


def test_missing_code_is_compiled_in_separate_processes(started_processes, monkeypatch):
    fractions = []
    compile_in_processes(PLAYS, progress=fractions.append)
    assert sorted(started_processes) == [[BOARD], [PLAYS]]
    assert 0 < fractions[0] < 1
    warm_up(BOARD, PLAYS)
    compile_in_processes(PLAYS)
    assert len(started_processes) == 2, "parts that were already compiled were compiled again"
    compile_in_processes()
    assert sorted(started_processes[2:]) == [[BEST_PLAYS, SIMULATION], [ENDGAME, WORD_INDEX, INFERENCE]]
    monkeypatch.setattr(kernel_cache, "_processor_count", lambda: 1)
    compile_in_processes()
    assert started_processes[4:] == [[ENDGAME, BEST_PLAYS, SIMULATION, WORD_INDEX, INFERENCE]], (
        "one processor did not compile all parts in one process"
    )
    monkeypatch.setattr(kernel_cache, "shared_cache_folder", lambda: None)
    compile_in_processes()
    assert len(started_processes) == 5, "a process was started, although there is no folder"


def test_parts_that_share_inner_kernels_are_compiled_together(started_processes):
    compile_in_processes(PLAYS, SIMULATION)
    assert sorted(started_processes) == [[BEST_PLAYS, PLAYS], [BOARD, SIMULATION, WORD_INDEX]]


def test_a_compiler_process_that_cannot_start_is_ignored(started_processes, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    compile_in_processes(PLAYS)
    assert started_processes == []


def test_an_endless_compilation_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(
        kernel_cache,
        "compiler_command",
        lambda *_: [sys.executable, "-S", "-c", "import time; time.sleep(60)"],
    )
    monkeypatch.setattr(kernel_cache, "shared_cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernel_cache, "MAX_COMPILE_SECONDS", 0.05)
    compile_in_processes(PLAYS)
    assert not any(tmp_path.iterdir())


def test_files_beside_the_package_do_not_shadow_the_standard_library(tmp_path, monkeypatch):
    """An installed package is beside hundreds of other packages."""
    (tmp_path / "bot" / "engine").mkdir(parents=True)
    for name in ("json.py", "bot/__init__.py", "bot/engine/__init__.py"):
        (tmp_path / name).touch()
    (tmp_path / "bot" / "engine" / "warm_up.py").write_text(
        "import json, sys; print(__name__, sys.argv[1:], hasattr(json, 'loads'))"
    )
    monkeypatch.setattr(kernel_cache, "__file__", str(tmp_path / "bot" / "engine" / "warm_up.py"))
    completed = subprocess.run(
        kernel_cache.compiler_command("plays"), check=True, capture_output=True, text=True
    )
    assert completed.stdout.split("\n") == ["__main__ ['plays'] True", ""]


def test_an_endless_compilation_at_startup_is_killed(monkeypatch, caplog):
    sleep_command = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(kernel_cache, "is_compiled", lambda: False)
    monkeypatch.setattr(kernel_cache, "compiler_command", lambda: sleep_command)
    monkeypatch.setattr(kernel_cache, "MAX_COMPILE_SECONDS", 0.05)
    asyncio.run(compile_ahead())
    assert "failed with code -9; the first analysis will take longer" in caplog.text


def test_compiled_code_needs_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "shared_cache_folder", lambda: tmp_path)
    for part in kernel_cache.FUNCTION_COUNT_BY_PART:
        assert not kernel_cache.is_compiled()
        (tmp_path / part).touch()
    monkeypatch.setattr(kernel_cache, "compiler_command", None)
    loaded = []
    monkeypatch.setattr(warming_up, "warm_up", lambda: loaded.append("all"))
    asyncio.run(compile_ahead())
    assert loaded == ["all"]


def test_threads_wait_for_one_process_that_compiles(tmp_path, started_processes, monkeypatch):
    requests = threading.Semaphore(0)

    def folder():
        requests.release()
        return tmp_path

    def lines(compilation):
        for _ in range(4 if compilation.parts == [PLAYS] else 0):
            assert requests.acquire(timeout=20), (
                "another thread did not request the part while it was being compiled"
            )
        (tmp_path / compilation.parts[0]).touch()
        return iter(())

    monkeypatch.setattr(FakeCompiler, "lines", property(lines))
    monkeypatch.setattr(kernel_cache, "shared_cache_folder", folder)
    threads = [threading.Thread(target=compile_in_processes, args=[PLAYS]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(started_processes) == [[BOARD], [PLAYS]]


def test_each_numba_and_python_version_has_a_folder(monkeypatch):
    current = kernel_cache._digest()
    assert kernel_cache._digest() == current
    monkeypatch.setattr(kernel_cache, "version", lambda _: "0.0")
    with_other_numba = kernel_cache._digest()
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-00")
    assert len({current, with_other_numba, kernel_cache._digest()}) == 3


@pytest.mark.long
def test_the_first_analysis_with_a_new_cache_loads_no_compiler(tmp_path):
    code = "from bot.engine.installed import compile_engine; compile_engine('plays')" + CHECK_NO_COMPILER
    # The cache folder already contains a file, so compiled code beside the sources is not copied into it.
    stored = tmp_path / "kept" / kernel_cache.CACHE_FOLDER.name
    stored.mkdir(parents=True)
    (stored / "begun").touch()
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__init__.py").write_text("raise RuntimeError('imported from the current folder')")
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(stored.parent),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    subprocess.run([sys.executable, "-P", "-c", code], env=environment, cwd=tmp_path, check=True)
    assert (stored / "plays").exists()
