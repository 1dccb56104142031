"""The part of the store that remembers which of our messages answered which message."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from bot.storage import replies
from bot.storage.parts.part import StorePart
from bot.storage.replies import ReplyRecord, UnsentReply

HOLD: Final = timedelta(seconds=20)
"""How long a claim holds a message unless it is renewed by work that takes longer."""

UNSENT_LIFE: Final = timedelta(minutes=30)
"""How long after the first try an answer that could not be sent is still of use."""


class ReplyStore(StorePart):
    """Who answers a message, and which messages the answer consists of."""

    async def claim_reply(
        self, source_id: int, *, channel_id: int, guild_id: int | None, author_id: int
    ) -> int:
        """Claim the message ``source_id`` in order to answer it: for one caller at a time, in whatever process.

        Returns 0 when it is answered or held, otherwise the number of the try. From 2 on an earlier try may have sent
        an answer without recording it: look for that before sending another.

        The claim lasts until :meth:`record_reply`, :meth:`put_off_reply`, :meth:`release_reply` or
        :meth:`forget_reply`, at most for :data:`HOLD` unless :meth:`hold_reply` renews it. A message is tried
        :data:`bot.storage.replies.MAX_TRIES` times at most.
        """
        now = self._clock()
        return await self._write_in(
            guild_id,
            replies.claim,
            source_id,
            channel_id=channel_id,
            guild_id=guild_id,
            author_id=author_id,
            now=now,
            held_until=now + HOLD,
        )

    async def hold_reply(self, source_id: int, tries: int) -> bool:
        """Hold a message for another :data:`HOLD`; False when somebody else has claimed it since this try."""
        return await self._database.write(replies.hold, source_id, tries, self._clock() + HOLD)

    async def put_off_reply(self, source_id: int, tries: int) -> None:
        """Release a message whose answer could not be sent now, so that the next caller may try."""
        await self._database.write(replies.hold, source_id, tries, self._clock())

    async def unsent_replies(
        self, limit: int = 100, *, jumped: timedelta = timedelta(0)
    ) -> tuple[UnsentReply, ...]:
        """Return messages that nobody holds and whose answer was not recorded, while an answer is still of use.

        ``jumped`` is how far the clock was set forward meanwhile: by so much they only seem to be older.
        """
        now = self._clock()
        return await self._database.read(replies.find_unsent, now, now - UNSENT_LIFE - jumped, limit)

    async def record_reply(self, source_id: int, reply_ids: tuple[int, ...]) -> None:
        """Record which of our messages answer ``source_id`` now, in place of those recorded before.

        An empty tuple means that the answer was taken back; the claim stays. Does nothing when the claim has been
        forgotten in the meantime.
        """
        await self._database.write(replies.record, source_id, reply_ids, self._clock())

    async def release_reply(self, source_id: int) -> None:
        """Give up a claim because there will be no answer; a recorded answer is not touched."""
        await self._database.write(replies.release, source_id)

    async def give_up_reply(self, source_id: int) -> None:
        """Forget a claim that nobody holds and that has no answer; anything else is not touched."""
        await self._database.write(replies.give_up, source_id, self._clock())

    async def answered_channels(self, span: timedelta, limit: int) -> tuple[tuple[int, int | None], ...]:
        """Return where something was answered in the last ``span``: channels, each with its guild, the latest first."""
        return await self._database.read(replies.channels, self._clock() - span, limit)

    async def answers_lately(self, span: timedelta, limit: int) -> tuple[tuple[int, int], ...]:
        """Return what was answered in the last ``span``: messages, each with its channel, the latest first."""
        return await self._database.read(replies.recorded_since, self._clock() - span, limit)

    async def reply(self, source_id: int) -> ReplyRecord | None:
        """Return what is known about the answer to ``source_id``, or None when it was never claimed."""
        return await self._database.read(replies.find, source_id)

    async def reply_of(self, message_id: int) -> ReplyRecord | None:
        """Return what is known about the answer that our message ``message_id`` belongs to, or None."""
        return await self._database.read(replies.find_by_message, message_id)

    async def answered(self, *, before: int | None = None, limit: int = 1000) -> tuple[int, ...]:
        """Return the ids of claimed messages, the latest first; only those older than the id ``before``."""
        return await self._database.read(replies.newest, before, limit)

    async def answered_lately(self, span: timedelta, *, limit: int = 1000) -> tuple[int, ...]:
        """Return the ids of messages claimed in the last ``span``, by whatever process; the latest claims first."""
        return await self._database.read(replies.claimed_since, self._clock() - span, limit)
