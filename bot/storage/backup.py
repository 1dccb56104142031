"""Backups: writing all data to one SQLite file, and restoring it into a database of either kind.

A backup is an SQLite database with the same tables, even if the data comes from PostgreSQL. It is consistent even while the bot
runs, thanks to SQLite's backup API or PostgreSQL's repeatable reads.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.address import DatabaseAddress, SqliteFile, read_address
from bot.storage.database import Database
from bot.storage.errors import StoreError, driver_errors_translated
from bot.storage.migrate import migrate, newest_version, version_in
from bot.storage.tables import metadata

_PATIENCE: Final = timedelta(minutes=1)
"""Maximum time for a statement, including its wait for locks."""

_BATCH: Final = 500
"""Number of rows copied at a time."""


async def back_up(url: str, path: Path) -> tuple[str, int]:
    """Write the database that ``url`` names to a new file at ``path``. Return its schema version and the number of rows.

    Only the owner may read the file. An SQLite database may have any version of the schema. A PostgreSQL database must have
    the version of this program.

    Raises:
        StoreError: the database is missing, or has another version of the schema on PostgreSQL; the database or the file
            cannot be used; or the file already exists.

    """
    address = read_address(url)
    with _private_folder(path.parent) as folder:
        temporary = folder / "backup.sqlite3"
        if isinstance(address, SqliteFile):
            await asyncio.to_thread(_copy_file, address.path, temporary)
        else:
            await _copy_from_server(address, temporary)
        contents = await asyncio.to_thread(_check_backup, temporary, path)
        await asyncio.to_thread(_publish, temporary, path)
    return contents


async def restore(path: Path, url: str, *, replace: bool = False) -> tuple[str, int]:
    """Restore a backup into the database that ``url`` names; return the schema version and the number of rows.

    If the backup has an earlier schema version, a copy of it is migrated first. The database must be empty, unless ``replace``
    is set: then its rows are deleted in the same transaction.

    Raises:
        StoreError: the file is not a backup, is damaged, or has a schema version that is newer than this program or older
            than release 0.2.0; or the database cannot be used or is not empty. The database is then unchanged, except that
            its schema may have been migrated.

    """
    address = read_address(url)
    with _private_folder(Path(tempfile.gettempdir())) as folder:
        copy = SqliteFile(folder / "backup.sqlite3")
        await asyncio.to_thread(_copy_file, path, copy.path)
        await asyncio.to_thread(_check_backup, copy.path, path)
        try:
            await migrate(copy)
        except StoreError as error:
            raise StoreError(f"{path} can't be used: {error}") from error
        await migrate(address)
        async with (
            Database.open(copy, patience=_PATIENCE) as source,
            Database.open(address, patience=_PATIENCE) as target,
        ):
            await target.run(target.writing(), _replace_all, source, str(address), replace)
        return await asyncio.to_thread(_check_backup, copy.path, path)


async def _copy_from_server(address: DatabaseAddress, path: Path) -> None:
    await migrate(SqliteFile(path))
    async with (
        Database.open(address, patience=_PATIENCE) as source,
        Database.open(SqliteFile(path), patience=_PATIENCE) as target,
        source.reading() as reading,
    ):
        await reading.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        version = await version_in(reading)
        if version != newest_version():
            raise StoreError(
                f"the database has schema version {version}, and this program's is {newest_version()}: make the backup"
                " with the version of Kibitz that ran last, with pg_dump, or after python -m bot migrate"
            )
        await target.run(target.writing(), _copy_rows, reading)


async def _replace_all(target: AsyncConnection, source: Database, address: str, replace: bool) -> None:  # noqa: FBT001 - goes through ``run``
    for table in reversed(metadata.sorted_tables):
        if replace:
            await target.execute(table.delete())
        elif await target.scalar(select(func.count()).select_from(table)):
            raise StoreError(f"{address} is not empty; use --replace to replace its contents with the backup")
    async with source.reading() as reading:
        await _copy_rows(target, reading)


async def _copy_rows(target: AsyncConnection, source: AsyncConnection) -> None:
    """Copy all rows. A table with foreign keys is copied after the tables that it refers to."""
    for table in metadata.sorted_tables:
        async with source.stream(select(table)) as rows:
            async for batch in rows.partitions(_BATCH):
                await target.execute(
                    table.insert(), [dict(zip(table.c.keys(), row, strict=True)) for row in batch]
                )


def _publish(temporary: Path, path: Path) -> None:
    """Make sure that a finished file has reached the disk, and move it to its final path."""
    try:
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it already exists, and a backup never overwrites a file")
        temporary.rename(path)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror}") from None


def _copy_file(source: Path, target: Path) -> None:
    """Copy an SQLite database, including its journal, to one file."""
    if not source.is_file():
        raise StoreError(f"there is no file {source}")
    with (
        _file_errors(source),
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        target.chmod(0o600)
        reading.execute(f"PRAGMA busy_timeout = {_PATIENCE // timedelta(milliseconds=1)}")
        reading.backup(writing)


def _check_backup(path: Path, original: Path) -> tuple[str, int]:
    """Return the schema version of a backup, and the number of its rows.

    Raises:
        StoreError: the file is not a backup, or is damaged.

    """
    with _file_errors(original), closing(sqlite3.connect(path)) as connection:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if not {"alembic_version", "documents"} <= tables:
            raise StoreError(f"{original} is not a backup of Kibitz")
        # Without a journal, the file can be read from a read-only folder.
        connection.execute("PRAGMA journal_mode = DELETE")
        is_intact = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        if not is_intact or connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise StoreError(f"{original} is damaged")
        version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if version is None:
            raise StoreError(f"{original} is not a backup of Kibitz")
        names = sorted(tables & set(metadata.tables))
        counts = (connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names)  # noqa: S608 - names of our own
        return str(version[0]), sum(counts)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Add the name of the file to SQLite's errors."""
    try:
        with driver_errors_translated():
            yield
    except StoreError as error:
        if error.__cause__ is None:
            raise
        reason = str(error).partition(": ")[2]
        raise StoreError(f"{path} can't be used: {reason}") from error


@contextmanager
def _private_folder(parent: Path) -> Iterator[Path]:
    """Create a folder that only its owner may read, and delete it on exit."""
    try:
        with tempfile.TemporaryDirectory(prefix=".kibitz-", dir=parent) as folder:
            yield Path(folder)
    except OSError as error:
        raise StoreError(f"{parent} can't be used: {error.strerror}") from None
