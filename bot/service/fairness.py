"""What is not told: what the engine thinks of a position of which people are being asked what they would play."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, Protocol

from bot.answers.findings import Found
from bot.answers.poll import answer_no_spoiler, answer_open
from bot.answers.reply import Moment, NoAnswerError
from bot.domain.chess.game import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.scenes.style import Style
from bot.service.boards import board_of, position_of
from bot.service.desk import Desk
from bot.storage.polls import Look, Poll

MAX_BOARDS: Final = 600
"""Positions of a game that are looked at."""


class OpenPolls(Protocol):
    """Where polls are kept; see :class:`bot.storage.poll_store.PollStore`."""

    async def polls_about(
        self, boards: tuple[str, ...], user_id: int, guild_id: int | None
    ) -> tuple[tuple[Poll, Look], ...]:
        """Return open polls, and whether somebody has looked at what is asked there."""


class Fairness:
    """Asks before an engine's opinion is told. ``polls`` is None where nothing is kept: nobody is asked anything then."""

    def __init__(self, desk: Desk, polls: OpenPolls | None) -> None:
        self._desk = desk
        self._polls = polls

    async def require(self, item: Found, moment: Moment, style: Style) -> None:
        """Check that who sees an answer in this style may be told about the position of a moment.

        Raises:
            NoAnswerError: people are being asked about it: nothing is told to everybody, and to one person only who
                is willing to be shown as somebody who has looked.

        """
        if style.audience is not None and self._polls is not None:
            board = await self._desk.run(lambda: board_of(position_of(item, moment)))
            await self._require((board,), style)

    async def require_game(self, item: Found, style: Style) -> None:
        """Check the same for all positions of a game.

        Raises:
            NoAnswerError: as :meth:`require` does.

        """
        if style.audience is not None and self._polls is not None:
            await self._require(await self._desk.run(_boards_of, item), style)

    async def _require(self, boards: tuple[str, ...], style: Style) -> None:
        audience = style.audience
        assert audience is not None and self._polls is not None  # noqa: PT018 - the callers looked
        for poll, look in await self._polls.polls_about(boards, audience.user_id, audience.guild_id):
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if audience.public:
                raise NoAnswerError(answer_no_spoiler(link, style.say))
            if look is Look.NONE:
                raise NoAnswerError(answer_open(poll.message_id, link, style.say))


def _distinct(positions: Iterable[Position | ChessPosition]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(board_of, islice(positions, MAX_BOARDS))))


def _boards_of(item: Found) -> tuple[str, ...]:
    document = item.document
    if isinstance(document, Game):
        return _distinct(document.positions())
    if isinstance(document, ChessGame):
        return _distinct(document.positions())
    return (board_of(position_of(item, Moment(item.digest, 0))),)
