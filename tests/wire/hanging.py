"""`python -m bot run`, with two signals that block its event loop."""

from __future__ import annotations

import re
import signal
import sys
import time

from bot.__main__ import main


def wait_forever(_number: int, _frame: object) -> None:
    """Block like a call that never returns. Other threads continue."""
    while True:
        time.sleep(3600)


def hold_the_lock(_number: int, _frame: object) -> None:
    """Block with the interpreter's lock held, like a regular expression with exponential running time."""
    re.match(r"(a|aa)+$", "a" * 80 + "b")


signal.signal(signal.SIGUSR1, wait_forever)
signal.signal(signal.SIGUSR2, hold_the_lock)
sys.exit(main(["run"]))
