"""Pieces of a text that know where they stand, so that what is wrong with them can be told with its place."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.reading.problems import ParseError, RuleError, place


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of ``whole`` that starts at ``offset`` code points."""

    text: str
    offset: int
    whole: str

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.offset + len(self.text)

    def part(self, start: int, end: int) -> Token:
        """Return a piece of the piece."""
        return Token(self.text[start:end], self.offset + start, self.whole)

    def malformed(self, code: str, template: str, /, **values: object) -> ParseError:
        """Return the error that this is not what its format says."""
        line, column = place(self.whole, self.offset)
        return ParseError(code, template, line=line, column=column, **values)

    def illegal(self, code: str, template: str, /, **values: object) -> RuleError:
        """Return the error that this is against the rules."""
        line, column = place(self.whole, self.offset)
        return RuleError(code, template, line=line, column=column, **values)
