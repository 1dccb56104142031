"""Reviews of finished games: started as jobs, saved, and answered with cards."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

from cachetools import LRUCache

from bot.chat.card import Card, Drawing, Moment, NoAnswerError, fitting
from bot.chat.markdown import behind_bars, escape
from bot.domain.crossword.game import Game
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.controls import Analyze, AskEngine, Try
from bot.features.analysis.crossword.card import MAX_NAME
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.work import RunningWork, UnderWay, progress_bar
from bot.features.review.cards import Reviewed, ReviewedGame, answer_together
from bot.features.review.kinds import Reviewing
from bot.features.review.values import Depth, ReviewQuestion
from bot.features.showing.controls import Copy
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.links import Links, their_words
from bot.features.showing.reading.links import turn_after
from bot.features.showing.viewing import GameViewing
from bot.jobs.account import OverBudgetError, current_account
from bot.jobs.processes import LimitError
from bot.jobs.queue import Asker, StoppedError, Ticket
from bot.links import woogles
from bot.links.values import TheirReview, TheirTurn
from bot.storage.documents import ReviewKey

MAX_RESULTS: Final = 64
"""Results kept in memory."""

MAX_SECONDS: Final = 720.0
"""Seconds after which no further game is begun: Discord accepts edits of a private message for fifteen minutes.
Finished reviews are saved, so a second request continues."""

PICTURE_SECONDS: Final = 6.0
"""Seconds between two pictures of a review in progress."""


Begun: TypeAlias = "tuple[Ticket[Any, Any], Callable[[], Awaitable[ReviewedGame | None]]]"
"""A job, and a function that waits for the players' figures; None when the job was stopped."""


class Reviews:
    """Answers with reviews of games of all kinds."""

    def __init__(
        self,
        desk: Desk,
        kinds: Mapping[str, Reviewing[Any, Any]],
        viewing: GameViewing,
        links: Links,
        fairness: Fairness,
        *,
        under_way: UnderWay,
    ) -> None:
        self.desk = desk
        self.under_way = under_way
        self._fairness = fairness
        self._links = links
        self._viewing = viewing
        self._kinds = kinds
        """By the names of the kinds."""
        self._results: LRUCache[object, Any] = LRUCache(MAX_RESULTS)
        """Complete results, by request."""
        self._on_cards: LRUCache[object, Any] = LRUCache(MAX_RESULTS)
        """Results by the request that their cards' controls stand for, stopped ones included."""

    async def known(self, question: ReviewQuestion) -> Card | None:
        """Return the card of a review that is saved or takes no work; None when the game must be reviewed first.

        Raises:
            NoAnswerError: the document is no game that can be reviewed.

        """
        kind, request = await self._work(question)
        result = await self._known(kind, request, question.moment.digest)
        if result is None:
            return None
        self._on_cards[kind.named(request, result)] = result
        return await self.answer(question, kind, request, result)

    async def game(self, question: ReviewQuestion) -> ReviewedGame | None:
        """Return the players' figures of a review that is saved or takes no work; None when there is none.

        Raises:
            NoAnswerError: the document is no game that can be reviewed.

        """
        kind, request = await self._work(question)
        result = await self._known(kind, request, question.moment.digest)
        return None if result is None else await self.figures(question, kind, request, result)

    async def figures(
        self, question: ReviewQuestion, kind: Reviewing[Any, Any], request: object, result: object
    ) -> ReviewedGame:
        """Return the players' figures of a result."""
        cards = await self.desk.run(kind.cards, request, result, question)
        return ReviewedGame(replace(question, lexicon=cards.lexicon), cards.figures())

    async def can_review(self, item: Found) -> bool:
        """Return whether a document is a finished game that can be reviewed here."""
        kind = self._kinds.get(kind_of(item.document).name)
        try:
            question = ReviewQuestion(Moment(item.digest, 0))
            return kind is not None and await self.desk.run(kind.request, item, question) is not None
        except DomainError:
            return False

    async def seconds(self, question: ReviewQuestion) -> float:
        """Return roughly how many CPU seconds a review takes.

        Raises:
            NoAnswerError: the document is no game that can be reviewed.

        """
        kind, request = await self._work(question)
        return kind.seconds(request)

    async def names(self, question: ReviewQuestion) -> tuple[tuple[str, ...], ...]:
        """Return the names of each player of a game, by seat; an empty text for a missing name.

        Raises:
            NoAnswerError: the document is no game that can be reviewed.

        """
        kind, request = await self._work(question)
        return kind.names(request)

    async def seat_of(self, question: ReviewQuestion, names: tuple[str, ...]) -> int | None:
        """Return the only seat whose player has one of the names; None when no seat or several have.

        Raises:
            NoAnswerError: the document is no game that can be reviewed.

        """
        wanted = {name.strip().casefold() for name in names} - {""}
        seats = [
            seat
            for seat, own in enumerate(await self.names(question))
            if wanted & {name.strip().casefold() for name in own}
        ]
        return seats[0] if len(seats) == 1 else None

    async def card(self, question: ReviewQuestion, *, around: int | None = None) -> Card:
        """Return the card of a finished review; ``around`` is the turn around which the menu lists turns.

        Raises:
            NoAnswerError: the review has expired.

        """
        kind, request, result = await self.finished(question)
        return _posted(await self.answer(question, kind, request, result, around), question)

    async def squares(self, question: ReviewQuestion) -> Card:
        """Return the squares of a finished review.

        Raises:
            NoAnswerError: the review has expired.

        """
        kind, request, result = await self.finished(question)
        return _posted(await self.desk.run(lambda: kind.cards(request, result, question).squares()), question)

    async def turn(self, question: ReviewQuestion, *, around: int | None = None) -> Card:
        """Return the card of one turn of a finished review.

        Raises:
            NoAnswerError: the review has expired.

        """
        kind, request, result = await self.finished(question)
        viewer = await self._viewing.show(question.moment, question.style)
        _, theirs = await self._theirs(question)

        def answer() -> Card:
            cards = kind.cards(request, result, question)
            verdict = cards.verdict(question.moment.turn)
            if site_turn := theirs.get(question.moment.turn):
                verdict += f"\n{cards.theirs(site_turn)}"
            if question.moment.spoiler:
                verdict = behind_bars(verdict)
            rest = (
                control
                for control in (*viewer.controls, *viewer.more)
                if isinstance(control, Analyze | AskEngine | Try | Copy)
            )
            return replace(
                viewer,
                text=fitting([verdict, viewer.text]),
                controls=(*cards.steps(around), *rest),
                more=(),
                accent="review",
            )

        return await self.desk.run(answer)

    async def finished(self, question: ReviewQuestion) -> tuple[Reviewing[Any, Any], Any, Any]:
        """Return a finished review: its kind, the request, and the result.

        Raises:
            NoAnswerError: the review has expired.

        """
        kind, request = await self._work(question)
        if question.style.aliases:
            request = (await self._work(replace(question, style=replace(question.style, aliases=()))))[1]
        result = self._on_cards.get(request)
        if result is None:
            result = await self._known(kind, request, question.moment.digest)
        if result is None:
            say = question.style.say
            raise NoAnswerError.saying(
                say("This review has expired. Press Review under the game to start a new one.")
            )
        return kind, request, result

    async def start(self, question: ReviewQuestion, asker: Asker) -> RunningWork[Any, Any]:
        """Begin a review.

        Raises:
            NoAnswerError: the document is no game that can be reviewed, or the person has to wait.

        """
        kind, request = await self._work(question)
        ticket = await self.under_way.submit(kind.jobs, asker, request, question.style.say)
        drawn: Drawing | None = None
        drawn_at = -math.inf

        async def report(progress: object, spent: float) -> Card:
            """Return the progress, with the curve so far when it has changed."""
            nonlocal drawn, drawn_at
            cards = await self.desk.run(kind.cards, request, progress, question)
            card = Card(f"⏳ {progress_bar(cards.share())}\n{cards.progress()}")
            if spent - drawn_at < PICTURE_SECONDS:
                return card
            drawn_at, curve = spent, await self.desk.run(cards.curve)
            if curve == drawn:
                return card
            drawn = curve
            with suppress(OverBudgetError, LimitError):
                return await self.desk.draw(replace(card, drawings=(curve,)))
            return card

        async def finish(result: object) -> Card:
            await self.save(question, kind, request, result, whole=not ticket.control.is_stopped)
            return await self.answer(question, kind, request, result)

        return RunningWork(
            ticket, question.style.say, report=report, finish=finish, refuse=partial(_refusal, question)
        )

    async def begin(self, question: ReviewQuestion, asker: Asker) -> Begun:
        """Begin a review for a table.

        Raises:
            NoAnswerError: the document is no game that can be reviewed, or the person has to wait.

        """
        kind, request = await self._work(question)
        ticket = await self.under_way.submit(kind.jobs, asker, request, question.style.say)

        async def game() -> ReviewedGame | None:
            try:
                result = await ticket.result()
            except StoppedError:
                return None
            except DomainError as error:
                raise NoAnswerError(_refusal(question, error)) from None
            if ticket.control.is_stopped:
                return None
            await self.save(question, kind, request, result)
            return await self.figures(question, kind, request, result)

        return ticket, game

    def start_all(
        self, questions: Sequence[ReviewQuestion], asker: Asker, *, unread: int = 0
    ) -> RunningReviews:
        """Begin to review games one by one for a table of their players; ``unread`` counts the games left out."""
        return RunningReviews(self, questions, asker, partial(answer_together, questions[0], unread=unread))

    async def save(
        self,
        question: ReviewQuestion,
        kind: Reviewing[Any, Any],
        request: object,
        result: object,
        *,
        whole: bool = True,
    ) -> None:
        """Remember a result for its card's controls and, if it is the ``whole`` one, save it for later questions."""
        self._on_cards[kind.named(request, result)] = result
        if whole:
            self._results[request] = result
            if (key := await self._key(kind, request, question.moment.digest)) is not None:
                await self.desk.keep_review(key, await self.desk.run(kind.write, result))

    async def answer(
        self,
        question: ReviewQuestion,
        kind: Reviewing[Any, Any],
        request: object,
        result: object,
        around: int | None = None,
    ) -> Card:
        """Return the card of a result, with the review of the game's site beside it, marked as the site's."""
        review, turns = await self._theirs(question)

        def card() -> Card:
            cards = kind.cards(request, result, question)
            own = cards.card(around)
            if review is None:
                return own
            lines = [their_words(review, woogles.NAME, question.style.say)]
            words = "\n".join([*lines, *(cards.beside(turns) if turns else ())])
            return replace(
                own, text=fitting([own.text, behind_bars(words) if question.moment.spoiler else words])
            )

        return await self.desk.answer(card)

    async def _theirs(self, question: ReviewQuestion) -> tuple[TheirReview | None, dict[int, TheirTurn]]:
        """Return the review that the game's site has, and what it says of each turn, by number."""
        if not self._links.are_opened:
            return None, {}
        item = await self.desk.document(question.moment.digest, question.style.say)
        account = current_account()
        review = await self._links.review_of(item.document, account.user if account is not None else 0)
        if review is None or not isinstance(item.document, Game):
            return review, {}
        return review, {turn_after(item.document, item.text, turn.event): turn for turn in review.turns}

    async def _known(self, kind: Reviewing[Any, Any], request: object, digest: str) -> Any | None:  # noqa: ANN401 - of the kind
        """Return a result that is saved or takes no work."""
        result = self._results.get(request)
        if result is None:
            result = await self.desk.run(kind.at_once, request)
        if result is None and (key := await self._key(kind, request, digest)) is not None:
            text = await self.desk.review(key)
            with suppress(ValueError):
                result = None if text is None else await self.desk.run(kind.read, text, request)
        if result is not None:
            self._results[request] = result
        return result

    async def _key(self, kind: Reviewing[Any, Any], request: object, digest: str) -> ReviewKey | None:
        """Return the key of a result in the store; None when the request cannot be answered."""
        try:
            return ReviewKey(digest, *await self.desk.run(kind.label, request))
        except DomainError:  # reported when the game is reviewed
            return None

    async def _work(self, question: ReviewQuestion) -> tuple[Reviewing[Any, Any], Any]:
        say = question.style.say
        item = await self.desk.document(question.moment.digest, say)
        kind = self._kinds.get(kind_of(item.document).name)
        try:
            request = await self.desk.run(kind.request, item, question) if kind else None
        except DomainError as error:
            raise NoAnswerError(_refusal(question, error)) from None
        if kind is None or request is None:
            raise NoAnswerError.saying(say("Only finished games can be reviewed."))
        await self._fairness.require_game(item, question.style)
        return kind, request


def _posted(card: Card, question: ReviewQuestion) -> Card:
    """Return a card that names the person who posts it."""
    if not question.poster:
        return card
    lead = question.style.say("🔍 **{name}** asked me:", name=escape(question.poster, MAX_NAME))
    return replace(card, text=fitting([lead, card.text]))


def _refusal(question: ReviewQuestion, error: DomainError) -> Card:
    say = question.style.say
    text = say("No review: {problem}.", problem=escape(say.problem(error)))
    return Card(behind_bars(text) if question.moment.spoiler else text, found=False)


class RunningReviews:
    """Reviews in progress, one game at a time. Stopping them keeps the finished ones."""

    def __init__(
        self,
        reviews: Reviews,
        questions: Sequence[ReviewQuestion],
        asker: Asker,
        answer: Callable[[Reviewed], Card],
    ) -> None:
        """Begin with nothing done; ``answer`` makes the final card."""
        self._reviews = reviews
        self._questions = questions
        self._asker = asker
        self._answer = answer
        self._ticket: Ticket[Any, Any] | None = None
        self._is_over = False
        self._games: list[ReviewedGame] = []
        self._refused: list[str] = []
        self._problem = ""

    def stop(self) -> None:
        """End with the finished games."""
        self._is_over = True
        if self._ticket is not None:
            self._ticket.stop()

    async def progress(self, every: float) -> AsyncIterator[Card]:
        """Review the games, and yield the number done at most once in ``every`` seconds."""
        started = time.monotonic()
        for done, question in enumerate(self._questions):
            try:
                game = await self._reviews.game(question)
                self._is_over = self._is_over or time.monotonic() - started > MAX_SECONDS
                if game is None and not self._is_over and (begun := await self._begin(question)):
                    ticket, figures = begun
                    async for _ in ticket.updates():
                        yield self._progress(done)
                        await ticket.rest(every)
                    game = await figures()
                    if game is None:
                        self._is_over = True
                # Without time for a deep review, the table has the quick one.
                if game is None and question.depth is Depth.DEEP:
                    game = await self._reviews.game(replace(question, depth=Depth.QUICK))
            except NoAnswerError as no:
                self._refused.append(no.reply.text)
                continue
            if game is not None:
                self._games.append(game)

    async def _begin(self, question: ReviewQuestion) -> Begun | None:
        """Begin a review; None when the person has to wait, which ends the work."""
        try:
            begun = await self._reviews.begin(question, self._asker)
        except NoAnswerError as no:
            self._problem, self._is_over = no.reply.text, True
            return None
        self._ticket = begun[0]
        return begun

    def _progress(self, done: int) -> Card:
        games = len(self._questions)
        say = self._questions[0].style.say
        words = say("Game {number} of {games}", number=done + 1, games=games)
        return Card(f"⏳ {progress_bar(done / games)}\n{words}")

    async def reply(self) -> Card:
        """Return the card of the finished games."""
        left = len(self._questions) - len(self._games) - len(self._refused)
        quick = {game.question.moment for game in self._games if game.question.depth is Depth.QUICK}
        seconds = 0.0
        for question in self._questions:
            if question.moment in quick:
                seconds += await self._reviews.seconds(replace(question, depth=Depth.DEEP))
        reviewed = Reviewed(tuple(self._games), tuple(self._refused), left, self._problem, seconds)
        return await self._reviews.desk.answer(self._answer, reviewed)
