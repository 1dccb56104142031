"""Long-running jobs: their progress, their result, and stopping them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, Final, Generic, TypeVar

from bot.chat.card import Card, NoAnswerError
from bot.domain.reading.problems import DomainError
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

_BLOCKS: Final = 10


class RunningWork(ABC, Generic[Progress, Result]):
    """A running job and its card."""

    def __init__(self, ticket: Ticket[Progress, Result], say: Speaker) -> None:
        self.ticket = ticket
        self._say = say

    @abstractmethod
    async def report(self, progress: Progress) -> Card:
        """Return a card with the progress."""

    @abstractmethod
    async def finish(self, result: Result) -> Card:
        """Return the card of the result.

        Raises:
            DomainError: the result cannot be shown.

        """

    @abstractmethod
    def refusal(self, error: DomainError) -> Card:
        """Return a card with the reason for a failure."""

    def waits(self) -> None:
        """Note that other jobs are ahead."""

    def stop(self) -> None:
        """End the job with the result so far."""
        self.ticket.stop()

    async def progress(self, every: float) -> AsyncIterator[Card]:
        """Yield the progress until the job is done, at most once in ``every`` seconds."""
        async for state in self.ticket.updates():
            match state:
                case Waiting(ahead):
                    self.waits()
                    text = self._say.count(
                        "⏳ {number} analysis is ahead of yours",
                        "⏳ {number} analyses are ahead of yours",
                        ahead,
                    )
                    yield Card(text, accent="analysis")
                case Running(None):
                    yield Card(f"⏳ {progress_bar(0)}", accent="analysis")
                    continue  # the first real progress follows without a pause
                case Running(progress) if progress is not None:
                    yield await self.report(progress)
            await self.ticket.rest(every)

    async def reply(self) -> Card:
        """Wait for the result and return its card."""
        try:
            return await self.finish(await self.ticket.result())
        except ClosedError:
            text = self._say("This analysis stopped because I was restarted. Ask again to start it over.")
            return Card(text, found=False)
        except DetachedError:
            return answer_detached(self._say)
        except StoppedError:
            return Card(self._say("Stopped before it began."), found=False)
        except NoAnswerError as no:
            return no.reply
        except DomainError as error:
            return self.refusal(error)


class UnderWay:
    """The running jobs of one kind, by person."""

    def __init__(self) -> None:
        self._tickets: dict[int, Ticket[Any, Any]] = {}

    async def submit(
        self, jobs: Jobs[Request, Progress, Result], asker: Asker, request: Request, say: Speaker
    ) -> Ticket[Progress, Result]:
        """Queue a job.

        Raises:
            NoAnswerError: the queue is full, or the person has a job already.

        """
        try:
            ticket = await jobs.submit(asker, request)
        except BusyError as busy:
            raise NoAnswerError(answer_busy(busy, say, stoppable=True)) from None
        self._tickets[asker.user] = ticket

        def forget() -> None:
            if self._tickets.get(asker.user) is ticket:
                del self._tickets[asker.user]

        ticket.when_done(forget)
        return ticket

    def stop(self, user: int) -> bool:
        """Stop the job of a person; False without one."""
        ticket = self._tickets.get(user)
        if ticket is not None:
            ticket.stop()
        return ticket is not None


def progress_bar(share: float) -> str:
    """Draw a bar of ten blocks for a share from 0 to 1."""
    full = round(_BLOCKS * max(0.0, min(1.0, share)))
    return "▰" * full + "▱" * (_BLOCKS - full)
