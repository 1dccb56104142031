"""``migrate``: bring the database up to date, before a new version of the bot starts."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from bot.config import ConfigError, load_settings


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "migrate",
        help="bring the database (DATABASE_URL) up to date",
        description="Brings the database that DATABASE_URL names up to date, all or nothing, and prints its schema "
        "version before and after. The exit code is 0 when it is up to date now, 2 when it cannot be.",
    )
    parser.add_argument(
        "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
    )
    parser.set_defaults(work=migrate)


def migrate(arguments: argparse.Namespace) -> int:
    """Migrate the database and print the versions before and after.

    Raises:
        ConfigError: the database cannot be used, or a newer version of the program made it.

    """
    # Imported here: the commands on files need no database.
    from bot.storage.address import read_address  # noqa: PLC0415
    from bot.storage.errors import StoreError  # noqa: PLC0415 - as above
    from bot.storage.migrate import migrate as bring_up  # noqa: PLC0415 - as above

    settings = load_settings(arguments.config)
    url = settings.database_url.get_secret_value()
    try:
        shown = str(read_address(url))
        done = asyncio.run(bring_up(url))
        if not settings.analysis.jobs:
            _bring_up_jobs(url)
    except StoreError as error:
        raise ConfigError(str(error)) from None
    if done.before == done.after:
        print(f"{shown}: up to date (version {done.after})")
    else:
        print(f"{shown}: migrated from {done.before or 'nothing'} to version {done.after}")
    return 0


def _bring_up_jobs(url: str) -> None:
    """Bring up to date what workers need as well."""
    from bot.storage.errors import StoreError  # noqa: PLC0415 - as above

    try:
        from bot.storage.jobs.engine import bring_up  # noqa: PLC0415 - needs packages that few hosts have
    except ModuleNotFoundError:
        raise StoreError("workers need further packages: pip install 'kibitz[hosting]'") from None
    asyncio.run(bring_up(url))
