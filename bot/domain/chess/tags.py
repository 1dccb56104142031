"""Tags of PGN: a name and a text in quotes, also where the quotes were written badly."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Warnings

_NAME_FORM = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]{0,254}"
_NAME = re.compile(_NAME_FORM)
_TAG = re.compile(rf"\[\s*(?P<name>{_NAME_FORM})\s+\"(?P<value>(?:\\.|[^\"\\\r\n])*)\"\s*\]?")
_MEANT = re.compile(rf"\[\s*(?P<name>{_NAME_FORM})\s+(?P<value>[^\s\]][^\r\n]*)")
_ESCAPED = re.compile(r"\\([\"\\])")
_MARKS = "'`´‘’‚“”„«»‹› "
"""What is written for quotes, and spaces."""
OWN = frozenset({"FEN", "SetUp", "Result"})
"""Tags whose meaning is kept apart from the others."""


class Quotes(Enum):
    """How the text of a tag is quoted."""

    WHOLE = "whole"
    """As the standard has it."""
    ODD = "odd"
    """With further quotes within that are not escaped."""
    OPEN = "open"
    """Without one at the end."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag."""

    name: str
    value: Piece
    """What it says, where it says so; without the signs that escape quotes."""
    quotes: Quotes

    def note(self, warnings: Warnings) -> None:
        """Note what is wrong with its quotes."""
        if self.quotes is Quotes.WHOLE:
            return
        if self.quotes is Quotes.OPEN:
            warnings.add("pgn-quote", "a quote is missing at the end of the tag", self.value.end)
            return
        warnings.add(
            "pgn-quotes",
            "the quotes of the tag {tag} do not match; it is read as {value!r}",
            self.value.offset,
            tag=self.name[:40],
            value=self.value.text[:60],
        )


def is_tag_name(name: str) -> bool:
    """Tell whether a tag may be called so; the start and the result have tags of their own."""
    return _NAME.fullmatch(name) is not None and name not in OWN


def read_tag(line: Piece) -> Tag | None:
    """Read a tag; None when it has no name or no text.

    Quotes within the text that nobody escaped are part of it, up to the last one; a text without any, or with marks of
    another kind, is what stands behind the name.
    """
    match = _TAG.fullmatch(line.text)
    if match is not None:
        return Tag(match["name"], _meant(line.part(*match.span("value"))), Quotes.WHOLE)
    match = _MEANT.match(line.text)
    if match is None:
        return None
    value = line.part(*match.span("value"))
    if value.text[0] != '"':
        return Tag(match["name"], _meant(_without(value, _MARKS)), Quotes.NONE)
    last = value.text.rfind('"')
    if last:
        return Tag(match["name"], _meant(value.part(1, last)), Quotes.ODD)
    return Tag(match["name"], _meant(value.part(1, len(value.text.rstrip(" ]")))), Quotes.OPEN)


def _meant(value: Piece) -> Piece:
    if "\\" not in value.text:
        return value
    return replace(value, text=_ESCAPED.sub(r"\1", value.text))


def _without(value: Piece, marks: str) -> Piece:
    return value.part(0, len(value.text.rstrip(f"] {marks}"))).strip(marks)
