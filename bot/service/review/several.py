"""Reviews of several games that came together: one after the other, and their players in one table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from bot.answers.crossword.analysis import progress_bar
from bot.answers.reply import NoAnswerError, Reply
from bot.answers.together import answer_together
from bot.domain.reading.problems import DomainError
from bot.jobs.queue import Asker, StoppedError
from bot.review.together import PlayerGame, together
from bot.service.desk import Desk
from bot.service.review.reviews import ReviewQuestion, Reviews, RunningReview

SECONDS = 180.0
"""Seconds of a processor for all games together."""
LEAST_SECONDS, MOST_SECONDS = 4.0, 20.0
"""Seconds for each game."""


class RunningReviews:
    """Games under review, one at a time; whoever stops it has the table of those that are done."""

    def __init__(
        self,
        desk: Desk,
        reviews: Reviews,
        questions: Sequence[ReviewQuestion],
        asker: Asker,
        *,
        unread: int = 0,
    ) -> None:
        """Begin with nothing done. ``unread`` is how many further games there were."""
        self._desk = desk
        self._reviews = reviews
        self._questions = questions
        self._asker = asker
        self._unread = unread
        self._running: RunningReview | None = None
        self._players: list[PlayerGame] = []
        self._reviewed = 0
        self._refused: list[str] = []

    def stop(self) -> None:
        """End with the games that are done."""
        if self._running is not None:
            self._running.stop()

    async def progress(self, every: float) -> AsyncIterator[Reply]:
        """Review the games, and tell how many are done, at most once in so many seconds."""
        seconds = min(MOST_SECONDS, max(LEAST_SECONDS, SECONDS / len(self._questions)))
        for done, question in enumerate(self._questions):
            try:
                players = await self._reviews.players(question)
            except NoAnswerError as no:
                self._refused.append(no.reply.text)
                continue
            if players is None:
                try:
                    running = await self._reviews.start(replace(question, seconds=seconds), self._asker)
                except NoAnswerError as no:
                    # What keeps this one from being reviewed keeps the others, too.
                    self._refused.append(no.reply.text)
                    return
                self._running = running
                async for _ in running.ticket.updates():
                    yield self._told(done)
                    await running.ticket.rest(every)
                try:
                    players = await running.players()
                except StoppedError:
                    return
                except DomainError as error:
                    self._refused.append(running.refusal(error).text)
                    continue
                if running.ticket.control.is_stopped:
                    return
            self._players += players
            self._reviewed += 1

    def _told(self, done: int) -> Reply:
        games = len(self._questions)
        bar = progress_bar(done / games)
        say = self._questions[0].style.say
        return Reply(f"⏳ {bar}\n{say('Game {number} of {games}', number=done + 1, games=games)}")

    async def reply(self) -> Reply:
        """Tell how the players of the games play that are done."""
        left = len(self._questions) - self._reviewed - len(self._refused)
        return await self._desk.run(
            answer_together,
            together(self._players),
            self._reviewed,
            self._refused,
            self._questions[0].style,
            unread=self._unread + left,
            spoiler=any(question.moment.spoiler for question in self._questions),
        )
