"""The engine's changes to numba apply only to its own kernels, and threads may import the engine at the same time."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from numba import njit

import bot.engine.compiler  # noqa: F401 - the import changes numba


def test_code_outside_the_engine_is_compiled_as_usual():
    """Negative indexes, which the engine's kernels cannot use, work in other code."""
    last = njit(lambda numbers: numbers[-1])
    assert last(np.arange(100, 110)[5:]) == 109
    row = njit(lambda numbers: numbers[1].sum())
    assert row(np.ones((3, 4))) == 4


CONCURRENT_IMPORTS = """
import os, sys, threading
from importlib import import_module
import numpy

numba_half_imported = threading.Event()
imported = []

class Pause:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.config":
            numba_half_imported.set()
            second_thread.join(0.3)

def first():
    import_module("bot.engine.compiler")
    imported.append("first")

def second():
    numba_half_imported.wait()
    import_module("bot.engine.warm_up")
    imported.append("second")

sys.meta_path.insert(0, Pause())
first_thread, second_thread = (threading.Thread(target=work, daemon=True) for work in (first, second))
second_thread.start()
first_thread.start()
first_thread.join(40)
second_thread.join(10)
os._exit(0 if sorted(imported) == ["first", "second"] else 1)  # the threads may be deadlocked
"""


def test_two_threads_may_import_the_engine_at_the_same_time():
    """The second thread begins its import while numba is half imported."""
    completed = subprocess.run(
        [sys.executable, "-c", CONCURRENT_IMPORTS], cwd=Path(__file__).parents[2], check=False
    )
    assert completed.returncode == 0
