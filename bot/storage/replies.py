"""Replies: which of our messages answered which message, so that nothing is answered twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import replies, reply_messages

MAX_TRIES: Final = 8
"""How often one message is tried: one that ends the process each time must not do so for ever."""

MAX_HOLD: Final = timedelta(minutes=2)
"""The longest that a claim lasts, with what the clocks of processes may differ."""


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """What is known about the answer to one message. Ids are Discord's; the message's text is not kept."""

    source_id: int
    """The message that was answered."""
    channel_id: int
    guild_id: int | None
    """None in a direct message."""
    author_id: int
    """Who wrote the answered message."""
    claimed: datetime
    """When the message was first claimed."""
    recorded: datetime | None
    """When the answer was last known to be out; None while it is not, or if it never was."""
    reply_ids: tuple[int, ...]
    """Our messages, in the order they were sent."""


@dataclass(frozen=True, slots=True)
class UnsentReply:
    """A message that was claimed, and whose answer was not recorded."""

    source_id: int
    channel_id: int
    guild_id: int | None
    tries: int
    """How often it was claimed."""
    rested: timedelta
    """How long nobody has held it."""


async def claim(
    connection: AsyncConnection,
    source_id: int,
    *,
    channel_id: int,
    guild_id: int | None,
    author_id: int,
    now: datetime,
    held_until: datetime,
) -> int:
    """Claim the message ``source_id`` until a time; return 0 when it is answered or held.

    Otherwise return the number of the try: 1 for the first, more when earlier ones ended without a record.
    """
    check_ids(source_id, channel_id, author_id, guild_id)
    new = insert(connection, replies).values(
        source_id=source_id,
        channel_id=channel_id,
        guild_id=guild_id,
        author_id=author_id,
        claimed=now,
        held_until=held_until,
        tries=1,
    )
    statement = new.on_conflict_do_update(
        index_elements=[replies.c.source_id],
        set_={"held_until": new.excluded.held_until, "tries": replies.c.tries + 1},
        where=_is_free(now) & (replies.c.tries < MAX_TRIES),
    ).returning(replies.c.tries)
    return await connection.scalar(statement) or 0


async def hold(connection: AsyncConnection, source_id: int, tries: int, until: datetime) -> bool:
    """Hold a message that was claimed with this try until another time; False when it is no longer ours."""
    check_ids(source_id)
    statement = (
        update(replies)
        .where(replies.c.source_id == source_id, replies.c.tries == tries, replies.c.held_until.is_not(None))
        .values(held_until=until)
        .returning(replies.c.source_id)
    )
    return (await connection.execute(statement)).first() is not None


async def find_unsent(
    connection: AsyncConnection, now: datetime, claimed_after: datetime, limit: int
) -> tuple[UnsentReply, ...]:
    """Return at most ``limit`` messages that nobody holds any more and whose answer was not recorded."""
    query = (
        select(
            replies.c.source_id,
            replies.c.channel_id,
            replies.c.guild_id,
            replies.c.tries,
            replies.c.held_until,
        )
        .where(_is_free(now), replies.c.claimed > claimed_after, replies.c.tries < MAX_TRIES)
        .order_by(replies.c.held_until)
        .limit(limit)
    )
    found = await connection.execute(query)
    return tuple(
        UnsentReply(*row[:-1], rested=now - row.held_until if row.held_until <= now else timedelta.max)
        for row in found
    )


def _is_free(now: datetime) -> ColumnElement[bool]:
    """Tell in a query whether nobody holds a claim, or it was taken by a clock that has been set back since."""
    return (replies.c.held_until <= now) | (replies.c.held_until > now + MAX_HOLD)


async def record(
    connection: AsyncConnection, source_id: int, reply_ids: tuple[int, ...], now: datetime
) -> None:
    """Record which messages the answer consists of now, in place of those recorded before.

    Does nothing for a message that is not claimed: it has been forgotten in the meantime, and stays so.
    """
    check_ids(source_id, *reply_ids)
    known = (
        update(replies)
        .where(replies.c.source_id == source_id)
        .values(recorded=now, held_until=None)
        .returning(replies.c.source_id)
    )
    if (await connection.execute(known)).first() is None:
        return
    await connection.execute(delete(reply_messages).where(reply_messages.c.source_id == source_id))
    if reply_ids:
        rows = [
            {"source_id": source_id, "place": place, "message_id": id_} for place, id_ in enumerate(reply_ids)
        ]
        await connection.execute(reply_messages.insert(), rows)


async def release(connection: AsyncConnection, source_id: int) -> None:
    """Give up a claim because there will be no answer. A recorded answer stays: it was sent."""
    check_ids(source_id)
    await connection.execute(
        delete(replies).where(replies.c.source_id == source_id, replies.c.recorded.is_(None))
    )


async def give_up(connection: AsyncConnection, source_id: int, now: datetime) -> None:
    """Forget a claim that nobody holds and that has no answer."""
    check_ids(source_id)
    await connection.execute(
        delete(replies).where(replies.c.source_id == source_id, replies.c.held_until <= now)
    )


async def channels(
    connection: AsyncConnection, since: datetime, limit: int
) -> tuple[tuple[int, int | None], ...]:
    """Return at most ``limit`` channels, each with its guild, where something was answered since; the latest first."""
    query = (
        select(replies.c.channel_id, replies.c.guild_id)
        .where(replies.c.claimed >= since)
        .group_by(replies.c.channel_id, replies.c.guild_id)
        .order_by(func.max(replies.c.claimed).desc())
        .limit(limit)
    )
    return tuple((row.channel_id, row.guild_id) for row in await connection.execute(query))


async def find(connection: AsyncConnection, source_id: int) -> ReplyRecord | None:
    """Return what is known about the answer to ``source_id``, or None when it was never claimed."""
    check_ids(source_id)
    row = (await connection.execute(select(replies).where(replies.c.source_id == source_id))).first()
    if row is None:
        return None
    sent = (
        select(reply_messages.c.message_id)
        .where(reply_messages.c.source_id == source_id)
        .order_by(reply_messages.c.place)
    )
    return ReplyRecord(
        source_id=row.source_id,
        channel_id=row.channel_id,
        guild_id=row.guild_id,
        author_id=row.author_id,
        claimed=row.claimed,
        recorded=row.recorded,
        reply_ids=tuple((await connection.execute(sent)).scalars()),
    )


async def find_by_message(connection: AsyncConnection, message_id: int) -> ReplyRecord | None:
    """Return what is known about the answer that one of our messages belongs to, or None."""
    check_ids(message_id)
    query = select(reply_messages.c.source_id).where(reply_messages.c.message_id == message_id)
    source_id = await connection.scalar(query)
    return None if source_id is None else await find(connection, source_id)


async def newest(connection: AsyncConnection, before: int | None, limit: int) -> tuple[int, ...]:
    """Return the ids of at most ``limit`` answered messages, the latest first; only those older than ``before``."""
    check_ids(before)
    query = select(replies.c.source_id).order_by(replies.c.source_id.desc()).limit(limit)
    if before is not None:
        query = query.where(replies.c.source_id < before)
    return tuple((await connection.execute(query)).scalars())


async def claimed_since(connection: AsyncConnection, since: datetime, limit: int) -> tuple[int, ...]:
    """Return the ids of at most ``limit`` messages claimed at or after a time, the latest claims first."""
    query = (
        select(replies.c.source_id)
        .where(replies.c.claimed >= since)
        .order_by(replies.c.claimed.desc())
        .limit(limit)
    )
    return tuple((await connection.execute(query)).scalars())


async def recorded_since(
    connection: AsyncConnection, since: datetime, limit: int
) -> tuple[tuple[int, int], ...]:
    """Return at most ``limit`` messages claimed since a time that were answered, each with its channel, the latest first."""
    query = (
        select(replies.c.source_id, replies.c.channel_id)
        .where(replies.c.claimed >= since, replies.c.recorded.is_not(None))
        .order_by(replies.c.source_id.desc())
        .limit(limit)
    )
    return tuple((row.source_id, row.channel_id) for row in await connection.execute(query))


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Count the messages of a user that were answered."""
    check_ids(user_id)
    return await connection.scalar(select(func.count()).where(replies.c.author_id == user_id)) or 0


async def forget(connection: AsyncConnection, source_id: int) -> None:
    """Forget everything about one answered message; its rows in ``reply_messages`` go with it."""
    check_ids(source_id)
    await connection.execute(delete(replies).where(replies.c.source_id == source_id))


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget every message that this user wrote."""
    check_ids(user_id)
    await connection.execute(delete(replies).where(replies.c.author_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget every message that was written in this guild."""
    check_ids(guild_id)
    await connection.execute(delete(replies).where(replies.c.guild_id == guild_id))


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` answers claimed before a time and return how many there were."""
    old = select(replies.c.source_id).where(replies.c.claimed < before).limit(limit)
    result = await connection.execute(delete(replies).where(replies.c.source_id.in_(old)))
    return result.rowcount
