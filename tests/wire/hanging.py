"""`python -m bot run` with two signals that block its event loop: the program that `test_watchdog` tests."""

from __future__ import annotations

import re
import signal
import sys
import time

from bot.__main__ import main


def wait_for_ever(_number: int, _frame: object) -> None:
    """Block as a call that never returns. Other threads continue."""
    while True:
        time.sleep(3600)


def keep_the_lock(_number: int, _frame: object) -> None:
    """Block while holding the interpreter's lock, as a regular expression with exponential running time does."""
    re.match(r"(a|aa)+$", "a" * 80 + "b")


signal.signal(signal.SIGUSR1, wait_for_ever)
signal.signal(signal.SIGUSR2, keep_the_lock)
sys.exit(main(["run"]))
