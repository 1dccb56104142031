"""Starts polls, stores the secret answers, and reveals the results."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from bot.chat.card import MAX_ALT_LENGTH, Card, Moment, RefusalError, ReplyContext
from bot.chat.markdown import escape
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import Position
from bot.domain.notations import CHESS, CROSSWORD, kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import TryPlay
from bot.features.analysis.fairness import Fairness, WordQuery, WordQueryKind
from bot.features.polls.cards import accepted_answer_card, open_poll_card, poll_moment, result_card
from bot.features.polls.chess import ChessPollKind
from bot.features.polls.controls import POLL_IS_FULL, POLL_IS_OVER, LookAnyway
from bot.features.polls.crossword import CrosswordPollKind
from bot.features.showing.controls import CopyPosition
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.subjects import board_keys, refuse_if_in_progress
from bot.jobs.account import Requester
from bot.storage.polls import AnalysisView, Poll, PollEntry, PollStore
from bot.text import Translator

log = logging.getLogger(__name__)

MAX_DURATION: Final = timedelta(days=7)
"""Time after which a poll is revealed even if its author chose to reveal it manually."""
MAX_DRAWN_PLAYS: Final = 6

PollKind: TypeAlias = CrosswordPollKind | ChessPollKind
"""Polls about one kind of game. Call all methods except ``compare`` on a worker thread."""


class PollService:
    """Runs polls about both kinds of games."""

    def __init__(
        self,
        documents: DocumentService,
        store: PollStore,
        crossword: CrosswordPollKind,
        chess: ChessPollKind,
        clock: Callable[[], datetime],
        *,
        fairness: Fairness,
    ) -> None:
        self._documents = documents
        self._store = store
        self._kinds: dict[str, PollKind] = {CROSSWORD.name: crossword, CHESS.name: chess}
        self._clock = clock
        self._fairness = fairness

    async def check_positions(
        self, positions: Sequence[Position | ChessPosition], context: ReplyContext
    ) -> None:
        """Check that an analysis of some positions may be shown.

        For another server's poll in which the user does not take part, only record that the user saw an analysis.

        Raises:
            RefusalError: a poll about one of the positions is open, and the reply is public or the user has not pressed
                :class:`LookAnyway`.

        """
        board_digests = await self._documents.run(
            lambda: tuple({key: None for position in positions for key in board_keys(position)})
        )
        unannounced_poll_ids = []
        for poll, view in await self._store.polls_about(board_digests, context.user_id):
            takes_part = context.user_id == poll.author_id or view not in {None, AnalysisView.OUTSIDE}
            if poll.guild_id != context.guild_id and not takes_part:
                # Outside the poll's server, a warning would disclose the poll, so only record that the user saw an analysis.
                if view is None:
                    unannounced_poll_ids.append(poll.message_id)
                continue
            link = f"https://discord.com/channels/{poll.guild_id}/{poll.channel_id}/{poll.message_id}"
            if context.public:
                raise RefusalError.with_text(
                    context.translate(
                        "🙋 A poll about this position is open: {link}. There is no public analysis until the "
                        "answers are revealed.",
                        link=link,
                    )
                )
            if view not in {AnalysisView.BEFORE_ANSWER, AnalysisView.AFTER_ANSWER}:
                text = context.translate(
                    "🙋 A poll about this position is open: {link}. If you look at the analysis before you answer, the reveal "
                    "marks you with 👀. If you have answered, your answer becomes final.",
                    link=link,
                )
                raise RefusalError(Card(text, controls=(LookAnyway(poll.message_id),), has_result=False))
        for message_id in unannounced_poll_ids:
            await self._store.record_analysis_view_outside(message_id, context.user_id)

    async def check_words(self, query: WordQuery, context: ReplyContext) -> None:
        """Permit all queries about words, because they do not help to answer a poll."""

    async def check_no_spoilers(self, moment: Moment, context: ReplyContext) -> None:
        """Check that a poll's result, which shows the engine's opinion to everyone, would not give away a daily puzzle.

        Raises:
            RefusalError: the result would give away a daily puzzle, or no poll can be made about this position.

        """
        _, _, position = await self.find_position(moment, context.translate)
        for guard in self._fairness.guards:
            if guard is not self:
                await guard.check_positions((position,), context)

    async def make_poll(
        self, moment: Moment, author_id: int, duration: timedelta, context: ReplyContext
    ) -> tuple[Card, Poll]:
        """Return the card of a new poll, and the poll. The caller posts the card, adds the message's ids to the poll, and stores the poll.

        A ``duration`` of zero means that the author reveals the poll.

        Raises:
            RefusalError: no poll can be made about this position.

        """
        kind, found, position = await self.find_position(moment, context.translate)
        ends = self._clock() + (duration or MAX_DURATION)
        # Store the document again, so that it expires only after the poll.
        await self._documents.save((found,), author_id)
        board_digest = (await self._documents.run(board_keys, position))[0]
        poll = Poll(
            0, 0, 0, author_id, moment.digest, moment.turn, moment.seat, moment.spoiler, board_digest, ends
        )
        return await self._documents.run_and_draw(_draw_card, poll, kind, position, (), context), poll

    async def card(self, poll: Poll, context: ReplyContext) -> Card:
        """Return the card of an open poll, with the current number of answers.

        Raises:
            RefusalError: the position is no longer stored.

        """
        kind, _, position = await self.find_position(poll_moment(poll), context.translate)
        entries = await self._store.poll_entries(poll.message_id)
        return await self._documents.run_and_draw(_draw_card, poll, kind, position, entries, context)

    async def save_answer(
        self,
        message_id: int,
        user_id: int,
        play_text: str,
        server_context: ReplyContext,
        context: ReplyContext,
    ) -> Card:
        """Save a player's answer, and return the card that confirms it. The lexicon comes from ``server_context``.

        Raises:
            RefusalError: the poll is over or full, the play is impossible or would spoil a daily puzzle, or the user has seen the
                analysis since answering.

        """
        poll, translate = await self._store.poll(message_id), context.translate
        if poll is None or poll.ends <= self._clock():
            raise RefusalError.with_text(translate(POLL_IS_OVER))
        moment = poll_moment(poll)
        kind, _, position = await self.find_position(moment, translate)
        try:
            words = await self._documents.run(kind.words_made, position, play_text)
            await self._fairness.check_words(WordQuery(WordQueryKind.CHECK, words), context)
            _, written_play = await self._documents.run(
                kind.read, position, play_text, replace(server_context, translate=translate)
            )
        except DomainError as error:
            raise RefusalError.with_text(
                translate(
                    "❔ {problem}. Your answer wasn't saved; try another play.",
                    problem=escape(translate.problem(error)),
                )
            ) from None
        try:
            earlier_entry = await self._store.record_poll_answer(message_id, user_id, play_text)
        except KeyError:
            raise RefusalError.with_text(translate(POLL_IS_OVER)) from None
        except ValueError:
            raise RefusalError.with_text(translate(POLL_IS_FULL)) from None
        if earlier_entry is not None and earlier_entry.view is AnalysisView.AFTER_ANSWER:
            raise RefusalError.with_text(
                translate("You have seen the analysis since you answered, so your answer is final.")
            )
        return accepted_answer_card(written_play, earlier_entry, moment, translate)

    async def make_result_card(self, poll: Poll, context: ReplyContext) -> Card:
        """Compare the answers to a poll, and return the card with the result.

        Raises:
            RefusalError: the position is no longer stored.

        """
        moment, translate = poll_moment(poll), context.translate
        kind, _, position = await self.find_position(moment, translate)
        entries = await self._store.poll_entries(poll.message_id)

        def read_votes() -> list[tuple[Any, PollEntry]]:
            votes = []
            for entry in entries:
                if entry.play is not None:
                    try:
                        votes.append((kind.read(position, entry.play, context)[0], entry))
                    except DomainError as error:  # for example because the lexicon has changed
                        log.info("a poll has an answer that is no longer possible: %s", error)
            return votes

        votes = await self._documents.run(read_votes)
        result = await kind.compare(position, votes, context, Requester(poll.author_id, poll.guild_id))

        def draw_result() -> Card:
            drawn_proposals = result.proposals[:MAX_DRAWN_PLAYS]
            sentences = (f"{proposal.label} {proposal.text}." for proposal in drawn_proposals)
            intro = " ".join([translate("Proposed:"), *sentences])[: MAX_ALT_LENGTH // 3]
            labelled_plays = [(proposal.label, proposal.play) for proposal in drawn_proposals]
            return replace(
                result_card(
                    poll.author_id, kind.position_line(position, translate), result, moment, translate
                ),
                drawings=(kind.drawing(position, moment, context, intro, labelled_plays),),
                controls=(*kind.analysis_controls(moment), TryPlay(moment), CopyPosition(moment)),
            )

        return await self._documents.run_and_draw(draw_result)

    async def find_position(
        self, moment: Moment, translate: Translator
    ) -> tuple[PollKind, FoundDocument, Any]:
        """Return the kind of poll for a moment, and the moment's document and position.

        Raises:
            RefusalError: no poll can be made about this position, or its document has expired.

        """
        found = await self._documents.load_document(moment.digest, translate)
        refuse_if_in_progress(found, translate)
        kind = self._kinds[kind_of(found.document).name]
        return kind, found, await self._documents.run(kind.position, found, moment, translate)


def _draw_card(
    poll: Poll,
    kind: PollKind,
    position: Any,  # noqa: ANN401 - the type depends on the kind
    entries: tuple[PollEntry, ...],
    context: ReplyContext,
) -> Card:
    translate = context.translate
    drawing = kind.drawing(position, poll_moment(poll), context, translate("What would you play?"))
    return replace(
        open_poll_card(poll, kind.position_line(position, translate), entries, translate), drawings=(drawing,)
    )
