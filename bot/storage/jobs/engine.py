"""Procrastinate's tables, in a schema of their own beside ours, and its connections to them."""

from __future__ import annotations

import asyncio
import re
from importlib import metadata
from pathlib import Path
from typing import Final

from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.address import PostgresServer, read_address
from bot.storage.database import Database
from bot.storage.errors import StoreError
from bot.storage.jobs.values import PATIENCE

SCHEMA: Final = "procrastinate"

_LOCK: Final = 0x6B69_6A65
_NUMBER: Final = re.compile(r"\d+")
_MIGRATION: Final = re.compile(r"(\d{2})\.(\d{2})\.(\d{2})_\d{2}_\w+\.sql")


async def bring_up(url: str) -> None:
    """Bring the tables of the job engine up to the version that is installed; processes that do it wait for each other.

    Raises:
        StoreError: the database is none of PostgreSQL, the engine is not installed, or the user may not make a schema.

    """
    server = read_address(url)
    if not isinstance(server, PostgresServer):
        raise StoreError("workers need a PostgreSQL database: set DATABASE_URL")
    async with Database.opened(server, patience=PATIENCE) as database:
        await database.write(_bring_up)


def conninfo(server: PostgresServer) -> str:
    """Return the address of the server with which the engine finds its tables. Secret."""
    return make_conninfo(server.dsn, options=f"-c search_path={SCHEMA}")


async def _bring_up(connection: AsyncConnection) -> None:
    try:
        from procrastinate.schema import SchemaManager  # noqa: PLC0415 - of the extra
    except ModuleNotFoundError:
        raise StoreError("workers need the package procrastinate: pip install 'kibitz[hosting]'") from None
    installed = metadata.version("procrastinate")
    await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    present = await connection.scalar(
        text("SELECT obj_description(to_regnamespace(:schema))"), {"schema": SCHEMA}
    )
    if present == installed:
        return
    raw = (await connection.get_raw_connection()).driver_connection
    assert raw is not None  # the transaction has begun
    schema = sql.Identifier(SCHEMA)
    if present is None:
        scripts = [SchemaManager.get_schema()]
        await raw.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    else:
        folder = Path(SchemaManager.get_migrations_path())
        scripts = await asyncio.to_thread(_further, folder, present, installed)
    await raw.execute(sql.SQL("SET LOCAL search_path TO {}").format(schema))
    for script in scripts:
        await raw.execute(script)
    await raw.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, sql.Literal(installed)))


def _further(folder: Path, present: str, installed: str) -> list[str]:
    """Return what leads from one version to another, in order."""
    return [
        path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("*.sql"))
        if _version(present) < _of_file(path.name) <= _version(installed)
    ]


def _version(written: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _NUMBER.findall(written)[:3])


def _of_file(name: str) -> tuple[int, ...]:
    found = _MIGRATION.fullmatch(name)
    return tuple(map(int, found.groups())) if found else ()
