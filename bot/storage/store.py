"""The store: everything the bot remembers, behind one object that speaks in plain values."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.storage import documents, meta, replies
from bot.storage.address import read_address
from bot.storage.database import Database
from bot.storage.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.storage.documents import Document
    from bot.storage.replies import ReplyRecord

PATIENCE: Final = timedelta(seconds=5)
"""How long one call waits for a lock, a connection or the server before it fails with `StoreError`."""

REPLY_RETENTION: Final = timedelta(days=30)
"""How long it is remembered which message was answered.

A message older than this could be claimed a second time: a listener that follows edits ignores older messages.
"""

_SWEEP_BATCH: Final = 500
"""Rows deleted in one transaction, so that answers do not wait long for a sweep."""


@dataclass(frozen=True, slots=True)
class SweepCount:
    """How much one `Store.sweep` deleted."""

    documents: int
    replies: int


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class Store:
    """Everything the bot remembers.

    Every method is one transaction (`sweep`: several), whole or not at all, and raises `StoreError` when the
    database cannot do it: locked, full, gone. A call that is cancelled is done to its end if it has begun, and
    closing the store waits for it. Ids are Discord's, and one it cannot have given is a `ValueError`.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, *, clock: Callable[[], datetime] = utc_now, patience: timedelta = PATIENCE
    ) -> AsyncIterator[Store]:
        """Open the database that `url` names (see `read_address`), bringing its schema up to date first.

        An SQLite file that is not there is made. `clock` tells the time, with a time zone; `patience` is how long
        one call waits for a lock, a connection or the server. Raises `StoreError` with a sentence for the
        operator that holds no password.
        """
        await migrate(url)
        async with Database.opened(read_address(url), patience=patience) as database:
            yield cls(database, clock)

    # Documents: what the buttons under a reply refer to

    async def keep_document(self, document: Document) -> None:
        """Keep `document`; kept already, it lasts until the later of both times.

        Raises `StoreError` when the digest already names another document.
        """
        await self._database.write(documents.keep, document, self._clock())

    async def document(self, digest: str) -> Document | None:
        """Return the document with this digest, or None when there is none or it has expired."""
        return await self._database.read(documents.find, digest, self._clock())

    # Replies: which of our messages answered which message

    async def claim_reply(
        self, source_id: int, *, channel_id: int, guild_id: int | None, author_id: int
    ) -> bool:
        """Take the message `source_id` for answering: True for exactly one caller, in whatever process.

        A claim ends with `release_reply` or `forget_reply`, and with the sweep after `REPLY_RETENTION`, but
        never by itself: when a process dies between sending and recording, nobody can tell whether the answer
        went out, and a missing answer is a smaller nuisance than a second one (its author can post again).
        """
        return await self._database.write(
            replies.claim,
            source_id,
            channel_id=channel_id,
            guild_id=guild_id,
            author_id=author_id,
            now=self._clock(),
        )

    async def record_reply(self, source_id: int, reply_ids: tuple[int, ...]) -> None:
        """Say which of our messages answer `source_id` now; said again, it replaces what was said before.

        An empty tuple means that the answer was taken back, and the claim stays. Does nothing when the claim has
        been forgotten in the meantime.
        """
        await self._database.write(replies.record, source_id, reply_ids, self._clock())

    async def release_reply(self, source_id: int) -> None:
        """Give a claim back because the answer could not be sent; a recorded answer is not touched."""
        await self._database.write(replies.release, source_id)

    async def reply(self, source_id: int) -> ReplyRecord | None:
        """Return what is known about the answer to `source_id`, or None when it was never claimed."""
        return await self._database.read(replies.find, source_id)

    async def forget_reply(self, source_id: int) -> None:
        """Forget the answer to `source_id`, whose message was deleted, say; it could be claimed again."""
        await self._database.write(replies.forget, source_id)

    # The bot itself

    async def meta(self, key: str) -> str | None:
        """Return the value kept under `key` (1 to 64 letters, digits and ``_.:-``), or None."""
        return await self._database.read(meta.get, key)

    async def set_meta(self, key: str, value: str) -> None:
        """Keep `value` under `key`, in place of what was there."""
        await self._database.write(meta.put, key, value)

    # Forgetting

    async def sweep(self) -> SweepCount:
        """Delete expired documents, and replies older than `REPLY_RETENTION`."""
        now = self._clock()
        return SweepCount(
            documents=await self._in_batches(documents.sweep, now),
            replies=await self._in_batches(replies.sweep, now - REPLY_RETENTION),
        )

    async def _in_batches(
        self, sweep: Callable[[AsyncConnection, datetime, int], Awaitable[int]], before: datetime
    ) -> int:
        total = 0
        while True:
            deleted = await self._database.write(sweep, before, _SWEEP_BATCH)
            total += deleted
            if deleted < _SWEEP_BATCH:
                return total

    async def forget_user(self, user_id: int) -> None:
        """Forget everything that is linked to a user. Documents are linked to nobody and go when they expire."""
        await self._database.write(replies.forget_user, user_id)

    async def forget_guild(self, guild_id: int) -> None:
        """Forget everything that is linked to a guild, which the bot has left, say."""
        await self._database.write(replies.forget_guild, guild_id)
