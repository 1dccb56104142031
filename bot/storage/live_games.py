"""Live games: the Turn URLs posted in a channel, and the users in each game's seats.

A Turn URL is a link that contains turns of a game. A game's home is the server channel of its first link. A game has the same
seats in all channels. The seats are stored under the number that identifies the game's tile draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Result, Row, Table, delete, exists, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.columns import check_ids
from bot.storage.database import BaseStore, has_rows, insert, reads, writes
from bot.storage.tables import live_draws, live_games, live_seats, live_texts

MAX_GAME_ID_LENGTH: Final = 200
MAX_URLS_PER_GAME: Final = 500
MAX_TOTAL_URL_LENGTH: Final = 256 * 1024
"""Maximum total length of a game's URLs, in characters."""
MAX_LIVE_GAMES: Final = 25
"""Maximum number of stored games that one user started. A new game replaces the least recently changed game."""
MAX_GAMES_WITH_SEATS: Final = 500
"""Maximum number of games with stored seats per user. A game belongs to the user who posted its first link. A new game replaces
the user's least recently changed game."""


@dataclass(frozen=True, slots=True)
class PostedUrl:
    """A posted Turn URL."""

    author_id: int
    url: str
    """The URL alone, without the rest of the message."""


@dataclass(frozen=True, slots=True)
class BoardMessage:
    """The bot's message with the current board of a game."""

    channel_id: int
    """The channel of the game, or a thread in it."""
    message_id: int


@dataclass(frozen=True, slots=True)
class LiveGameRecord:
    """A channel's live game. Raises :exc:`ValueError` if it cannot be stored."""

    channel_id: int
    game_id: str
    """The ``gid`` in the URLs."""
    guild_id: int | None
    """None in a direct message."""
    urls: tuple[PostedUrl, ...]
    """All URLs that contained something new, in the order they were posted. A URL contains a whole history or a single turn (delta).
    Turns may be missing."""
    updated: datetime | None = None
    """Time of the last change, or None before the record is stored."""
    version: int = 0
    """0 before the record is stored, and a new number after each change."""

    def __post_init__(self) -> None:
        check_ids(self.channel_id, self.guild_id, *self.author_ids)
        if not 1 <= len(self.game_id) <= MAX_GAME_ID_LENGTH:
            raise ValueError(f"the id of a game must have 1 to {MAX_GAME_ID_LENGTH} characters")
        if not 1 <= len(self.urls) <= MAX_URLS_PER_GAME:
            raise ValueError(f"a live game has 1 to {MAX_URLS_PER_GAME} URLs, not {len(self.urls)}")
        if sum(len(posted_url.url) for posted_url in self.urls) > MAX_TOTAL_URL_LENGTH:
            raise ValueError(f"the URLs of a live game have more than {MAX_TOTAL_URL_LENGTH} characters")

    @property
    def author_ids(self) -> frozenset[int]:
        return frozenset(posted_url.author_id for posted_url in self.urls)


@dataclass(frozen=True, slots=True)
class GameHome:
    """The home channel and the seats of a game, shared by all channels where the game is posted."""

    draws_id: int
    """The number that identifies the tile draws: a 32-bit hash of the game's seed."""
    channel_id: int | None = None
    """The home channel of the game, or None if only the finished game was posted."""
    game_id: str | None = None
    """The ``gid`` of the game in its home channel."""
    guild_id: int | None = None
    first_poster_id: int | None = None
    """The user who posted the first link in the home channel or, without a home channel, first asked for the racks. None if unknown."""
    occupants: Mapping[int, int | None] = field(default_factory=dict)
    """The user in each seat, or None for a seat that can no longer be taken."""
    claims: Mapping[int, int] = field(default_factory=dict)
    """The user who claims each seat without holding it yet."""
    settled_turn_count: int = 0
    """The number of turns in the game when the players agreed on their seats."""
    last_disputed_turn: int = 0
    """Turns up to this number do not prove who has which seat. 0 if every turn may prove it."""
    revealed_digest: str | None = None
    """The digest of the finished game whose racks may be shown."""
    version: int = 0
    """0 before the record is stored, and a new number after each change."""


class LiveGameStore(BaseStore):
    """Stores live games and their seats."""

    @reads
    async def live_game(
        self, connection: AsyncConnection, channel_id: int, game_id: str
    ) -> LiveGameRecord | None:
        row = (await connection.execute(select(live_games).where(_is_game(channel_id, game_id)))).first()
        return None if row is None else await _game_with_urls(connection, row)

    @reads
    async def live_games(
        self, connection: AsyncConnection, channel_id: int, limit: int = 25
    ) -> tuple[LiveGameRecord, ...]:
        """Return a channel's games, most recently changed first."""
        query = (
            select(live_games)
            .where(live_games.c.channel_id == channel_id)
            .order_by(live_games.c.updated.desc(), live_games.c.game_id)
            .limit(limit)
        )
        rows = (await connection.execute(query)).all()
        return tuple([await _game_with_urls(connection, row) for row in rows])

    @writes
    async def save_live_game(
        self, connection: AsyncConnection, record: LiveGameRecord, expected_version: int
    ) -> bool:
        """Store a game. Return False if it has changed since it was read.

        ``expected_version`` is the version that was read, or 0 for a new game. The record's own ``version`` and ``updated`` are
        ignored.
        """
        await record_guild(connection, record.guild_id)
        key = {"channel_id": record.channel_id, "game_id": record.game_id}
        values = {"guild_id": record.guild_id, "updated": self._clock()}
        if expected_version == 0:
            values["owner_id"] = record.urls[0].author_id
        if not await _store_version(connection, live_games, key, values, expected_version):
            return False
        await connection.execute(
            delete(live_texts).where(*(live_texts.c[name] == value for name, value in key.items()))
        )
        await connection.execute(
            live_texts.insert(),
            [
                {**key, "place": index, "author_id": posted_url.author_id, "text": posted_url.url}
                for index, posted_url in enumerate(record.urls)
            ],
        )
        return True

    @writes
    async def delete_surplus_live_games(self, connection: AsyncConnection, owner_id: int) -> tuple[str, ...]:
        """Keep only a user's :data:`MAX_LIVE_GAMES` most recently changed games. Return the ids of the deleted games.

        A game belongs to the user who started it.
        """
        rows = await _delete_old(connection, live_games, live_games.c.owner_id == owner_id, MAX_LIVE_GAMES)
        return tuple(row.game_id for row in rows)

    @reads
    async def live_board_message(
        self, connection: AsyncConnection, channel_id: int, game_id: str
    ) -> BoardMessage | None:
        return await _find_board(connection, channel_id, game_id)

    @writes
    async def record_live_board(
        self, connection: AsyncConnection, channel_id: int, game_id: str, board: BoardMessage
    ) -> BoardMessage | None:
        """Record ``board`` as the message with a game's current board, unless a later message is recorded.

        Return the earlier of the two messages, or None if there is only one.
        """
        stored_board = await _find_board(connection, channel_id, game_id, lock=True)
        if stored_board is not None and stored_board.message_id >= board.message_id:
            return board if stored_board.message_id > board.message_id else None
        await connection.execute(
            update(live_games)
            .where(_is_game(channel_id, game_id))
            .values(board_channel_id=board.channel_id, board_id=board.message_id)
        )
        return stored_board

    @writes
    async def forget_live_game(self, connection: AsyncConnection, channel_id: int, game_id: str) -> None:
        await connection.execute(delete(live_games).where(_is_game(channel_id, game_id)))

    # Seats

    @reads
    async def game_home(self, connection: AsyncConnection, draws_id: int) -> GameHome | None:
        row = (await connection.execute(select(live_draws).where(live_draws.c.draws_id == draws_id))).first()
        return None if row is None else await _home_with_seats(connection, row)

    @reads
    async def game_home_of(self, connection: AsyncConnection, user_id: int, game_id: str) -> GameHome | None:
        """Return the home of the latest game with this id in which a user has a seat, or None."""
        query = (
            select(live_draws)
            .join(live_seats, live_seats.c.draws_id == live_draws.c.draws_id)
            .where(live_seats.c.user_id == user_id, live_seats.c.held, live_draws.c.game_id == game_id)
            .order_by(live_draws.c.updated.desc())
            .limit(1)
        )
        row = (await connection.execute(query)).first()
        return None if row is None else await _home_with_seats(connection, row)

    @writes
    async def save_game_home(
        self, connection: AsyncConnection, record: GameHome, expected_version: int
    ) -> bool:
        """Store a game's home and seats. For ``expected_version`` and the result, see :meth:`save_live_game`."""
        await record_guild(connection, record.guild_id)
        values = {
            "channel_id": record.channel_id,
            "game_id": record.game_id,
            "guild_id": record.guild_id,
            "first_poster_id": record.first_poster_id,
            "settled": record.settled_turn_count,
            "disputed": record.last_disputed_turn,
            "opened": record.revealed_digest,
            "updated": self._clock(),
        }
        key = {"draws_id": record.draws_id}
        if not await _store_version(connection, live_draws, key, values, expected_version):
            return False
        await connection.execute(delete(live_seats).where(live_seats.c.draws_id == record.draws_id))
        rows = [
            {**key, "seat": seat, "user_id": user, "held": is_seated}
            for users, is_seated in ((record.occupants, True), (record.claims, False))
            for seat, user in users.items()
        ]
        if rows:
            await connection.execute(live_seats.insert(), rows)
        if expected_version == 0 and record.first_poster_id is not None:
            await _delete_old(
                connection,
                live_draws,
                live_draws.c.first_poster_id == record.first_poster_id,
                MAX_GAMES_WITH_SEATS,
            )
        return True

    @writes
    async def forget_game_home(self, connection: AsyncConnection, draws_id: int) -> None:
        await connection.execute(delete(live_draws).where(live_draws.c.draws_id == draws_id))


async def forget_poster(connection: AsyncConnection, user_id: int) -> None:
    """Delete the links that a user posted, and the games that have no link left."""
    posted_games = select(live_texts.c.channel_id, live_texts.c.game_id).where(
        live_texts.c.author_id == user_id
    )
    key = tuple_(live_games.c.channel_id, live_games.c.game_id)
    # A process that is about to store one of these games must read it again.
    await connection.execute(
        update(live_games).where(key.in_(posted_games)).values(version=live_games.c.version + 1)
    )
    await connection.execute(delete(live_texts).where(live_texts.c.author_id == user_id))
    await connection.execute(update(live_games).where(live_games.c.owner_id == user_id).values(owner_id=None))
    has_texts = exists().where(
        live_texts.c.channel_id == live_games.c.channel_id, live_texts.c.game_id == live_games.c.game_id
    )
    await connection.execute(delete(live_games).where(~has_texts))


async def forget_player(connection: AsyncConnection, user_id: int) -> None:
    """Remove a user from all seats. The seats stay closed to other users."""
    seated_draws = select(live_seats.c.draws_id).where(live_seats.c.user_id == user_id)
    await connection.execute(
        update(live_draws)
        .where(live_draws.c.draws_id.in_(seated_draws) | (live_draws.c.first_poster_id == user_id))
        # A turn up to number ``settled`` is accepted even if another user posted it. Anyone could now post other versions of
        # the user's deleted turns, so each turn must now be posted by the player who made it.
        .values(version=live_draws.c.version + 1, settled=0)
    )
    await connection.execute(
        delete(live_seats).where(live_seats.c.user_id == user_id, live_seats.c.held.is_(False))
    )
    for column in (live_seats.c.user_id, live_draws.c.first_poster_id):
        await connection.execute(update(column.table).where(column == user_id).values({column: None}))


async def _store_version(
    connection: AsyncConnection,
    table: Table,
    key: Mapping[str, object],
    values: Mapping[str, object],
    expected_version: int,
) -> bool:
    """Insert a row, or update the row if it has the expected version. Return False if another change came first."""
    if expected_version == 0:
        # The version begins with the current time. If it began with 1, another process could mistake a game that was deleted and
        # stored again for the version that it has read.
        first_version = int(values["updated"].timestamp() * 1_000_000)  # type: ignore[attr-defined]
        new = insert(connection, table).values(**key, **values, version=first_version)
        return await has_rows(connection, new.on_conflict_do_nothing().returning(table.c.version))
    return await has_rows(
        connection,
        update(table)
        .where(*(table.c[name] == value for name, value in key.items()), table.c.version == expected_version)
        .values(**values, version=expected_version + 1)
        .returning(table.c.version),
    )


async def _delete_old(
    connection: AsyncConnection, table: Table, condition: ColumnElement[bool], limit: int
) -> Sequence[Row[Any]]:
    """Delete all but the ``limit`` latest of the selected games. Return the keys of the deleted games."""
    keys_latest_first = (
        select(*table.primary_key).where(condition).order_by(table.c.updated.desc(), table.c.version.desc())
    )
    result: Result[Any] = await connection.execute(
        delete(table)
        .where(tuple_(*table.primary_key).in_(keys_latest_first.offset(limit)))
        .returning(*table.primary_key)
    )
    return result.all()


async def _find_board(
    connection: AsyncConnection, channel_id: int, game_id: str, *, lock: bool = False
) -> BoardMessage | None:
    query = select(live_games.c.board_channel_id, live_games.c.board_id).where(_is_game(channel_id, game_id))
    row = (await connection.execute(query.with_for_update() if lock else query)).first()
    return None if row is None or row.board_id is None else BoardMessage(row.board_channel_id, row.board_id)


def _is_game(channel_id: int, game_id: str) -> ColumnElement[bool]:
    return (live_games.c.channel_id == channel_id) & (live_games.c.game_id == game_id)


async def _game_with_urls(connection: AsyncConnection, row: Row[tuple[object, ...]]) -> LiveGameRecord:
    query = (
        select(live_texts.c.author_id, live_texts.c.text)
        .where(live_texts.c.channel_id == row.channel_id, live_texts.c.game_id == row.game_id)
        .order_by(live_texts.c.place)
    )
    urls = tuple(PostedUrl(author_id, url) for author_id, url in await connection.execute(query))
    return LiveGameRecord(row.channel_id, row.game_id, row.guild_id, urls, row.updated, row.version)


async def _home_with_seats(connection: AsyncConnection, row: Row[tuple[object, ...]]) -> GameHome:
    query = select(live_seats).where(live_seats.c.draws_id == row.draws_id).order_by(live_seats.c.seat)
    seats = (await connection.execute(query)).all()
    return GameHome(
        row.draws_id,
        row.channel_id,
        row.game_id,
        row.guild_id,
        row.first_poster_id,
        {seat.seat: seat.user_id for seat in seats if seat.held},
        {seat.seat: seat.user_id for seat in seats if not seat.held},
        row.settled,
        row.disputed,
        row.opened,
        row.version,
    )
