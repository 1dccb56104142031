"""A fresh database for every test, on SQLite and, where there is a server, on PostgreSQL."""

import os
import uuid
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from bot.storage.store import Store


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self):
        return self.now

    def advance(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/kibitz.sqlite3"


@pytest.fixture
async def postgres_url():
    server = os.environ.get("KIBITZ_TEST_POSTGRES_URL")
    if not server:
        pytest.skip("KIBITZ_TEST_POSTGRES_URL names no PostgreSQL server")
    name = f"kibitz_test_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server)
    try:
        await admin.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            # Not WITH (FORCE): a connection left open is a fault this should show.
            await admin.execute(f"DROP DATABASE {name}")
    finally:
        await admin.close()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
async def store(url, clock):
    async with Store.open(url, clock=clock) as opened:
        yield opened
