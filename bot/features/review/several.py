"""Reviews of several games that came together: one after the other, and all of them in one table."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from bot.chat.reply import NoAnswerError, Reply
from bot.domain.reading.problems import DomainError
from bot.features.analysis.crossword.analysis import progress_bar
from bot.features.review.depth import Depth
from bot.features.review.question import ReviewQuestion
from bot.features.review.service import Reviews, RunningReview
from bot.features.review.together_card import Reviewed, ReviewedGame
from bot.features.showing.desk import Desk
from bot.jobs.queue import Asker, StoppedError

MAX_SECONDS = 720.0
"""Seconds on the clock after which the games that are left are left: Discord lets a private message be changed for a
quarter of an hour. What is reviewed by then is kept, so asking once more goes on."""

Telling: TypeAlias = Callable[[Reviewed], Reply]
"""Tells what came of it; called on a thread."""


class RunningReviews:
    """Games under review, one at a time; whoever stops it has the table of those that are done."""

    def __init__(
        self,
        desk: Desk,
        reviews: Reviews,
        questions: Sequence[ReviewQuestion],
        asker: Asker,
        tell: Telling,
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

    async def progress(self, every: float) -> AsyncIterator[Reply]:
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

    def _told(self, done: int) -> Reply:
        games = len(self._questions)
        bar = progress_bar(done / games)
        say = self._questions[0].style.say
        return Reply(f"⏳ {bar}\n{say('Game {number} of {games}', number=done + 1, games=games)}")

    async def reply(self) -> Reply:
        """Tell how the games went that are done."""
        left = len(self._questions) - len(self._games) - len(self._refused)
        seconds = 0.0
        for question in self._questions:
            if any(
                game.review.moment == question.moment and game.review.depth is Depth.QUICK
                for game in self._games
            ):
                seconds += await self._reviews.seconds(replace(question, depth=Depth.DEEP))
        reviewed = Reviewed(tuple(self._games), tuple(self._refused), left, self._problem, seconds)
        return await self._desk.answer(self._tell, reviewed)
