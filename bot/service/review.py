"""Reviews of finished games, in jobs; results are kept for whoever asks next."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from cachetools import LRUCache

from bot.answers.crossword.analysis import answer_interrupted, progress_bar
from bot.answers.crossword.review import answer_review, answer_review_progress
from bot.answers.findings import Found
from bot.answers.markdown import behind_bars, escape
from bot.answers.problem import answer_busy
from bot.answers.reply import Moment, NoAnswerError, Reply
from bot.domain.crossword.game import Game
from bot.domain.reading.problems import DomainError
from bot.jobs.queue import Asker, BusyError, ClosedError, Jobs, Running, StoppedError, Ticket, Waiting
from bot.jobs.review import ReviewRequest, ReviewResult, usual_seconds
from bot.review.crossword.values import Depth
from bot.scenes.style import Style
from bot.service.desk import Desk
from bot.service.offers import AnalysisMeans
from bot.service.subjects import is_going_on
from bot.text import Speaker

MAX_KEPT = 64
"""Reviews kept in memory."""

ReviewTicket = Ticket[ReviewResult, ReviewResult]


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """Which game somebody wants reviewed, and how it is to be told."""

    moment: Moment
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The lexicon asked for; empty for the one the game names, else a preferred one."""
    depth: Depth = Depth.QUICK


class RunningReview:
    """A review on its way to an answer."""

    def __init__(
        self, reviews: Reviews, question: ReviewQuestion, ticket: ReviewTicket, seconds: float
    ) -> None:
        self._reviews = reviews
        self._question = question
        self._ticket = ticket
        self._seconds = seconds

    def stop(self) -> None:
        """End it with the result it has so far."""
        self._ticket.stop()

    async def progress(self, every: float) -> AsyncIterator[str]:
        """Say how it stands, at most once in so many seconds, until it is done."""
        say = self._question.style.say
        async for state in self._ticket.updates():
            match state:
                case Waiting(ahead):
                    yield say.count(
                        "⏳ {number} analysis is ahead of yours",
                        "⏳ {number} analyses are ahead of yours",
                        ahead,
                    )
                case Running(None):
                    yield f"⏳ {progress_bar(0)}"
                case Running(progress) if progress is not None:
                    yield answer_review_progress(progress, self._share(progress), say)
            await self._ticket.rest(every)

    def _share(self, progress: ReviewResult) -> float:
        """Return how much of the time is over."""
        return min(1.0, progress.review.seconds / self._seconds)

    async def reply(self) -> Reply:
        """Wait for the end and tell the result."""
        return await self._reviews.finish(self._question, self._ticket)


class Reviews:
    """Answers what every turn of a game lost."""

    def __init__(
        self, desk: Desk, jobs: Jobs[ReviewRequest, ReviewResult, ReviewResult], means: AnalysisMeans
    ) -> None:
        self._desk = desk
        self._jobs = jobs
        self._means = means
        self._kept: LRUCache[ReviewRequest, ReviewResult] = LRUCache(MAX_KEPT)
        """By content, lexicon and depth: an edited game is another."""
        self._under_way: dict[int, ReviewTicket] = {}

    async def known(self, question: ReviewQuestion) -> Reply | None:
        """Tell a review that is kept; None when the game has to be reviewed.

        Raises:
            NoAnswerError: it is no game that is reviewed.

        """
        request = await self._request(question)
        kept = self._kept.get(request)
        return None if kept is None else await self._answer(kept, question)

    async def start(self, question: ReviewQuestion, asker: Asker) -> RunningReview:
        """Begin a review.

        Raises:
            NoAnswerError: it is no game that is reviewed, or the asker has to wait.

        """
        request = await self._request(question)
        try:
            ticket = self._jobs.submit(asker, request)
        except BusyError as busy:
            raise NoAnswerError(answer_busy(busy, question.style.say, stoppable=True)) from None
        self._under_way[asker.user] = ticket
        ticket.when_done(lambda: self._forget(asker.user, ticket))
        return RunningReview(self, question, ticket, usual_seconds(request))

    def stop(self, user: int) -> bool:
        """Stop the review that somebody has under way; False when there is none."""
        ticket = self._under_way.get(user)
        if ticket is not None:
            ticket.stop()
        return ticket is not None

    async def finish(self, question: ReviewQuestion, ticket: ReviewTicket) -> Reply:
        """Wait for the end of a review and tell it."""
        say = question.style.say
        try:
            result = await ticket.result()
            if not ticket.control.is_stopped:
                self._kept[result.request] = result
            return await self._answer(result, question)
        except ClosedError:
            return answer_interrupted(say)
        except StoppedError:
            return Reply(say("Stopped before it began."), found=False)
        except DomainError as error:
            return _refusal(error, question.moment, say)

    async def _request(self, question: ReviewQuestion) -> ReviewRequest:
        say = question.style.say
        item = await self._desk.document(question.moment.digest, say)
        game = await self._desk.run(lambda: _game_of(item))
        if game is None:
            raise NoAnswerError.saying(say("Only finished crossword games are reviewed here."))
        named = question.lexicon or game.rules.lexicon
        preferred = () if named.strip() else (*question.style.preferred, self._means.default_lexicon)
        request = ReviewRequest(
            game, question.lexicon, preferred, question.depth, aliases=question.style.aliases
        )
        try:
            await self._desk.run(lambda: _check(request))
        except DomainError as error:
            raise NoAnswerError(_refusal(error, question.moment, say)) from None
        return request

    async def _answer(self, result: ReviewResult, question: ReviewQuestion) -> Reply:
        return await self._desk.answer(lambda: answer_review(result, question.moment, question.style))

    def _forget(self, user: int, ticket: ReviewTicket) -> None:
        if self._under_way.get(user) is ticket:
            del self._under_way[user]


def _game_of(item: Found) -> Game | None:
    """Return the game of a document; None when it is none, or one that people may still be playing."""
    return item.document if isinstance(item.document, Game) and not is_going_on(item) else None


def _check(request: ReviewRequest) -> None:
    from bot.review.crossword.moments import check_game  # noqa: PLC0415 - part of the analysis

    check_game(request.game)


def _refusal(error: DomainError, moment: Moment, say: Speaker) -> Reply:
    """Say why there is no review."""
    text = say("No review: {problem}.", problem=escape(say.problem(error)))
    return Reply(behind_bars(text) if moment.spoiler else text, found=False)
