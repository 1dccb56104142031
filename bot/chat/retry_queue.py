"""A queue of failed work, which is retried while a reply is still useful."""

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
"""Seconds to wait after each attempt. The last value applies to all later attempts."""

MAX_PENDING: Final = 1_000
"""If more work waits, the oldest is dropped."""


@dataclass(frozen=True, slots=True)
class FailedWork:
    """A failed attempt to reply to a message, or to edit or delete the reply."""

    message_id: int
    requester: Requester
    """The user who requested the reply, not always the message's author."""
    is_granted: bool = False
    """Whether the reply is already counted against the rate limits."""
    tries: int = 1
    failed_at: float = field(default_factory=time.monotonic)
    """Monotonic time of the first failure."""


def is_temporary(error: BaseException) -> bool:
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError | StoreError)


def pause_after(tries: int) -> float:
    return PAUSES[min(tries, len(PAUSES)) - 1]


class RetryQueue:
    """Failed work that waits for a retry. Other failures are in the store: see ``Store.unsent_replies``."""

    def __init__(self) -> None:
        self._waiting: FIFOCache[int, tuple[float, FailedWork]] = FIFOCache(MAX_PENDING)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._waiting

    def add(self, work: FailedWork) -> bool:
        """Add work, or return False if its first failure was too long ago."""
        now = time.monotonic()
        if now - work.failed_at > UNSENT_LIFETIME.total_seconds():
            return False
        self._waiting[work.message_id] = (now + pause_after(work.tries), work)
        return True

    def take_due(self, max_count: int) -> list[FailedWork]:
        """Remove and return at most ``max_count`` items that are due. Their ``tries`` include the upcoming attempt."""
        now = time.monotonic()
        due_work = [work for due_at, work in self._waiting.values() if due_at <= now][:max_count]
        for work in due_work:
            del self._waiting[work.message_id]
        return [replace(work, tries=work.tries + 1) for work in due_work]
