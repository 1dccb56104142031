"""Noticing that another process answers with our token and a database of its own, which nothing else shows.

Both hear every message and answer it, and Discord tells each of the other's answers under its own name. So the answers of
every process bear its mark, where nobody sees it: in the ``custom_id`` of the button that deletes them.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Iterator
from typing import Final

import discord

log = logging.getLogger(__name__)

MARK: Final = secrets.token_hex(4)
"""The mark of this process, another at every start."""

DELETE_ID: Final = re.compile(r"kibitz:delete:(?P<author>\d{1,20})(?::(?P<mark>[0-9a-f]{8}))?")
"""The ``custom_id`` of the button that deletes an answer: who was answered, and by which process."""

PATIENCE_SECONDS: Final = 120.0
"""How long others may answer before it is said: while a new version takes over, two are there for a moment."""


class Rivals:
    """Looks for the marks of others."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._heard = 0

    def heard(self, message: discord.Message) -> None:
        """Look at a new message in our name, of which Discord tells."""
        if all(mark in {None, MARK} for mark in _marks(message)):
            return
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        self._heard += 1
        if now - self._since < PATIENCE_SECONDS:
            return
        self._since = now
        log.error(
            "ANOTHER PROCESS ANSWERS WITH THE SAME TOKEN: %d answers in our name were not sent from here. Unless both"
            " share one database, everything is answered twice: end one of the two, or give both the same DATABASE_URL",
            self._heard,
        )


def _marks(message: discord.Message) -> Iterator[str | None]:
    for row in message.components:
        for item in getattr(row, "children", ()):
            if match := DELETE_ID.fullmatch(getattr(item, "custom_id", None) or ""):
                yield match["mark"]
