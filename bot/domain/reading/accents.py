"""Texts whose accents are characters of their own: joined before reading, with the places kept.

A decomposed ``É`` is two code points, and some systems paste it so. Formats are read with each accent joined to its
letter; what is said about a place still counts the code points of the text as it was given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import TypeVar

from bot.domain.reading.problems import DomainError, Reading, ReadWarning, Value

Error = TypeVar("Error", bound=DomainError)

_CLUSTER = re.compile("[^\u0300-\u036f][\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class JoinedText:
    """A text with its accents joined, and where each character of it stands in the text as given."""

    text: str
    origins: tuple[int, ...] | None = None
    """Offsets into the text as given, by offset; None when nothing had to be joined."""
    given: str = ""

    def read(self, read: Callable[[str], Reading[Value]]) -> Reading[Value]:
        """Read the joined text; all places in what comes of it are those in the text as given.

        Raises:
            DomainError: what ``read`` raises.

        """
        try:
            reading = read(self.text)
        except DomainError as error:
            raise self.relocated(error) from None
        return self.relocated_reading(reading)

    def relocated(self, error: Error) -> Error:
        """Return the error with its place in the text as given."""
        return error.at(*self._place(error.line, error.column))

    def relocated_reading(self, reading: Reading[Value]) -> Reading[Value]:
        """Return the reading with all places in the text as given, and a warning that accents were joined."""
        if self.origins is None:
            return reading
        first = next(offset for offset, origin in enumerate((*self.origins, -1)) if offset != origin)
        line, column = self._place(*_line_and_column(self.text, first - 1))
        joined = ReadWarning(
            "combining-accents", "accents are separate characters; joined to their letters", line, column
        )
        moved = (warning.at(*self._place(warning.line, warning.column)) for warning in reading.warnings)
        error = reading.error and self.relocated(reading.error)
        return replace(reading, warnings=(joined, *moved), error=error)

    def _place(self, line: int, column: int) -> tuple[int, int]:
        if self.origins is None:
            return line, column
        start = 0
        for _ in range(line - 1):
            start = self.text.find("\n", start) + 1
        offset = min(start + column - 1, len(self.text))
        return _line_and_column(self.given, self.origins[offset])


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def join_accents(text: str) -> JoinedText:
    """Join combining accents to their letters. Other characters, such as jamo, are left as they are."""
    if text.isascii() or not _CLUSTER.search(text):
        return JoinedText(text)
    pieces: list[str] = []
    origins: list[range | repeat[int]] = []
    end = 0
    for match in _CLUSTER.finditer(text):
        joined = unicodedata.normalize("NFC", match[0])
        pieces += (text[end : match.start()], joined)
        origins += (range(end, match.start()), repeat(match.start(), len(joined)))
        end = match.end()
    pieces.append(text[end:])
    return JoinedText("".join(pieces), tuple(chain(*origins, range(end, len(text) + 1))), text)
