"""Noticing that another process answers with our token and a database of its own, which nothing else shows.

Both hear every message and answer it, and Discord tells each of the other's answers under its own name. So the answers of
every process bear its mark, where nobody sees it: in the ``custom_id`` of the button that deletes them.
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Final

import discord

from bot.chat.ids import ids_under
from bot.chat.ids.settings import DeleteId

log = logging.getLogger(__name__)

MARK: Final = secrets.token_hex(4)
"""The mark of this process, another at every start."""

PATIENCE_SECONDS: Final = 120.0
"""How long others may answer before it is said: while a new version takes over, two are there for a moment."""


class Rivals:
    """Looks for the marks of others."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._heard = 0

    def heard(self, message: discord.Message) -> None:
        """Look at a new message in our name, of which Discord tells."""
        marks = {state.mark for state, _ in ids_under(message) if isinstance(state, DeleteId)}
        if marks <= {"", MARK}:
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
