"""Live games by the origin of their draws: the channel of each, the user who brought it, and the seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import live_draws, live_seats

MAX_BROUGHT: Final = 500
"""Maximum games stored for the person who posted them first; the least recently continued goes first."""


@dataclass(frozen=True, slots=True)
class DrawsRecord:
    """A game that is known by its draws, wherever its links appear. Raises :exc:`ValueError` when it cannot be kept."""

    draws: int
    """The seed of the draws, 32 bits."""
    channel_id: int | None = None
    """Its home channel; None for a game known only by a finished copy."""
    game_id: str | None = None
    """Its ``gid`` there."""
    guild_id: int | None = None
    bringer_id: int | None = None
    """The user who posted its first link there; None when that is not known."""
    held: Mapping[int, int | None] = field(default_factory=dict)
    """The user in each seat, None for a closed seat."""
    asked: Mapping[int, int] = field(default_factory=dict)
    """The users who claim other seats."""
    settled: int = 0
    disputed: int = 0
    """As in :class:`bot.domain.crossword.notations.turn_url.live.Seats`."""
    opened: str | None = None
    """The digest of the finished game whose racks may be shown."""
    version: int = 0
    """0 before it is kept, another number after each keeping."""

    def __post_init__(self) -> None:
        people = (*self.held.values(), *self.asked.values())
        check_ids(self.channel_id, self.guild_id, self.bringer_id, *people)
        if not 0 <= self.draws < 1 << 32:
            raise ValueError("draws follow from 32 bits")


class SeatStore(StorePart):
    """The channel and the seats of each live game."""

    @reads
    async def live_draws(self, connection: AsyncConnection, draws: int) -> DrawsRecord | None:
        """Return what is known of the game that has these draws, wherever its links appear, or None."""
        row = (await connection.execute(select(live_draws).where(live_draws.c.draws == draws))).first()
        return None if row is None else await _with_seats(connection, row)

    @reads
    async def live_draws_of(
        self, connection: AsyncConnection, user_id: int, game_id: str
    ) -> DrawsRecord | None:
        """Return the game with this id in which a user sits, or None."""
        check_ids(user_id)
        query = (
            select(live_draws)
            .join(live_seats, live_seats.c.draws == live_draws.c.draws)
            .where(live_seats.c.user_id == user_id, live_seats.c.held, live_draws.c.game_id == game_id)
            .order_by(live_draws.c.updated.desc())
            .limit(1)
        )
        row = (await connection.execute(query)).first()
        return None if row is None else await _with_seats(connection, row)

    @writes
    async def keep_live_draws(
        self, connection: AsyncConnection, record: DrawsRecord, expected_version: int
    ) -> bool:
        """Store ``record`` unless it has changed since it was read; see :meth:`keep_live_game`."""
        await note_guild(connection, record.guild_id)
        now = self._clock()
        values = {
            "channel_id": record.channel_id,
            "game_id": record.game_id,
            "guild_id": record.guild_id,
            "bringer_id": record.bringer_id,
            "settled": record.settled,
            "disputed": record.disputed,
            "opened": record.opened,
            "updated": now,
        }
        if expected_version == 0:
            first = int(now.timestamp() * 1_000_000)
            new = insert(connection, live_draws).values(draws=record.draws, version=first, **values)
            statement = new.on_conflict_do_nothing(index_elements=[live_draws.c.draws])
        else:
            statement = (
                update(live_draws)  # type: ignore[assignment]  # both have RETURNING, no common base says so
                .where(live_draws.c.draws == record.draws, live_draws.c.version == expected_version)
                .values(version=expected_version + 1, **values)
            )
        if (await connection.execute(statement.returning(live_draws.c.draws))).first() is None:
            return False
        await connection.execute(delete(live_seats).where(live_seats.c.draws == record.draws))
        rows = [
            {"draws": record.draws, "seat": seat, "user_id": user, "held": held}
            for people, held in ((record.held, True), (record.asked, False))
            for seat, user in people.items()
        ]
        if rows:
            await connection.execute(live_seats.insert(), rows)
        if expected_version == 0 and record.bringer_id is not None:
            await _keep_to_limit(connection, record.bringer_id)
        return True

    @writes
    async def forget_live_draws(self, connection: AsyncConnection, draws: int) -> None:
        """Forget the channel and the seats of a game."""
        await connection.execute(delete(live_draws).where(live_draws.c.draws == draws))


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Clear the seats of a user in all games; they stay closed to other users."""
    check_ids(user_id)
    theirs = select(live_seats.c.draws).where(live_seats.c.user_id == user_id)
    await connection.execute(
        update(live_draws)
        .where(live_draws.c.draws.in_(theirs) | (live_draws.c.bringer_id == user_id))
        # A link that replaces their turns has to come from a player.
        .values(version=live_draws.c.version + 1, settled=0)
    )
    await connection.execute(
        delete(live_seats).where(live_seats.c.user_id == user_id, live_seats.c.held.is_(False))
    )
    for column in (live_seats.c.user_id, live_draws.c.bringer_id):
        await connection.execute(update(column.table).where(column == user_id).values({column: None}))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget every game that is played in a guild."""
    check_ids(guild_id)
    await connection.execute(delete(live_draws).where(live_draws.c.guild_id == guild_id))


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Count the seats that a user has or claims."""
    check_ids(user_id)
    return await connection.scalar(select(func.count()).where(live_seats.c.user_id == user_id)) or 0


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` games without a change since a time, and return their number."""
    old = select(live_draws.c.draws).where(live_draws.c.updated < before).limit(limit)
    return (await connection.execute(delete(live_draws).where(live_draws.c.draws.in_(old)))).rowcount


async def _with_seats(connection: AsyncConnection, row: Row[tuple[object, ...]]) -> DrawsRecord:
    query = select(live_seats).where(live_seats.c.draws == row.draws).order_by(live_seats.c.seat)
    people = (await connection.execute(query)).all()
    return DrawsRecord(
        row.draws,
        row.channel_id,
        row.game_id,
        row.guild_id,
        row.bringer_id,
        {one.seat: one.user_id for one in people if one.held},
        {one.seat: one.user_id for one in people if not one.held},
        row.settled,
        row.disputed,
        row.opened,
        row.version,
    )


async def _keep_to_limit(connection: AsyncConnection, bringer_id: int) -> None:
    old = (
        select(live_draws.c.draws)
        .where(live_draws.c.bringer_id == bringer_id)
        .order_by(live_draws.c.updated.desc(), live_draws.c.version.desc())
        .offset(MAX_BROUGHT)
    )
    gone = (await connection.execute(old)).scalars().all()
    if gone:
        await connection.execute(delete(live_draws).where(live_draws.c.draws.in_(gone)))
