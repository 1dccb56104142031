"""Live games: the Turn URLs that were posted of a game in a channel, from which the game is put together again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Row, delete, exists, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import live_games, live_texts

MAX_ID: Final = 200
"""Characters of a game's id."""

MAX_TEXTS: Final = 500
"""Texts of one game."""

MAX_CHARACTERS: Final = 256 * 1024
"""Characters of all texts of one game together."""

MAX_GAMES: Final = 25
"""Games that one person began, in all channels together; a further one replaces the one continued least recently."""


@dataclass(frozen=True, slots=True)
class LiveText:
    """A posted Turn URL."""

    author_id: int
    """The poster."""
    text: str
    """The URL alone, never the message it came in."""


@dataclass(frozen=True, slots=True)
class Board:
    """Our message with the current board of a game."""

    channel_id: int
    """The channel of the message: that of the game, or a thread in it."""
    message_id: int


@dataclass(frozen=True, slots=True)
class LiveGameRecord:
    """A live game of a channel. Raises :exc:`ValueError` when it cannot be stored."""

    channel_id: int
    game_id: str
    """The ``gid`` of its URLs, 1 to :data:`MAX_ID` characters."""
    guild_id: int | None
    """None in a direct message."""
    texts: tuple[LiveText, ...]
    """Every URL that brought something new, in the order they came: histories, deltas, and deltas that still wait for
    the turns before them. At least one, at most :data:`MAX_TEXTS` with :data:`MAX_CHARACTERS`."""
    updated: datetime | None = None
    """When it was last kept; None before."""
    version: int = 0
    """Which state of the game this is: 0 before it is kept, another number after each keeping."""

    def __post_init__(self) -> None:
        check_ids(self.channel_id, self.guild_id, *self.author_ids)
        if not 1 <= len(self.game_id) <= MAX_ID:
            raise ValueError(f"the id of a game needs 1 to {MAX_ID} characters")
        if not 1 <= len(self.texts) <= MAX_TEXTS:
            raise ValueError(f"a live game has 1 to {MAX_TEXTS} texts, not {len(self.texts)}")
        if sum(len(text.text) for text in self.texts) > MAX_CHARACTERS:
            raise ValueError(f"the texts of a live game have more than {MAX_CHARACTERS} characters")

    @property
    def author_ids(self) -> frozenset[int]:
        """The users who posted a part of it."""
        return frozenset(text.author_id for text in self.texts)


class LiveGameStore(StorePart):
    """The Turn URLs of current games, and the message that shows each game."""

    @reads
    async def live_game(
        self, connection: AsyncConnection, channel_id: int, game_id: str
    ) -> LiveGameRecord | None:
        """Return what a channel knows of a game, or None."""
        check_ids(channel_id)
        query = select(live_games).where(_is(channel_id, game_id))
        row = (await connection.execute(query)).first()
        return None if row is None else await _with_texts(connection, row)

    @reads
    async def live_games(
        self, connection: AsyncConnection, channel_id: int, limit: int = 25
    ) -> tuple[LiveGameRecord, ...]:
        """Return at most ``limit`` games of a channel, the latest first."""
        check_ids(channel_id)
        query = (
            select(live_games)
            .where(live_games.c.channel_id == channel_id)
            .order_by(live_games.c.updated.desc(), live_games.c.game_id)
            .limit(limit)
        )
        rows = (await connection.execute(query)).all()
        return tuple([await _with_texts(connection, row) for row in rows])

    @writes
    async def keep_live_game(
        self, connection: AsyncConnection, record: LiveGameRecord, expected_version: int
    ) -> bool:
        """Keep ``record`` if the game still has the version it was read with; 0 for a game that is not kept yet.

        False means that another change came first and nothing was written: read the game again, add the new links,
        and try again. The record's own ``version`` and ``updated`` are not looked at.
        """
        await note_guild(connection, record.guild_id)
        now = self._clock()
        if expected_version == 0:
            # A game that was deleted and comes again must not have a version that another process may still hold.
            first = int(now.timestamp() * 1_000_000)
            new = insert(connection, live_games).values(
                channel_id=record.channel_id,
                game_id=record.game_id,
                guild_id=record.guild_id,
                owner_id=record.texts[0].author_id,
                updated=now,
                version=first,
            )
            statement = new.on_conflict_do_nothing(index_elements=list(live_games.primary_key))
        else:
            statement = (
                update(live_games)  # type: ignore[assignment]  # both have RETURNING, no common base says so
                .where(
                    _is(record.channel_id, record.game_id),
                    live_games.c.version == expected_version,
                )
                .values(version=expected_version + 1, updated=now, guild_id=record.guild_id)
            )
        if (await connection.execute(statement.returning(live_games.c.channel_id))).first() is None:
            return False
        await _write_texts(connection, record)
        return True

    @writes
    async def keep_to_live_games(self, connection: AsyncConnection, owner_id: int) -> tuple[str, ...]:
        """Forget the games of one person that were continued least recently, down to :data:`bot.storage.live_games.MAX_GAMES`.

        Return their ids. A game belongs to the author of the first text that was kept of it.
        """
        check_ids(owner_id)
        query = (
            select(live_games.c.channel_id, live_games.c.game_id)
            .where(live_games.c.owner_id == owner_id)
            .order_by(live_games.c.updated.desc(), live_games.c.version.desc())
            .offset(MAX_GAMES)
        )
        rows = (await connection.execute(query)).all()
        for row in rows:
            await connection.execute(delete(live_games).where(_is(row.channel_id, row.game_id)))
        return tuple(row.game_id for row in rows)

    @reads
    async def live_board(self, connection: AsyncConnection, channel_id: int, game_id: str) -> Board | None:
        """Return the message that shows a game as it is now; None if there is none."""
        return await board(connection, channel_id, game_id)

    @writes
    async def move_live_board(
        self, connection: AsyncConnection, channel_id: int, game_id: str, now: Board
    ) -> Board | None:
        """Let the later of our two messages show a game, and return the other; None without another."""
        check_ids(now.channel_id, now.message_id)
        before = await board(connection, channel_id, game_id)
        if before is not None and before.message_id >= now.message_id:
            return now if before.message_id > now.message_id else None
        await connection.execute(
            update(live_games)
            .where(_is(channel_id, game_id))
            .values(board_channel_id=now.channel_id, board_id=now.message_id)
        )
        return before

    @writes
    async def forget_live_game(self, connection: AsyncConnection, channel_id: int, game_id: str) -> bool:
        """Forget a game with all its texts; False when it was not known."""
        check_ids(channel_id)
        result = await connection.execute(delete(live_games).where(_is(channel_id, game_id)))
        return result.rowcount > 0


async def board(connection: AsyncConnection, channel_id: int, game_id: str) -> Board | None:
    """Return which of our messages shows a game; None when none does."""
    check_ids(channel_id)
    query = select(live_games.c.board_channel_id, live_games.c.board_id).where(_is(channel_id, game_id))
    row = (await connection.execute(query)).first()
    return None if row is None or row.board_id is None else Board(row.board_channel_id, row.board_id)


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Delete every text that a user posted, and games without any text left."""
    check_ids(user_id)
    theirs = select(live_texts.c.channel_id, live_texts.c.game_id).where(live_texts.c.author_id == user_id)
    key = tuple_(live_games.c.channel_id, live_games.c.game_id)
    # A process that has read one of these games and is about to store it must read it again.
    await connection.execute(
        update(live_games).where(key.in_(theirs)).values(version=live_games.c.version + 1)
    )
    await connection.execute(delete(live_texts).where(live_texts.c.author_id == user_id))
    await connection.execute(update(live_games).where(live_games.c.owner_id == user_id).values(owner_id=None))
    left = exists().where(
        live_texts.c.channel_id == live_games.c.channel_id, live_texts.c.game_id == live_games.c.game_id
    )
    await connection.execute(delete(live_games).where(~left))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget every game of a guild's channels."""
    check_ids(guild_id)
    await connection.execute(delete(live_games).where(live_games.c.guild_id == guild_id))


async def count_texts(connection: AsyncConnection, user_id: int) -> int:
    """Count the texts that a user posted."""
    check_ids(user_id)
    return await connection.scalar(select(func.count()).where(live_texts.c.author_id == user_id)) or 0


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` games that were not continued since a time, and return their number."""
    key = tuple_(live_games.c.channel_id, live_games.c.game_id)
    old = (
        select(live_games.c.channel_id, live_games.c.game_id)
        .where(live_games.c.updated < before)
        .limit(limit)
    )
    return (await connection.execute(delete(live_games).where(key.in_(old)))).rowcount


def _is(channel_id: int, game_id: str) -> ColumnElement[bool]:
    return (live_games.c.channel_id == channel_id) & (live_games.c.game_id == game_id)


async def _with_texts(connection: AsyncConnection, row: Row[tuple[object, ...]]) -> LiveGameRecord:
    query = (
        select(live_texts.c.author_id, live_texts.c.text)
        .where(live_texts.c.channel_id == row.channel_id, live_texts.c.game_id == row.game_id)
        .order_by(live_texts.c.place)
    )
    texts = tuple(LiveText(author_id, text) for author_id, text in await connection.execute(query))
    return LiveGameRecord(row.channel_id, row.game_id, row.guild_id, texts, row.updated, row.version)


async def _write_texts(connection: AsyncConnection, record: LiveGameRecord) -> None:
    """Replace the stored texts by a record's texts."""
    await connection.execute(
        delete(live_texts).where(
            live_texts.c.channel_id == record.channel_id, live_texts.c.game_id == record.game_id
        )
    )
    rows = [
        {
            "channel_id": record.channel_id,
            "game_id": record.game_id,
            "place": place,
            "author_id": text.author_id,
            "text": text.text,
        }
        for place, text in enumerate(record.texts)
    ]
    await connection.execute(live_texts.insert(), rows)
