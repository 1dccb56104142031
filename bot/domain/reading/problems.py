"""Pieces of a text that know where they stand, and what can be wrong with them: warnings and errors with a location.

Every problem keeps its sentence as a template with its values, so that it can be shown in the reader's language. The template
is always the second argument, where the message catalogues look for it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from typing import Generic, NamedTuple, Self, TypeVar

Value = TypeVar("Value", covariant=True)  # noqa: PLC0105 - the one name is clear


class Phrase(str):
    """A sentence, or a piece of one, that is kept to be said later: catalogues hold it, a speaker translates it.

    Among the values of a sentence it is translated before it takes its place there.
    """

    __slots__ = ()


class DomainError(ValueError):
    """Something the domain refuses.

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
        """Return what makes it again: errors cross from one process to another."""
        rebuild = partial(
            type(self), self.code, self.template, line=self.line, column=self.column, **self.values
        )
        return rebuild, ()

    def at(self, line: int, column: int) -> Self:
        """Return the same problem at another location."""
        return type(self)(self.code, self.template, line=line, column=column, **self.values)

    def within(self, line: int, column: int) -> Self:
        """Return the problem with its location in a larger text, in which the text that was read starts at a location."""
        return self.at(*_within(self, line, column))


class ParseError(DomainError):
    """A text is not what its format says."""


class RuleError(DomainError):
    """A text is well formed, but what it says is against the rules of the game."""


class ConversionError(DomainError):
    """A document cannot be written in the wanted notation at all."""


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """Something a reader forgave. Fields as in :class:`DomainError`."""

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
        """Return the warning with its location in a larger text, in which the text that was read starts at a location."""
        return self.at(*_within(self, line, column))


def _within(problem: DomainError | ReadWarning, line: int, column: int) -> tuple[int, int]:
    """Return where a problem is in a larger text: only its first line starts elsewhere than at the margin."""
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
    """Collects warnings while a text is read, and knows where an offset of that text lies.

    The same code at the same location is stored once. At most ``MAX_KEPT`` warnings are stored, since a hostile text can hold
    a fault per character; the last one then says that there are more. Warnings of parts that were read as separate texts come
    first, and have the same limit.
    """

    MAX_KEPT = 100

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[str, int, int], ReadWarning] = {}
        self._of_parts: list[ReadWarning] = []
        self._more: ReadWarning | None = None

    def add(self, code: str, template: str, offset: int = 0, **values: object) -> None:
        """Note a forgiven fault at ``offset`` (code points from the start of the text)."""
        if self._more is not None:
            return
        line, column = location(self._text, offset)
        if (code, line, column) in self._found:
            return
        if len(self._found) == self.MAX_KEPT:
            self._more = _more(*self._found.popitem()[0][1:])
        else:
            self._found[code, line, column] = ReadWarning(code, template, line, column, tuple(values.items()))

    def include(self, found: tuple[ReadWarning, ...], offset: int) -> None:
        """Add the warnings of a part of the text that starts at ``offset`` and was read as a text of its own."""
        start, room = location(self._text, offset), self.MAX_KEPT - len(self._of_parts)
        self._of_parts += (warning.within(*start) for warning in found[:room])
        if len(found) > room and self._more is None:
            self._more = _more(*start)

    def all(self) -> tuple[ReadWarning, ...]:
        """Return what was collected, in the order it was found."""
        return (*self._of_parts, *self._found.values(), *((self._more,) if self._more else ()))


def _more(line: int, column: int) -> ReadWarning:
    return ReadWarning("more-warnings", "there are more warnings from here on", line, column)


def require_length(text: str, limit: int) -> None:
    """Refuse a text of over ``limit`` characters before anything is done with it.

    Raises:
        ParseError: with code ``too-long``.

    """
    if len(text) > limit:
        raise ParseError("too-long", "the text is longer than {limit:,} characters", limit=limit)


def location(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column, both from 1, of an offset into ``text``.

    A long text is searched for its lines once: a reader may ask for thousands of locations in it.
    """
    if len(text) <= _MAX_COUNTED:
        before = text[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")
    ends = _line_ends(text)
    line = bisect_left(ends, offset)
    return line + 1, offset - (ends[line - 1] if line else -1)


_MAX_COUNTED = 2_000
"""Maximum length of a text whose lines are counted faster than they are looked up, in characters."""


@lru_cache(maxsize=4)
def _line_ends(text: str) -> array[int]:
    """Return the offsets of the line feeds of a text. Several threads read at once, and parts are read as texts of their own."""
    lengths = (len(line) + 1 for line in text.split("\n")[:-1])
    return array("I", (end - 1 for end in accumulate(lengths)))


class Piece(NamedTuple):
    """A piece of ``whole`` that starts at ``offset`` code points. Its line and column are counted when they are asked for."""

    text: str
    offset: int
    whole: str

    @classmethod
    def of(cls, text: str) -> Piece:
        """Return a whole text as one piece."""
        return cls(text, 0, text)

    @classmethod
    def matched(cls, match: re.Match[str], group: str | int = 0) -> Piece:
        """Return what a pattern, or a group of it that took part, found in a text."""
        return cls(match[group], match.start(group), match.string)

    @property
    def end(self) -> int:
        """End of the part."""
        return self.offset + len(self.text)

    @property
    def location(self) -> tuple[int, int]:
        """Line and column of the part, both from 1."""
        return location(self.whole, self.offset)

    def part(self, start: int, end: int | None = None) -> Piece:
        """Return a piece of the piece."""
        return Piece(self.text[start:end], self.offset + start, self.whole)

    def strip(self, characters: str | None = None) -> Piece:
        """Return it without some characters around it, or without spaces."""
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
        """Return its characters, a piece each."""
        return [
            Piece(character, offset, self.whole) for offset, character in enumerate(self.text, self.offset)
        ]

    def malformed(self, code: str, template: str, /, **values: object) -> ParseError:
        """Return the error that this is not what its format says."""
        line, column = self.location
        return ParseError(code, template, line=line, column=column, **values)

    def illegal(self, code: str, template: str, /, **values: object) -> RuleError:
        """Return the error that this is against the rules."""
        line, column = self.location
        return RuleError(code, template, line=line, column=column, **values)

    def warn(self, warnings: Warnings, code: str, template: str, /, **values: object) -> None:
        """Add the warning that something was forgiven here."""
        warnings.add(code, template, self.offset, **values)
