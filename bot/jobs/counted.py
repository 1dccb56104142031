"""Counting jobs: who waits, what is refused."""

from __future__ import annotations

from typing import Generic, TypeVar

from bot.jobs.queue import Asker, BusyError, Jobs, Running, Ticket, Waiting
from bot.observe.metrics import Metrics
from bot.observe.process import steady_seconds

Request = TypeVar("Request")
Progress = TypeVar("Progress")
Result = TypeVar("Result")


class CountedJobs(Generic[Request, Progress, Result]):
    """Jobs as others do them, and how many of this process wait for them."""

    def __init__(self, jobs: Jobs[Request, Progress, Result], metrics: Metrics) -> None:
        self._jobs = jobs
        self._metrics = metrics
        self._open: dict[Ticket[Progress, Result], float] = {}

    @property
    def last(self) -> bool:
        """Whether jobs go on when this process ends."""
        return self._jobs.last

    @property
    def waiting(self) -> int:
        """How many tickets wait."""
        return sum(isinstance(ticket.state, Waiting) for ticket in self._open)

    @property
    def running(self) -> int:
        """How many jobs of tickets are being done."""
        return sum(isinstance(ticket.state, Running) for ticket in self._open)

    @property
    def oldest(self) -> float:
        """For how many seconds the oldest ticket that waits has done so."""
        asked = [when for ticket, when in self._open.items() if isinstance(ticket.state, Waiting)]
        return steady_seconds() - min(asked) if asked else 0.0

    async def submit(self, asker: Asker, request: Request) -> Ticket[Progress, Result]:
        """Queue a job; see :class:`bot.jobs.queue.Jobs`."""
        asked = steady_seconds()
        try:
            ticket = await self._jobs.submit(asker, request)
        except BusyError as busy:
            self._metrics.count("jobs_refused", busy.reason)
            raise
        self._open[ticket] = asked
        ticket.when_done(lambda: self._open.pop(ticket, None))
        return ticket

    def stop(self) -> None:
        """Refuse further jobs; see :class:`bot.jobs.queue.Jobs`."""
        self._jobs.stop()

    async def close(self) -> None:
        """Stop, and wait until every ticket has ended."""
        await self._jobs.close()
