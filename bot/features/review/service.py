"""Reviews of finished games, in jobs: started, kept, and answered."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.chat.moment import Moment
from bot.chat.page import fitting
from bot.domain.crossword.game import Game
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import Analyze, AskEngine, Try
from bot.features.analysis.crossword.analysis import MAX_NAME, progress_bar
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, UnderWay
from bot.features.review.cards import Reviewed, ReviewedGame, answer_together
from bot.features.review.kinds import MAX_KEPT, Results, Reviewing
from bot.features.review.question import ReviewQuestion
from bot.features.review.values import Depth
from bot.features.showing.controls import Copy
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.links import Links
from bot.features.showing.links_card import their_words
from bot.features.showing.reading.links import turn_after
from bot.features.showing.viewing import GameViewing
from bot.jobs.account import OverBudgetError, current_account
from bot.jobs.processes import LimitError
from bot.jobs.queue import Asker, StoppedError, Ticket
from bot.links import woogles
from bot.links.values import TheirReview, TheirTurn
from bot.text import Speaker

MAX_SECONDS = 720.0
"""Seconds on the clock after which further games are left out: Discord lets a private message be changed for a
quarter of an hour. What is reviewed by then is kept, so asking once more continues."""

PICTURE_SECONDS = 6.0
"""How often the picture of a review under way changes: each has to be sent anew."""


class RunningReview(RunningWork[Any, Any]):
    """A review on its way to an answer."""

    def __init__(
        self,
        reviews: Reviews,
        question: ReviewQuestion,
        kind: Reviewing[Any, Any],
        request: object,
        ticket: Ticket[Any, Any],
    ) -> None:
        super().__init__(ticket, question.style.say)
        self._reviews = reviews
        self._question = question
        self._kind = kind
        self._request = request
        self._drawn: tuple[Drawing, ...] = ()
        self._pictured = -math.inf

    async def told(self, progress: object) -> Card:
        """Say how much is done, with the curve as it is by now: at first, and now and then when it has changed."""
        bar = progress_bar(self._kind.share(progress, self._request))
        told = Card(f"⏳ {bar}\n{self._kind.progress(progress, self._question.style.say)}")
        if time.monotonic() - self._pictured < PICTURE_SECONDS:
            return told
        self._pictured = time.monotonic()
        drawings = await self._reviews.sketch(self._question, self._kind, self._request, progress)
        if drawings == self._drawn:
            return told
        self._drawn = drawings
        with suppress(OverBudgetError, LimitError):
            return await self._reviews.draw(replace(told, drawings=drawings))
        return told

    async def finish(self, result: object) -> Card:
        """Tell it in one message."""
        whole = not self.ticket.control.is_stopped
        return await self._reviews.finish(self._question, self._kind, self._request, result, whole=whole)

    async def game(self) -> ReviewedGame | None:
        """Wait for the end and return what it says of the game; None when it was stopped on the way.

        Raises:
            StoppedError: it was stopped before it began.
            DomainError: the game is not reviewed.

        """
        result = await self.ticket.result()
        if self.ticket.control.is_stopped:
            return None
        await self._reviews.keep(self._question, self._kind, self._request, result)
        return _reviewed(self._question, self._kind, self._request, result)

    def refusal(self, error: DomainError) -> Card:
        """Say why there is no review."""
        return _refusal(error, self._question.moment, self._question.style.say)


class Reviews:
    """Answers what every turn of a game lost, whatever its kind."""

    def __init__(
        self,
        desk: Desk,
        kinds: Mapping[str, Reviewing[Any, Any]],
        viewing: GameViewing,
        links: Links,
        fairness: Fairness,
    ) -> None:
        self._desk = desk
        self._fairness = fairness
        self._links = links
        self._viewing = viewing
        self._kinds = kinds
        """By the names of the kinds."""
        self._results = Results(desk)
        self._named: LRUCache[object, Any] = LRUCache(MAX_KEPT)
        """Results by what the controls under them ask for, also of what was stopped."""
        self._under_way = UnderWay()

    async def known(self, question: ReviewQuestion) -> Card | None:
        """Tell a review that is kept, or that needs no work; None when the game has to be reviewed.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        kind, request = await self._request(question)
        kept = await self._results.known(kind, request, question.moment.digest)
        if kept is None:
            return None
        self._named[kind.name(kept) or request] = kept
        return await self._answer(kind, kept, request, question)

    async def game(self, question: ReviewQuestion) -> ReviewedGame | None:
        """Return what a review that is kept, or that needs no work, says of a game; None when there is none.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        kind, request = await self._request(question)
        kept = await self._results.known(kind, request, question.moment.digest)
        return None if kept is None else _reviewed(question, kind, request, kept)

    async def is_reviewed(self, item: Found) -> bool:
        """Tell whether a document is a finished game that can be reviewed here."""
        kind = self._kinds.get(kind_of(item.document).name)
        try:
            question = ReviewQuestion(Moment(item.digest, 0))
            return kind is not None and await self._desk.run(kind.request, item, question) is not None
        except DomainError:
            return False

    async def seconds(self, question: ReviewQuestion) -> float:
        """Return how many seconds of a processor a review takes, about; 0 where everything is known already.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        kind, request = await self._request(question)
        return kind.seconds(request)

    async def players_of(self, question: ReviewQuestion) -> tuple[str, ...]:
        """Return what the players of a game are called, by seat; an empty text for one who has no name.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        kind, request = await self._request(question)
        return tuple(next(filter(None, names), "") for names in kind.names(request))

    async def keep(
        self, question: ReviewQuestion, kind: Reviewing[Any, Any], request: object, result: object
    ) -> None:
        """Keep a result for whoever asks next."""
        await self._results.keep(kind, request, question.moment.digest, result)

    async def card(self, question: ReviewQuestion, *, around: int | None = None) -> Card:
        """Tell a kept review once more; ``around`` is the turn around which turns are listed.

        Raises:
            NoAnswerError: it is gone.

        """
        kind, request, result = await self._result(question)
        return _posted(await self._answer(kind, result, request, question, around), question)

    async def squares(self, question: ReviewQuestion) -> Card:
        """Show the squares of a kept review.

        Raises:
            NoAnswerError: it is gone.

        """
        kind, request, result = await self._result(question)
        return _posted(await self._desk.run(kind.squares, result, request, question), question)

    async def turn(self, question: ReviewQuestion, *, around: int | None = None) -> Card:
        """Show a turn with what a kept review found about it.

        Raises:
            NoAnswerError: it is gone.

        """
        kind, request, result = await self._result(question)
        shown = await self._viewing.show(question.moment, question.style)
        verdict = await self._desk.run(kind.verdict, result, request, question)
        if self._links.are_opened:
            _, their_turns = await self._theirs(question)
            if theirs := their_turns.get(question.moment.turn):
                verdict += f"\n{kind.their_verdict(theirs, question)}"
        turns = await self._desk.run(kind.controls, result, request, question, around)
        if question.moment.spoiler:
            verdict = behind_bars(verdict)
        controls = [one for one in shown.controls if isinstance(one, Analyze | AskEngine | Try | Copy)]
        return replace(shown, text=fitting([verdict, shown.text]), controls=(*turns, *controls))

    async def kept(self, question: ReviewQuestion) -> tuple[str, Any, Any]:
        """Return a kept review: the name of the kind of game, the request and the result.

        Raises:
            NoAnswerError: it is gone.

        """
        kind, request, result = await self._result(question)
        return next(name for name, one in self._kinds.items() if one is kind), request, result

    async def _result(self, question: ReviewQuestion) -> tuple[Reviewing[Any, Any], object, Any]:
        kind, request = await self._request(question)
        named = replace(question, style=replace(question.style, aliases=()))
        if question.style.aliases:
            request = (await self._request(named))[1]
        result = self._named.get(request)
        if result is None:
            result = await self._results.known(kind, request, question.moment.digest)
        if result is None:
            say = question.style.say
            raise NoAnswerError.saying(
                say("What was computed here is gone. Ask once more, and I compute it anew.")
            )
        return kind, request, result

    async def start(self, question: ReviewQuestion, asker: Asker) -> RunningReview:
        """Begin a review.

        Raises:
            NoAnswerError: it is no game that is reviewed, or the asker has to wait.

        """
        kind, request = await self._request(question)
        ticket = await self._under_way.submit(kind.jobs, asker, request, question.style.say)
        return RunningReview(self, question, kind, request, ticket)

    def start_all(
        self, questions: Sequence[ReviewQuestion], asker: Asker, *, unread: int = 0
    ) -> RunningReviews:
        """Begin to review games one after the other, for a table of their players; at least one.

        ``unread`` is how many further games there were.
        """
        style, lexicon = questions[0].style, questions[0].lexicon
        spoiler = any(question.moment.spoiler for question in questions)

        def tell(reviewed: Reviewed) -> Card:
            return answer_together(reviewed, style, lexicon, unread=unread, spoiler=spoiler)

        return RunningReviews(self._desk, self, questions, asker, tell)

    def stop(self, user: int) -> bool:
        """Stop the review that somebody has under way; False when there is none."""
        return self._under_way.stop(user)

    async def finish(
        self,
        question: ReviewQuestion,
        kind: Reviewing[Any, Any],
        request: object,
        result: object,
        *,
        whole: bool,
    ) -> Card:
        """Tell a result; it is kept for whoever asks next if it is the ``whole`` one."""
        if whole:
            await self.keep(question, kind, request, result)
        self._named[kind.name(result) or request] = result
        return await self._answer(kind, result, request, question)

    async def _answer(
        self,
        kind: Reviewing[Any, Any],
        result: object,
        request: object,
        question: ReviewQuestion,
        around: int | None = None,
    ) -> Card:
        """Tell a result, with what the site of the game says in its own review, as the site's."""
        reply = await self._desk.answer(kind.answer, result, request, question, around)
        if not self._links.are_opened:
            return reply
        review, turns = await self._theirs(question)
        if review is None:
            return reply
        lines = [their_words(review, woogles.NAME, question.style.say)]
        if turns:
            lines += await self._desk.run(kind.beside, result, request, turns, question)
        words = "\n".join(lines)
        return replace(
            reply, text=fitting([reply.text, behind_bars(words) if question.moment.spoiler else words])
        )

    async def _theirs(self, question: ReviewQuestion) -> tuple[TheirReview | None, dict[int, TheirTurn]]:
        """Return what the game's site says in a review of its own, and that of each turn of the game, from 1."""
        item = await self._desk.document(question.moment.digest, question.style.say)
        account = current_account()
        review = await self._links.review_of(item.document, account.user if account is not None else 0)
        if review is None or not isinstance(item.document, Game):
            return review, {}
        return review, {turn_after(item.document, item.text, turn.event): turn for turn in review.turns}

    async def seat_of(self, question: ReviewQuestion, names: tuple[str, ...]) -> int | None:
        """Return the one seat of a game whose player has one of the names; None when there is none, or several have.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        kind, request = await self._request(question)
        wanted = {name.strip().casefold() for name in names} - {""}
        seats = [
            seat
            for seat, called in enumerate(kind.names(request))
            if wanted & {name.strip().casefold() for name in called}
        ]
        return seats[0] if len(seats) == 1 else None

    async def sketch(
        self, question: ReviewQuestion, kind: Reviewing[Any, Any], request: object, progress: object
    ) -> tuple[Drawing, ...]:
        """Return the pictures of what is known so far."""
        return (await self._desk.run(kind.answer, progress, request, question)).drawings

    async def draw(self, reply: Card) -> Card:
        """Draw all that a reply shows."""
        return await self._desk.draw(reply)

    async def _request(self, question: ReviewQuestion) -> tuple[Reviewing[Any, Any], object]:
        say = question.style.say
        item = await self._desk.document(question.moment.digest, say)
        kind = self._kinds.get(kind_of(item.document).name)
        try:
            request = await self._desk.run(kind.request, item, question) if kind else None
        except DomainError as error:
            raise NoAnswerError(_refusal(error, question.moment, say)) from None
        if kind is None or request is None:
            raise NoAnswerError.saying(say("Only finished games are reviewed here."))
        await self._fairness.require_game(item, question.style)
        return kind, request


def _reviewed(
    question: ReviewQuestion, kind: Reviewing[Any, Any], request: object, result: object
) -> ReviewedGame:
    used = replace(question, lexicon=kind.words(result))
    return ReviewedGame(used, kind.players(result, request))


def _posted(reply: Card, question: ReviewQuestion) -> Card:
    """Return a reply that says in whose name it is shown to the channel."""
    if not question.poster:
        return reply
    lead = question.style.say("🔍 **{name}** asked me:", name=escape(question.poster, MAX_NAME))
    return replace(reply, text=fitting([lead, reply.text]))


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> Card:
    """Say why there is no review."""
    text = say("No review: {problem}.", problem=escape(say.problem(error)))
    return Card(behind_bars(text) if moment.spoiler else text, found=False)


class RunningReviews:
    """Games under review, one at a time; whoever stops it has the table of those that are done."""

    def __init__(
        self,
        desk: Desk,
        reviews: Reviews,
        questions: Sequence[ReviewQuestion],
        asker: Asker,
        tell: Callable[[Reviewed], Card],
    ) -> None:
        """Begin with nothing done."""
        self._desk = desk
        self._reviews = reviews
        self._questions = questions
        self._asker = asker
        self._tell = tell
        self._running: RunningReview | None = None
        self._is_over = False
        self._games: list[ReviewedGame] = []
        self._refused: list[str] = []
        self._problem = ""

    def stop(self) -> None:
        """End with the games that are done."""
        self._is_over = True
        if self._running is not None:
            self._running.stop()

    async def progress(self, every: float) -> AsyncIterator[Card]:
        """Review the games, and tell how many are done, at most once in so many seconds."""
        begun = time.monotonic()
        for done, question in enumerate(self._questions):
            try:
                game = await self._reviews.game(question)
                self._is_over = self._is_over or time.monotonic() - begun > MAX_SECONDS
                if game is None and not self._is_over:
                    running = await self._start(question)
                    if running is not None:
                        async for _ in running.ticket.updates():
                            yield self._told(done)
                            await running.ticket.rest(every)
                        game = await self._ended(running)
                # Of those that are not looked at closely any more, what is known is told.
                if game is None and question.depth is Depth.DEEP:
                    game = await self._reviews.game(replace(question, depth=Depth.QUICK))
            except NoAnswerError as no:
                self._refused.append(no.reply.text)
                continue
            if game is not None:
                self._games.append(game)

    async def _start(self, question: ReviewQuestion) -> RunningReview | None:
        """Begin a review; None when the asker has to wait, for this one and for the others."""
        try:
            self._running = await self._reviews.start(question, self._asker)
        except NoAnswerError as no:
            self._problem, self._is_over = no.reply.text, True
            return None
        return self._running

    async def _ended(self, running: RunningReview) -> ReviewedGame | None:
        """Wait for the end of a review; None when it was stopped.

        Raises:
            NoAnswerError: the game is not reviewed.

        """
        game = None
        try:
            game = await running.game()
        except StoppedError:
            pass
        except DomainError as error:
            raise NoAnswerError(running.refusal(error)) from None
        self._is_over = self._is_over or game is None
        return game

    def _told(self, done: int) -> Card:
        games = len(self._questions)
        bar = progress_bar(done / games)
        say = self._questions[0].style.say
        return Card(f"⏳ {bar}\n{say('Game {number} of {games}', number=done + 1, games=games)}")

    async def reply(self) -> Card:
        """Tell how the games went that are done."""
        left = len(self._questions) - len(self._games) - len(self._refused)
        seconds = 0.0
        for question in self._questions:
            if any(
                game.question.moment == question.moment and game.question.depth is Depth.QUICK
                for game in self._games
            ):
                seconds += await self._reviews.seconds(replace(question, depth=Depth.DEEP))
        reviewed = Reviewed(tuple(self._games), tuple(self._refused), left, self._problem, seconds)
        return await self._desk.answer(self._tell, reviewed)
