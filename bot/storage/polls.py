"""Polls: positions of which people say what they would play, and their plays until they are revealed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from sqlalchemy import Row, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import poll_plays, polls

MAX_PLAYERS: Final = 100
"""People who take part in one poll."""
MAX_APART: Final = 1_000
"""People whose looks outside a poll's server are noted."""
MAX_OPEN: Final = 5
"""Polls that one person has open."""
MAX_ABOUT: Final = 100
"""Polls about the boards of a document that are looked at."""
_MAX_DUE: Final = 50
_CLAIM: Final = timedelta(minutes=5)
"""Time in which a process reveals a poll before another one may."""


class Look(IntEnum):
    """Whether somebody who takes part has looked at the engine's opinion."""

    NONE = 0
    BEFORE = 1
    """Before there was a play: whatever is played is told as such."""
    AFTER = 2
    """After there was one, which stays as it is."""
    APART = 3
    """Outside the poll's server, before taking part. It becomes :attr:`BEFORE` with the person's first play."""


@dataclass(frozen=True, slots=True)
class Poll:
    """An open poll."""

    message_id: int
    """The message that shows it."""
    channel_id: int
    guild_id: int
    asker_id: int
    digest: str
    """The document that it is about."""
    turn: int
    side: int | None
    spoiler: bool
    board: str
    """Names what lies on its board, however it is written down."""
    ends: datetime
    """When it is revealed, if nobody does so before."""


@dataclass(frozen=True, slots=True)
class PollPlay:
    """What somebody does in a poll."""

    user_id: int
    play: str | None
    """As it was typed; None for a person who has only looked."""
    look: Look


class PollStore(StorePart):
    """Open polls, and the plays in them."""

    @writes
    async def forget_poll(self, connection: AsyncConnection, message_id: int) -> bool:
        """Forget a poll with its plays; False when there is none."""
        return await forget(connection, message_id)

    @writes
    async def keep_poll(self, connection: AsyncConnection, poll: Poll) -> bool:
        """Keep a new poll; False when its asker has one in its channel, or :data:`bot.storage.polls.MAX_OPEN` in all."""
        await note_guild(connection, poll.guild_id)
        check_ids(poll.message_id, poll.channel_id, poll.guild_id, poll.asker_id)
        theirs = select(polls.c.channel_id).where(polls.c.asker_id == poll.asker_id).with_for_update()
        channels = (await connection.execute(theirs)).scalars().all()
        if poll.channel_id in channels or len(channels) >= MAX_OPEN:
            return False
        await connection.execute(insert(connection, polls).values(**asdict(poll)))
        return True

    @reads
    async def poll(self, connection: AsyncConnection, message_id: int) -> Poll | None:
        """Return the open poll that a message shows."""
        check_ids(message_id)
        row = (await connection.execute(select(polls).where(polls.c.message_id == message_id))).first()
        return None if row is None else _poll(row)

    @reads
    async def poll_of(self, connection: AsyncConnection, asker_id: int, channel_id: int) -> Poll | None:
        """Return the poll that somebody has open in a channel."""
        check_ids(asker_id, channel_id)
        query = select(polls).where(polls.c.asker_id == asker_id, polls.c.channel_id == channel_id)
        row = (await connection.execute(query)).first()
        return None if row is None else _poll(row)

    @reads
    async def polls_about(
        self, connection: AsyncConnection, boards: tuple[str, ...], user_id: int
    ) -> tuple[tuple[Poll, Look | None], ...]:
        """Return the open polls about some boards, and a person's look in each; None for no part in the poll."""
        check_ids(user_id)
        table = poll_plays
        part = polls.outerjoin(
            table, (table.c.message_id == polls.c.message_id) & (table.c.user_id == user_id)
        )
        query = select(polls, table.c.look).select_from(part).where(polls.c.board.in_(boards))
        rows = await connection.execute(query.order_by(polls.c.message_id).limit(MAX_ABOUT))
        return tuple((_poll(row), None if row.look is None else Look(row.look)) for row in rows)

    @reads
    async def open_polls(self, connection: AsyncConnection) -> dict[int, datetime]:
        """Return the messages that show open polls, with when each is revealed."""
        rows = await connection.execute(select(polls.c.message_id, polls.c.ends))
        return {row.message_id: row.ends for row in rows}

    @reads
    async def poll_plays(self, connection: AsyncConnection, message_id: int) -> tuple[PollPlay, ...]:
        """Return what people do in a poll, in the order in which they came."""
        check_ids(message_id)
        table = poll_plays
        query = (
            select(table.c.user_id, table.c.play, table.c.look)
            .where(table.c.message_id == message_id)
            .order_by(table.c.place)
        )
        rows = await connection.execute(query)
        return tuple(PollPlay(row.user_id, row.play, Look(row.look)) for row in rows)

    @writes
    async def play_in_poll(
        self, connection: AsyncConnection, message_id: int, user_id: int, text: str
    ) -> PollPlay | None:
        """Keep somebody's play unless the person has looked since the one before; return what was known before.

        Raises :exc:`KeyError` when there is no such poll, :exc:`ValueError` when it is full.
        """
        before = await _entered(connection, message_id, user_id)
        if before is not None and before.look is Look.APART:
            await _leave(connection, message_id, user_id)
            await _enter(connection, message_id, user_id, text, Look.BEFORE)
        elif before is None:
            await _enter(connection, message_id, user_id, text, Look.NONE)
        elif before.look is not Look.AFTER:
            here = (poll_plays.c.message_id == message_id) & (poll_plays.c.user_id == user_id)
            await connection.execute(poll_plays.update().where(here).values(play=text))
        return before

    @writes
    async def look_in_poll(self, connection: AsyncConnection, message_id: int, user_id: int) -> None:
        """Note that somebody looks at what the engine thinks. Raises what :meth:`play_in_poll` does."""
        before = await _entered(connection, message_id, user_id)
        if before is not None and before.look is Look.APART:
            await _leave(connection, message_id, user_id)
            before = None
        if before is None:
            await _enter(connection, message_id, user_id, None, Look.BEFORE)
        elif before.look is Look.NONE:
            here = (poll_plays.c.message_id == message_id) & (poll_plays.c.user_id == user_id)
            await connection.execute(poll_plays.update().where(here).values(look=int(Look.AFTER)))

    @writes
    async def look_apart(self, connection: AsyncConnection, message_id: int, user_id: int) -> None:
        """Note that somebody without a part in a poll looks at the engine's opinion outside its server."""
        with suppress(KeyError, ValueError):
            if await _entered(connection, message_id, user_id) is None:
                await _enter(connection, message_id, user_id, None, Look.APART)

    @writes
    async def end_poll(self, connection: AsyncConnection, message_id: int) -> None:
        """Let a poll be over now: it is due until it is revealed."""
        when = self._clock()
        check_ids(message_id)
        await connection.execute(polls.update().where(polls.c.message_id == message_id).values(ends=when))

    @writes
    async def claim_poll(self, connection: AsyncConnection, message_id: int) -> bool:
        """Claim the revealing of a poll: True for one caller, and again after five minutes."""
        now = self._clock()
        check_ids(message_id)
        free = or_(polls.c.claimed.is_(None), polls.c.claimed < now)
        claimed = polls.update().where(polls.c.message_id == message_id, free).values(claimed=now + _CLAIM)
        return bool((await connection.execute(claimed)).rowcount)

    @reads
    async def due_polls(self, connection: AsyncConnection) -> tuple[Poll, ...]:
        """Return polls whose time is over, and that nobody is revealing."""
        now = self._clock()
        free = or_(polls.c.claimed.is_(None), polls.c.claimed < now)
        query = select(polls).where(polls.c.ends <= now, free).order_by(polls.c.ends).limit(_MAX_DUE)
        return tuple(_poll(row) for row in await connection.execute(query))


async def _play_of(connection: AsyncConnection, message_id: int, user_id: int) -> PollPlay | None:
    table = poll_plays
    query = select(table.c.user_id, table.c.play, table.c.look).where(
        table.c.message_id == message_id, table.c.user_id == user_id
    )
    row = (await connection.execute(query)).first()
    return None if row is None else PollPlay(row.user_id, row.play, Look(row.look))


async def _leave(connection: AsyncConnection, message_id: int, user_id: int) -> None:
    here = (poll_plays.c.message_id == message_id) & (poll_plays.c.user_id == user_id)
    await connection.execute(delete(poll_plays).where(here))


async def _entered(connection: AsyncConnection, message_id: int, user_id: int) -> PollPlay | None:
    """Return what is known of somebody; the poll is locked, so that whoever comes next sees what this does."""
    check_ids(message_id, user_id)
    locked = select(polls.c.message_id).where(polls.c.message_id == message_id).with_for_update()
    if (await connection.execute(locked)).first() is None:
        raise KeyError(message_id)
    return await _play_of(connection, message_id, user_id)


async def _enter(
    connection: AsyncConnection, message_id: int, user_id: int, text: str | None, look: Look
) -> None:
    is_apart = look is Look.APART
    apart = poll_plays.c.look == int(Look.APART)
    alike = apart if is_apart else ~apart
    count = select(func.count()).where(poll_plays.c.message_id == message_id, alike)
    if (await connection.scalar(count) or 0) >= (MAX_APART if is_apart else MAX_PLAYERS):
        raise ValueError("no room for another person")
    last = select(func.max(poll_plays.c.place)).where(poll_plays.c.message_id == message_id)
    place = (await connection.scalar(last) or 0) + 1
    values = {"message_id": message_id, "user_id": user_id, "play": text, "look": int(look), "place": place}
    await connection.execute(insert(connection, poll_plays).values(**values))


async def forget(connection: AsyncConnection, message_id: int) -> bool:
    """Forget a poll with its plays; False when there is none."""
    check_ids(message_id)
    await connection.execute(delete(poll_plays).where(poll_plays.c.message_id == message_id))
    gone = await connection.execute(delete(polls).where(polls.c.message_id == message_id))
    return bool(gone.rowcount)


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Return how many polls somebody has asked or takes part in."""
    part = await connection.scalar(select(func.count()).where(poll_plays.c.user_id == user_id)) or 0
    own = await connection.scalar(select(func.count()).where(polls.c.asker_id == user_id)) or 0
    return part + own


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget what somebody asked, with everybody's plays, and what somebody played."""
    own = select(polls.c.message_id).where(polls.c.asker_id == user_id)
    await connection.execute(delete(poll_plays).where(poll_plays.c.message_id.in_(own)))
    await connection.execute(delete(polls).where(polls.c.asker_id == user_id))
    await connection.execute(delete(poll_plays).where(poll_plays.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget everything of a guild."""
    of_guild = select(polls.c.message_id).where(polls.c.guild_id == guild_id)
    await connection.execute(delete(poll_plays).where(poll_plays.c.message_id.in_(of_guild)))
    await connection.execute(delete(polls).where(polls.c.guild_id == guild_id))


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Forget at most ``limit`` polls that ended before a time; return how many."""
    old = select(polls.c.message_id).where(polls.c.ends < before).limit(limit)
    gone = (await connection.execute(old)).scalars().all()
    for message_id in gone:
        await forget(connection, message_id)
    return len(gone)


def _poll(row: Row) -> Poll:  # type: ignore[type-arg]
    return Poll(**{name: getattr(row, name) for name in Poll.__slots__})
