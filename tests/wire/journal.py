"""The events on the wire in order, and a bounded wait for the next."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: Seconds a test waits for something that should happen "at once" before it fails.
PATIENCE = 10.0


class Journal:
    """An append-only diary. Everything that changes the server notes a line here, which wakes who waits."""

    def __init__(self, *, keep: int = 400) -> None:
        self._lines: deque[str] = deque(maxlen=keep)
        self._changed = asyncio.Event()
        #: Violations of the protocol by the client or in the server; raised when the server stops.
        self.complaints: list[str] = []

    def note(self, line: str) -> None:
        """Append one line and wake every waiting test."""
        self._lines.append(line)
        self._changed.set()
        self._changed = asyncio.Event()

    def complain(self, sentence: str) -> None:
        """Note what must not happen in any test; the test fails when the server stops."""
        self.complaints.append(sentence)
        self.note(f"COMPLAINT: {sentence}")

    def tail(self, count: int = 30) -> str:
        """Give the last `count` lines, for the message of a failed test."""
        return "\n".join(list(self._lines)[-count:])

    async def until(self, probe: Callable[[], T | None], what: str, *, within: float = PATIENCE) -> T:
        """Wait until `probe` gives something true and return it.

        Raises AssertionError naming `what` and the last lines after `within` seconds.
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
            message = f"not within {within:g} s: {what}. The wire's last lines:\n{self.tail()}"
            raise AssertionError(message) from None
