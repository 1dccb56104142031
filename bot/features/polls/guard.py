"""Keeps the engine's opinion of a position from people who are still being asked about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.chat.card import NoAnswerError
from bot.chat.style import Audience
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import Position
from bot.features.analysis.fairness import WordQuestion
from bot.features.polls.cards import answer_no_spoiler, answer_open
from bot.features.showing.boards import board_of
from bot.features.showing.desk import Desk
from bot.storage.polls import Look, Poll
from bot.text import Speaker


class OpenPolls(Protocol):
    """The store of polls; see :class:`bot.storage.parts.polls.PollStore`."""

    async def polls_about(
        self, boards: tuple[str, ...], user_id: int, guild_id: int | None
    ) -> tuple[tuple[Poll, Look], ...]:
        """Return open polls, and whether the user has looked at their answers."""


class PollGuard:
    """Refuses analyses of the positions of open polls, and asks users who want one privately to be marked as having looked."""

    def __init__(self, desk: Desk, store: OpenPolls) -> None:
        self._desk = desk
        self._store = store

    async def require_positions(
        self, positions: Sequence[Position | ChessPosition], audience: Audience, say: Speaker
    ) -> None:
        """Check that an audience may see an analysis of some positions.

        Raises:
            NoAnswerError: an open poll is about one of them.

        """
        boards = await self._desk.run(lambda: tuple(dict.fromkeys(map(board_of, positions))))
        for poll, look in await self._store.polls_about(boards, audience.user_id, audience.guild_id):
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if audience.public:
                raise NoAnswerError(answer_no_spoiler(link, say))
            if look is Look.NONE:
                raise NoAnswerError(answer_open(poll.message_id, link, say))

    async def require_words(self, question: WordQuestion, audience: Audience, say: Speaker) -> None:
        """Allow every question about words."""
