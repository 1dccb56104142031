"""What would you play? Starts polls, takes secret answers, and reveals them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.chat.card import MAX_ALT, Card, Moment, NoAnswerError, Style
from bot.chat.markdown import escape
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import Position
from bot.domain.notations import CHESS, CROSSWORD, kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import Try
from bot.features.analysis.fairness import Guard, WordQuestion, WordTool
from bot.features.polls.cards import answer_outcome, answer_taken, card, moment_of
from bot.features.polls.chess import ChessPolling
from bot.features.polls.controls import LookAnyway, full_words, over_words
from bot.features.polls.crossword import CrosswordPolling
from bot.features.showing.controls import Copy
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.subjects import board_keys, require_over
from bot.jobs.account import Requester
from bot.storage.polls import Look, Poll, PollPlay, PollStore
from bot.text import Speaker

log = logging.getLogger(__name__)

MAX_DURATION: Final = timedelta(days=7)
"""The time after which every poll is revealed."""
MAX_DRAWN: Final = 6
"""Maximum number of plays drawn on one board."""

Polling: TypeAlias = CrosswordPolling | ChessPolling


class Polls:
    """Runs polls about both kinds of games. All methods of a :data:`Polling` but ``compare`` run on threads."""

    def __init__(
        self,
        documents: DocumentService,
        store: PollStore,
        crossword: CrosswordPolling,
        chess: ChessPolling,
        clock: Callable[[], datetime],
        *,
        guards: Sequence[Guard],
    ) -> None:
        self._documents = documents
        self._store = store
        self._kinds: dict[str, Polling] = {CROSSWORD.name: crossword, CHESS.name: chess}
        self._clock = clock
        self._guards = guards

    async def require_positions(self, positions: Sequence[Position | ChessPosition], style: Style) -> None:
        """Check that an audience may see an analysis of some positions; see :class:`Guard`.

        Raises:
            NoAnswerError: a poll about one of them is open, and the audience is public or has not agreed to be marked.

        """
        boards = await self._documents.run(
            lambda: tuple({key: None for position in positions for key in board_keys(position)})
        )
        elsewhere = []
        for poll, look in await self._store.polls_about(boards, style.reader):
            takes_part = style.reader == poll.author_id or look not in {None, Look.OUTSIDE}
            if poll.guild_id != style.guild_id and not takes_part:
                # A warning would reveal the poll outside its server. The look is noted, and counts with an answer.
                if look is None:
                    elsewhere.append(poll.message_id)
                continue
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if style.public:
                raise NoAnswerError.saying(
                    style.say(
                        "🙋 A poll about this position is open: {link}. There is no public analysis until the "
                        "answers are revealed.",
                        link=link,
                    )
                )
            if look not in {Look.BEFORE, Look.AFTER}:
                text = style.say(
                    "🙋 A poll about this position is open: {link}. If you look at the analysis before you answer, the reveal "
                    "marks you with 👀. If you have answered, your answer becomes final.",
                    link=link,
                )
                raise NoAnswerError(Card(text, controls=(LookAnyway(poll.message_id),), found=False))
        for message_id in elsewhere:
            await self._store.look_outside(message_id, style.reader)

    async def require_words(self, question: WordQuestion, style: Style) -> None:
        """Allow all questions about words: they do not give a poll away."""

    async def require_fair(self, moment: Moment, style: Style) -> None:
        """Check that a poll about a moment may show everybody the engine's opinion in the end.

        Raises:
            NoAnswerError: the moment does not suit a poll, or the result would spoil something.

        """
        _, _, position = await self.require(moment, style.say)
        for guard in self._guards:
            if guard is not self:
                await guard.require_positions((position,), style)

    async def begin(
        self, moment: Moment, author_id: int, after: timedelta | None, style: Style
    ) -> tuple[Card, Poll]:
        """Return the card of a new poll, and the poll without its message.

        Raises:
            NoAnswerError: the moment does not suit a poll.

        """
        kind, item, position = await self.require(moment, style.say)
        ends = self._clock() + (after or MAX_DURATION)
        # The document must last as long as the poll.
        await self._documents.keep((item,), author_id)
        board = (await self._documents.run(board_keys, position))[0]
        poll = Poll(0, 0, 0, author_id, moment.digest, moment.turn, moment.side, moment.spoiler, board, ends)
        return await self._documents.run_and_draw(_card, poll, kind, position, (), style), poll

    async def card(self, poll: Poll, style: Style) -> Card:
        """Return the current card.

        Raises:
            NoAnswerError: the position is no longer stored.

        """
        kind, _, position = await self.require(moment_of(poll), style.say)
        plays = await self._store.poll_plays(poll.message_id)
        return await self._documents.run_and_draw(_card, poll, kind, position, plays, style)

    async def play(self, message_id: int, user_id: int, typed: str, server: Style, style: Style) -> Card:
        """Take a player's answer. ``server`` is the server's style, whose lexicon judges it; ``style`` is the player's.

        Raises:
            NoAnswerError: the poll is over or full, or the play is impossible.

        """
        poll, say = await self._store.poll(message_id), style.say
        if poll is None or poll.ends <= self._clock():
            raise NoAnswerError.saying(over_words(say))
        moment = moment_of(poll)
        kind, _, position = await self.require(moment, say)
        try:
            made = WordQuestion(WordTool.CHECK, await self._documents.run(kind.words_made, position, typed))
            for guard in self._guards:
                await guard.require_words(made, style)
            _, words = await self._documents.run(kind.read, position, typed, replace(server, say=say))
        except DomainError as error:
            raise NoAnswerError.saying(
                say(
                    "❔ {problem}. Your answer was not saved; try another play.",
                    problem=escape(say.problem(error)),
                )
            ) from None
        try:
            before = await self._store.play_in_poll(message_id, user_id, typed)
        except KeyError:
            raise NoAnswerError.saying(over_words(say)) from None
        except ValueError:
            raise NoAnswerError.saying(full_words(say)) from None
        if before is not None and before.look is Look.AFTER:
            raise NoAnswerError.saying(
                say("You have seen the analysis since you answered, so your answer is final.")
            )
        return answer_taken(words, before, moment, say)

    async def reveal(self, poll: Poll, style: Style) -> Card:
        """Return the card of the result.

        Raises:
            NoAnswerError: the position is no longer stored.

        """
        moment, say = moment_of(poll), style.say
        kind, _, position = await self.require(moment, say)
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

        plays = await self._documents.run(read)
        outcome = await kind.compare(position, plays, style, Requester(poll.author_id, poll.guild_id))

        def answer() -> Card:
            drawn = list(zip(outcome.labels, outcome.proposed, strict=True))[:MAX_DRAWN]
            lead = " ".join([say("Proposed:"), *(f"{label} {proposed.words}." for label, proposed in drawn)])
            signed = [(label, proposed.play) for label, proposed in drawn]
            drawing = kind.drawing(position, moment, style, lead[: MAX_ALT // 3], signed)
            card = answer_outcome(poll.author_id, kind.line(position, say), outcome, moment, say)
            controls = (*kind.analysis(moment), Try(moment), Copy(moment))
            return replace(card, drawings=(drawing,), controls=controls)

        return await self._documents.run_and_draw(answer)

    async def require(self, moment: Moment, say: Speaker) -> tuple[Polling, FoundDocument, Any]:
        """Return the kind, the document and the position of a moment.

        Raises:
            NoAnswerError: it does not suit a poll.

        """
        item = await self._documents.document(moment.digest, say)
        require_over(item, say)
        kind = self._kinds[kind_of(item.document).name]
        return kind, item, await self._documents.run(kind.position, item, moment, say)


def _card(
    poll: Poll,
    kind: Polling,
    position: Any,  # noqa: ANN401 - of the kind
    plays: tuple[PollPlay, ...],
    style: Style,
) -> Card:
    say = style.say
    drawing = kind.drawing(position, moment_of(poll), style, say("What would you play?"))
    return replace(card(poll, kind.line(position, say), plays, say), drawings=(drawing,))
