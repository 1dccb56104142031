"""Pieces of a text with their locations, and the warnings and errors about them.

Every warning and error stores its sentence as a template and values, so that it can be shown in the language of the user. The
template is always the second argument, because the tool for the message catalogues looks for it there.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from typing import Generic, NamedTuple, Self, TypeVar

Value = TypeVar("Value", covariant=True)  # noqa: PLC0105 - clear without a suffix


class Phrase(str):
    """A sentence, or a part of one, that is translated when it is shown. The catalogues contain it.

    As a value of a sentence, it is translated before it is inserted.
    """

    __slots__ = ()


class DomainError(ValueError):
    """An error in a text, a document or a request, with its location in the text.

    ``line`` and ``column`` count from 1, in code points of the text that was read. ``code`` names the kind of
    problem for programs; it does not change with the wording.
    """

    def __init__(self, code: str, template: str, *, line: int = 1, column: int = 1, **values: object) -> None:
        self.code = code
        self.template = template
        self.line = line
        self.column = column
        self.values = values
        self.message = template.format(**values)
        """The sentence in English."""
        super().__init__(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, because errors are sent from one process to another."""
        rebuild = partial(
            type(self), self.code, self.template, line=self.line, column=self.column, **self.values
        )
        return rebuild, ()

    def at(self, line: int, column: int) -> Self:
        """Return the same problem at another location."""
        return type(self)(self.code, self.template, line=line, column=column, **self.values)

    def within(self, line: int, column: int) -> Self:
        """Return the problem with its location in a larger text, which contains the text that was read at a line and column."""
        return self.at(*_within(self, line, column))


class ParseError(DomainError):
    """A text does not follow its format."""


class RuleError(DomainError):
    """A text follows its format, but its contents violate the rules of the game."""


class ConversionError(DomainError):
    """A document cannot be written in the requested notation at all."""


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
        """The sentence in English."""
        return self.template.format(**dict(self.values))

    def at(self, line: int, column: int) -> ReadWarning:
        """Return the same warning at another location."""
        return replace(self, line=line, column=column)

    def within(self, line: int, column: int) -> ReadWarning:
        """Return the warning with its location in a larger text, which contains the text that was read at a line and column."""
        return self.at(*_within(self, line, column))


def _within(problem: DomainError | ReadWarning, line: int, column: int) -> tuple[int, int]:
    """Return the location of a problem in a larger text. Its column changes only if it is on the first line of the inner text."""
    return problem.line + line - 1, problem.column + (column - 1 if problem.line == 1 else 0)


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """The result of a reader: the value, the warnings, and the rule error that ended the reading, if any.

    When ``error`` is set, ``value`` holds everything up to the location of the error.
    """

    value: Value
    warnings: tuple[ReadWarning, ...] = ()
    error: RuleError | None = None


class Warnings:
    """Collects warnings while a text is read, and computes their locations.

    If a code is repeated at the same location, only the first warning is stored. At most ``MAX_WARNINGS`` warnings are stored, because
    a hostile text can have a fault in every character. One more warning then marks where the other faults begin. Warnings about parts
    that were read as separate texts come first. They have a limit of the same size.
    """

    MAX_WARNINGS = 100

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[str, int, int], ReadWarning] = {}
        self._part_warnings: list[ReadWarning] = []
        self._more: ReadWarning | None = None

    def add(self, code: str, template: str, offset: int = 0, **values: object) -> None:
        """Add a warning at ``offset``, in code points from the start of the text."""
        if self._more is not None:
            return
        line, column = location(self._text, offset)
        if (code, line, column) in self._found:
            return
        if len(self._found) == self.MAX_WARNINGS:
            self._more = _more(*self._found.popitem()[0][1:])
        else:
            self._found[code, line, column] = ReadWarning(code, template, line, column, tuple(values.items()))

    def include(self, found: tuple[ReadWarning, ...], offset: int) -> None:
        """Add the warnings of a part of the text. The part starts at ``offset`` and was read as a separate text."""
        start, room = location(self._text, offset), self.MAX_WARNINGS - len(self._part_warnings)
        self._part_warnings += (warning.within(*start) for warning in found[:room])
        if len(found) > room and self._more is None:
            self._more = _more(*start)

    def all(self) -> tuple[ReadWarning, ...]:
        """Return all warnings, in the order in which they were added."""
        return (*self._part_warnings, *self._found.values(), *((self._more,) if self._more else ()))


def _more(line: int, column: int) -> ReadWarning:
    return ReadWarning("more-warnings", "further warnings are not shown", line, column)


def require_length(text: str, limit: int) -> None:
    """Check that a text has at most ``limit`` characters.

    Raises:
        ParseError: with code ``too-long``.

    """
    if len(text) > limit:
        raise ParseError("too-long", "the text is longer than {limit:,} characters", limit=limit)


def location(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of an offset into ``text``, both counted from 1.

    The line breaks of a long text are found only once, because a reader may need thousands of locations in it.
    """
    if len(text) <= _MAX_COUNTED:
        before = text[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")
    ends = _line_ends(text)
    line = bisect_left(ends, offset)
    return line + 1, offset - (ends[line - 1] if line else -1)


_MAX_COUNTED = 2_000
"""Maximum length, in characters, of a text for which counting its line breaks is faster than looking them up."""


@lru_cache(maxsize=4)
def _line_ends(text: str) -> array[int]:
    """Return the offsets of the line breaks of a text.

    The cache has several entries, because threads read texts at the same time, and parts of a text are read as separate texts.
    """
    lengths = (len(line) + 1 for line in text.split("\n")[:-1])
    return array("I", (end - 1 for end in accumulate(lengths)))


class Piece(NamedTuple):
    """A piece of the text ``whole``. ``offset`` counts code points. Its line and column are computed only when needed."""

    text: str
    offset: int
    whole: str

    @classmethod
    def of(cls, text: str) -> Piece:
        """Return a whole text as one piece."""
        return cls(text, 0, text)

    @classmethod
    def matched(cls, match: re.Match[str]) -> Piece:
        """Return the match of a pattern."""
        return cls(match[0], match.start(), match.string)

    @property
    def end(self) -> int:
        """Offset of the end of the piece."""
        return self.offset + len(self.text)

    @property
    def location(self) -> tuple[int, int]:
        """Line and column of the piece, both counted from 1."""
        return location(self.whole, self.offset)

    def part(self, start: int, end: int | None = None) -> Piece:
        """Return a part of the piece."""
        return Piece(self.text[start:end], self.offset + start, self.whole)

    def strip(self, characters: str | None = None) -> Piece:
        """Return the piece without the given characters, or without spaces, at its start and end."""
        text = self.text.rstrip(characters)
        return self.part(len(text) - len(text.lstrip(characters)), len(text))

    def split(self, separator: str) -> list[Piece]:
        """Return the pieces between separators."""
        pieces, offset = [], self.offset
        for text in self.text.split(separator):
            pieces.append(Piece(text, offset, self.whole))
            offset += len(text) + len(separator)
        return pieces

    def characters(self) -> list[Piece]:
        """Return a piece for each character."""
        return [
            Piece(character, offset, self.whole) for offset, character in enumerate(self.text, self.offset)
        ]

    def malformed(self, code: str, template: str, /, **values: object) -> ParseError:
        """Make the error for a piece that does not follow its format."""
        line, column = self.location
        return ParseError(code, template, line=line, column=column, **values)

    def illegal(self, code: str, template: str, /, **values: object) -> RuleError:
        """Make the error for a piece that violates the rules of the game."""
        line, column = self.location
        return RuleError(code, template, line=line, column=column, **values)

    def warn(self, warnings: Warnings, code: str, template: str, /, **values: object) -> None:
        """Add a warning at this piece."""
        warnings.add(code, template, self.offset, **values)
