"""Replies to messages, and slow interactions whose reply is not sent yet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.database import BaseStore, columns_of, has_rows, insert, is_expired, reads, upsert, writes
from bot.storage.tables import replies, reply_messages, unfinished

CLAIM_DURATION: Final = timedelta(seconds=20)
"""Duration of a claim that is not renewed."""
REPLY_RETRY_PERIOD: Final = timedelta(minutes=30)
"""Time after the first attempt during which a reply that is not recorded is retried."""
_MAX_UNRECORDED_REPLIES: Final = 100
MAX_ATTEMPTS: Final = 8
"""Maximum number of attempts to reply to a message, in case the message crashes the process."""
MAX_CLAIM_REMAINING: Final = timedelta(minutes=2)
"""Maximum remaining duration of a claim, including the difference between processes' clocks. See
:func:`bot.storage.database.is_expired`."""


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """The reply to a message. The text of the message is not stored."""

    source_id: int
    """The message that the bot replies to."""
    channel_id: int
    guild_id: int | None
    """None in a direct message."""
    author_id: int
    """The author of the message that the bot replies to."""
    recorded_at: datetime | None
    """Time at which the reply was last recorded as sent or deleted, or None if it is not recorded."""
    reply_ids: tuple[int, ...]
    """The bot's messages, in order."""


@dataclass(frozen=True, slots=True)
class UnrecordedReply:
    """A claimed message whose reply was not recorded. The reply may have been sent."""

    source_id: int
    channel_id: int
    guild_id: int | None
    attempt_count: int
    """The number of attempts so far."""
    time_since_expiry: timedelta
    """Time since the claim expired, or ``timedelta.max`` if the clock was set back."""


@dataclass(frozen=True, slots=True)
class UnfinishedInteraction:
    """A slow interaction whose reply is not sent yet. Meanwhile, a message shows progress."""

    interaction_id: int
    instance: str
    """The process that is working on the reply, as ``application_id:name``. The name is empty if no process is working on it."""
    channel_id: int
    guild_id: int | None
    user_id: int
    """The user who started the interaction."""
    message_id: int | None
    """The message that shows progress. None until this message is sent. Always None if only the user sees it."""
    private: bool
    """Whether only the user sees the message."""
    locale: str
    restart_button_id: str
    """The ``custom_id`` of the button that restarts the work, or empty."""
    sealed_token: bytes | None = field(repr=False)
    """The encrypted token of the interaction, or None if there is no encryption key."""
    started_at: datetime


class ReplyStore(BaseStore):
    """Stores the replies to messages, and unfinished interactions."""

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
        """Claim a message for :data:`CLAIM_DURATION`, so that no other process replies to it.

        Return the number of this attempt. Return 0 if the message is already claimed, has a reply, or has had :data:`MAX_ATTEMPTS`
        attempts.

        If the number is 2 or more, an earlier attempt may have sent a reply without recording it: search the channel before you
        send another.
        """
        await record_guild(connection, guild_id)
        now = self._clock()
        statement = (
            insert(connection, replies)
            .values(
                source_id=source_id,
                channel_id=channel_id,
                guild_id=guild_id,
                author_id=author_id,
                claimed_at=now,
                held_until=now + CLAIM_DURATION,
                tries=1,
            )
            .on_conflict_do_update(
                index_elements=[replies.c.source_id],
                set_={"held_until": now + CLAIM_DURATION, "tries": replies.c.tries + 1},
                where=is_expired(replies.c.held_until, now, MAX_CLAIM_REMAINING)
                & (replies.c.tries < MAX_ATTEMPTS),
            )
            .returning(replies.c.tries)
        )
        return await connection.scalar(statement) or 0

    @writes
    async def set_reply_claim_duration(
        self,
        connection: AsyncConnection,
        source_id: int,
        attempt: int,
        duration: timedelta = CLAIM_DURATION,
    ) -> bool:
        """Let an attempt's claim on a message expire after ``duration``. Return False if the attempt no longer has the claim."""
        result = await connection.execute(
            update(replies)
            .where(
                replies.c.source_id == source_id,
                replies.c.tries == attempt,
                replies.c.held_until.is_not(None),
            )
            .values(held_until=self._clock() + duration)
        )
        return result.rowcount == 1

    @reads
    async def unrecorded_replies(
        self, connection: AsyncConnection, *, clock_jump: timedelta = timedelta(0)
    ) -> tuple[UnrecordedReply, ...]:
        """Return the messages that have an expired claim and may still get a reply.

        If the clock was set forward by ``clock_jump``, messages are that much younger than they seem.
        """
        now = self._clock()
        c = replies.c
        query = (
            select(c.source_id, c.channel_id, c.guild_id, c.tries, c.held_until)
            .where(
                is_expired(replies.c.held_until, now, MAX_CLAIM_REMAINING),
                c.claimed_at > now - REPLY_RETRY_PERIOD - clock_jump,
                c.tries < MAX_ATTEMPTS,
            )
            .order_by(c.held_until)
            .limit(_MAX_UNRECORDED_REPLIES)
        )
        return tuple(
            UnrecordedReply(
                *row[:-1], time_since_expiry=now - row.held_until if row.held_until <= now else timedelta.max
            )
            for row in await connection.execute(query)
        )

    @writes
    async def record_reply(
        self, connection: AsyncConnection, source_id: int, reply_ids: tuple[int, ...]
    ) -> None:
        """Record the bot's messages that make up the reply to a message, replacing any earlier record.

        An empty tuple means that the reply was deleted, or that its id is unknown. Do nothing if the message was never claimed.
        """
        statement = (
            update(replies)
            .where(replies.c.source_id == source_id)
            .values(recorded_at=self._clock(), held_until=None)
            .returning(replies.c.source_id)
        )
        if not await has_rows(connection, statement):
            return
        await connection.execute(delete(reply_messages).where(reply_messages.c.source_id == source_id))
        if reply_ids:
            await connection.execute(
                reply_messages.insert(),
                [
                    {"source_id": source_id, "place": index, "message_id": id_}
                    for index, id_ in enumerate(reply_ids)
                ],
            )

    @writes
    async def release_reply_claim(self, connection: AsyncConnection, source_id: int, attempt: int) -> None:
        """Delete an attempt's claim on a message that gets no reply, unless a reply is recorded or a later attempt has the claim."""
        await connection.execute(
            delete(replies).where(
                replies.c.source_id == source_id,
                replies.c.tries == attempt,
                replies.c.recorded_at.is_(None),
            )
        )

    @writes
    async def delete_expired_claim(self, connection: AsyncConnection, source_id: int) -> None:
        """Delete the claim on a message without a reply if the claim has expired."""
        await connection.execute(
            delete(replies).where(replies.c.source_id == source_id, replies.c.held_until <= self._clock())
        )

    @reads
    async def channels_with_recent_claims(
        self, connection: AsyncConnection, span: timedelta, limit: int
    ) -> tuple[tuple[int, int | None], ...]:
        """Return (channel id, guild id) pairs of the messages claimed in the last ``span``, latest claim first."""
        c = replies.c
        query = (
            select(c.channel_id, c.guild_id)
            .where(c.claimed_at >= self._clock() - span)
            .group_by(c.channel_id, c.guild_id)
            .order_by(func.max(c.claimed_at).desc())
            .limit(limit)
        )
        return tuple((row.channel_id, row.guild_id) for row in await connection.execute(query))

    @reads
    async def recent_messages_with_reply(
        self, connection: AsyncConnection, span: timedelta, limit: int
    ) -> tuple[tuple[int, int], ...]:
        """Return (message id, channel id) pairs for messages that were claimed in the last ``span`` and got a reply, latest first."""
        c = replies.c
        query = (
            select(c.source_id, c.channel_id)
            .where(c.claimed_at >= self._clock() - span, c.recorded_at.is_not(None))
            .order_by(c.source_id.desc())
            .limit(limit)
        )
        return tuple((row.source_id, row.channel_id) for row in await connection.execute(query))

    @reads
    async def reply(self, connection: AsyncConnection, source_id: int) -> ReplyRecord | None:
        return await _find(connection, replies.c.source_id == source_id)

    @reads
    async def reply_containing(self, connection: AsyncConnection, message_id: int) -> ReplyRecord | None:
        sources = select(reply_messages.c.source_id).where(reply_messages.c.message_id == message_id)
        return await _find(connection, replies.c.source_id.in_(sources))

    @reads
    async def claimed_messages_before(
        self, connection: AsyncConnection, *, before: int, limit: int
    ) -> tuple[int, ...]:
        """Return the claimed messages whose id is below ``before``, latest first."""
        return tuple(
            await connection.scalars(
                select(replies.c.source_id)
                .where(replies.c.source_id < before)
                .order_by(replies.c.source_id.desc())
                .limit(limit)
            )
        )

    @reads
    async def recently_claimed_messages(
        self, connection: AsyncConnection, span: timedelta, *, limit: int
    ) -> tuple[int, ...]:
        """Return the ids of messages claimed in the last ``span``, latest claim first."""
        return tuple(
            await connection.scalars(
                select(replies.c.source_id)
                .where(replies.c.claimed_at >= self._clock() - span)
                .order_by(replies.c.claimed_at.desc())
                .limit(limit)
            )
        )

    # Unfinished interactions

    @writes
    async def save_unfinished(self, connection: AsyncConnection, record: UnfinishedInteraction) -> None:
        await upsert(connection, unfinished, asdict(record))

    @reads
    async def abandoned_interactions(
        self,
        connection: AsyncConnection,
        application_id: int,
        running_instances: Collection[str],
        started_before: datetime,
        limit: int,
    ) -> tuple[UnfinishedInteraction, ...]:
        """Return the interactions whose replies no running process is working on, oldest first.

        An instance without an application id was stored by an earlier version, and counts as this application's.
        """
        c = unfinished.c
        query = (
            select(*columns_of(unfinished, UnfinishedInteraction))
            .where(c.instance.startswith(f"{application_id}:") | ~c.instance.contains(":"))
            .where(c.instance.not_in(running_instances), c.started_at < started_before)
            .order_by(c.started_at)
            .limit(limit)
        )
        return tuple(UnfinishedInteraction(*row) for row in await connection.execute(query))

    @writes
    async def adopt_unfinished(
        self, connection: AsyncConnection, interaction_id: int, instance: str, new_instance: str
    ) -> bool:
        """Assign an interaction to ``new_instance``. Return False if it is no longer assigned to ``instance``."""
        result = await connection.execute(
            update(unfinished)
            .where(unfinished.c.interaction_id == interaction_id, unfinished.c.instance == instance)
            .values(instance=new_instance)
        )
        return result.rowcount == 1

    @writes
    async def forget_unfinished(self, connection: AsyncConnection, interaction_id: int) -> None:
        await connection.execute(delete(unfinished).where(unfinished.c.interaction_id == interaction_id))


async def _find(connection: AsyncConnection, condition: ColumnElement[bool]) -> ReplyRecord | None:
    columns = [replies.c[name].label(name) for name in ReplyRecord.__slots__[:-1]]
    row = (await connection.execute(select(*columns).where(condition))).mappings().first()
    if row is None:
        return None
    message_ids = (
        select(reply_messages.c.message_id)
        .where(reply_messages.c.source_id == row["source_id"])
        .order_by(reply_messages.c.place)
    )
    return ReplyRecord(**row, reply_ids=tuple((await connection.execute(message_ids)).scalars()))
