"""Where long work runs: on threads of this process, or in workers that share the database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bot.config import ConfigError, Settings
from bot.jobs.account import Budget
from bot.jobs.kinds import Work
from bot.jobs.local import JobLimits, LocalJobs
from bot.jobs.queue import Control, CountedJobs, Jobs
from bot.observe.metrics import Metrics
from bot.storage.address import PostgresServer, read_address
from bot.storage.errors import StoreError

if TYPE_CHECKING:
    from bot.jobs.hosted.gateway import Feed

Request = TypeVar("Request")
Progress = TypeVar("Progress")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Queues:
    """Makes queues, all of the same make."""

    budget: Budget
    """What jobs of this process take is charged to it."""
    feed: Feed | None = None
    """What becomes of the jobs of workers; None where this process does them."""
    means: tuple[float, float] | None = None
    """Processor seconds an hour that the jobs of a person and of a channel may take in workers."""
    metrics: Metrics = field(default_factory=Metrics)
    made: list[CountedJobs[Any, Any, Any]] = field(default_factory=list)
    """The queues that are open."""

    @property
    def waiting(self) -> int:
        """How many jobs of this process wait in it."""
        return sum(jobs.waiting for jobs in self.made)

    @property
    def running(self) -> int:
        """How many jobs this process does."""
        return sum(jobs.running for jobs in self.made)

    @property
    def oldest(self) -> float:
        """For how many seconds the oldest job of this process has waited in it."""
        return max((jobs.oldest for jobs in self.made), default=0.0)

    def stop(self) -> None:
        """Take no more jobs; those under way end within a few seconds with the result they have, or go on elsewhere."""
        for jobs in self.made:
            jobs.stop()

    @asynccontextmanager
    async def queue(
        self, work: Work[Request, Progress, Result], limits: JobLimits
    ) -> AsyncIterator[Jobs[Request, Progress, Result]]:
        """Give a queue of one kind of jobs while the context is open."""
        jobs: Jobs[Request, Progress, Result]
        if self.feed is None:
            perform = partial(_timed, self.metrics, work)
            jobs = LocalJobs(perform, limits, budget=self.budget, seconds_of=work.seconds_of)
        else:
            from bot.jobs.hosted.gateway import HostedJobs  # noqa: PLC0415 - needs packages that few hosts have

            jobs = HostedJobs(self.feed, work, limits, self.means)
        counted = CountedJobs(jobs, self.metrics)
        self.made.append(counted)
        try:
            yield counted
        finally:
            self.made.remove(counted)
            await counted.close()


def _timed(
    metrics: Metrics, work: Work[Request, Progress, Result], request: Request, control: Control[Progress]
) -> Result:
    with metrics.job(work.kind.name):
        return work.perform(request, control)


@asynccontextmanager
async def queues(settings: Settings, budget: Budget, metrics: Metrics) -> AsyncIterator[Queues]:
    """Give what makes queues while the context is open: of workers where this process is to run no jobs.

    Raises:
        ConfigError: there is no database that workers could share.

    """
    if settings.analysis.jobs:
        yield Queues(budget, metrics=metrics)
        return
    server, direct = await shared_database(settings)
    from bot.jobs.hosted.gateway import Feed  # noqa: PLC0415 - needs packages that few hosts have

    limits = settings.limits
    means = (limits.user_job_seconds_per_hour, limits.channel_job_seconds_per_hour)
    try:
        async with Feed.opened(server, direct) as feed:
            yield Queues(budget, feed, means, metrics)
    except StoreError as error:
        raise ConfigError(str(error)) from None


async def shared_database(settings: Settings) -> tuple[PostgresServer, PostgresServer]:
    """Return the database that gateways and workers share, and the way to it past any pool, after bringing it up to date.

    Raises:
        ConfigError: it cannot be used.

    """
    url = settings.database_url.get_secret_value()
    direct = settings.database_direct_url.get_secret_value() if settings.database_direct_url else url
    try:
        server, past_pools = read_address(url), read_address(direct)
        if not isinstance(server, PostgresServer) or not isinstance(past_pools, PostgresServer):
            raise ConfigError(
                "analysis.jobs = 0 leaves the work to workers, which need PostgreSQL: set DATABASE_URL"
            )
        from bot.storage.jobs.engine import bring_up  # noqa: PLC0415 - needs packages that few hosts have

        await bring_up(direct)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    except ModuleNotFoundError:
        raise ConfigError("workers need further packages: pip install 'kibitz[hosting]'") from None
    return server, past_pools
