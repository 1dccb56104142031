"""Migrates a database to the newest schema version, or creates its tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.address import DatabaseAddress
from bot.storage.database import LONG_STATEMENT_TIMEOUT, Database
from bot.storage.errors import StoreError
from bot.storage.tables import metadata

if TYPE_CHECKING:
    from alembic.config import Config

_MIGRATIONS: Final = Path(__file__).with_name("migrations")

_ADVISORY_LOCK: Final = 0x6B6962697A  # "kibiz" in ASCII


def alembic_config() -> Config:
    from alembic.config import Config  # noqa: PLC0415 - a database that is up to date does not need Alembic

    config = Config()
    # The option is interpolated, so percent signs must be doubled.
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


async def migrate(address: DatabaseAddress) -> tuple[str | None, str]:
    """Migrate a database in one transaction. Return the schema versions before and after.

    The earlier version is None for an empty database. Concurrent migrations run one after another.

    Raises:
        StoreError: the database cannot be used, or its schema is newer than this program or older than release 0.2.0. The
            database is then unchanged.

    """
    async with Database.open(
        address, statement_timeout=LONG_STATEMENT_TIMEOUT, enforce_foreign_keys=False
    ) as database:
        return await database.run(database.writing(), _migrate_locked)


async def schema_version(address: DatabaseAddress) -> str | None:
    """Return the schema version, or None if the database is empty.

    Raises:
        StoreError: the database cannot be used, or this program does not support its schema.

    """
    async with Database.open(address, statement_timeout=LONG_STATEMENT_TIMEOUT) as database:
        version = await database.run(database.reading(), AsyncConnection.run_sync, version_of)
    _require_supported_version(version)
    return version


async def _migrate_locked(connection: AsyncConnection) -> tuple[str | None, str]:
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
    return await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> tuple[str | None, str]:
    old_version, newest = version_of(connection), newest_version()
    if old_version == newest:
        return old_version, newest
    _require_supported_version(old_version)
    from alembic import command  # noqa: PLC0415 - as above

    config = alembic_config()
    config.attributes["connection"] = connection
    if old_version is None:
        # This fails if any of the tables already exist.
        metadata.create_all(connection, checkfirst=False)
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")
    # Foreign keys are off during the migration of an SQLite database, so they are checked at the end.
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise StoreError(
            "the foreign keys of the database are inconsistent after the migration, which was undone"
        )
    return old_version, newest


def _require_supported_version(version: str | None) -> None:
    if version is None or version in _versions():
        return
    oldest, newest = _versions()[0], newest_version()
    if version < oldest:
        raise StoreError(
            f"the database has schema version {version}, from before Kibitz 0.2.0; this program supports versions"
            f" {oldest} and later: first run python -m bot migrate with Kibitz 0.2.0"
        )
    raise StoreError(
        f"the database has schema version {version}, made by a newer version of Kibitz;"
        f" this program supports only versions up to {newest}"
    )


def version_of(connection: Connection) -> str | None:
    """Return the schema version, or None if the database is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def newest_version() -> str:
    return _versions()[-1]


@cache
def _versions() -> list[str]:
    return sorted(path.name[:4] for path in (_MIGRATIONS / "versions").glob("[0-9]*_*.py"))
