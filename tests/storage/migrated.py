"""Prepared databases: an empty one with the current schema, which is slow to create, and one written by release 0.2.0."""

from __future__ import annotations

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from bot.storage.address import SqliteFile, read_address
from bot.storage.bookkeeping import SWEEP_PAUSE
from bot.storage.migrate import migrate
from bot.storage.store import Store

DATABASE_NAME = "kibitz.sqlite3"
RELEASES = Path(__file__).parent / "releases"


def put_database(folder: Path, *, swept: bool = False) -> None:
    """Put an empty SQLite database into a folder that has none.

    If ``swept``, record that a process has just deleted expired rows, so that no process does so for ``SWEEP_PAUSE``.
    """
    file = folder / DATABASE_NAME
    if not file.exists():
        file.write_bytes(_content(swept=swept))


@cache
def _content(*, swept: bool) -> bytes:
    # The caller's thread may run an event loop, so another thread creates the database.
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as executor:
        file = Path(folder) / DATABASE_NAME
        executor.submit(asyncio.run, _create(f"sqlite:///{file}", swept=swept)).result()
        return file.read_bytes()


async def _create(url: str, *, swept: bool) -> None:
    await migrate(read_address(url))
    if swept:
        async with Store.open(url) as store:
            assert await store.claim_notice("sweep", SWEEP_PAUSE)


async def create_released_database(url: str) -> None:
    """Fill an empty database with the tables and rows of release 0.2.0."""
    address = read_address(url)
    if isinstance(address, SqliteFile):
        address.path.write_bytes(gzip.decompress((RELEASES / "0.2.0.sqlite3.gz").read_bytes()))
    else:
        dump = gzip.decompress((RELEASES / "0.2.0.sql.gz").read_bytes()).decode()
        statements = "\n".join(line for line in dump.splitlines() if not line.startswith("\\"))
        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute(statements)
