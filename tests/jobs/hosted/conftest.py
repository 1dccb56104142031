"""A PostgreSQL database, with gateways and workers in this process."""

import asyncio
import os
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from operator import attrgetter

import psycopg
import pytest

from bot.jobs.codec import Codec
from bot.jobs.hosted import job_engine
from bot.jobs.hosted.gateway import HostedJobQueue, JobFollower
from bot.jobs.hosted.worker import Worker
from bot.jobs.kinds import JobKind, Work
from bot.jobs.local import JobLimits
from bot.storage.address import read_address
from bot.storage.jobs.job_engine_schema import migrate_job_engine
from bot.storage.jobs.store import JobStore
from tests.jobs.gate import Gate
from tests.storage.conftest import NO_SERVER, migrated_database

_TABLES = (
    "job_means",
    "job_askers",
    "jobs",
    "procrastinate_periodic_defers",
    "procrastinate_jobs",
    "procrastinate_workers",
)


@dataclass(frozen=True, slots=True)
class GateRequest:
    name: str


@dataclass(frozen=True, slots=True)
class Result:
    text: str


KIND = JobKind("test", Codec[GateRequest](GateRequest), Codec[Result](Result), Codec[Result](Result))
LIMITS = JobLimits(max_waiting=50, max_running_per_server=2)


@pytest.fixture(scope="session")
def hosted_url():
    if not os.environ.get("TEST_POSTGRES_URL"):
        pytest.skip(NO_SERVER)
    yield from migrated_database(migrate_job_engine)


@pytest.fixture
async def sql(hosted_url):
    """Empty all tables, and yield a function that executes SQL. DELETE is faster here than TRUNCATE."""
    async with await psycopg.AsyncConnection.connect(hosted_url, autocommit=True) as connection:
        async with connection.transaction():
            await connection.execute("SET LOCAL search_path TO procrastinate, public")
            for table in _TABLES:
                await connection.execute(f"DELETE FROM {table}")

        async def execute(statement, *values):
            cursor = await connection.execute(statement, values)
            return await cursor.fetchall() if cursor.description else None

        yield execute


@pytest.fixture
def server(hosted_url, sql):
    return read_address(hosted_url)


@pytest.fixture
async def gate():
    return Gate(attrgetter("name"), Result)


@pytest.fixture
async def open_queue(server, gate):
    async with AsyncExitStack() as stack:

        async def open_new_queue(limits=LIMITS, allowances=None, **options):
            follower = await stack.enter_async_context(JobFollower.open(server, server))
            return HostedJobQueue(follower, Work(KIND, gate, **options), limits, allowances)

        yield open_new_queue


@pytest.fixture
async def jobs(open_queue):
    return await open_queue()


@pytest.fixture
def running_worker(server, gate):

    @asynccontextmanager
    async def run(slots=2, perform=gate):
        stop = asyncio.Event()
        async with JobStore.open(server) as store, job_engine.open_app(server) as app:
            worker = Worker(store, app, {KIND.name: Work(KIND, perform)}, slots)
            task = asyncio.create_task(worker.run(stop))
            try:
                yield worker
            finally:
                stop.set()
                await task

    return run
