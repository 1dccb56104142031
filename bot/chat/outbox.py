"""What could not be done for a message, kept in mind and tried again while it is still of use."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Final

import aiohttp
import discord
from cachetools import FIFOCache

from bot.storage.errors import StoreError
from bot.storage.replies import UNSENT_LIFE

PAUSES: Final = (5.0, 15.0, 45.0, 120.0, 300.0, 600.0)
"""Seconds after the first try, the second and so on before the next one."""

MAX_PENDING: Final = 1_000
"""Messages kept in mind; the one that waited for longest goes when there are more."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that something is to be done for: it may want an answer, another one than it has, or none any more."""

    message_id: int
    channel_id: int
    guild_id: int | None
    person_id: int | None = None
    """Who posted it, or who asked for its answer; None where nobody knows any more."""
    wanted: bool = False
    """Whether it is settled that it gets an answer: nobody needs to ask for it once more."""
    tries: int = 1
    since: float = field(default_factory=time.monotonic)
    """When the first try failed, in seconds of the monotonic clock."""


def is_passing(error: BaseException) -> bool:
    """Tell whether an error may be over in a while: Discord, the network or the database is out of order."""
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError | StoreError)


def pause_after(tries: int) -> float:
    """Return the seconds to wait after so many tries."""
    return PAUSES[min(tries, len(PAUSES)) - 1]


class Outbox:
    """Messages to be tried again, in memory: what the store can keep, it keeps (see ``Store.unsent_replies``)."""

    def __init__(self) -> None:
        self._waiting: FIFOCache[int, tuple[float, Pending]] = FIFOCache(MAX_PENDING)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._waiting

    def add(self, pending: Pending) -> bool:
        """Keep a message in mind whose try has failed; False when it is of no use any more."""
        now = time.monotonic()
        if now - pending.since > UNSENT_LIFE.total_seconds():
            return False
        self._waiting[pending.message_id] = (now + pause_after(pending.tries), pending)
        return True

    def take_due(self, limit: int) -> list[Pending]:
        """Take out at most so many messages whose time has come, each counted as tried once more."""
        now = time.monotonic()
        due = [pending for when, pending in self._waiting.values() if when <= now][:limit]
        for pending in due:
            del self._waiting[pending.message_id]
        return [replace(pending, tries=pending.tries + 1) for pending in due]
