"""The part of the store that remembers polls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.storage import polls
from bot.storage.parts.part import StorePart
from bot.storage.polls import Look, Poll, PollPlay

_CLAIM: Final = timedelta(minutes=5)
"""How long a process has to reveal a poll before another one may."""


class PollStore(StorePart):
    """Open polls, and what people play in them."""

    async def keep_poll(self, poll: Poll) -> bool:
        """Keep a new poll; False when its asker has one in its channel, or :data:`bot.storage.polls.MAX_OPEN` in all."""
        return await self._write_in(poll.guild_id, polls.keep, poll)

    async def poll(self, message_id: int) -> Poll | None:
        """Return the open poll that a message shows."""
        return await self._database.read(polls.find, message_id)

    async def poll_of(self, asker_id: int, channel_id: int) -> Poll | None:
        """Return the poll that somebody has open in a channel."""
        return await self._database.read(polls.of_asker, asker_id, channel_id)

    async def polls_about(
        self, boards: tuple[str, ...], user_id: int
    ) -> tuple[tuple[Poll, Look | None], ...]:
        """Return the open polls about some boards, and a person's look in each; None for no part in the poll."""
        return await self._database.read(polls.about, boards, user_id)

    async def open_polls(self) -> dict[int, datetime]:
        """Return the messages that show open polls, with when each is revealed."""
        return await self._database.read(polls.ends)

    async def poll_plays(self, message_id: int) -> tuple[PollPlay, ...]:
        """Return what people do in a poll, in the order in which they came."""
        return await self._database.read(polls.plays, message_id)

    async def play_in_poll(self, message_id: int, user_id: int, text: str) -> PollPlay | None:
        """Keep somebody's play unless the person has looked since the one before; return what was known before.

        Raises :exc:`KeyError` when there is no such poll, :exc:`ValueError` when it is full.
        """
        return await self._database.write(polls.play, message_id, user_id, text)

    async def look_in_poll(self, message_id: int, user_id: int) -> None:
        """Note that somebody looks at what the engine thinks. Raises what :meth:`play_in_poll` does."""
        await self._database.write(polls.look, message_id, user_id)

    async def look_apart(self, message_id: int, user_id: int) -> None:
        """Note that somebody without a part in a poll looks at the engine's opinion outside its server."""
        await self._database.write(polls.look_apart, message_id, user_id)

    async def end_poll(self, message_id: int) -> None:
        """Let a poll be over now: it is due until it is revealed."""
        await self._database.write(polls.end, message_id, self._clock())

    async def claim_poll(self, message_id: int) -> bool:
        """Claim the revealing of a poll: True for one caller, and again after five minutes."""
        now = self._clock()
        return await self._database.write(polls.claim, message_id, now, now + _CLAIM)

    async def due_polls(self) -> tuple[Poll, ...]:
        """Return polls whose time is over, and that nobody is revealing."""
        return await self._database.read(polls.due, self._clock())

    async def forget_poll(self, message_id: int) -> bool:
        """Forget a poll with its plays; False when there is none."""
        return await self._database.write(polls.forget, message_id)
