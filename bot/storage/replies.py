"""Replies: which of our messages answered which message, so that nothing is answered twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import replies, reply_messages

HOLD: Final = timedelta(seconds=20)
"""How long a claim holds a message unless it is renewed by work that takes longer."""

UNSENT_LIFE: Final = timedelta(minutes=30)
"""How long after the first try an answer that could not be sent is still of use."""

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


class ReplyStore(StorePart):
    """Which messages were answered, by which of ours, and which are still to be."""

    @writes
    async def claim_reply(
        self,
        connection: AsyncConnection,
        source_id: int,
        *,
        channel_id: int,
        guild_id: int | None,
        author_id: int,
    ) -> int:
        """Claim the message ``source_id`` in order to answer it: for one caller at a time, in whatever process.

        Returns 0 when it is answered or held, otherwise the number of the try. From 2 on an earlier try may have sent
        an answer without recording it: look for that before sending another.

        The claim lasts until :meth:`record_reply`, :meth:`put_off_reply`, :meth:`release_reply` or
        :meth:`forget_reply`, at most for :data:`HOLD` unless :meth:`hold_reply` renews it. A message is tried
        :data:`bot.storage.replies.MAX_TRIES` times at most.
        """
        check_ids(source_id, channel_id, author_id, guild_id)
        await note_guild(connection, guild_id)
        now = self._clock()
        new = insert(connection, replies).values(
            source_id=source_id,
            channel_id=channel_id,
            guild_id=guild_id,
            author_id=author_id,
            claimed=now,
            held_until=now + HOLD,
            tries=1,
        )
        statement = new.on_conflict_do_update(
            index_elements=[replies.c.source_id],
            set_={"held_until": new.excluded.held_until, "tries": replies.c.tries + 1},
            where=_is_free(now) & (replies.c.tries < MAX_TRIES),
        ).returning(replies.c.tries)
        return await connection.scalar(statement) or 0

    @writes
    async def hold_reply(self, connection: AsyncConnection, source_id: int, tries: int) -> bool:
        """Hold a message for another :data:`HOLD`; False when somebody else has claimed it since this try."""
        return await _hold(connection, source_id, tries, self._clock() + HOLD)

    @writes
    async def put_off_reply(self, connection: AsyncConnection, source_id: int, tries: int) -> None:
        """Release a message whose answer could not be sent now, so that the next caller may try."""
        await _hold(connection, source_id, tries, self._clock())

    @reads
    async def unsent_replies(
        self, connection: AsyncConnection, limit: int = 100, *, jumped: timedelta = timedelta(0)
    ) -> tuple[UnsentReply, ...]:
        """Return messages that nobody holds and whose answer was not recorded, while an answer is still of use.

        ``jumped`` is how far the clock was set forward meanwhile: by so much they only seem to be older.
        """
        now = self._clock()
        c = replies.c
        query = (
            select(c.source_id, c.channel_id, c.guild_id, c.tries, c.held_until)
            .where(_is_free(now), c.claimed > now - UNSENT_LIFE - jumped, c.tries < MAX_TRIES)
            .order_by(c.held_until)
            .limit(limit)
        )
        return tuple(
            UnsentReply(*row[:-1], rested=now - row.held_until if row.held_until <= now else timedelta.max)
            for row in await connection.execute(query)
        )

    @writes
    async def record_reply(
        self, connection: AsyncConnection, source_id: int, reply_ids: tuple[int, ...]
    ) -> None:
        """Record which of our messages answer ``source_id`` now, in place of those recorded before.

        An empty tuple means that the answer was taken back; the claim stays. Does nothing when the claim has been
        forgotten in the meantime.
        """
        check_ids(source_id, *reply_ids)
        known = (
            update(replies)
            .where(replies.c.source_id == source_id)
            .values(recorded=self._clock(), held_until=None)
            .returning(replies.c.source_id)
        )
        if (await connection.execute(known)).first() is None:
            return
        await connection.execute(delete(reply_messages).where(reply_messages.c.source_id == source_id))
        if reply_ids:
            rows = [
                {"source_id": source_id, "place": place, "message_id": id_}
                for place, id_ in enumerate(reply_ids)
            ]
            await connection.execute(reply_messages.insert(), rows)

    @writes
    async def release_reply(self, connection: AsyncConnection, source_id: int) -> None:
        """Give up a claim because there will be no answer; a recorded answer is not touched."""
        check_ids(source_id)
        await connection.execute(
            delete(replies).where(replies.c.source_id == source_id, replies.c.recorded.is_(None))
        )

    @writes
    async def give_up_reply(self, connection: AsyncConnection, source_id: int) -> None:
        """Forget a claim that nobody holds and that has no answer; anything else is not touched."""
        check_ids(source_id)
        await connection.execute(
            delete(replies).where(replies.c.source_id == source_id, replies.c.held_until <= self._clock())
        )

    @reads
    async def answered_channels(
        self, connection: AsyncConnection, span: timedelta, limit: int
    ) -> tuple[tuple[int, int | None], ...]:
        """Return where something was answered in the last ``span``: channels, each with its guild, the latest first."""
        c = replies.c
        query = (
            select(c.channel_id, c.guild_id)
            .where(c.claimed >= self._clock() - span)
            .group_by(c.channel_id, c.guild_id)
            .order_by(func.max(c.claimed).desc())
            .limit(limit)
        )
        return tuple((row.channel_id, row.guild_id) for row in await connection.execute(query))

    @reads
    async def answers_lately(
        self, connection: AsyncConnection, span: timedelta, limit: int
    ) -> tuple[tuple[int, int], ...]:
        """Return what was answered in the last ``span``: messages, each with its channel, the latest first."""
        c = replies.c
        query = (
            select(c.source_id, c.channel_id)
            .where(c.claimed >= self._clock() - span, c.recorded.is_not(None))
            .order_by(c.source_id.desc())
            .limit(limit)
        )
        return tuple((row.source_id, row.channel_id) for row in await connection.execute(query))

    @reads
    async def reply(self, connection: AsyncConnection, source_id: int) -> ReplyRecord | None:
        """Return what is known about the answer to ``source_id``, or None when it was never claimed."""
        return await _find(connection, source_id)

    @reads
    async def reply_of(self, connection: AsyncConnection, message_id: int) -> ReplyRecord | None:
        """Return what is known about the answer that our message ``message_id`` belongs to, or None."""
        check_ids(message_id)
        query = select(reply_messages.c.source_id).where(reply_messages.c.message_id == message_id)
        source_id = await connection.scalar(query)
        return None if source_id is None else await _find(connection, source_id)

    @reads
    async def answered(
        self, connection: AsyncConnection, *, before: int | None = None, limit: int = 1000
    ) -> tuple[int, ...]:
        """Return the ids of claimed messages, the latest first; only those older than the id ``before``."""
        check_ids(before)
        query = select(replies.c.source_id).order_by(replies.c.source_id.desc()).limit(limit)
        if before is not None:
            query = query.where(replies.c.source_id < before)
        return tuple((await connection.execute(query)).scalars())

    @reads
    async def answered_lately(
        self, connection: AsyncConnection, span: timedelta, *, limit: int = 1000
    ) -> tuple[int, ...]:
        """Return the ids of messages claimed in the last ``span``, by whatever process; the latest claims first."""
        query = (
            select(replies.c.source_id)
            .where(replies.c.claimed >= self._clock() - span)
            .order_by(replies.c.claimed.desc())
            .limit(limit)
        )
        return tuple((await connection.execute(query)).scalars())


async def _hold(connection: AsyncConnection, source_id: int, tries: int, until: datetime) -> bool:
    """Hold a message that was claimed with this try until another time; False when it is no longer ours."""
    check_ids(source_id)
    statement = (
        update(replies)
        .where(replies.c.source_id == source_id, replies.c.tries == tries, replies.c.held_until.is_not(None))
        .values(held_until=until)
        .returning(replies.c.source_id)
    )
    return (await connection.execute(statement)).first() is not None


def _is_free(now: datetime) -> ColumnElement[bool]:
    """Tell in a query whether nobody holds a claim, or it was taken by a clock that has been set back since."""
    return (replies.c.held_until <= now) | (replies.c.held_until > now + MAX_HOLD)


async def _find(connection: AsyncConnection, source_id: int) -> ReplyRecord | None:
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
