"""An empty database for every test: on SQLite, and on PostgreSQL if `TEST_POSTGRES_URL` names a server."""

import asyncio
import os
import uuid
from datetime import UTC, datetime

import psycopg
import pytest

from bot.storage.address import read_address
from bot.storage.migrate import migrate
from bot.storage.store import Store
from bot.storage.tables import metadata
from tests.storage.clock import FrozenClock
from tests.storage.migrated import put_database

NO_SERVER = "TEST_POSTGRES_URL names no PostgreSQL server"


@pytest.fixture
def clock():
    return FrozenClock(datetime(2026, 3, 1, 12, 0, tzinfo=UTC))


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/kibitz.sqlite3"


async def fresh_database():
    server = os.environ["TEST_POSTGRES_URL"]
    name = f"kibitz_test_{uuid.uuid4().hex}"
    admin = await psycopg.AsyncConnection.connect(server, autocommit=True)
    try:
        # The default strategy also writes the whole database to the log, and is far slower.
        await admin.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            # WITH (FORCE) is left out, so the test fails if a connection is still open.
            await admin.execute(f"DROP DATABASE {name}")
    finally:
        await admin.close()


async def end_other_connections(url):
    """Make the server end all connections to a database, except the connection of :func:`clean_up`."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> %s",
            [CLEANING_CONNECTION],
        )
        assert cursor.rowcount >= 1


@pytest.fixture
async def postgres_url():
    if not os.environ.get("TEST_POSTGRES_URL"):
        pytest.skip(NO_SERVER)
    async for url in fresh_database():
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return request.getfixturevalue(f"{request.param}_url")


def migrated_database(*more_migrations):
    """Yield the URL of a fresh database with the newest schema, and delete the database afterwards."""
    with asyncio.Runner() as runner:
        database_generator = fresh_database()
        url = runner.run(anext(database_generator))
        for migration in (migrate, *more_migrations):
            runner.run(migration(read_address(url)))
        yield url
        runner.run(anext(database_generator, None))


@pytest.fixture(scope="session")
def shared_postgres_url():
    """Yield the URL of a migrated database that all store tests share, because creating a database is slow."""
    if not os.environ.get("TEST_POSTGRES_URL"):
        pytest.skip(NO_SERVER)
    yield from migrated_database()


CLEANING_CONNECTION = "cleaning"
"""The name of the connection that stays open from test to test."""


@pytest.fixture(scope="session")
def clean_up(shared_postgres_url):
    """Yield a function that deletes all rows. Truncating the small tables would take seventy times as long."""
    deletions = "; ".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables))
    with psycopg.connect(
        shared_postgres_url, autocommit=True, application_name=CLEANING_CONNECTION
    ) as connection:
        yield lambda: connection.execute(deletions)


@pytest.fixture
def emptied_postgres_url(shared_postgres_url, clean_up):
    clean_up()
    return shared_postgres_url


@pytest.fixture
async def postgres_store(emptied_postgres_url, clock):
    async with Store.open(emptied_postgres_url, clock=clock) as opened:
        yield opened


@pytest.fixture
async def other_connection(emptied_postgres_url):
    """Yield a second connection to the database of ``postgres_store``."""
    async with await psycopg.AsyncConnection.connect(emptied_postgres_url) as connection:
        yield connection


@pytest.fixture
def copied_sqlite_url(sqlite_url, tmp_path):
    put_database(tmp_path)
    return sqlite_url


@pytest.fixture(params=["copied_sqlite_url", "emptied_postgres_url"], ids=["sqlite", "postgres"])
def store_url(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
async def store(store_url, clock):
    async with Store.open(store_url, clock=clock) as opened:
        yield opened
