"""The store: everything the bot remembers, behind one object that speaks in plain values."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import (
    documents,
    guilds,
    live_games,
    live_seats,
    notes,
    own_games,
    polls,
    puzzles,
    replies,
    settings,
    unfinished,
)
from bot.storage.address import read_address
from bot.storage.dailies import DailyStore
from bot.storage.database import Database, reads, writes
from bot.storage.documents import DocumentStore
from bot.storage.errors import StoreBusyError
from bot.storage.guilds import GUILD_RETENTION, GuildStore
from bot.storage.jobs import attempts as jobs
from bot.storage.live_games import LiveGameStore
from bot.storage.live_seats import SeatStore
from bot.storage.migrate import is_up_to_date, migrate_at
from bot.storage.notes import NOTICE_RETENTION, NoteStore
from bot.storage.own_games import LET_GO_LIFE, OwnGameStore
from bot.storage.polls import PollStore
from bot.storage.puzzles import PuzzleStore
from bot.storage.replies import ReplyStore
from bot.storage.reviews import ReviewStore
from bot.storage.settings import SettingsStore, UserSettings
from bot.storage.unfinished import UnfinishedStore

PATIENCE: Final = timedelta(seconds=5)
"""How long one call waits for a lock or the server before it fails with :exc:`StoreError`."""

REPLY_RETENTION: Final = timedelta(days=30)
"""How long it is remembered which message was answered.

An older message could be claimed a second time, so a listener that follows edits ignores older messages.
"""

LIVE_GAME_RETENTION: Final = timedelta(days=60)
"""How long a live game is kept after it was last continued."""

POLL_RETENTION: Final = timedelta(days=2)
"""How long a poll is kept after its end where it could not be revealed."""

DAILY_RETENTION: Final = timedelta(days=400)
"""How long dailies are kept that are over, and answers to them that solved nothing."""

_SWEEP_BATCH: Final = 500
"""Rows deleted in one transaction, so that answers do not wait long for a sweep."""


@dataclass(frozen=True, slots=True)
class SweepCount:
    """How much one :meth:`Store.sweep` deleted."""

    documents: int = 0
    replies: int = 0
    live_games: int = 0
    live_draws: int = 0
    guilds: int = 0
    notices: int = 0
    polls: int = 0
    dailies: int = 0


@dataclass(frozen=True, slots=True)
class UserData:
    """How much is remembered that is linked to one user, see :meth:`Store.user_data`."""

    replies: int
    """Messages of theirs that were answered."""
    documents: int
    """Positions and games they brought."""
    live_texts: int
    """Turn URLs of live games they posted."""
    settings: UserSettings
    """What they have chosen."""
    live_seats: int = 0
    """Seats of live games that are theirs."""
    puzzles: int = 0
    """Puzzles they were shown or answered."""
    dailies: int = 0
    """Dailies they answered."""
    polls: int = 0
    """Open polls that they asked, and their plays in such."""
    own_games: int = 0
    """Finished games that are kept for their look back."""
    own_names: int = 0
    """Names of players of which they said whether it is they."""


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class Store(
    ReplyStore,
    DocumentStore,
    UnfinishedStore,
    NoteStore,
    GuildStore,
    LiveGameStore,
    SeatStore,
    PuzzleStore,
    DailyStore,
    PollStore,
    OwnGameStore,
    ReviewStore,
    SettingsStore,
):
    """Everything the bot remembers.

    Every method is one transaction (``sweep``: several), whole or not at all, and raises :exc:`StoreError` when the
    database cannot do it: locked, full, gone. A cancelled call that has begun still runs to its end, and
    closing the store waits for it. Ids are Discord's, and one it cannot have given is a :exc:`ValueError`.
    """

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, *, clock: Callable[[], datetime] = utc_now, patience: timedelta = PATIENCE
    ) -> AsyncIterator[Store]:
        """Open the database that ``url`` names (see :func:`bot.storage.address.read_address`), after updating its schema.

        An SQLite file that is not there is made. ``clock`` returns the time with its time zone; ``patience`` is how long
        one call waits for a lock or the server. Raises :exc:`StoreError`, whose sentence for the
        operator holds no password.
        """
        address = read_address(url)
        async with Database.opened(address, patience=patience) as database:
            if not await database.read(is_up_to_date):
                await migrate_at(address)
            yield cls(database, clock)

    async def check(self) -> None:
        """Check that the database answers, without waiting long.

        Raises:
            StoreError: it does not.

        """
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                await self._answer()
        except TimeoutError as error:
            raise StoreBusyError("the database cannot be used: too many tasks are waiting for it") from error

    @reads
    async def _answer(self, connection: AsyncConnection) -> None:
        await connection.execute(select(1))

    @writes
    async def set_user_settings(
        self, connection: AsyncConnection, user_id: int, chosen: UserSettings
    ) -> None:
        """Keep what a user has chosen, in place of what was there.

        Who does not want to look back at games has none kept, and no names.
        """
        await settings.set_of_user(connection, user_id, chosen)
        if not chosen.games:
            await own_games.forget_user(connection, user_id, self._clock() + LET_GO_LIFE)

    # Forgetting

    async def sweep(self) -> SweepCount:
        """Delete what has expired or is older than its retention, and what belongs to guilds long left."""
        now = self._clock()
        return SweepCount(
            documents=await self._in_batches(documents.sweep, now),
            replies=await self._in_batches(replies.sweep, now - REPLY_RETENTION),
            live_games=await self._in_batches(live_games.sweep, now - LIVE_GAME_RETENTION),
            live_draws=await self._in_batches(live_seats.sweep, now - LIVE_GAME_RETENTION),
            guilds=await self._in_batches(self._sweep_guilds, now - GUILD_RETENTION),
            notices=await self._in_batches(notes.sweep, now - NOTICE_RETENTION),
            polls=await self._in_batches(polls.sweep, now - POLL_RETENTION),
            dailies=await self._in_batches(puzzles.sweep, now - DAILY_RETENTION),
        )

    async def _sweep_guilds(self, connection: AsyncConnection, before: datetime, limit: int) -> int:
        return await guilds.sweep(connection, before, limit, self._clock() + LET_GO_LIFE)

    async def _in_batches(
        self, sweep: Callable[[AsyncConnection, datetime, int], Awaitable[int]], before: datetime
    ) -> int:
        total = 0
        while True:
            deleted = await self._database.write(sweep, before, _SWEEP_BATCH)
            total += deleted
            if deleted < _SWEEP_BATCH:
                return total

    @reads
    async def user_data(self, connection: AsyncConnection, user_id: int) -> UserData:
        """Return how much is remembered that is linked to a user."""
        return UserData(
            replies=await replies.count(connection, user_id),
            documents=await documents.count(connection, user_id, self._clock()),
            live_texts=await live_games.count_texts(connection, user_id),
            settings=await settings.of_user(connection, user_id),
            live_seats=await live_seats.count(connection, user_id),
            puzzles=await puzzles.count(connection, user_id),
            dailies=await puzzles.count_dailies(connection, user_id),
            polls=await polls.count(connection, user_id),
            own_games=await own_games.count(connection, user_id),
            own_names=await own_games.count_names(connection, user_id),
        )

    @writes
    async def forget_reply(self, connection: AsyncConnection, source_id: int) -> None:
        """Forget the answer to ``source_id``, for example after its deletion; the message can be claimed again.

        The games of the message are nobody's any more.
        """
        await replies.forget(connection, source_id)
        await own_games.forget_message(connection, source_id, self._clock() + LET_GO_LIFE)

    @writes
    async def forget_user(self, connection: AsyncConnection, user_id: int) -> None:
        """Forget everything that is linked to a user; documents that others brought as well stay with those."""
        await own_games.forget_user(connection, user_id, self._clock() + LET_GO_LIFE)
        tables = (
            replies,
            documents,
            live_games,
            live_seats,
            settings,
            unfinished,
            puzzles,
            polls,
            jobs,
        )
        for table in tables:
            await table.forget_user(connection, user_id)

    @writes
    async def forget_guild(self, connection: AsyncConnection, guild_id: int) -> None:
        """Forget everything that is linked to a guild now."""
        await guilds.forget(connection, guild_id, self._clock() + LET_GO_LIFE)
