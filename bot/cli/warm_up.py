"""``warm-up``: compile the analysis ahead, as when a new version is installed."""

from __future__ import annotations

import argparse
import time

from bot.cli.words import needs_analysis


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("warm-up", help="compile the analysis ahead, so that nobody waits for it")
    parser.set_defaults(work=needs_analysis(warm_up))


def warm_up(arguments: argparse.Namespace) -> int:
    """Compile, or load what is compiled already."""
    from bot.engine.warm_up import warm_up as compile_all  # noqa: PLC0415 - needs the analysis

    del arguments
    begun = time.monotonic()
    compile_all()
    print(f"The analysis is compiled ({time.monotonic() - begun:.1f} s).")
    return 0
