"""Backs up all data to an SQLite file, and restores it into SQLite or PostgreSQL.

A backup is consistent even if the bot is running, thanks to SQLite's backup API or PostgreSQL's repeatable reads.
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
from bot.storage.database import LONG_STATEMENT_TIMEOUT, Database
from bot.storage.errors import StoreError, translate_driver_errors
from bot.storage.migrate import migrate, newest_version, version_of
from bot.storage.tables import metadata

_ROWS_PER_BATCH: Final = 500


async def back_up(url: str, path: Path) -> tuple[str, int]:
    """Write the database at ``url`` to a new file at ``path``. Return the schema version and the number of rows.

    Only the owner may read the file. A PostgreSQL database must have this program's schema version.

    Raises:
        StoreError: the database or the file cannot be used, or the file already exists.

    """
    address = read_address(url)
    with _private_folder(path.parent) as folder:
        temporary_file = folder / "backup.sqlite3"
        if isinstance(address, SqliteFile):
            await asyncio.to_thread(_copy_file, address.path, temporary_file)
        else:
            await _copy_from_server(address, temporary_file)
        version_and_count = await asyncio.to_thread(_check_backup, temporary_file, path)
        await asyncio.to_thread(_move_into_place, temporary_file, path)
    return version_and_count


async def restore(path: Path, url: str, *, replace: bool = False) -> tuple[str, int]:
    """Restore a backup into the database at ``url``. Return the schema version and the number of rows.

    Unless ``replace`` is set, the database must be empty.

    Raises:
        StoreError: the backup or the database cannot be used, or the database is not empty. In any of these
            cases, the database's rows are unchanged, but its schema may have been migrated.

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
            Database.open(copy, statement_timeout=LONG_STATEMENT_TIMEOUT) as source,
            Database.open(address, statement_timeout=LONG_STATEMENT_TIMEOUT) as target,
        ):
            await target.run(target.writing(), _restore_rows, source, str(address), replace)
        return await asyncio.to_thread(_check_backup, copy.path, path)


async def _copy_from_server(address: DatabaseAddress, path: Path) -> None:
    await migrate(SqliteFile(path))
    async with (
        Database.open(address, statement_timeout=LONG_STATEMENT_TIMEOUT) as source,
        Database.open(SqliteFile(path), statement_timeout=LONG_STATEMENT_TIMEOUT) as target,
        source.reading() as reading,
    ):
        await reading.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        version = await reading.run_sync(version_of)
        if version != newest_version():
            raise StoreError(
                f"the database has schema version {version}, but this program needs {newest_version()}: run python -m bot"
                " migrate first, or make the backup with pg_dump or with the version of Kibitz that ran last"
            )
        await target.run(target.writing(), _copy_rows, reading)


async def _restore_rows(target: AsyncConnection, source: Database, address: str, replace: bool) -> None:  # noqa: FBT001 - passed through ``run``
    for table in reversed(metadata.sorted_tables):
        if replace:
            await target.execute(table.delete())
        elif await target.scalar(select(func.count()).select_from(table)):
            raise StoreError(f"{address} is not empty; use --replace to replace its contents with the backup")
    async with source.reading() as reading:
        await _copy_rows(target, reading)


async def _copy_rows(target: AsyncConnection, source: AsyncConnection) -> None:
    for table in metadata.sorted_tables:
        async with source.stream(select(table)) as rows:
            async for batch in rows.partitions(_ROWS_PER_BATCH):
                await target.execute(
                    table.insert(), [dict(zip(table.c.keys(), row, strict=True)) for row in batch]
                )


def _move_into_place(temporary_file: Path, path: Path) -> None:
    try:
        with temporary_file.open("rb") as file:
            os.fsync(file.fileno())
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it already exists, and a backup never overwrites a file")
        temporary_file.rename(path)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror}") from None


def _copy_file(source: Path, target: Path) -> None:
    """Copy an SQLite database, including the transactions that are still in its write-ahead log."""
    if not source.is_file():
        raise StoreError(f"there is no file {source}")
    with (
        _errors_with_path(source),
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as source_connection,
        closing(sqlite3.connect(target)) as target_connection,
    ):
        target.chmod(0o600)
        source_connection.execute(
            f"PRAGMA busy_timeout = {LONG_STATEMENT_TIMEOUT // timedelta(milliseconds=1)}"
        )
        source_connection.backup(target_connection)


def _check_backup(path: Path, reported_path: Path) -> tuple[str, int]:
    """Check that a backup is intact, and turn off its WAL mode. Return its schema version and number of rows.

    Errors name ``reported_path``.
    """
    with _errors_with_path(reported_path), closing(sqlite3.connect(path)) as connection:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if not {"alembic_version", "documents"} <= tables:
            raise StoreError(f"{reported_path} is not a Kibitz backup")
        # SQLite can't read a file in WAL mode from a read-only folder.
        connection.execute("PRAGMA journal_mode = DELETE")
        if (
            connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",)
            or connection.execute("PRAGMA foreign_key_check").fetchone() is not None
        ):
            raise StoreError(f"{reported_path} is damaged")
        version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if version is None:
            raise StoreError(f"{reported_path} is not a Kibitz backup")
        counts = (
            connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - our own names
            for name in tables & set(metadata.tables)
        )
        return str(version[0]), sum(counts)


@contextmanager
def _errors_with_path(path: Path) -> Iterator[None]:
    try:
        with translate_driver_errors():
            yield
    except StoreError as error:
        if error.__cause__ is None:
            raise
        raise StoreError(f"{path} can't be used: {str(error).partition(': ')[2]}") from error


@contextmanager
def _private_folder(parent: Path) -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(prefix=".kibitz-", dir=parent) as folder:
            yield Path(folder)
    except OSError as error:
        raise StoreError(f"{parent} can't be used: {error.strerror}") from None
