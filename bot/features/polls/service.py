"""What would you play? Starts polls, takes secret answers, and reveals them."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeAlias, TypeVar

from bot.chat.card import MAX_ALT, Audience, Card, Drawing, Moment, NoAnswerError, Style
from bot.chat.control import Control
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import Position
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import Try
from bot.features.analysis.fairness import WordQuestion
from bot.features.polls.cards import (
    Outcome,
    answer_no_spoiler,
    answer_open,
    answer_outcome,
    answer_refused,
    answer_stands,
    answer_taken,
    card,
    moment_of,
)
from bot.features.polls.controls import full_words, over_words
from bot.features.showing.controls import Copy
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import board_of, require_over
from bot.jobs.queue import Asker
from bot.storage.polls import Look, Poll, PollPlay, PollStore
from bot.text import Speaker

log = logging.getLogger(__name__)

LONGEST: Final = timedelta(days=7)
"""The time after which every poll is revealed."""
MAX_DRAWN: Final = 6
"""Plays on one board."""

PositionT = TypeVar("PositionT")
Play = TypeVar("Play")
Voted: TypeAlias = Sequence[tuple[Play, PollPlay]]
"""Plays, each with the person who would make it."""


class Polling(ABC, Generic[PositionT, Play]):
    """The part of polls that differs between kinds of games. All but :meth:`compare` is called on threads."""

    @abstractmethod
    def position(self, item: Found, moment: Moment, say: Speaker) -> PositionT:
        """Return the position of a poll.

        Raises:
            NoAnswerError: it does not suit a poll.

        """

    @abstractmethod
    def line(self, position: PositionT, say: Speaker) -> str:
        """Describe a position in one line."""

    @abstractmethod
    def drawing(
        self,
        position: PositionT,
        moment: Moment,
        style: Style,
        lead: str,
        plays: Sequence[tuple[str, Play]] = (),
    ) -> Drawing:
        """Return the picture of a position with plays, each with its sign. ``lead`` begins its description."""

    @abstractmethod
    def read(self, position: PositionT, typed: str, style: Style) -> tuple[Play, str]:
        """Return a play as a player typed it, and the same in words.

        Raises:
            DomainError: it is no play, or impossible here.

        """

    @abstractmethod
    async def compare(self, position: PositionT, plays: Voted[Play], style: Style, asker: Asker) -> Outcome:
        """Compare plays with each other and with the engine's, by an engine if one is installed."""

    @abstractmethod
    def analysis(self, moment: Moment) -> tuple[Control, ...]:
        """Return the control that analyzes the position, if there is one."""


class Polls:
    """Runs polls. ``kinds`` are by the names of the kinds of games."""

    def __init__(
        self,
        desk: Desk,
        store: PollStore,
        kinds: Mapping[str, Polling[Any, Any]],
        clock: Callable[[], datetime],
    ) -> None:
        self._desk = desk
        self._store = store
        self._kinds = kinds
        self._clock = clock

    async def require(self, moment: Moment, say: Speaker) -> None:
        """Check that a moment suits a poll.

        Raises:
            NoAnswerError: it does not.

        """
        await self._opened(moment, say)

    async def require_positions(
        self, positions: Sequence[Position | ChessPosition], audience: Audience, say: Speaker
    ) -> None:
        """Check that an audience may see an analysis of some positions; see :class:`Guard`.

        Raises:
            NoAnswerError: a poll about one of them is open, and the audience is public or has not agreed to be marked.

        """
        boards = await self._desk.run(lambda: tuple(dict.fromkeys(map(board_of, positions))))
        elsewhere = []
        for poll, look in await self._store.polls_about(boards, audience.user_id):
            takes_part = audience.user_id == poll.asker_id or look not in {None, Look.APART}
            if poll.guild_id != audience.guild_id and not takes_part:
                # A warning would reveal the poll outside its server. The look is noted, and counts with an answer.
                if look is None:
                    elsewhere.append(poll.message_id)
                continue
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if audience.public:
                raise NoAnswerError(answer_no_spoiler(link, say))
            if look not in {Look.BEFORE, Look.AFTER}:
                raise NoAnswerError(answer_open(poll.message_id, link, say))
        for message_id in elsewhere:
            await self._store.look_apart(message_id, audience.user_id)

    async def require_words(self, question: WordQuestion, audience: Audience, say: Speaker) -> None:
        """Allow all questions about words: they do not give a poll away."""

    async def begin(
        self, moment: Moment, asker_id: int, after: timedelta | None, style: Style
    ) -> tuple[Card, Poll]:
        """Return the card of a new poll, and the poll without its message.

        Raises:
            NoAnswerError: the moment does not suit a poll.

        """
        kind, item, position = await self._opened(moment, style.say)
        ends = self._clock() + (after or LONGEST)
        # The document must last as long as the poll.
        await self._desk.keep((item,), asker_id)
        board = await self._desk.run(board_of, position)
        poll = Poll(0, 0, 0, asker_id, moment.digest, moment.turn, moment.side, moment.spoiler, board, ends)
        return await self._desk.answer(_card, poll, kind, position, (), style), poll

    async def card(self, poll: Poll, style: Style) -> Card:
        """Return the current card.

        Raises:
            NoAnswerError: the position is no longer stored.

        """
        kind, _, position = await self._opened(moment_of(poll), style.say)
        plays = await self._store.poll_plays(poll.message_id)
        return await self._desk.answer(_card, poll, kind, position, plays, style)

    async def play(self, message_id: int, user_id: int, typed: str, style: Style, say: Speaker) -> Card:
        """Take a player's answer. ``style`` is the server's, whose lexicon judges it; ``say`` speaks to the player.

        Raises:
            NoAnswerError: the poll is over or full, or the play is impossible.

        """
        poll = await self._store.poll(message_id)
        if poll is None or poll.ends <= self._clock():
            raise NoAnswerError.saying(over_words(say))
        moment = moment_of(poll)
        kind, _, position = await self._opened(moment, say)
        try:
            _, words = await self._desk.run(kind.read, position, typed, replace(style, say=say))
        except DomainError as error:
            raise NoAnswerError(answer_refused(say.problem(error), say)) from None
        try:
            before = await self._store.play_in_poll(message_id, user_id, typed)
        except KeyError:
            raise NoAnswerError.saying(over_words(say)) from None
        except ValueError:
            raise NoAnswerError.saying(full_words(say)) from None
        if before is not None and before.look is Look.AFTER:
            raise NoAnswerError(answer_stands(say))
        return answer_taken(words, before, moment, say)

    async def reveal(self, poll: Poll, style: Style) -> Card:
        """Return the card of the result.

        Raises:
            NoAnswerError: the position is no longer stored.

        """
        moment, say = moment_of(poll), style.say
        kind, _, position = await self._opened(moment, say)
        answers = await self._store.poll_plays(poll.message_id)

        def read() -> list[tuple[Any, PollPlay]]:
            plays = []
            for answer in answers:
                if answer.play is not None:
                    try:
                        plays.append((kind.read(position, answer.play, style)[0], answer))
                    except DomainError as error:  # such as with another lexicon
                        log.info("a poll has an answer that is no longer possible: %s", error)
            return plays

        plays = await self._desk.run(read)
        outcome = await kind.compare(position, plays, style, Asker(poll.asker_id, poll.guild_id))

        def answer() -> Card:
            drawn = list(zip(outcome.signs, outcome.proposed, strict=True))[:MAX_DRAWN]
            lead = " ".join([say("Proposed:"), *(f"{sign} {proposed.words}." for sign, proposed in drawn)])
            signed = [(sign, proposed.play) for sign, proposed in drawn]
            drawing = kind.drawing(position, moment, style, lead[: MAX_ALT // 3], signed)
            card = answer_outcome(poll.asker_id, kind.line(position, say), outcome, moment, say)
            controls = (*kind.analysis(moment), Try(moment), Copy(moment))
            return replace(card, drawings=(drawing,), controls=controls)

        return await self._desk.answer(answer)

    async def _opened(self, moment: Moment, say: Speaker) -> tuple[Polling[Any, Any], Found, Any]:
        item = await self._desk.document(moment.digest, say)
        require_over(item, say)
        kind = self._kinds[kind_of(item.document).name]
        return kind, item, await self._desk.run(kind.position, item, moment, say)


def _card(
    poll: Poll, kind: Polling[Any, Any], position: object, plays: tuple[PollPlay, ...], style: Style
) -> Card:
    say = style.say
    drawing = kind.drawing(position, moment_of(poll), style, say("What would you play?"))
    return replace(card(poll, kind.line(position, say), plays, say), drawings=(drawing,))
