"""The parser of command lines, which says what somebody may have meant."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

_ALIKE = 0.6
"""How like each other two words are of which one may be the other mistyped."""
_CHOICE = re.compile(r"invalid choice: '([^']{1,60})'")


def meant(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the known words like ``word``, the most like first; nothing when none is."""
    by_plain = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(word.casefold()[:60], by_plain, n=3, cutoff=_ALIKE)
    return f"Did you mean {' or '.join(by_plain[plain] for plain in found)}?" if found else ""


def seconds_up_to(most: float) -> Callable[[str], float]:
    """Return what reads an option's seconds, over 0 and up to ``most``."""

    def read(text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= most:
            raise argparse.ArgumentTypeError(f"seconds, over 0 and up to {most:g}")
        return seconds

    return read


class Parser(argparse.ArgumentParser):
    """A parser whose complaints about commands, options and choices end with those that are like what was typed."""

    def parse(self, typed: Sequence[str]) -> argparse.Namespace:
        """Parse the words of a command line; what is wrong in it ends the program."""
        found, unknown = self.parse_known_args(typed)
        if unknown:
            parser = self._named_by(typed)
            options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
            hints = filter(None, (meant(option, parser.options()) for option in options))
            parser.error("\n".join((f"unrecognized arguments: {' '.join(unknown)}", *hints)))
        return found

    def options(self) -> list[str]:
        """Return the names of all options."""
        return [name for action in self._actions for name in action.option_strings]

    def commands(self) -> dict[str, Parser]:
        """Return the parsers of the commands, by their names."""
        of_commands = (action.choices for action in self._actions if isinstance(action.choices, dict))
        return {name: parser for choices in of_commands for name, parser in choices.items()}

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and what may have been meant, and end the program."""
        if match := _CHOICE.search(message):
            choices = [str(choice) for action in self._actions for choice in action.choices or ()]
            message = "\n".join(filter(None, (message, meant(match[1], choices))))
        super().error(message)

    def _named_by(self, typed: Sequence[str]) -> Parser:
        """Return the parser of the command that a command line names."""
        parser = self
        for word in typed:
            parser = parser.commands().get(word, parser)
        return parser
