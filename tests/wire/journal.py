"""A log of what happens on the local server. Tests wait for its entries."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Seconds after which a test fails if an expected event has not happened. On an idle machine, most events happen within
#: a fraction of a second.
MAX_WAIT_SECONDS = 60.0
#: Seconds that a test waits for a bot to start and log in, or for a process to print expected output.
MAX_START_SECONDS = 120.0


class Journal:
    """A bounded list of events. Each change of the server's state adds a line, which wakes waiting tests."""

    def __init__(self, *, max_lines: int = 400) -> None:
        self._lines: deque[str] = deque(maxlen=max_lines)
        self._changed = asyncio.Event()
        #: Unknown routes, exceeded limits and failures of the server. They fail the test when the server stops.
        self.complaints: list[str] = []

    def note(self, line: str) -> None:
        self._lines.append(line)
        self._changed.set()
        self._changed = asyncio.Event()

    def complain(self, sentence: str) -> None:
        """Note something that must never happen. The test fails when the server stops."""
        self.complaints.append(sentence)
        self.note(f"COMPLAINT: {sentence}")

    def tail(self, count: int = 30) -> str:
        return "\n".join(list(self._lines)[-count:])

    async def until(
        self, probe: Callable[[], T | None], expected: str, *, within: float = MAX_WAIT_SECONDS
    ) -> T:
        """Wait until `probe` returns a truthy value, and return the value.

        Raises:
            AssertionError: The value was still missing after `within` seconds. The message contains `expected` and the last
                lines.

        """
        try:
            async with asyncio.timeout(within):
                while True:
                    changed = self._changed
                    value = probe()
                    if value:
                        return value
                    await changed.wait()
        except TimeoutError:
            message = (
                f"still missing after {within:g} s: {expected}. The last lines of the journal:\n{self.tail()}"
            )
            raise AssertionError(message) from None
