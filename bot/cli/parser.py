"""Command lines: declarations of commands, types of options, and suggestions for mistyped words."""

from __future__ import annotations

import argparse
import difflib
import gc
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

FOUND, NOTHING, INVALID = 0, 1, 2
"""Exit codes: something was found, nothing was, or an input is wrong."""

Work: TypeAlias = Callable[[argparse.Namespace], int]
"""Carries out a command; the result is the exit code."""
Argument: TypeAlias = tuple[tuple[str, ...], Mapping[str, Any]]

_MIN_SIMILARITY = 0.6
"""Similarity from which one word may be the other mistyped."""
_CHOICE = re.compile(r"invalid choice: '([^']{1,60})'")


class CommandError(Exception):
    """A command ends without success; the message is one sentence for standard error."""

    def __init__(self, message: str, code: int = INVALID) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def importing() -> Iterator[None]:
    """Collect no garbage during imports, nor later among imported objects: it took a fifth of a short command's time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def argument(*names: str, **settings: Any) -> Argument:  # noqa: ANN401 - argparse's own
    """Return an argument as :meth:`argparse.ArgumentParser.add_argument` takes it."""
    return names, settings


CONFIG = argument(
    "--config", metavar="TOML", type=Path, help="settings file (default: config.toml, if it exists)"
)
LEXICON = argument("--lexicon", metavar="NAME", help="lexicon (default: from the settings)")

_declared_commands: dict[str, tuple[Work, tuple[Argument, ...], Mapping[str, Any]]] = {}
GROUPS: dict[str, tuple[str, ...]] = {}
"""Commands whose next word is another command."""


def command(name: str, *arguments: Argument, **settings: Any) -> Callable[[Work], Work]:  # noqa: ANN401 - argparse's own
    """Declare the function below as a command; a name of two words is an action of the first."""

    def declare(work: Work) -> Work:
        group, _, action = name.partition(" ")
        if action:
            GROUPS[group] = (*GROUPS.get(group, ()), name)
        _declared_commands[name] = work, arguments, settings
        return work

    return declare


def add_command(commands: argparse._SubParsersAction[Parser], name: str, **settings: Any) -> None:  # noqa: ANN401
    """Add a command to a parser's commands, with its arguments if its module has been imported."""
    work, arguments, own = _declared_commands.get(name, (None, (), {}))
    settings |= own
    settings.setdefault("description", f"{settings['help'][0].upper()}{settings['help'][1:]}.")
    parser = commands.add_parser(name.rpartition(" ")[2], **settings)
    for names, options in arguments:
        parser.add_argument(*names, **options)
    parser.set_defaults(work=work, parser=parser)
    if name in GROUPS:
        actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
        for action in GROUPS[name]:
            add_command(actions, action)


def whole_number(minimum: int, maximum: int = 1_000_000) -> Callable[[str], int]:
    """Return the type of an option that is a whole number within bounds."""

    def read(text: str) -> int:
        digits = text.removeprefix("-") if minimum < 0 else text
        if digits.isascii() and digits.isdigit() and len(digits) < 10 and minimum <= int(text) <= maximum:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {minimum:,} to {maximum:,}")

    return read


def seconds_up_to(maximum: float) -> Callable[[str], float]:
    """Return the type of an option in seconds, over 0 and up to ``maximum``."""

    def read(text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= maximum:
            raise argparse.ArgumentTypeError(f"seconds, over 0 and up to {maximum:g}")
        return seconds

    return read


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the known words like ``word``, the most like first; empty when none is."""
    by_plain = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(word.casefold()[:60], by_plain, n=3, cutoff=_MIN_SIMILARITY)
    return f"Did you mean {' or '.join(by_plain[plain] for plain in found)}?" if found else ""


class Parser(argparse.ArgumentParser):
    """A parser whose errors about commands, options and choices suggest similar words."""

    def parse(self, typed: Sequence[str]) -> argparse.Namespace:
        """Parse the words of a command line; an error in it ends the program."""
        found, unknown = self.parse_known_args(typed)
        if unknown:
            parser = self
            for word in typed:
                named = (action.choices for action in parser._actions if isinstance(action.choices, dict))
                parser = next((choices[word] for choices in named if word in choices), parser)
            known = [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001
            options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
            hints = filter(None, (suggestion(option, known) for option in options))
            parser.error("\n".join((f"unrecognized arguments: {' '.join(unknown)}", *hints)))
        return found

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and what may have been meant, and end the program."""
        if match := _CHOICE.search(message):
            choices = [str(choice) for action in self._actions for choice in action.choices or ()]
            message = "\n".join(filter(None, (message, suggestion(match[1], choices))))
        super().error(message)


def columns(rows: Sequence[Sequence[str]], left: Collection[str]) -> Iterator[str]:
    """Lay out rows; the first row holds the titles. Columns with a title in ``left`` are aligned to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if title in left else cell.rjust(width)
            for title, cell, width in zip(rows[0], row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
