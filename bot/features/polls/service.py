"""What would you play? Polls are begun, answered in secret, and revealed."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Generic, Protocol, TypeVar

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.polls.cards import (
    Voter,
    answer_refused,
    answer_stands,
    answer_taken,
    card,
    card_text,
)
from bot.features.polls.controls import over_words
from bot.features.showing.boards import board_of
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import require_over
from bot.jobs.queue import Asker
from bot.storage.polls import Look, Poll, PollPlay
from bot.text import Speaker

log = logging.getLogger(__name__)

LONGEST: Final = timedelta(days=7)
"""After what time a poll is revealed at the latest."""

Position = TypeVar("Position")
Play = TypeVar("Play")


class PollStore(Protocol):
    """Where polls are kept; see :class:`bot.storage.parts.polls.PollStore`."""

    async def keep_poll(self, poll: Poll) -> bool:
        """Keep a new poll."""

    async def poll(self, message_id: int) -> Poll | None:
        """Return the open poll that a message shows."""

    async def polls_about(
        self, boards: tuple[str, ...], user_id: int, guild_id: int | None
    ) -> tuple[tuple[Poll, Look], ...]:
        """Return open polls, and whether somebody has looked."""

    async def poll_plays(self, message_id: int) -> tuple[PollPlay, ...]:
        """Return what people do in a poll."""

    async def play_in_poll(self, message_id: int, user_id: int, text: str) -> PollPlay | None:
        """Keep somebody's play."""


class Polling(ABC, Generic[Position, Play]):
    """How positions of one kind of game are asked about. All but :meth:`reveal` is called on threads."""

    @abstractmethod
    def position(self, item: Found, moment: Moment, say: Speaker) -> Position:
        """Return the position that is asked about.

        Raises:
            NoAnswerError: nothing can be asked about it.

        """

    @abstractmethod
    def line(self, position: Position, say: Speaker) -> str:
        """Say in one line what the position is."""

    @abstractmethod
    def drawing(self, position: Position, moment: Moment, style: Style) -> Drawing:
        """Return the picture of the position."""

    @abstractmethod
    def read(self, position: Position, typed: str, style: Style) -> tuple[Play, str]:
        """Return a play that somebody typed, and how it is written.

        Raises:
            DomainError: it is no play, or cannot be made.

        """

    @abstractmethod
    async def reveal(  # noqa: PLR0917 - what it is revealed with
        self,
        position: Position,
        plays: Sequence[tuple[Play, Voter]],
        poll: Poll,
        moment: Moment,
        style: Style,
        asker: Asker,
    ) -> Card:
        """Compare plays and show them, as far as there is what compares them."""


def moment_of(poll: Poll) -> Moment:
    """Return what a poll is about."""
    return Moment(poll.digest, poll.turn, poll.side, poll.spoiler)


class Polls:
    """Asks what people would play. ``kinds`` are by the names of the kinds of games."""

    def __init__(
        self,
        desk: Desk,
        store: PollStore,
        kinds: Mapping[str, Polling[Any, Any]],
        clock: Callable[[], datetime],
    ) -> None:
        self._desk = desk
        self.store = store
        self._kinds = kinds
        self._clock = clock

    async def require(self, moment: Moment, say: Speaker) -> None:
        """Check that something can be asked about a moment.

        Raises:
            NoAnswerError: nothing can.

        """
        await self._opened(moment, say)

    async def begin(
        self, moment: Moment, asker_id: int, after: timedelta | None, style: Style
    ) -> tuple[Card, Poll]:
        """Return the card of a new poll, and the poll without the message that shows it.

        Raises:
            NoAnswerError: nothing can be asked about the moment.

        """
        kind, item, position = await self._opened(moment, style.say)
        ends = self._clock() + (after or LONGEST)
        # What the poll is about must be there as long as the poll.
        await self._desk.documents.keep((item,), asker_id)
        board = await self._desk.run(lambda: board_of(position))
        side, spoiler = moment.side, moment.spoiler
        poll = Poll(0, 0, 0, asker_id, moment.digest, moment.turn, side, spoiler, board, ends)

        def answer() -> Card:
            text = card_text(asker_id, kind.line(position, style.say), 0, 0, ends, moment, style.say)
            return replace(card(text), drawings=(kind.drawing(position, moment, style),))

        return await self._desk.answer(answer), poll

    async def card(self, poll: Poll, style: Style) -> Card:
        """Return the card as it is now, without its picture, which stays.

        Raises:
            NoAnswerError: the position is not kept any more.

        """
        moment = moment_of(poll)
        kind, _, position = await self._opened(moment, style.say)
        plays = await self.store.poll_plays(poll.message_id)
        played = sum(one.play is not None for one in plays)
        looked = sum(one.look is not Look.NONE for one in plays)
        line = await self._desk.run(lambda: kind.line(position, style.say))
        return card(card_text(poll.asker_id, line, played, looked, poll.ends, moment, style.say))

    async def play(self, message_id: int, user_id: int, typed: str, style: Style, say: Speaker) -> Card:
        """Take somebody's play; ``style`` is everybody's, whose lexicon judges it, ``say`` speaks to the person.

        Raises:
            NoAnswerError: the poll is over or full, or the play is none that can be made.

        """
        poll = await self.store.poll(message_id)
        if poll is None or poll.ends <= self._clock():
            raise NoAnswerError.saying(over_words(say))
        moment = moment_of(poll)
        kind, _, position = await self._opened(moment, say)
        try:
            _, words = await self._desk.run(lambda: kind.read(position, typed, replace(style, say=say)))
        except DomainError as error:
            raise NoAnswerError(answer_refused(say.problem(error), say)) from None
        try:
            before = await self.store.play_in_poll(message_id, user_id, typed)
        except KeyError:
            raise NoAnswerError.saying(over_words(say)) from None
        except ValueError:
            raise NoAnswerError.saying(
                say("So many people take part already that I cannot take more.")
            ) from None
        if before is not None and before.look is Look.AFTER:
            raise NoAnswerError(answer_stands(say))
        looked = before is not None and before.look is Look.BEFORE
        changed = before is not None and before.play is not None
        return answer_taken(words, changed, looked, moment, say)

    async def reveal(self, poll: Poll, style: Style) -> Card:
        """Return what a poll came to.

        Raises:
            NoAnswerError: the position is not kept any more.

        """
        moment, say = moment_of(poll), style.say
        kind, _, position = await self._opened(moment, say)
        kept = await self.store.poll_plays(poll.message_id)

        def read() -> list[tuple[Any, Voter]]:
            plays = []
            for one in kept:
                if one.play is None:
                    continue
                try:
                    play, _ = kind.read(position, one.play, style)
                except DomainError as error:  # the server has another lexicon by now
                    log.info("a play of a poll cannot be made any more: %s", error)
                    continue
                plays.append((play, Voter(one.user_id, one.look is Look.BEFORE)))
            return plays

        plays = await self._desk.run(read)
        asker = Asker(poll.asker_id, poll.guild_id)
        return await kind.reveal(position, plays, poll, moment, style, asker)

    async def _opened(self, moment: Moment, say: Speaker) -> tuple[Polling[Any, Any], Found, Any]:
        item = await self._desk.document(moment.digest, say)
        require_over(item, say)
        kind = self._kinds[kind_of(item.document).name]
        return kind, item, await self._desk.run(lambda: kind.position(item, moment, say))
