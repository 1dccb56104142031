"""The store: all data of the bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import puzzles, settings
from bot.storage.address import read_address
from bot.storage.bookkeeping import GUILD_RETENTION, NOTICE_RETENTION, BookkeepingStore
from bot.storage.dailies import DailyStore
from bot.storage.database import (
    STATEMENT_TIMEOUT,
    Database,
    count,
    delete_some,
    lock_id,
    reads,
    utc_now,
    writes,
)
from bot.storage.documents import DocumentStore, forget_author
from bot.storage.live_games import LiveGameStore, forget_player, forget_poster
from bot.storage.migrate import migrate, newest_version, version_of
from bot.storage.polls import PollStore, delete_orphaned_plays
from bot.storage.puzzles import PuzzleStore
from bot.storage.replies import ReplyStore
from bot.storage.settings import SettingsStore, UserSettings
from bot.storage.tables import (
    document_authors,
    documents,
    job_allowances,
    jobs,
    left_guilds,
    live_draws,
    live_games,
    live_seats,
    live_texts,
    metadata,
    notices,
    own_games,
    own_names,
    poll_plays,
    polls,
    puzzle_answers,
    replies,
    user_settings,
)
from bot.storage.user_games import DETACHED_LIFETIME, UserGameStore, remove_games

REPLY_RETENTION: Final = timedelta(days=30)
"""Time after which a stored reply is deleted. The message that it answers could then be claimed again, so the bot ignores
edits to messages older than this."""

LIVE_GAME_RETENTION: Final = timedelta(days=60)
"""A live game is deleted this long after its last change."""

POLL_RETENTION: Final = timedelta(days=2)
"""A poll that could not be revealed is deleted this long after its end."""

DAILY_RETENTION: Final = timedelta(days=400)
"""Time after which finished dailies are deleted, together with the answers that no leaderboard counts."""

_SWEEP_BATCH: Final = 500
"""Maximum number of items, such as replies or servers, that one transaction deletes. New replies must wait until it ends."""


class Store(
    ReplyStore,
    DocumentStore,
    BookkeepingStore,
    LiveGameStore,
    PuzzleStore,
    DailyStore,
    PollStore,
    UserGameStore,
    SettingsStore,
):
    """All data of the bot.

    A cancelled call still runs to its end, and closing the store waits for it. An id outside the range of Discord ids raises
    :exc:`ValueError`.
    """

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        clock: Callable[[], datetime] = utc_now,
        statement_timeout: timedelta = STATEMENT_TIMEOUT,
    ) -> AsyncIterator[Store]:
        """Migrate and open the database at ``url``.

        ``clock`` returns the current time with a time zone.

        Raises:
            StoreError: the database cannot be used.

        """
        address = read_address(url)
        async with Database.open(address, statement_timeout=statement_timeout) as database:
            version = await database.run(database.reading(), AsyncConnection.run_sync, version_of)
            if version != newest_version():
                await migrate(address)
            yield cls(database, clock)

    @writes
    async def change_user_settings(
        self, connection: AsyncConnection, user_id: int, change: Callable[[UserSettings], UserSettings]
    ) -> None:
        """Change a user's settings. Unless ``games`` is on in the new settings, also delete the user's games and names."""
        new_settings = await settings.update(connection, user_settings, user_id, UserSettings, change)
        if not new_settings.games:
            await self._forget_games(connection, own_games.c.user_id == user_id)
            await connection.execute(delete(own_names).where(own_names.c.user_id == user_id))

    @reads
    async def count_user_data(self, connection: AsyncConnection, user_id: int) -> Counter[str]:
        """Return how many settings and rows of each kind are linked to a user."""
        user_digests = select(document_authors.c.digest).where(document_authors.c.author_id == user_id)
        stored_settings = await settings.read(connection, user_settings, user_id, UserSettings)
        return Counter(
            replies=await count(connection, replies.c.author_id == user_id),
            documents=await count(
                connection, documents.c.digest.in_(user_digests) & (documents.c.expires > self._clock())
            ),
            live_texts=await count(connection, live_texts.c.author_id == user_id),
            live_seats=await count(connection, live_seats.c.user_id == user_id),
            puzzles=await count(connection, puzzle_answers.c.user_id == user_id),
            dailies=await puzzles.count_dailies(connection, user_id),
            polls=await count(connection, poll_plays.c.user_id == user_id)
            + await count(connection, polls.c.author_id == user_id),
            user_games=await count(connection, own_games.c.user_id == user_id),
            player_names=await count(connection, own_names.c.user_id == user_id),
            settings=sum(value is not None for value in asdict(stored_settings).values()),
        )

    # Deleting

    async def sweep(self) -> Counter[str]:
        """Delete expired data, and the data of servers that the bot left long ago. Return the number of deleted items by kind."""
        now = self._clock()
        live_cutoff = now - LIVE_GAME_RETENTION

        async def delete_rows(table: Table, condition: ColumnElement[bool]) -> int:
            return await self._sweep_in_batches(
                lambda connection: delete_some(connection, table, condition, _SWEEP_BATCH)
            )

        return Counter(
            documents=await delete_rows(documents, documents.c.expires <= now),
            replies=await delete_rows(replies, replies.c.claimed_at < now - REPLY_RETENTION),
            live_games=await delete_rows(live_games, live_games.c.updated < live_cutoff),
            live_draws=await delete_rows(live_draws, live_draws.c.updated < live_cutoff),
            guilds=await self._sweep_in_batches(self._sweep_guilds),
            notices=await delete_rows(notices, notices.c.claimed_at < now - NOTICE_RETENTION),
            polls=await self._sweep_in_batches(self._sweep_polls),
            dailies=await self._sweep_in_batches(
                lambda connection: puzzles.sweep(connection, now - DAILY_RETENTION, _SWEEP_BATCH)
            ),
        )

    async def _sweep_guilds(self, connection: AsyncConnection) -> int:
        is_expired = left_guilds.c.left < self._clock() - GUILD_RETENTION
        guild_ids = (
            await connection.scalars(select(left_guilds.c.guild_id).where(is_expired).limit(_SWEEP_BATCH))
        ).all()
        await self._forget_games(connection, own_games.c.guild_id.in_(guild_ids))
        await connection.execute(update(jobs).where(jobs.c.guild_id.in_(guild_ids)).values(guild_id=None))
        for table in metadata.tables.values():
            if "guild_id" in table.c:
                await connection.execute(delete(table).where(table.c.guild_id.in_(guild_ids)))
        await delete_orphaned_plays(connection)
        return len(guild_ids)

    async def _sweep_polls(self, connection: AsyncConnection) -> int:
        is_expired = polls.c.ends < self._clock() - POLL_RETENTION
        deleted_count = await delete_some(connection, polls, is_expired, _SWEEP_BATCH)
        await delete_orphaned_plays(connection)
        return deleted_count

    async def _sweep_in_batches(self, sweep: Callable[[AsyncConnection], Awaitable[int]]) -> int:
        total = 0
        while True:
            deleted_count = await self._database.run(self._database.writing(), sweep)
            total += deleted_count
            if deleted_count < _SWEEP_BATCH:
                return total

    @writes
    async def forget_reply(self, connection: AsyncConnection, source_id: int) -> None:
        """Delete the stored reply to a message, and the message's games. The message can then be claimed again."""
        await connection.execute(delete(replies).where(replies.c.source_id == source_id))
        await self._forget_games(connection, own_games.c.source_id == source_id)

    @writes
    async def forget_user(self, connection: AsyncConnection, user_id: int) -> None:
        """Delete everything that is linked to a user, except documents that other users also posted."""
        await lock_id(connection, user_id)
        await self._forget_games(connection, own_games.c.user_id == user_id)
        await forget_author(connection, user_id)
        await forget_poster(connection, user_id)
        await forget_player(connection, user_id)
        await puzzles.record_count_changes(connection, user_id)
        user_columns = [table.c.user_id for table in metadata.tables.values() if "user_id" in table.c]
        for column in (replies.c.author_id, polls.c.author_id, *user_columns):
            await connection.execute(delete(column.table).where(column == user_id))
        await delete_orphaned_plays(connection)
        await connection.execute(
            delete(job_allowances).where(job_allowances.c.kind == "user", job_allowances.c.id == user_id)
        )

    async def _forget_games(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> None:
        await remove_games(connection, condition, self._clock() + DETACHED_LIFETIME)
