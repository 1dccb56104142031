"""A failure changes no data, and is reported in one sentence without secrets."""

import contextlib
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import traceback
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from bot.storage.errors import StoreError, translate_driver_errors
from bot.storage.store import Store
from tests.storage.conftest import end_other_connections

SHORT_TIMEOUT = timedelta(milliseconds=150)
SECRET = "correct-horse"


def make_document(digest, text="text"):
    return (digest, "cgp", text, datetime.now(UTC) + timedelta(days=1))


def full_report(error):
    return "".join(traceback.format_exception(error)) + repr(error)


async def test_the_store_reports_a_locked_file_and_recovers(copied_sqlite_url):
    async with Store.open(copied_sqlite_url, statement_timeout=SHORT_TIMEOUT) as store:
        await store.set_meta("k", "before")
        with closing(sqlite3.connect(copied_sqlite_url.removeprefix("sqlite:///"))) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="another process has locked it") as caught:
                await store.set_meta("k", SECRET)
            with pytest.raises(StoreError, match="another process has locked it"):
                await store.claim_reply(1, channel_id=1, guild_id=None, author_id=1)
            assert await store.meta("k") == "before"
            other.rollback()
        assert SECRET not in full_report(caught.value)
        assert await store.claim_reply(1, channel_id=1, guild_id=None, author_id=1) == 1
        await store.set_meta("k", "after")
        assert await store.meta("k") == "after"


async def test_the_store_reports_a_read_only_file_and_recovers(copied_sqlite_url):
    async with Store.open(copied_sqlite_url) as store:
        await store.set_meta("k", "before")
        pool: Any = store._database.engine.pool

        async def set_query_only(state):
            async with AsyncExitStack() as stack:
                for _ in range(pool.size()):
                    connection = await stack.enter_async_context(store._database.reading())
                    await connection.exec_driver_sql(f"PRAGMA query_only = {state}")

        await set_query_only("ON")
        with pytest.raises(StoreError) as caught:
            await store.set_meta("k", SECRET)
        assert SECRET not in full_report(caught.value)
        assert await store.meta("k") == "before"
        await set_query_only("OFF")
        await store.set_meta("k", "after")
        assert await store.meta("k") == "after"


async def test_the_store_reports_a_read_only_server_and_recovers(postgres_url):
    async with Store.open(postgres_url) as store:
        await store.set_meta("k", "before")

        async def set_read_only(state):
            async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as admin:
                await admin.execute("SET default_transaction_read_only = off")
                name = admin.info.dbname
                await admin.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {state}')
            # Open sessions keep the old setting.
            await end_other_connections(postgres_url)

        await set_read_only("on")
        with contextlib.suppress(StoreError):
            await store.meta("k")  # replaces the dropped connections
        with pytest.raises(StoreError) as caught:
            await store.set_meta("k", SECRET)
        assert SECRET not in full_report(caught.value)
        assert await store.meta("k") == "before"
        await set_read_only("off")
        with contextlib.suppress(StoreError):
            await store.set_meta("k", "after")
        await store.set_meta("k", "after")
        assert await store.meta("k") == "after"


async def violate_foreign_key(connection):
    """Make SQLite report a missing row when the transaction is committed."""
    await connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    await connection.exec_driver_sql("INSERT INTO meta (key, value) VALUES ('k', 'v')")
    await connection.exec_driver_sql("INSERT INTO document_authors VALUES ('none', 1)")


async def test_a_connection_whose_commit_failed_is_reused(copied_sqlite_url):
    async with Store.open(copied_sqlite_url) as store:
        for number in range(5):  # more times than the pool has connections
            with pytest.raises(StoreError, match="can't be used"):
                await store._database.run(store._database.writing(), violate_foreign_key)
            assert await store.meta("k") is None, number
        await store.set_meta("k", "after")
        assert await store.meta("k") == "after"


async def limit_pages(store, pages):
    # At this limit, SQLite raises the same error at the same point as on a full disk.
    async with store._database.writing() as connection:
        await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


async def test_a_full_disk_changes_no_data(copied_sqlite_url):
    async with Store.open(copied_sqlite_url) as store:
        await store.save_document(*make_document("first"))
        await store.claim_reply(1, channel_id=1, guild_id=None, author_id=1)
        await store.record_reply(1, (11, 12))
        reply = await store.reply(1)
        await limit_pages(store, 1)  # the file already has more pages, so it cannot grow
        with pytest.raises(StoreError, match="the disk is full") as caught:
            await store.save_document(*make_document(SECRET, "text" * 20_000))
        # The deletion of old messages succeeds before the insertion of new messages fails.
        with pytest.raises(StoreError, match="the disk is full"):
            await store.record_reply(1, tuple(range(30_000)))
        assert SECRET not in full_report(caught.value)
        assert await store.document(SECRET) is None
        assert await store.document("first") is not None
        assert await store.reply(1) == reply
        await limit_pages(store, 100_000)
        await store.save_document(*make_document("second"))
        assert await store.document("second") is not None


@pytest.fixture
def small_disk(tmp_path):
    """Yield a folder on a disk of one megabyte. The mount requires root on Linux."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or mount is None or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a small disk")
    completed = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if completed.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {completed.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill_disk(filler):
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass


async def test_the_store_reports_a_full_disk_and_recovers(small_disk):
    filler = small_disk / "filler"
    async with Store.open(f"sqlite:///{small_disk}/kibitz.sqlite3") as store:
        await store.save_document(*make_document("first"))
        fill_disk(filler)
        assert shutil.disk_usage(small_disk).free == 0
        write_count = 0

        async def keep_writing():
            nonlocal write_count
            while write_count < 10_000:  # the first writes still fit into the journal
                await store.set_meta(f"k{write_count}", "x" * 1000)
                write_count += 1

        with pytest.raises(StoreError, match=r"the disk (is full|can't be read or written)"):
            await keep_writing()
        assert await store.meta(f"k{write_count}") is None
        assert await store.document("first") is not None
        filler.unlink()
        await store.set_meta(f"k{write_count}", "y")
    async with Store.open(f"sqlite:///{small_disk}/kibitz.sqlite3") as store:
        assert await store.meta(f"k{write_count}") == "y"
        for number in range(write_count):
            assert await store.meta(f"k{number}") == "x" * 1000


async def test_a_first_start_on_a_full_disk_is_reported(small_disk):
    filler = small_disk / "filler"
    fill_disk(filler)
    for _ in range(2):
        with pytest.raises(StoreError, match="disk"):
            async with Store.open(f"sqlite:///{small_disk}/kibitz.sqlite3"):
                pass
    filler.unlink()
    async with Store.open(f"sqlite:///{small_disk}/kibitz.sqlite3") as store:
        await store.set_meta("k", "v")


async def test_a_closed_store_refuses_calls(store_url):
    async with Store.open(store_url) as store:
        await store.set_meta("k", "v")
    for call in (store.meta("k"), store.set_meta("k", "w"), store.check(), store.sweep()):
        with pytest.raises(StoreError, match="the database is closed"):
            await call
    async with Store.open(store_url) as store:
        assert await store.meta("k") == "v"


async def test_a_file_that_is_not_a_database_is_reported(sqlite_url, tmp_path):
    (tmp_path / "kibitz.sqlite3").write_bytes(b"GIF89a" * 1000)
    with pytest.raises(StoreError, match="not an SQLite database"):
        async with Store.open(sqlite_url):
            pass
    assert (tmp_path / "kibitz.sqlite3").read_bytes() == b"GIF89a" * 1000


async def test_an_unusable_database_path_is_reported(tmp_path):
    with pytest.raises(StoreError, match=r"/missing/k\.sqlite3 can't be used: No such file or directory"):
        async with Store.open(f"sqlite:///{tmp_path}/missing/k.sqlite3"):
            pass
    with pytest.raises(StoreError, match="the file can't be opened"):
        async with Store.open(f"sqlite:///{tmp_path}"):
            pass
    assert list(tmp_path.iterdir()) == []


async def test_the_store_reports_a_locked_table_and_recovers(emptied_postgres_url):
    async with Store.open(emptied_postgres_url, statement_timeout=SHORT_TIMEOUT) as store:
        other = await psycopg.AsyncConnection.connect(emptied_postgres_url)
        try:
            async with other.transaction():
                await other.execute("LOCK TABLE replies")
                with pytest.raises(StoreError, match="didn't answer in time"):
                    await store.claim_reply(1, channel_id=1, guild_id=None, author_id=1)
        finally:
            await other.close()
    async with Store.open(emptied_postgres_url) as store:
        assert await store.reply(1) is None
        assert await store.claim_reply(1, channel_id=1, guild_id=None, author_id=1) == 1


async def test_connections_cut_by_the_server_are_replaced(emptied_postgres_url):
    async with Store.open(emptied_postgres_url) as store:
        await store.set_meta("k", "v")
        await end_other_connections(emptied_postgres_url)
        assert await store.meta("k") == "v"


def with_password(url, password):
    return re.sub(r":[^:@/]*@", f":{password}@", url)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda url: with_password(url, SECRET), "rejects the user name or password"),
        (
            lambda url: with_password(url, SECRET).replace("kibitz_test", "missing"),
            "rejects the user name or password",
        ),
        (lambda url: url.replace("kibitz_test", "missing"), "no database with this name"),
        (lambda url: f"{url}?nonsense={SECRET}", "an option that is unknown"),
        (lambda url: f"{url}?sslmode={SECRET}", "its address contains an option with an invalid value"),
    ],
)
async def test_a_failed_connection_hides_the_password(shared_postgres_url, change, words):
    password = urlsplit(shared_postgres_url).password
    with pytest.raises(StoreError, match=words) as caught:
        async with Store.open(change(shared_postgres_url)):
            pass
    assert password not in full_report(caught.value)
    assert SECRET not in full_report(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("FATAL:  the database system is starting up", "starting or stopping"),
        ("FATAL:  the database system is in recovery mode", "starting or stopping"),
        ('FATAL:  too many connections for database "kibitz"', "no connections left"),
        (
            "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
            "no connections left",
        ),
        ('FATAL:  role "kibitz" does not exist', "rejects the user name or password"),
    ],
)
def test_a_failed_connection_has_the_reason_that_the_server_gives(message, words):
    with pytest.raises(StoreError, match=words), translate_driver_errors():
        raise psycopg.OperationalError(f"connection failed: {message}")


async def test_an_unreachable_server_hides_the_password():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # reserves a port without listening on it
        port = silent.getsockname()[1]
        with pytest.raises(StoreError, match="can't be reached") as caught:
            async with Store.open(f"postgres://alice:{SECRET}@127.0.0.1:{port}/kibitz"):
                pass
    assert SECRET not in full_report(caught.value)
