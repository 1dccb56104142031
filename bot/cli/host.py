"""``init`` and ``doctor``: write the settings file, and check an installation."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from bot.cli.parser import CONFIG, FAILURE, SUCCESS, CommandError, argument, command
from bot.config import DEFAULT_FILE, Settings, load_settings
from bot.engine.installed import find_command, is_installed
from bot.engine.uci import AUTO, find_engine
from bot.storage.address import SqliteFile, ephemeral_provider, read_address
from bot.storage.errors import StoreError
from bot.storage.migrate import newest_version, schema_version
from render.fonts import FONT_FILES, load_font

_EXAMPLE_FILE = "config.example.toml"

_NEXT_STEPS = """\
Next:
  1. Set your bot's token in the environment, never in a file that others can read:
       export DISCORD_TOKEN=…        (developer portal → your application → Bot → Reset Token)
     DATABASE_URL=postgresql://… is optional; without it, kibitz.sqlite3 in this folder is used.
  2. kibitz doctor     checks everything
  3. kibitz run        starts the bot"""


def example_settings() -> str:
    """Return the text of the example settings file. Raise :exc:`CommandError` if the file is missing."""
    # In a checkout, the file is beside the package. A wheel installs it in a folder of the environment.
    for folder in (Path(__file__).parents[2], Path(sys.prefix) / "share/kibitz"):
        if (folder / _EXAMPLE_FILE).is_file():
            return (folder / _EXAMPLE_FILE).read_text(encoding="utf-8")
    raise CommandError(f"{_EXAMPLE_FILE} is missing from this installation: reinstall Kibitz")


@command(
    "init",
    argument(
        "folder",
        metavar="FOLDER",
        type=Path,
        nargs="?",
        default=Path(),
        help="folder for the file (default: the current folder)",
    ),
    description="Writes config.toml, with an explanation and the default of every setting. Then prints how to set the token. "
    "It never changes an existing file. The exit code is 0 if the file was written, and 2 otherwise.",
)
def init(arguments: argparse.Namespace) -> int:
    file: Path = arguments.folder / DEFAULT_FILE
    text = example_settings()
    try:
        with file.open("x", encoding="utf-8") as settings_file:
            settings_file.write(text)
    except FileExistsError:
        raise CommandError(f"{file} already exists; nothing was changed") from None
    except OSError as error:
        raise CommandError(f"{file} can't be written: {error.strerror}") from None
    print(f"Wrote {file}: every setting with its default.\n\n{_NEXT_STEPS}")
    return SUCCESS


@command(
    "doctor",
    CONFIG,
    description="Checks the settings, the token, the intents, the permissions in each server, the database, the fonts, the lexica and the engines, and "
    "prints how to fix each problem. It changes nothing. The exit code is 0 if there is no problem, and 2 otherwise.",
)
def doctor(arguments: argparse.Namespace) -> int:
    return asyncio.run(_print_checks(load_settings(arguments.config)))


async def _print_checks(settings: Settings) -> int:
    is_healthy = True
    async for passed, sentence in _run_checks(settings):
        print("✅" if passed else "❌", sentence)
        is_healthy = is_healthy and passed
    return SUCCESS if is_healthy else FAILURE


async def _run_checks(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    """Yield whether each part of the installation is in order, and a sentence about the part."""
    yield True, "The settings are valid."
    if settings.discord_token is None:
        yield False, "DISCORD_TOKEN is not set. Copy the token from the developer portal (Bot → Reset Token)."
    else:
        from bot.features.settings.about import check_account  # noqa: PLC0415 - the other commands need no Discord

        async for check in check_account(
            settings.discord_token.value, requires_message_content=settings.discord.message_content
        ):
            yield check
    yield await _check_database(settings.database_url.value)
    yield _check_fonts()
    if not settings.analysis.enabled:
        yield True, "Crossword analysis is turned off in the settings."
    elif not is_installed():
        yield False, "Crossword analysis is not installed: pip install 'kibitz[analysis]'."
    else:
        from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs optional packages

        names = [lexicon.name for lexicon in Lexica(settings.analysis.lexica).installed()]
        yield (
            bool(names),
            f"Lexica: {', '.join(names)}."
            if names
            else f"No lexicon in {settings.analysis.lexica} can be used. `python -m bot lexicon add` explains how to add a lexicon.",
        )
        if settings.analysis.engine.strip() and not find_command(settings.analysis.engine):
            yield (
                False,
                f"The crossword engine {settings.analysis.engine!r} is not installed. Install it, or correct analysis.engine.",
            )
    if (engine := settings.chess.engine.strip()) and find_engine(engine) is not None:
        yield (
            True,
            f"The chess engine {engine!r} is installed." if engine != AUTO else "Stockfish is installed.",
        )
    elif engine == AUTO:
        # Without an engine, chess games can be shown and converted, and reviewed if the PGN contains evaluations.
        yield (
            True,
            "Stockfish is not installed, so chess is not analyzed. Install it, or set chess.engine to another engine.",
        )
    elif engine:
        yield (
            False,
            f"The chess engine {engine!r} is not installed, so chess is not analyzed. Install it, or correct chess.engine.",
        )


def _check_fonts() -> tuple[bool, str]:
    try:
        for file in FONT_FILES:
            load_font(file, 12)
    except (ImportError, OSError) as error:  # Pillow without FreeType, or a file is missing
        return False, f"The fonts can't be loaded: {error}. Install kibitz and pillow again."
    return True, f"Fonts: {len(FONT_FILES)}."


async def _check_database(url: str) -> tuple[bool, str]:
    try:
        address = read_address(url)
        if (provider := ephemeral_provider(url)) is not None:
            return False, f"{provider} discards {address} on every deploy. Use PostgreSQL, or a volume."
        if isinstance(address, SqliteFile) and not address.path.exists():
            return True, f"The database {address} doesn't exist yet. The bot will create it when it starts."
        version = await schema_version(address)
    except StoreError as error:
        return False, f"The database can't be used: {error}."
    if version is None:
        return True, f"The database {address} is empty. The bot will create its tables when it starts."
    if version == newest_version():
        return True, f"The database {address} is up to date."
    return (
        True,
        f"The database {address} has version {version}. The bot will migrate it to {newest_version()} when it starts.",
    )
