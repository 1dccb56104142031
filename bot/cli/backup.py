"""``backup`` and ``restore``: everything that is remembered, to a file and back."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from bot.config import ConfigError, load_settings


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    backup_command = commands.add_parser(
        "backup",
        help="write everything in the database (DATABASE_URL) to a file",
        description="Writes everything in the database that DATABASE_URL names to a new file, an SQLite database of its "
        "own, as it is at one moment; the bot may run meanwhile. Keep the file to yourself: it holds what Kibitz remembers "
        "of people. The exit code is 0 when the file is written, 2 when it cannot be.",
    )
    backup_command.set_defaults(work=backup)
    restore_command = commands.add_parser(
        "restore",
        help="put a backup into the database (DATABASE_URL)",
        description="Puts everything in a backup into the database that DATABASE_URL names, SQLite or PostgreSQL, all or "
        "nothing; a backup of an earlier version is brought up to date. Stop the bot before. The exit code is 0 when it is "
        "there, 2 when it cannot be.",
    )
    restore_command.add_argument(
        "--replace", action="store_true", help="delete what the database holds; without, it must hold nothing"
    )
    restore_command.set_defaults(work=restore)
    for command in (backup_command, restore_command):
        command.add_argument("file", metavar="FILE", type=Path, help="the backup")
        command.add_argument(
            "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
        )


def backup(arguments: argparse.Namespace) -> int:
    """Write a backup.

    Raises:
        ConfigError: the database or the file cannot be used.

    """
    # Imported here: the commands on files need no database.
    from bot.storage.backup import back_up  # noqa: PLC0415
    from bot.storage.errors import StoreError  # noqa: PLC0415 - as above

    url = load_settings(arguments.config).database_url.get_secret_value()
    try:
        kept = asyncio.run(back_up(url, arguments.file))
    except StoreError as error:
        raise ConfigError(str(error)) from None
    print(f"{arguments.file}: {kept.rows:,} rows, schema version {kept.version}")
    return 0


def restore(arguments: argparse.Namespace) -> int:
    """Put a backup into the database.

    Raises:
        ConfigError: the database or the file cannot be used.

    """
    from bot.storage.address import read_address  # noqa: PLC0415 - as above
    from bot.storage.backup import restore as put_back  # noqa: PLC0415 - as above
    from bot.storage.errors import StoreError  # noqa: PLC0415 - as above

    url = load_settings(arguments.config).database_url.get_secret_value()
    try:
        kept = asyncio.run(put_back(arguments.file, url, replace=arguments.replace))
        print(f"{read_address(url)}: {kept.rows:,} rows, schema version {kept.version}")
    except StoreError as error:
        raise ConfigError(str(error)) from None
    return 0
