"""The engine's changes to numba apply only to its own kernels."""

import numpy as np
from numba import njit

import bot.engine.compiler  # noqa: F401 - that it is imported is what is tried


def test_other_code_of_the_process_is_compiled_as_ever():
    last = njit(lambda numbers: numbers[-1])
    assert last(np.arange(100, 110)[5:]) == 109
    row = njit(lambda numbers: numbers[1].sum())
    assert row(np.ones((3, 4))) == 4
