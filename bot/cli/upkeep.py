"""``migrate``, ``backup``, ``restore`` and ``warm-up``: the commands that a host runs before or after an upgrade."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.cli.documents import compile_parts, counted
from bot.cli.parser import CONFIG, SUCCESS, argument, command
from bot.config import ConfigError, load_settings
from bot.storage import backup as backups
from bot.storage.address import read_address
from bot.storage.errors import StoreError
from bot.storage.migrate import migrate as migrate_database

_FILE = argument("file", metavar="FILE", type=Path, help="backup file")


@contextmanager
def _convert_store_errors() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise ConfigError(str(error)) from None


@command(
    "migrate",
    CONFIG,
    description="Migrates the database in DATABASE_URL in one transaction, and prints its schema version before and "
    "after. The exit code is 0 if the database is up to date afterwards, and 2 otherwise.",
)
@_convert_store_errors()
def migrate(arguments: argparse.Namespace) -> int:
    settings = load_settings(arguments.config)
    address = read_address(settings.database_url.value)
    version_before, version_after = asyncio.run(migrate_database(address))
    if not settings.analysis.jobs:
        from bot.storage.jobs.job_engine_schema import migrate_job_engine  # noqa: PLC0415 - needs optional packages

        asyncio.run(migrate_job_engine(read_address(settings.direct_database_url.value)))
    if version_before == version_after:
        print(f"{address}: up to date (version {version_after})")
    elif version_before:
        print(f"{address}: migrated from version {version_before} to version {version_after}")
    else:
        print(f"{address}: tables created (version {version_after})")
    return SUCCESS


@command(
    "backup",
    _FILE,
    CONFIG,
    description="Copies the database in DATABASE_URL to a new SQLite file. The bot may keep running. Keep the file private, because "
    "it contains personal data. The exit code is 0 if the file was written, and 2 otherwise.",
)
@_convert_store_errors()
def backup(arguments: argparse.Namespace) -> int:
    url = load_settings(arguments.config).database_url.value
    version, row_count = asyncio.run(backups.back_up(url, arguments.file))
    print(f"{arguments.file}: {counted(row_count, 'row')}, schema version {version}")
    return SUCCESS


@command(
    "restore",
    argument(
        "--replace",
        action="store_true",
        help="delete the contents of the database first; without this option, the database must be empty",
    ),
    _FILE,
    CONFIG,
    description="Loads a backup into the database in DATABASE_URL (SQLite or PostgreSQL) in one transaction. A backup from an "
    "earlier version is migrated. Stop the bot first. The exit code is 0 on success, and 2 otherwise.",
)
@_convert_store_errors()
def restore(arguments: argparse.Namespace) -> int:
    url = load_settings(arguments.config).database_url.value
    version, row_count = asyncio.run(backups.restore(arguments.file, url, replace=arguments.replace))
    print(f"{read_address(url)}: {counted(row_count, 'row')}, schema version {version}")
    return SUCCESS


@command("warm-up")
def warm_up(_: argparse.Namespace) -> int:
    """Compile the analysis engine, or load it if it is already compiled."""
    from bot.engine.warm_up import warm_up as compile_all  # noqa: PLC0415 - needs optional packages

    started_at = time.monotonic()
    compile_parts()
    compile_all()
    print(f"The analysis engine is compiled ({time.monotonic() - started_at:.1f} s).")
    return SUCCESS
