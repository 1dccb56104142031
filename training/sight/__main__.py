"""``python -m training.sight``: trains a network to read squares, using synthetic pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.cli.parser import FAILURE, SUCCESS, whole_number

MAX_STEPS = 1_000_000


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.sight",
        description="Train a network to read the squares of boards, using synthetic pictures. "
        "Needs the extras sight and bench, and torch.",
    )
    parser.add_argument(
        "subject",
        choices=("chess", "letters", "tiles", "characters", "blanks", "digits"),
        help="what to read",
    )
    parser.add_argument(
        "packages",
        metavar="FOLDER",
        type=Path,
        help="free piece designs or fonts, unpacked as bot/sight/data/README.md describes",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="an .npz file for the weights"
    )
    parser.add_argument(
        "--steps",
        metavar="N",
        type=whole_number(1, MAX_STEPS),
        default=4_000,
        help="number of steps, with 192 squares each; for blanks, number of boards (default: 4000)",
    )
    parser.add_argument(
        "--from",
        metavar="FILE",
        type=Path,
        dest="initial_weights",
        help="continue from the weights of an earlier run (not for blanks)",
    )
    parser.add_argument(
        "--without", metavar="NAME", nargs="*", default=(), help="piece designs to leave out (only for chess)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed")
    arguments = parser.parse_args(argv)
    if arguments.initial_weights and arguments.subject == "blanks":
        parser.error("--from can't be used for blanks")
    if arguments.without and arguments.subject != "chess":
        parser.error(f"--without can't be used for {arguments.subject}: only chess has piece designs")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    try:
        from training.sight.learn import TrainingRun, learn  # noqa: PLC0415 - needs the extras

        run = TrainingRun(
            arguments.packages,
            arguments.seed,
            arguments.steps,
            arguments.initial_weights,
            frozenset(arguments.without),
        )
        learn(arguments.subject, run, arguments.output)
    except ModuleNotFoundError as error:
        print(
            f'this command needs {error.name}: install kibitz with the extras "sight" and "bench", and torch',
            file=sys.stderr,
        )
        return FAILURE
    except OSError as error:
        print(f"{error.filename or arguments.packages} can't be used: {error.strerror}", file=sys.stderr)
        return FAILURE
    return SUCCESS


if __name__ == "__main__":
    sys.exit(main())
