"""Polls: positions for which users propose plays. Polls and plays are stored until the reveal."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.database import (
    BaseStore,
    columns_of,
    count,
    find,
    has_rows,
    is_expired,
    lock_id,
    reads,
    writes,
)
from bot.storage.tables import poll_plays, polls

MAX_PLAYERS: Final = 100
MAX_OUTSIDE_VIEWERS: Final = 1_000
"""Maximum number of users in a poll whose view is :attr:`AnalysisView.OUTSIDE`."""
MAX_OPEN_POLLS_PER_USER: Final = 5
MAX_POLLS_ABOUT_BOARDS: Final = 100
"""Maximum number of polls that :meth:`PollStore.polls_about` returns."""
_CLAIM_DURATION: Final = timedelta(minutes=5)
_MAX_CLAIM_REMAINING: Final = timedelta(minutes=10)
"""Maximum remaining duration of a claim, including the difference between processes' clocks. See
:func:`bot.storage.database.is_expired`."""


class AnalysisView(IntEnum):
    """Whether, and when, a user has seen the engine's analysis."""

    NONE = 0
    BEFORE_ANSWER = 1
    """Seen before the user's first play. The reveal marks the user's play."""
    AFTER_ANSWER = 2
    """Seen after the user's play, which is then final."""
    OUTSIDE = 3
    """Seen outside the poll's server, before the user's first play. That play changes the value to :attr:`BEFORE_ANSWER`."""


@dataclass(frozen=True, slots=True)
class Poll:
    """An open poll."""

    message_id: int
    channel_id: int
    guild_id: int
    author_id: int
    digest: str
    """The digest of the document that contains the position."""
    turn: int
    seat: int | None
    """The seat of the player who sees the position, counted from 0, or None for everyone."""
    spoiler: bool
    board_digest: str
    """The digest of the position alone, which is the same in every document."""
    ends: datetime
    """The time at which the reveal is due."""


@dataclass(frozen=True, slots=True)
class PollEntry:
    """A user's entry in a poll."""

    user_id: int
    play: str | None
    """The play as typed, or None if the user has only seen the engine's analysis."""
    view: AnalysisView


class PollStore(BaseStore):
    """Stores open polls and their plays."""

    @writes
    async def forget_poll(self, connection: AsyncConnection, message_id: int) -> None:
        await connection.execute(delete(polls).where(polls.c.message_id == message_id))
        await delete_orphaned_plays(connection)

    @writes
    async def save_poll(self, connection: AsyncConnection, poll: Poll) -> bool:
        """Store a new poll. Return False if the author has an open poll in the channel, or too many open polls."""
        await lock_id(connection, poll.author_id)
        await record_guild(connection, poll.guild_id)
        channel_ids = (
            await connection.scalars(select(polls.c.channel_id).where(polls.c.author_id == poll.author_id))
        ).all()
        if poll.channel_id in channel_ids or len(channel_ids) >= MAX_OPEN_POLLS_PER_USER:
            return False
        await connection.execute(polls.insert().values(**asdict(poll)))
        return True

    @reads
    async def poll(self, connection: AsyncConnection, message_id: int) -> Poll | None:
        return await find(connection, polls, Poll, polls.c.message_id == message_id)

    @reads
    async def poll_of_author(
        self, connection: AsyncConnection, author_id: int, channel_id: int
    ) -> Poll | None:
        return await find(
            connection, polls, Poll, polls.c.author_id == author_id, polls.c.channel_id == channel_id
        )

    @reads
    async def polls_about(
        self, connection: AsyncConnection, board_digests: tuple[str, ...], user_id: int
    ) -> tuple[tuple[Poll, AnalysisView | None], ...]:
        """Return the open polls about the given boards.

        Each poll is paired with the user's :class:`AnalysisView`, or with None if the user has no entry.
        """
        polls_with_entries = polls.outerjoin(
            poll_plays, (poll_plays.c.message_id == polls.c.message_id) & (poll_plays.c.user_id == user_id)
        )
        query = (
            select(*columns_of(polls, Poll), poll_plays.c.view)
            .select_from(polls_with_entries)
            .where(polls.c.board_digest.in_(board_digests))
            .order_by(polls.c.message_id)
            .limit(MAX_POLLS_ABOUT_BOARDS)
        )
        return tuple(
            (Poll(*row[:-1]), None if row.view is None else AnalysisView(row.view))
            for row in await connection.execute(query)
        )

    @reads
    async def open_poll_end_times(self, connection: AsyncConnection) -> dict[int, datetime]:
        query = select(polls.c.message_id, polls.c.ends)
        return {row.message_id: row.ends for row in await connection.execute(query)}

    @reads
    async def poll_entries(self, connection: AsyncConnection, message_id: int) -> tuple[PollEntry, ...]:
        """Return the entries in a poll, earliest first."""
        query = select(poll_plays).where(poll_plays.c.message_id == message_id).order_by(poll_plays.c.place)
        return tuple(
            PollEntry(row.user_id, row.play, AnalysisView(row.view))
            for row in await connection.execute(query)
        )

    @writes
    async def record_poll_answer(
        self, connection: AsyncConnection, message_id: int, user_id: int, text: str
    ) -> PollEntry | None:
        """Store a user's play, unless the user's earlier play is final. Return the user's earlier entry.

        Raises:
            KeyError: the poll is missing.
            ValueError: the poll is full.

        """
        old_entry = await _lock_poll_and_find_entry(connection, message_id, user_id)
        if old_entry is None or old_entry.view is AnalysisView.OUTSIDE:
            view = AnalysisView.NONE if old_entry is None else AnalysisView.BEFORE_ANSWER
            await _add_entry(connection, message_id, user_id, text, view)
        elif old_entry.view is not AnalysisView.AFTER_ANSWER:
            await connection.execute(
                update(poll_plays).where(_is_entry(message_id, user_id)).values(play=text)
            )
        return old_entry

    @writes
    async def record_analysis_view(self, connection: AsyncConnection, message_id: int, user_id: int) -> None:
        """Record that a user sees the engine's analysis. Raises the same errors as :meth:`record_poll_answer`."""
        old_entry = await _lock_poll_and_find_entry(connection, message_id, user_id)
        if old_entry is None or old_entry.view is AnalysisView.OUTSIDE:
            await _add_entry(connection, message_id, user_id, None, AnalysisView.BEFORE_ANSWER)
        elif old_entry.view is AnalysisView.NONE:
            await connection.execute(
                update(poll_plays)
                .where(_is_entry(message_id, user_id))
                .values(view=int(AnalysisView.AFTER_ANSWER))
            )

    @writes
    async def record_analysis_view_outside(
        self, connection: AsyncConnection, message_id: int, user_id: int
    ) -> None:
        """Record that a user without an entry sees the engine's analysis outside the poll's server."""
        with suppress(KeyError, ValueError):
            if await _lock_poll_and_find_entry(connection, message_id, user_id) is None:
                await _add_entry(connection, message_id, user_id, None, AnalysisView.OUTSIDE)

    @writes
    async def end_poll(self, connection: AsyncConnection, message_id: int) -> None:
        """Make the reveal of a poll due now."""
        await connection.execute(
            update(polls).where(polls.c.message_id == message_id).values(ends=self._clock())
        )

    @writes
    async def claim_poll(self, connection: AsyncConnection, message_id: int) -> datetime | None:
        """Claim the reveal of a poll. Return the time when the claim ends, or None if the poll is missing or already claimed."""
        now = self._clock()
        claimed_until = now + _CLAIM_DURATION
        result = await connection.execute(
            update(polls)
            .where(polls.c.message_id == message_id, _is_unclaimed(now))
            .values(claimed_until=claimed_until)
        )
        return claimed_until if result.rowcount else None

    @writes
    async def release_poll(
        self, connection: AsyncConnection, message_id: int, claimed_until: datetime
    ) -> None:
        """Release a claim, unless another caller has claimed the poll since."""
        await connection.execute(
            update(polls)
            .where(polls.c.message_id == message_id, polls.c.claimed_until == claimed_until)
            .values(claimed_until=None)
        )

    @reads
    async def due_polls(self, connection: AsyncConnection) -> tuple[Poll, ...]:
        now = self._clock()
        query = (
            select(*columns_of(polls, Poll))
            .where(polls.c.ends <= now, _is_unclaimed(now))
            .order_by(polls.c.ends)
        )
        return tuple(Poll(*row) for row in await connection.execute(query))


async def _lock_poll_and_find_entry(
    connection: AsyncConnection, message_id: int, user_id: int
) -> PollEntry | None:
    lock_query = select(polls.c.message_id).where(polls.c.message_id == message_id).with_for_update()
    if not await has_rows(connection, lock_query):
        raise KeyError(message_id)
    entry = await find(connection, poll_plays, PollEntry, _is_entry(message_id, user_id))
    return None if entry is None else replace(entry, view=AnalysisView(entry.view))


async def _add_entry(
    connection: AsyncConnection, message_id: int, user_id: int, text: str | None, view: AnalysisView
) -> None:
    """Add a user's entry to a poll, replacing the user's :attr:`AnalysisView.OUTSIDE` entry, if any."""
    await connection.execute(delete(poll_plays).where(_is_entry(message_id, user_id)))
    is_of_poll = poll_plays.c.message_id == message_id
    is_outside = poll_plays.c.view == int(AnalysisView.OUTSIDE)
    is_counted, limit = (
        (is_outside, MAX_OUTSIDE_VIEWERS) if view is AnalysisView.OUTSIDE else (~is_outside, MAX_PLAYERS)
    )
    if await count(connection, is_of_poll & is_counted) >= limit:
        raise ValueError("the poll is full")
    number = (await connection.scalar(select(func.max(poll_plays.c.place)).where(is_of_poll)) or 0) + 1
    await connection.execute(
        poll_plays.insert().values(
            message_id=message_id, user_id=user_id, play=text, view=int(view), place=number
        )
    )


async def delete_orphaned_plays(connection: AsyncConnection) -> None:
    """Delete the plays of deleted polls."""
    await connection.execute(
        delete(poll_plays).where(poll_plays.c.message_id.not_in(select(polls.c.message_id)))
    )


def _is_entry(message_id: int, user_id: int) -> ColumnElement[bool]:
    return (poll_plays.c.message_id == message_id) & (poll_plays.c.user_id == user_id)


def _is_unclaimed(now: datetime) -> ColumnElement[bool]:
    return polls.c.claimed_until.is_(None) | is_expired(polls.c.claimed_until, now, _MAX_CLAIM_REMAINING)
