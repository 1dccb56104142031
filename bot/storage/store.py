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
    database cannot do it: locked, full, gone. Ids are Discord's, and one it cannot have given is a `ValueError`.
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
        async with self._database.writing() as connection:
            await documents.keep(connection, document, self._clock())

    async def document(self, digest: str) -> Document | None:
        """Return the document with this digest, or None when there is none or it has expired."""
        async with self._database.reading() as connection:
            return await documents.find(connection, digest, self._clock())

    # Replies: which of our messages answered which message

    async def claim_reply(
        self, source_id: int, *, channel_id: int, guild_id: int | None, author_id: int
    ) -> bool:
        """Take the message `source_id` for answering: True for exactly one caller, in whatever process.

        A claim ends with `release_reply` or `forget_reply`, and with the sweep after `REPLY_RETENTION`, but
        never by itself: when a process dies between sending and recording, nobody can tell whether the answer
        went out, and a missing answer is a smaller nuisance than a second one (its author can post again).
        """
        async with self._database.writing() as connection:
            return await replies.claim(
                connection,
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
        async with self._database.writing() as connection:
            await replies.record(connection, source_id, reply_ids, self._clock())

    async def release_reply(self, source_id: int) -> None:
        """Give a claim back because the answer could not be sent; a recorded answer is not touched."""
        async with self._database.writing() as connection:
            await replies.release(connection, source_id)

    async def reply(self, source_id: int) -> ReplyRecord | None:
        """Return what is known about the answer to `source_id`, or None when it was never claimed."""
        async with self._database.reading() as connection:
            return await replies.find(connection, source_id)

    async def forget_reply(self, source_id: int) -> None:
        """Forget the answer to `source_id`, whose message was deleted, say; it could be claimed again."""
        async with self._database.writing() as connection:
            await replies.forget(connection, source_id)

    # The bot itself

    async def meta(self, key: str) -> str | None:
        """Return the value kept under `key` (1 to 64 letters, digits and ``_.:-``), or None."""
        async with self._database.reading() as connection:
            return await meta.get(connection, key)

    async def set_meta(self, key: str, value: str) -> None:
        """Keep `value` under `key`, in place of what was there."""
        async with self._database.writing() as connection:
            await meta.put(connection, key, value)

    # Forgetting

    async def sweep(self) -> SweepCount:
        """Delete expired documents, and replies older than `REPLY_RETENTION`."""
        now = self._clock()
        return SweepCount(
            documents=await self._in_batches(
                lambda connection: documents.sweep(connection, now, _SWEEP_BATCH)
            ),
            replies=await self._in_batches(
                lambda connection: replies.sweep(connection, now - REPLY_RETENTION, _SWEEP_BATCH)
            ),
        )

    async def _in_batches(self, delete_some: Callable[[AsyncConnection], Awaitable[int]]) -> int:
        total = 0
        while True:
            async with self._database.writing() as connection:
                deleted = await delete_some(connection)
            total += deleted
            if deleted < _SWEEP_BATCH:
                return total

    async def forget_user(self, user_id: int) -> None:
        """Forget everything that is linked to a user. Documents are linked to nobody and go when they expire."""
        async with self._database.writing() as connection:
            await replies.forget_user(connection, user_id)

    async def forget_guild(self, guild_id: int) -> None:
        """Forget everything that is linked to a guild, which the bot has left, say."""
        async with self._database.writing() as connection:
            await replies.forget_guild(connection, guild_id)
