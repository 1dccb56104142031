"""Work that takes long, on its way to an answer: how far it is, its end, and who may stop it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

from bot.chat.card import Card, NoAnswerError
from bot.domain.reading.problems import DomainError
from bot.features.analysis.crossword.analysis import answer_interrupted, progress_bar
from bot.features.showing.remarks import answer_busy, answer_detached
from bot.jobs.queue import (
    Asker,
    BusyError,
    ClosedError,
    DetachedError,
    Jobs,
    Running,
    StoppedError,
    Ticket,
    Waiting,
)
from bot.text import Speaker

Request = TypeVar("Request")
Progress = TypeVar("Progress")
Result = TypeVar("Result")


class RunningWork(ABC, Generic[Progress, Result]):
    """A job on its way to an answer."""

    def __init__(self, ticket: Ticket[Progress, Result], say: Speaker) -> None:
        self.ticket = ticket
        self._say = say

    @abstractmethod
    async def told(self, progress: Progress) -> Card:
        """Tell how far it is."""

    @abstractmethod
    async def finish(self, result: Result) -> Card:
        """Tell the result.

        Raises:
            DomainError: it cannot be told; so does the work itself.

        """

    @abstractmethod
    def refusal(self, error: DomainError) -> Card:
        """Say why it came to nothing."""

    def waits(self) -> None:
        """Note that others are ahead."""

    def stop(self) -> None:
        """End it with the result it has so far."""
        self.ticket.stop()

    async def progress(self, every: float) -> AsyncIterator[Card]:
        """Tell how it stands, at most once in so many seconds, until it is done."""
        async for state in self.ticket.updates():
            match state:
                case Waiting(ahead):
                    self.waits()
                    text = self._say.count(
                        "⏳ {number} analysis is ahead of yours",
                        "⏳ {number} analyses are ahead of yours",
                        ahead,
                    )
                    yield Card(text)
                case Running(None):
                    yield Card(f"⏳ {progress_bar(0)}")
                    continue  # what follows is the first that there is to tell
                case Running(progress) if progress is not None:
                    yield await self.told(progress)
            await self.ticket.rest(every)

    async def reply(self) -> Card:
        """Wait for the end and tell the result."""
        try:
            return await self.finish(await self.ticket.result())
        except ClosedError:
            return answer_interrupted(self._say)
        except DetachedError:
            return answer_detached(self._say)
        except StoppedError:
            return Card(self._say("Stopped before it began."), found=False)
        except NoAnswerError as no:
            return no.reply
        except DomainError as error:
            return self.refusal(error)


class UnderWay:
    """The jobs of one kind of work that are under way, by who asked for them."""

    def __init__(self) -> None:
        self._stopping: dict[int, Ticket[Any, Any]] = {}

    async def submit(
        self, jobs: Jobs[Request, Progress, Result], asker: Asker, request: Request, say: Speaker
    ) -> Ticket[Progress, Result]:
        """Queue a job.

        Raises:
            NoAnswerError: the asker has to wait.

        """
        try:
            ticket = await jobs.submit(asker, request)
        except BusyError as busy:
            raise NoAnswerError(answer_busy(busy, say, stoppable=True)) from None
        self._stopping[asker.user] = ticket
        ticket.when_done(lambda: self._forget(asker.user, ticket))
        return ticket

    def stop(self, user: int) -> bool:
        """Stop what somebody has under way; False when there is nothing."""
        ticket = self._stopping.get(user)
        if ticket is not None:
            ticket.stop()
        return ticket is not None

    def _forget(self, user: int, ticket: object) -> None:
        if self._stopping.get(user) is ticket:
            del self._stopping[user]
