"""What is not told: what gives the daily away, and what the engine thinks where people are asked what they would play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final, Protocol

from bot.chat.moment import Moment
from bot.chat.style import Audience, Style
from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import Position
from bot.features.showing.boards import position_of
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.text import Speaker

MAX_BOARDS: Final = 600
"""Positions of a game that are looked at."""


class WordTool(StrEnum):
    """Questions about words."""

    CHECK = "check"
    HOOKS = "hooks"
    ANAGRAM = "anagram"


@dataclass(frozen=True, slots=True)
class WordQuestion:
    """A question about words."""

    tool: WordTool
    words: tuple[str, ...]
    """The words, or for anagrams the letters."""
    shorter: bool = False
    """Whether anagrams may leave letters out."""


class Guard(Protocol):
    """Refuses what would give away something that people are still to find out."""

    async def require_positions(
        self, positions: Sequence[Position | ChessPosition], audience: Audience, say: Speaker
    ) -> None:
        """Check that an audience may see an analysis of some positions."""

    async def require_words(self, question: WordQuestion, audience: Audience, say: Speaker) -> None:
        """Check that an audience may see the answer to a question about words."""


class Fairness:
    """Asks the guards of all features before an analysis is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.guards: list[Guard] = []
        """Each feature that has something to protect adds its own."""

    async def require(self, item: Found, moment: Moment, style: Style) -> None:
        """Check that who sees an answer in this style may be told about the position of a moment.

        Raises:
            NoAnswerError: it is that of a daily which the person has not solved; or people are being asked about it:
                nothing is told to everybody, and to one person only who is willing to be shown as somebody who has looked.

        """
        if style.audience is not None:
            position = await self._desk.run(position_of, item, moment)
            await self._require((position,), style.audience, style.say)

    async def require_game(self, item: Found, style: Style) -> None:
        """Check the same for all positions of a game.

        Raises:
            NoAnswerError: as :meth:`require` does.

        """
        if style.audience is not None:
            positions = await self._desk.run(_positions_of, item)
            await self._require(positions, style.audience, style.say)

    async def require_words(self, question: WordQuestion, style: Style) -> None:
        """Check that who sees an answer in this style may see the answer to a question about words.

        Raises:
            NoAnswerError: it would give away what a daily asks.

        """
        if style.audience is not None:
            for guard in self.guards:
                await guard.require_words(question, style.audience, style.say)

    async def _require(
        self, positions: Sequence[Position | ChessPosition], audience: Audience, say: Speaker
    ) -> None:
        for guard in self.guards:
            await guard.require_positions(positions, audience, say)


def _positions_of(item: Found) -> tuple[Position | ChessPosition, ...]:
    document = item.document
    if isinstance(document, (Game, ChessGame)):
        return tuple(islice(document.positions(), MAX_BOARDS))
    return (position_of(item, Moment(item.digest, 0)),)
