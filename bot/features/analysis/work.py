"""Runs long jobs, and shows their progress and results."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Generic

from bot.chat.card import Card, RefusalError
from bot.domain.reading.problems import DomainError, Phrase
from bot.features.showing.remarks import busy_card
from bot.jobs.account import Requester
from bot.jobs.queue import (
    BusyError,
    ClosedError,
    DetachedError,
    JobQueue,
    Progress,
    Request,
    Result,
    Running,
    StoppedError,
    Ticket,
    Waiting,
)
from bot.text import Translator

_BAR_BLOCKS: Final = 10
_STOP_TEXTS: Final = {
    ClosedError: Phrase("Kibitz was restarted before this was finished. Ask again to start it over."),
    DetachedError: Phrase("You left this analysis. It continues for someone else who requested it."),
    StoppedError: Phrase("Stopped before it began."),
}


class RunningWork(Generic[Progress, Result]):
    """A running job, with cards for its progress and result."""

    def __init__(
        self,
        ticket: Ticket[Progress, Result],
        translate: Translator,
        *,
        report: Callable[[Progress, float], Awaitable[Card]],
        finish: Callable[[Result], Awaitable[Card]],
        refuse: Callable[[DomainError], Card],
    ) -> None:
        """Follow a job.

        ``report`` takes a progress report and the job's running time in seconds. ``finish`` may raise :exc:`DomainError`. ``refuse``
        returns the card that explains a failure.
        """
        self._ticket = ticket
        self._translate = translate
        self._report = report
        self._finish = finish
        self._refuse = refuse

    def stop(self) -> None:
        self._ticket.stop()

    async def progress(self, interval: float) -> AsyncIterator[Card]:
        start_time = time.monotonic()
        async for state in self._ticket.updates():
            match state:
                case Waiting(ahead):
                    start_time = time.monotonic()
                    text = self._translate.plural(
                        "⏳ {number} analysis is ahead of yours",
                        "⏳ {number} analyses are ahead of yours",
                        ahead,
                    )
                    yield Card(text, accent="analysis")
                case Running(None):
                    yield Card(f"⏳ {progress_bar(0)}", accent="analysis")
                    continue  # show the first report as soon as it arrives
                case Running(progress) if progress is not None:
                    yield await self._report(progress, time.monotonic() - start_time)
            await self._ticket.wait(interval)

    async def reply(self) -> Card:
        try:
            return await self._finish(await self._ticket.result())
        except StoppedError as error:
            return Card(self._translate(_STOP_TEXTS[type(error)]), has_result=False)
        except RefusalError as refusal:
            return refusal.card
        except DomainError as error:
            return self._refuse(error)


async def submit(
    jobs: JobQueue[Request, Progress, Result], requester: Requester, request: Request, translate: Translator
) -> Ticket[Progress, Result]:
    """Queue a job.

    Raises:
        RefusalError: the queue refuses the job.

    """
    try:
        return await jobs.submit(requester, request)
    except BusyError as busy:
        raise RefusalError(busy_card(busy, translate, can_stop=True)) from None


def progress_bar(fraction: float) -> str:
    full_count = round(_BAR_BLOCKS * max(0.0, min(1.0, fraction)))
    return "▰" * full_count + "▱" * (_BAR_BLOCKS - full_count)
