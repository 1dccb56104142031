"""The tables and the database address of the Procrastinate job engine."""

from __future__ import annotations

import asyncio
from importlib import metadata
from pathlib import Path
from typing import Final

from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.address import DatabaseAddress, PostgresServer
from bot.storage.database import Database
from bot.storage.errors import StoreError

SCHEMA: Final = "procrastinate"

_MIGRATION_LOCK: Final = 0x6B69_6A65


async def migrate_job_engine(address: DatabaseAddress) -> None:
    """Migrate the job engine's tables to the installed version. Concurrent migrations run one after another.

    Raises:
        StoreError: the address is not a PostgreSQL server's, or the database user is not allowed to create a schema.

    """
    if not isinstance(address, PostgresServer):
        raise StoreError("workers need a PostgreSQL database: set DATABASE_URL")
    async with Database.open(address) as database:
        await database.run(database.writing(), _migrate)


def conninfo(server: PostgresServer) -> str:
    """Return the server's address, including the password, with the engine's schema as an option."""
    return make_conninfo(server.dsn, options=f"-c search_path={SCHEMA}")


async def _migrate(connection: AsyncConnection) -> None:
    from procrastinate.schema import SchemaManager  # noqa: PLC0415 - an optional dependency

    installed_version = metadata.version("procrastinate")
    await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
    # The version of the tables is stored as a comment on the schema.
    stored_version = await connection.scalar(
        text("SELECT obj_description(to_regnamespace(:schema))"), {"schema": SCHEMA}
    )
    if stored_version == installed_version:
        return
    driver_connection = (await connection.get_raw_connection()).driver_connection
    assert driver_connection is not None  # the transaction has begun
    schema = sql.Identifier(SCHEMA)
    if stored_version is None:
        scripts = [SchemaManager.get_schema()]
        await driver_connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    else:
        scripts = await asyncio.to_thread(
            _migration_scripts,
            Path(SchemaManager.get_migrations_path()),
            stored_version,
            installed_version,
        )
    await driver_connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(schema))
    for script in scripts:
        await driver_connection.execute(script)
    await driver_connection.execute(
        sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, sql.Literal(installed_version))
    )


def _migration_scripts(folder: Path, stored_version: str, installed_version: str) -> list[str]:
    """Return the scripts between two versions, in order. Their names begin with versions such as 02.03.10."""
    low, high = (
        ".".join(part[:2].zfill(2) for part in version.split(".")[:3])
        for version in (stored_version, installed_version)
    )
    return [
        path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("*.sql"))
        if low < path.name[:8] <= high
    ]
