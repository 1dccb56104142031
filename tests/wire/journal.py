"""A log of what happens on the local server. Tests use it to wait for something to happen."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Seconds after which a test fails if something that should happen immediately has not happened.
PATIENCE = 10.0


class Journal:
    """A log of the most recent events. Every change to the server's state adds a line here, which wakes waiting tests."""

    def __init__(self, *, max_lines: int = 400) -> None:
        self._lines: deque[str] = deque(maxlen=max_lines)
        self._changed = asyncio.Event()
        #: Violations of the protocol by the client, and failures of the server. They fail the test when the server stops.
        self.complaints: list[str] = []

    def note(self, line: str) -> None:
        """Append a line, and wake every waiting test."""
        self._lines.append(line)
        self._changed.set()
        self._changed = asyncio.Event()

    def complain(self, sentence: str) -> None:
        """Note something that must never happen. The test fails when the server stops."""
        self.complaints.append(sentence)
        self.note(f"COMPLAINT: {sentence}")

    def tail(self, count: int = 30) -> str:
        """Return the last `count` lines, for the message of a failed test."""
        return "\n".join(list(self._lines)[-count:])

    async def until(self, probe: Callable[[], T | None], what: str, *, within: float = PATIENCE) -> T:
        """Wait until `probe` returns a truthy value, and return the value.

        Raises:
            AssertionError: `probe` returned no truthy value within `within` seconds. The message contains `what` and the last lines.

        """
        try:
            async with asyncio.timeout(within):
                while True:
                    changed = self._changed
                    found = probe()
                    if found:
                        return found
                    await changed.wait()
        except TimeoutError:
            message = (
                f"still missing after {within:g} s: {what}. The last lines of the journal:\n{self.tail()}"
            )
            raise AssertionError(message) from None
