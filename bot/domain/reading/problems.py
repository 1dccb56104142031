"""Pieces of text with their locations, and the warnings and errors about them.

Warnings and errors store a template and its values, for translation. In a call that creates a warning or an error,
the template must follow the code directly, because the tool that collects text for translation looks there.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Generic, NamedTuple, Self, TypeVar

Value = TypeVar("Value", covariant=True)  # noqa: PLC0105 - clear without a suffix


class Phrase(str):
    """A sentence, or part of one, that is translated when it is shown."""

    __slots__ = ()


class DomainError(ValueError):
    """An error in text, a document or a request.

    ``line`` and ``column`` are counted from 1. Columns are counted in code points. ``code`` identifies the
    problem for programs, and stays the same when the wording changes.
    """

    def __init__(
        self, code: str, template: str, location: tuple[int, int] = (1, 1), /, **values: object
    ) -> None:
        self.code = code
        self.template = template
        self.line, self.column = location
        self.values = values
        self.message = template.format(**values)
        """The message in English."""
        super().__init__(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, because processes send errors to each other."""
        return partial(type(self), self.code, self.template, (self.line, self.column), **self.values), ()

    def at(self, line: int, column: int) -> Self:
        return type(self)(self.code, self.template, (line, column), **self.values)

    def within(self, line: int, column: int) -> Self:
        """Return the error for a larger text, in which the parsed text starts at ``line`` and ``column``."""
        return self.at(*_within(self, line, column))


class ParseError(DomainError):
    """The text does not follow its format."""


class RuleError(DomainError):
    """The text follows its format, but violates the rules of the game."""


class ConversionError(DomainError):
    """A document cannot be converted as requested.

    Also raised if a Turn URL cannot be merged into its game, or cannot be shown because it lacks the first turns of the game.
    """


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """A fault that does not prevent reading. The fields are those of :class:`DomainError`."""

    code: str
    template: str
    line: int = 1
    column: int = 1
    values: tuple[tuple[str, object], ...] = ()

    @property
    def message(self) -> str:
        return self.template.format(**dict(self.values))

    def at(self, line: int, column: int) -> ReadWarning:
        return replace(self, line=line, column=column)

    def within(self, line: int, column: int) -> ReadWarning:
        """Return the warning for a larger text, in which the parsed text starts at ``line`` and ``column``."""
        return self.at(*_within(self, line, column))


def _within(problem: DomainError | ReadWarning, line: int, column: int) -> tuple[int, int]:
    return problem.line + line - 1, problem.column + (column - 1 if problem.line == 1 else 0)


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """The result of a reader. After a rule error, ``value`` contains everything before the error."""

    value: Value
    warnings: tuple[ReadWarning, ...] = ()
    error: RuleError | None = None


class Warnings:
    """Collects warnings while text is read, and computes their locations.

    A repeated warning at the same location is dropped. Hostile text can have a fault in every character, so
    at most ``MAX_WARNINGS`` warnings are returned. If some are left out, the last warning states that further
    warnings are not shown.
    """

    MAX_WARNINGS = 100

    def __init__(self, text: str) -> None:
        self._text = text
        self._by_location: dict[tuple[str, int, int], ReadWarning] = {}

    @property
    def is_full(self) -> bool:
        return len(self._by_location) > self.MAX_WARNINGS

    def add(self, code: str, template: str, offset: int = 0, **values: object) -> None:
        """Add a warning about the character at ``offset``."""
        if not self.is_full:
            line, column = location(self._text, offset)
            self._by_location.setdefault(
                (code, line, column), ReadWarning(code, template, line, column, tuple(values.items()))
            )

    def all(self) -> tuple[ReadWarning, ...]:
        warnings = tuple(self._by_location.values())
        if len(warnings) > self.MAX_WARNINGS:
            *first_warnings, last = warnings[: self.MAX_WARNINGS]
            return (
                *first_warnings,
                ReadWarning("more-warnings", "further warnings are not shown", last.line, last.column),
            )
        return warnings


def require_max_length(text: str, limit: int) -> None:
    """Raise :class:`ParseError` with the code ``too-long`` if the text is longer than ``limit``."""
    if len(text) > limit:
        raise ParseError("too-long", "the text is longer than {limit:,} characters", limit=limit)


def location(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of an offset, both counted from 1."""
    ends = _line_ends(text)
    line = bisect_left(ends, offset)
    return line + 1, offset - (ends[line - 1] if line else -1)


_LINE_END = re.compile("\n")


@lru_cache(maxsize=4)
def _line_ends(text: str) -> array[int]:
    """Return the offsets of line breaks. The cache holds a few texts, because several threads read at once."""
    return array("I", (match.start() for match in _LINE_END.finditer(text)))


class TextPiece(NamedTuple):
    """A piece of the text ``whole_text``, starting at ``offset``."""

    text: str
    offset: int
    whole_text: str

    @classmethod
    def of(cls, text: str) -> TextPiece:
        return cls(text, 0, text)

    @classmethod
    def matched(cls, match: re.Match[str]) -> TextPiece:
        return cls(match[0], match.start(), match.string)

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    @property
    def location(self) -> tuple[int, int]:
        return location(self.whole_text, self.offset)

    def part(self, start: int, end: int | None = None) -> TextPiece:
        return TextPiece(self.text[start:end], self.offset + start, self.whole_text)

    def strip(self, characters: str | None = None) -> TextPiece:
        text = self.text.rstrip(characters)
        return self.part(len(text) - len(text.lstrip(characters)), len(text))

    def split(self, separator: str) -> list[TextPiece]:
        pieces, offset = [], self.offset
        for text in self.text.split(separator):
            pieces.append(TextPiece(text, offset, self.whole_text))
            offset += len(text) + len(separator)
        return pieces

    def characters(self) -> list[TextPiece]:
        return [
            TextPiece(character, offset, self.whole_text)
            for offset, character in enumerate(self.text, self.offset)
        ]

    def parse_error(self, code: str, template: str, /, **values: object) -> ParseError:
        return ParseError(code, template, self.location, **values)

    def rule_error(self, code: str, template: str, /, **values: object) -> RuleError:
        return RuleError(code, template, self.location, **values)

    def warn(self, warnings: Warnings, code: str, template: str, /, **values: object) -> None:
        warnings.add(code, template, self.offset, **values)
