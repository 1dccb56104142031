"""Pieces of a text that know where they stand, so that a problem with one of them names its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.domain.reading.problems import ParseError, RuleError, Warnings, place


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
        """Where it ends."""
        return self.offset + len(self.text)

    @property
    def place(self) -> tuple[int, int]:
        """Its line and column, both from 1."""
        return place(self.whole, self.offset)

    def part(self, start: int, end: int | None = None) -> Piece:
        """Return a piece of the piece."""
        return Piece(self.text[start:end], self.offset + start, self.whole)

    def strip(self, signs: str | None = None) -> Piece:
        """Return it without some signs around it, or without spaces."""
        text = self.text.rstrip(signs)
        return self.part(len(text) - len(text.lstrip(signs)), len(text))

    def split(self, separator: str) -> list[Piece]:
        """Return the pieces between separators."""
        pieces, offset = [], self.offset
        for text in self.text.split(separator):
            pieces.append(Piece(text, offset, self.whole))
            offset += len(text) + len(separator)
        return pieces

    def signs(self) -> list[Piece]:
        """Return its characters, a piece each."""
        return [Piece(sign, offset, self.whole) for offset, sign in enumerate(self.text, self.offset)]

    def malformed(self, code: str, template: str, /, **values: object) -> ParseError:
        """Return the error that this is not what its format says."""
        line, column = self.place
        return ParseError(code, template, line=line, column=column, **values)

    def illegal(self, code: str, template: str, /, **values: object) -> RuleError:
        """Return the error that this is against the rules."""
        line, column = self.place
        return RuleError(code, template, line=line, column=column, **values)

    def warn(self, warnings: Warnings, code: str, template: str, /, **values: object) -> None:
        """Add the warning that something was forgiven here."""
        warnings.add(code, template, self.offset, **values)
