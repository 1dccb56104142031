"""``init``, ``doctor``, ``migrate``, ``backup``, ``restore`` and ``warm-up``: a host's work before the first start and around a new version."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.cli.documents import compile_parts
from bot.cli.parser import CONFIG, FOUND, INVALID, CommandError, argument, command
from bot.config import DEFAULT_FILE, ConfigError, Settings, load_settings
from bot.engine.installed import is_installed
from bot.engine.uci import AUTO, find_engine
from bot.storage import backup as backups
from bot.storage.address import SqliteFile, lost_at_deploy, read_address
from bot.storage.errors import StoreError
from bot.storage.migrate import migrate as bring_up
from bot.storage.migrate import newest_version, schema_version

_EXAMPLE = "config.example.toml"

_NEXT = """\
Next:
  1. Put the token of your bot into the environment, never into a file that others read:
       export DISCORD_TOKEN=…        (developer portal → your application → Bot → Reset Token)
     DATABASE_URL=postgresql://… is optional; without it, kibitz.sqlite3 in this folder is used.
  2. kibitz doctor     checks everything
  3. kibitz run        starts the bot"""


def example() -> str:
    """Return the commented settings file that the package includes.

    Raises:
        CommandError: the installation lacks it.

    """
    # A checkout has it beside the package, an installed wheel below the environment.
    for folder in (Path(__file__).parents[2], Path(sys.prefix) / "share/kibitz"):
        if (folder / _EXAMPLE).is_file():
            return (folder / _EXAMPLE).read_text(encoding="utf-8")
    raise CommandError(f"{_EXAMPLE} is missing from this installation: install kibitz again")


@command(
    "init",
    argument("folder", metavar="FOLDER", type=Path, nargs="?", default=Path(), help="default: this folder"),
    description="Writes config.toml, with every setting commented and at its default, and prints where the token goes. An existing "
    "file is left alone. The exit code is 0 when the file was written, 2 otherwise.",
)
def init(arguments: argparse.Namespace) -> int:
    """Write the settings file.

    Raises:
        CommandError: the file exists, or the folder cannot be written.

    """
    file: Path = arguments.folder / DEFAULT_FILE
    text = example()
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise CommandError(f"{file} exists already; nothing was changed") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from None
    print(f"Wrote {file}: every setting with its default.\n\n{_NEXT}")
    return FOUND


@command(
    "doctor",
    CONFIG,
    description="Checks the settings, the token, the intents, the permissions in each server, the database, the lexica and the engines, and "
    "prints how to fix what is wrong. Changes nothing. The exit code is 0 when all is well, 2 otherwise.",
)
def doctor(arguments: argparse.Namespace) -> int:
    """Print what is right and what is wrong with this installation."""
    settings = load_settings(arguments.config)
    return asyncio.run(_examine(settings))


async def _examine(settings: Settings) -> int:
    well = True
    async for fine, sentence in _checks(settings):
        print("✅" if fine else "❌", sentence)
        well = well and fine
    return FOUND if well else INVALID


async def _checks(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    """Yield whether each part is in order, and a sentence about it."""
    yield True, "The settings are valid."
    if settings.discord_token is None:
        yield False, "DISCORD_TOKEN is not set. Copy the token from the developer portal (Bot → Reset Token)."
    else:
        from bot.features.settings.about import check_account  # noqa: PLC0415 - the other commands need no Discord

        token = settings.discord_token.get_secret_value()
        async for check in check_account(token, message_content=settings.discord.message_content):
            yield check
    yield await _database(settings.database_url.get_secret_value())
    if not settings.analysis.enabled:
        yield True, "Crossword analysis is turned off in the settings."
    elif not is_installed():
        yield False, "Crossword analysis is not installed: pip install 'kibitz[analysis]'."
    else:
        from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the analysis

        names = [lexicon.name for lexicon in Lexica(settings.analysis.lexica).installed()]
        yield bool(names), f"Lexica: {', '.join(names) or 'none'}."
    if (engine := settings.chess.engine.strip()) and find_engine(engine) is not None:
        yield (
            True,
            f"The chess engine {engine!r} is installed." if engine != AUTO else "Stockfish is installed.",
        )
    elif engine:
        # Without an engine chess is shown, converted and reviewed by a PGN's own evaluations.
        yield (
            engine == AUTO,
            f"No chess engine: chess is not analyzed. Install Stockfish, or set chess.engine ({engine!r}).",
        )


async def _database(url: str) -> tuple[bool, str]:
    """Return whether the database can be opened, and the version of its schema."""
    try:
        address = read_address(url)
        if (platform := lost_at_deploy(url)) is not None:
            return False, f"{platform} discards {address} at each deploy. Use PostgreSQL, or a volume."
        if isinstance(address, SqliteFile) and not address.path.exists():
            return True, f"The database {address} does not exist yet; the first start creates it."
        version = await schema_version(address)
    except StoreError as error:
        return False, f"The database cannot be used: {error}."
    if version == newest_version():
        return True, f"The database {address} is up to date."
    return (
        True,
        f"The database {address} has version {version}; the next start brings it to {newest_version()}.",
    )


_FILE = argument("file", metavar="FILE", type=Path, help="the backup")


@contextmanager
def _store_errors() -> Iterator[None]:
    """Turn errors of the store into errors of the settings, which name the database."""
    try:
        yield
    except StoreError as error:
        raise ConfigError(str(error)) from None


@command(
    "migrate",
    CONFIG,
    description="Migrates the database in DATABASE_URL in one transaction, and prints its schema version before and "
    "after. The exit code is 0 when the database is up to date, 2 otherwise.",
)
@_store_errors()
def migrate(arguments: argparse.Namespace) -> int:
    """Migrate the database and print the versions before and after.

    Raises:
        ConfigError: the database cannot be used, or a newer version of the program made it.

    """
    settings = load_settings(arguments.config)
    url = settings.database_url.get_secret_value()
    shown = str(read_address(url))
    before, after = asyncio.run(bring_up(url))
    if not settings.analysis.jobs:
        try:
            from bot.storage.jobs import engine  # noqa: PLC0415 - needs packages that few hosts have
        except ModuleNotFoundError:
            raise StoreError("workers need further packages: pip install 'kibitz[hosting]'") from None
        asyncio.run(engine.bring_up(url))
    if before == after:
        print(f"{shown}: up to date (version {after})")
    else:
        print(f"{shown}: migrated from {before or 'nothing'} to version {after}")
    return 0


@command(
    "backup",
    _FILE,
    CONFIG,
    description="Writes a snapshot of the database in DATABASE_URL to a new SQLite file. The bot may run meanwhile. Keep the "
    "file private: it contains personal data. The exit code is 0 when the file was written, 2 otherwise.",
)
@_store_errors()
def backup(arguments: argparse.Namespace) -> int:
    """Write a backup.

    Raises:
        ConfigError: the database or the file cannot be used.

    """
    url = load_settings(arguments.config).database_url.get_secret_value()
    version, rows = asyncio.run(backups.back_up(url, arguments.file))
    print(f"{arguments.file}: {rows:,} rows, schema version {version}")
    return 0


@command(
    "restore",
    argument(
        "--replace",
        action="store_true",
        help="delete the contents of the database first; without this option it must be empty",
    ),
    _FILE,
    CONFIG,
    description="Restores a backup into the database in DATABASE_URL, SQLite or PostgreSQL, in one transaction. A backup of an "
    "earlier version is migrated. Stop the bot first. The exit code is 0 on success, 2 otherwise.",
)
@_store_errors()
def restore(arguments: argparse.Namespace) -> int:
    """Put a backup into the database.

    Raises:
        ConfigError: the database or the file cannot be used.

    """
    url = load_settings(arguments.config).database_url.get_secret_value()
    version, rows = asyncio.run(backups.restore(arguments.file, url, replace=arguments.replace))
    print(f"{read_address(url)}: {rows:,} rows, schema version {version}")
    return 0


@command("warm-up")
def warm_up(_: argparse.Namespace) -> int:
    """Compile the analysis, or load it where it is compiled already."""
    from bot.engine.warm_up import warm_up as compile_all  # noqa: PLC0415 - needs the analysis

    begun = time.monotonic()
    compile_parts()
    compile_all()
    print(f"The analysis is compiled ({time.monotonic() - begun:.1f} s).")
    return 0
