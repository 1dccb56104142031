"""``python -m bot``: every way to start Kibitz."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import io
import os
import subprocess
import sys
from collections.abc import Sequence

from bot import __version__
from bot.cli.parser import (
    CONFIG,
    FAILURE,
    SUCCESS,
    CommandError,
    Parser,
    add_command,
    argument,
    command,
    freezing_imported_objects,
    whole_number,
)

with freezing_imported_objects():
    from bot.config import ConfigError, load_settings
    from bot.domain.reading.problems import DomainError
    from bot.observe import logs
    from bot.observe.process import exit_process

COMMANDS = {
    "run": ("", "run the bot on Discord (needs DISCORD_TOKEN)"),
    "init": ("host", "write config.toml, and print how to set the token"),
    "doctor": ("host", "check the token, intents, permissions, database, fonts, lexica and engines"),
    "worker": ("", "run analyses for bots that share a PostgreSQL database (see docs/hosting.md)"),
    "demo": ("", "open the offline demo of the bot in the browser"),
    "inspect": ("files", "list the positions and games in a file"),
    "show": ("files", "draw the positions in a file"),
    "convert": ("files", "convert the first document of a file to another notation"),
    "compile-puzzles": ("chess_tools", "compile a chess puzzle file to EPD and JSON"),
    "compile-book": ("chess_tools", "compile a chess opening book to Polyglot's format"),
    "analyze": ("analyze", "find the best plays for positions in files"),
    "review": (
        "review",
        "review finished games turn by turn, and compare the players of several games",
    ),
    "migrate": ("upkeep", "migrate the database (DATABASE_URL) to this version"),
    "backup": ("upkeep", "copy the database (DATABASE_URL) to a file"),
    "restore": ("upkeep", "load a backup into the database (DATABASE_URL)"),
    "lexicon": ("lexicon", "add, list, check and remove lexica"),
    "check": ("lexicon", "test whether words are in a lexicon"),
    "hooks": ("lexicon", "find the letters that turn a word into a longer word"),
    "anagram": ("lexicon", "find the words that a set of letters can make"),
    "puzzles": ("puzzles", "make, check, inspect and compile puzzles"),
    "warm-up": ("upkeep", "compile the analysis engine before the first request"),
}
"""For each command: its module in ``bot.cli``, if any, and its summary. Only the requested command's module is imported."""


def _build_parser(argv: Sequence[str]) -> Parser:
    parser = Parser(
        prog="python -m bot",
        description="Kibitz shows, converts and analyzes positions and games. Without a command, it runs the bot if "
        "DISCORD_TOKEN is set, and the offline demo otherwise.",
    )
    parser.set_defaults(handler=_run_bot_or_demo, config=None, port=0, browser=True)
    parser.add_argument("--version", action="version", version=f"Kibitz {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    module, _ = COMMANDS.get(argv[0] if argv else "", ("", ""))
    if module:
        with freezing_imported_objects():
            importlib.import_module(f"bot.cli.{module}")
    for name, (_, summary) in COMMANDS.items():
        add_command(commands, name, help=summary)
    return parser


@command("run", CONFIG)
def _run(arguments: argparse.Namespace) -> int:
    # Imported here, because most commands need neither Discord nor a database.
    from bot.app.run import run  # noqa: PLC0415

    settings = load_settings(arguments.config)
    logs.set_up(settings.logs.format, settings.logs.level)
    asyncio.run(run(settings))
    return SUCCESS


@command("worker", CONFIG)
def _work(arguments: argparse.Namespace) -> int:
    from bot.app.worker import run_jobs  # noqa: PLC0415 - as above

    settings = load_settings(arguments.config)
    logs.set_up(settings.logs.format, settings.logs.level)
    asyncio.run(run_jobs(settings))
    return SUCCESS


@command(
    "demo",
    CONFIG,
    argument(
        "--port",
        type=whole_number(0, 65_535),
        default=0,
        help="port of the first channel's page (default: any free port)",
    ),
    argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        help="print the addresses without opening a browser",
    ),
)
def _demo(arguments: argparse.Namespace) -> int:
    from bot.demo.stage import run_demo  # noqa: PLC0415 - SimCord is optional

    asyncio.run(
        run_demo(load_settings(arguments.config), port=arguments.port, open_browser=arguments.browser)
    )
    return SUCCESS


def _run_bot_or_demo(arguments: argparse.Namespace) -> int:
    if load_settings(arguments.config).discord_token is not None:
        print("DISCORD_TOKEN is set: running the bot on Discord.")
        return _run(arguments)
    print("DISCORD_TOKEN is not set: starting the offline demo.")
    return _demo(arguments)


_EXTRAS_BY_PACKAGE = {
    "simcord": (("demo", "analysis"), 320),
    "numba": (("analysis",), 280),
    "numpy": (("analysis",), 280),
    "llvmlite": (("analysis",), 280),
    "procrastinate": (("hosting",), 20),
    "psycopg": (("hosting",), 20),
    "zstandard": (("puzzles",), 30),
}
"""For each optional package: the extras to install if it is missing, and their size in megabytes."""


def _offer_to_install(package: str, argv: Sequence[str]) -> int:
    """Offer to install a missing package. If the user accepts, install it and run the command again."""
    extras, megabytes = _EXTRAS_BY_PACKAGE[package]
    print(
        f"This command needs {package}, which is not installed: pip install 'kibitz[{','.join(extras)}]'",
        file=sys.stderr,
    )
    if not sys.stdin.isatty():  # Piped text is the command's input, not an answer.
        return FAILURE
    print(f"Install it now in {sys.prefix} (up to {megabytes} MB)? [y/N] ", end="", flush=True)
    if not sys.stdin.readline().lower().startswith("y"):
        return FAILURE
    requirements = [
        requirement
        for requirement, _, marker in (
            text.partition("; ") for text in importlib.metadata.requires("kibitz") or ()
        )
        if marker in {f"extra == '{extra}'" for extra in extras}
    ]
    # Modules that failed to import here would fail again, so the command runs in a new process.
    return _run_module("pip", "install", *requirements) or _run_module("bot", *argv)


def _run_module(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-P", "-m", *arguments], check=False).returncode  # noqa: S603 - the user's own arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - stays open
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # The locale's encoding may not support all names and tiles. File names may contain bytes that are not UTF-8.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    argv = sys.argv[1:] if argv is None else argv
    try:
        try:
            arguments = _build_parser(argv).parse(argv)
            code: int = arguments.handler(arguments)
        except ModuleNotFoundError as error:
            if error.name not in _EXTRAS_BY_PACKAGE:
                raise
            code = _offer_to_install(error.name, argv)
    except ConfigError as error:
        print(f"kibitz: {error}.", file=sys.stderr)
        return error.exit_code
    except (CommandError, DomainError) as error:
        print(error, file=sys.stderr)
        return error.code if isinstance(error, CommandError) else FAILURE
    except KeyboardInterrupt:
        return SUCCESS
    except BrokenPipeError:
        # The program that reads the output, such as `head`, has ended. Python would report this again on standard error.
        sys.stderr.close()
        return SUCCESS
    return code


if __name__ == "__main__":
    exit_process(main())
