"""``python -m bot``: every way to start Kibitz."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from bot import __version__
from bot.cli.imports import importing
from bot.cli.parser import Parser

with importing():
    from bot.config import ConfigError, load_settings
    from bot.observe import logs
    from bot.observe.watchdog import leave

COMMANDS = {
    "inspect": ("inspect",),
    "show": ("show",),
    "convert": ("convert",),
    "chess_tools": ("compile-puzzles", "compile-book"),
    "analyze": ("analyze",),
    "review": ("review",),
    "migrate": ("migrate",),
    "backup": ("backup", "restore"),
    "lexicon": ("lexicon",),
    "words": ("check", "hooks", "anagram"),
    "puzzles": ("puzzles",),
    "warm_up": ("warm-up",),
}
"""The modules of ``bot.cli`` that hold commands, each with the commands that it adds."""


def _parser(typed: Sequence[str]) -> Parser:
    parser = Parser(
        prog="python -m bot",
        description="Kibitz shows, converts and analyzes crossword-game positions. Without a command it runs the "
        "bot if DISCORD_TOKEN is set, else the offline demo.",
    )
    parser.set_defaults(work=_default, config=None, port=0, browser=True)
    parser.add_argument("--version", action="version", version=f"Kibitz {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    run = commands.add_parser("run", help="run the bot on Discord (needs DISCORD_TOKEN)")
    run.add_argument(
        "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
    )
    run.set_defaults(work=_run)

    worker = commands.add_parser(
        "worker", help="do the long work of bots that share a PostgreSQL database (see docs/hosting.md)"
    )
    worker.add_argument(
        "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
    )
    worker.set_defaults(work=_work)

    demo = commands.add_parser("demo", help="show the bot in an offline Discord in the browser")
    demo.add_argument(
        "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
    )
    demo.add_argument(
        "--port", type=int, default=0, help="port of the page on this machine (default: any free one)"
    )
    demo.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    demo.set_defaults(work=_demo)

    # A command is named by the first word; the modules of the others are imported only to list them.
    first = typed[0] if typed else "run"
    named = [module for module, names in COMMANDS.items() if first in names]
    with importing():
        for module in named if named or first in commands.choices else COMMANDS:
            importlib.import_module(f"bot.cli.{module}").add_parser(commands)
    return parser


def _run(arguments: argparse.Namespace) -> int:
    # Imported here: the commands on files need neither Discord nor a database.
    from bot.app.run import run  # noqa: PLC0415

    settings = load_settings(arguments.config)
    logs.set_up(settings.logs.format, settings.logs.level)
    asyncio.run(run(settings))
    return 0


def _work(arguments: argparse.Namespace) -> int:
    from bot.app.worker import work  # noqa: PLC0415 - as above

    settings = load_settings(arguments.config)
    logs.set_up(settings.logs.format, settings.logs.level)
    asyncio.run(work(settings))
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from bot.demo.stage import run_demo  # noqa: PLC0415 - as above

    settings = load_settings(arguments.config)
    return asyncio.run(run_demo(settings, port=arguments.port, open_browser=arguments.browser))


def _default(arguments: argparse.Namespace) -> int:
    if load_settings(arguments.config).discord_token is not None:
        print("DISCORD_TOKEN is set: running the bot on Discord.")
        return _run(arguments)
    print("DISCORD_TOKEN is not set: starting the offline demo.")
    return _demo(arguments)


def _write_utf_8() -> None:
    """Let names of players and tiles be written whatever the locale, and names of files whatever their bytes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the result is the exit code of the process."""
    _write_utf_8()
    typed = sys.argv[1:] if argv is None else argv
    arguments = _parser(typed).parse(typed)
    try:
        code: int = arguments.work(arguments)
    except ConfigError as error:
        print(f"kibitz: {error}.", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        sys.stderr.close()
        return 0
    return code


if __name__ == "__main__":
    leave(main())
