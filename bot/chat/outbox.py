"""Failed work for messages, retried while it is still useful."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Final

import aiohttp
import discord
from cachetools import FIFOCache

from bot.jobs.account import Requester
from bot.storage.errors import StoreError
from bot.storage.replies import UNSENT_LIFETIME

PAUSES: Final = (5.0, 15.0, 45.0, 120.0, 300.0, 600.0)
"""Seconds to wait after the first, second, ... attempt."""

MAX_PENDING: Final = 1_000
"""Maximum number of messages; the oldest is dropped."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A message whose work failed: an answer, an edit of its answer, or its deletion."""

    message_id: int
    requester: Requester
    """The author, or the user who requested the answer, and the channel."""
    wanted: bool = False
    """Whether an answer is already granted."""
    tries: int = 1
    since: float = field(default_factory=time.monotonic)
    """Time of the first failure, in seconds of the monotonic clock."""


def is_passing(error: BaseException) -> bool:
    """Return whether an error of Discord, the network or the database is temporary."""
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError | StoreError)


def pause_after(tries: int) -> float:
    """Return the seconds to wait after a number of attempts."""
    return PAUSES[min(tries, len(PAUSES)) - 1]


class Outbox:
    """Messages to retry that are not in the store. For the others, see ``Store.unsent_replies``."""

    def __init__(self) -> None:
        self._waiting: FIFOCache[int, tuple[float, Pending]] = FIFOCache(MAX_PENDING)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._waiting

    def add(self, pending: Pending) -> bool:
        """Add a message whose attempt failed; return False if it is too old."""
        now = time.monotonic()
        if now - pending.since > UNSENT_LIFETIME.total_seconds():
            return False
        self._waiting[pending.message_id] = (now + pause_after(pending.tries), pending)
        return True

    def take_due(self, limit: int) -> list[Pending]:
        """Remove and return at most ``limit`` due messages, each with one more attempt."""
        now = time.monotonic()
        due = [pending for when, pending in self._waiting.values() if when <= now][:limit]
        for pending in due:
            del self._waiting[pending.message_id]
        return [replace(pending, tries=pending.tries + 1) for pending in due]
