"""`python -m bot run`, but a signal makes its event loop stand: the program under test of `test_watchdog`."""

from __future__ import annotations

import re
import signal
import sys
import time

from bot.__main__ import main


def wait_for_ever(_number: int, _frame: object) -> None:
    """Stand still as a call does that never returns; other threads go on."""
    while True:
        time.sleep(3600)


def keep_the_lock(_number: int, _frame: object) -> None:
    """Stand still with the interpreter's lock in hand, as a regular expression does that goes astray."""
    re.match(r"(a|aa)+$", "a" * 80 + "b")


signal.signal(signal.SIGUSR1, wait_for_ever)
signal.signal(signal.SIGUSR2, keep_the_lock)
sys.exit(main(["run"]))
