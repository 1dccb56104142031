"""Declares commands, parses command lines, and suggests similar words for mistyped ones."""

from __future__ import annotations

import argparse
import difflib
import gc
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

SUCCESS, NOTHING_FOUND, FAILURE = 0, 1, 2
"""Exit codes: the command succeeded, found nothing, or failed."""

Handler: TypeAlias = Callable[[argparse.Namespace], int]
"""Runs a command, and returns the exit code."""
Argument: TypeAlias = tuple[tuple[str, ...], Mapping[str, Any]]
"""The names of an argument, and its settings for argparse."""

_MIN_SIMILARITY = 0.6
"""Minimum similarity of a mistyped word to a suggestion."""
_INVALID_CHOICE = re.compile(r"invalid choice: '([^']{1,60})'")
"""Finds the invalid word in argparse's error."""


class CommandError(Exception):
    """A command failed or found nothing. The message is a sentence for standard error, and ``code`` is the exit code."""

    def __init__(self, message: str, code: int = FAILURE) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def freezing_imported_objects() -> Iterator[None]:
    """Exclude imported objects from garbage collection, which would take a fifth of a short command's time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def argument(*names: str, **settings: Any) -> Argument:  # noqa: ANN401 - as in argparse
    return names, settings


CONFIG = argument(
    "--config", metavar="TOML", type=Path, help="settings file (default: config.toml, if it exists)"
)
LEXICON = argument("--lexicon", metavar="NAME", help="lexicon (default: from the settings)")

_declared_commands: dict[str, tuple[Handler, tuple[Argument, ...], Mapping[str, Any]]] = {}
ACTIONS_BY_COMMAND: dict[str, tuple[str, ...]] = {}
"""Maps commands with actions, such as ``lexicon``, to the names of their actions, such as ``lexicon add``."""


def command(name: str, *arguments: Argument, **settings: Any) -> Callable[[Handler], Handler]:  # noqa: ANN401 - as in argparse
    """Declare the handler of a command. A name of two words is a command and its action."""

    def register(handler: Handler) -> Handler:
        group, _, action = name.partition(" ")
        if action:
            ACTIONS_BY_COMMAND[group] = (*ACTIONS_BY_COMMAND.get(group, ()), name)
        _declared_commands[name] = handler, arguments, settings
        return handler

    return register


def add_command(commands: argparse._SubParsersAction[Parser], name: str, **settings: Any) -> None:  # noqa: ANN401
    """Add a command to a parser. The command has arguments only if its module has been imported."""
    handler, arguments, declared_settings = _declared_commands.get(name, (None, (), {}))
    settings |= declared_settings
    settings.setdefault("description", f"{settings['help'][0].upper()}{settings['help'][1:]}.")
    parser = commands.add_parser(name.rpartition(" ")[2], **settings)
    for names, options in arguments:
        parser.add_argument(*names, **options)
    parser.set_defaults(handler=handler, parser=parser)
    if name in ACTIONS_BY_COMMAND:
        actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
        for action in ACTIONS_BY_COMMAND[name]:
            add_command(actions, action)


def whole_number(minimum: int, maximum: int = 1_000_000) -> Callable[[str], int]:
    """Return an argument type for whole numbers within bounds."""

    def parse(text: str) -> int:
        digits = text.removeprefix("-") if minimum < 0 else text
        if digits.isascii() and digits.isdigit() and len(digits) < 10 and minimum <= int(text) <= maximum:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {minimum:,} to {maximum:,}")

    return parse


def seconds_up_to(maximum: float) -> Callable[[str], float]:
    """Return an argument type for a number of seconds greater than 0 and at most ``maximum``."""

    def parse(text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= maximum:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number of seconds greater than 0 and at most {maximum:g}"
            )
        return seconds

    return parse


def suggest(word: str, known_words: Iterable[str]) -> str:
    """Return a sentence that suggests similar words, or an empty string if none is similar."""
    words_by_folded = {other.casefold(): other for other in known_words}
    similar_words = difflib.get_close_matches(
        word.casefold()[:60], words_by_folded, n=3, cutoff=_MIN_SIMILARITY
    )
    return (
        f"Did you mean {' or '.join(words_by_folded[folded] for folded in similar_words)}?"
        if similar_words
        else ""
    )


class Parser(argparse.ArgumentParser):
    """A parser whose errors about commands, options and choices suggest similar words."""

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse a command line. An error ends the program."""
        arguments, unknown_arguments = self.parse_known_args(argv)
        if unknown_arguments:
            parser = self
            for word in argv:
                subcommands = (
                    action.choices for action in parser._actions if isinstance(action.choices, dict)
                )
                parser = next((choices[word] for choices in subcommands if word in choices), parser)
            known_options = [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001
            options = [word.partition("=")[0] for word in unknown_arguments if word.startswith("-")]
            hints = filter(None, (suggest(option, known_options) for option in options))
            parser.error("\n".join((f"unrecognized arguments: {' '.join(unknown_arguments)}", *hints)))
        return arguments

    def error(self, message: str) -> NoReturn:
        """Print an error with suggestions, and end the program."""
        if match := _INVALID_CHOICE.search(message):
            choices = [str(choice) for action in self._actions for choice in action.choices or ()]
            message = "\n".join(filter(None, (message, suggest(match[1], choices))))
        super().error(message)


def table_lines(rows: Sequence[Sequence[str]], left_aligned: Collection[str]) -> Iterator[str]:
    """Yield the lines of a table. The first row contains titles. ``left_aligned`` contains the titles of left-aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if title in left_aligned else cell.rjust(width)
            for title, cell, width in zip(rows[0], row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
