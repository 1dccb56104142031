"""Opens a database, and checks the files that the first start creates."""

import asyncio
import sqlite3
import stat
import sys
from contextlib import closing

import pytest

from bot.storage.address import read_address
from bot.storage.errors import StoreError
from bot.storage.migrate import migrate
from bot.storage.store import Store


async def test_the_first_start_leaves_one_file_that_only_the_owner_can_read(sqlite_url, tmp_path):
    async with Store.open(sqlite_url) as store:
        await store.set_meta("k", "v")
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert [path.name for path in tmp_path.iterdir()] == ["kibitz.sqlite3"]
    async with Store.open(sqlite_url) as store:
        assert await store.meta("k") == "v"


async def test_a_relative_path_with_odd_characters_is_used_unchanged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with Store.open("sqlite:///a b%20c#é.db"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["a b%20c#é.db"]


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
        ("synchronous", 1),
        ("secure_delete", 1),
    ],
)
async def test_every_sqlite_connection_sets_the_pragmas(sqlite_url, pragma, value):
    async with (
        Store.open(sqlite_url) as store,
        store._database.reading() as first,
        store._database.reading() as second,
    ):
        for connection in (first, second):
            assert (await connection.exec_driver_sql(f"PRAGMA {pragma}")).scalar() == value


async def test_a_first_start_waits_for_a_file_locked_by_another_process(sqlite_url, tmp_path):
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3", isolation_level=None)) as other:
        # SQLite itself does not wait for this lock when a starting process sets the journal mode.
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE theirs (number INTEGER)")
        start = asyncio.create_task(migrate(read_address(sqlite_url)))
        done, _ = await asyncio.wait([start], timeout=0.2)
        assert not done
        other.execute("COMMIT")
        await start
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as reopened:
        assert reopened.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_a_missing_database_driver_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'kibitz\[hosting\]'"):
        async with Store.open("postgresql://alice:secret@h/d"):
            pass
