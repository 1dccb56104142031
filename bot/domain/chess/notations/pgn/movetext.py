"""The signs that moves are written with: one tokenizer for games, opening books, solutions and free text.

It never fails and never goes back: what is no sign of movetext is a piece of another kind, up to the next space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from bot.domain.reading.piece import Piece


class Kind(Enum):
    """What a piece of movetext is."""

    NUMBER = "number"
    """A move number, with its dots."""
    MOVE = "move"
    COMMENT = "comment"
    """Between braces, or after a semicolon, or after ``//`` in an opening book; ``open`` is one that never ends."""
    OPEN_COMMENT = "open"
    LINE_COMMENT = "line"
    BOOK_COMMENT = "book"
    NAG = "nag"
    """A number of the table of annotations, or the sign for one: ``$1``, ``!?``."""
    RESULT = "result"
    BEGIN = "begin"
    END = "end"
    TAG = "tag"
    """A line in square brackets."""
    OTHER = "other"


_SAN = (
    r"(?:[PNBRQ]?@[a-h][1-8]|[PNBRQK]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?:=?[NBRQKnbrqk](?![a-z1-8]))?|[a-h]x[1-8](?![\w])|[Oo0]-[Oo0](?:-[Oo0])?|--|Z0)"
    r"(?:[+#]{1,2}|\u2020)?"
)
_TAG_NAME = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]{0,60}"
# A tag is what the standard says; or, from the beginning of a line, what ends with a quote and a bracket at its end or
# before the next tag; or else whatever stands in brackets.
_TOKEN = re.compile(
    rf"""
    (?P<skip>^(?:%[^\r\n]*|>(?:>>)?(?=\s)))
    |(?P<result>(?:1-0|0-1|1/2-1/2|½-½|\*)(?![\w/-]))
    |(?P<number>[0-9]{{1,4}}\s?\.{{1,3}}(?:\s?\.{{2,3}})?|\.{{2,3}}|…)
    |(?P<move>{_SAN})(?=$|[\s!?$(){{}};,.…*|`])
    |(?P<nag>\$[0-9]{{1,3}}|[!?]{{1,2}})
    |(?P<open>\{{[^}}]*(?P<close>\}})?)
    |(?P<line>;[^\r\n]*)
    |(?P<book>//[^\r\n]*)
    |(?P<begin>\()
    |(?P<end>\))
    |(?P<tag>
        \[[^\S\r\n]*{_TAG_NAME}[^\S\r\n]+"(?:\\.|[^"\\\r\n])*"[^\S\r\n]*\]
        |^\[[^\S\r\n]*{_TAG_NAME}[^\S\r\n]+"[^\r\n]*?"[^\S\r\n]*\](?=[^\S\r\n]*(?:$|\r|\[{_TAG_NAME}[^\S\r\n]+"))
        |\[(?:"(?:\\.|[^"\\\r\n])*(?:"|$)|[^\[\]"\r\n]|\[(?!{_TAG_NAME}[^\S\r\n]+"))*\]?
    )
    |(?P<other>[^\s(){{}};|`]+|\S)
    """,
    re.VERBOSE | re.MULTILINE,
)
_GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


@dataclass(frozen=True, slots=True)
class Sign:
    """One piece of movetext."""

    kind: Kind
    token: Piece

    @property
    def text(self) -> str:
        """The piece as it is written."""
        return self.token.text

    @property
    def comment(self) -> str:
        """What a comment says, its lines joined."""
        text = self.text
        if self.kind is Kind.COMMENT:
            text = text[1:-1]
        elif self.kind is Kind.LINE_COMMENT:
            text = text[1:]
        else:
            text = text.removeprefix("//")
        return " ".join(text.split())

    @property
    def nag(self) -> int:
        """The number of an annotation."""
        return _GLYPHS.get(self.text) or int(self.text.removeprefix("$") or 0)


_KINDS = {kind.value: kind for kind in Kind}


def scan(text: str, start: int = 0) -> Iterator[tuple[Kind, int, int]]:
    """Yield kind, start and end of each piece of a text from an offset on, in time linear in its length.

    Lines that PGN keeps for programs (``%``) and the marks of quoted lines are left out.
    """
    for match in _TOKEN.finditer(text, start):
        name = match.lastgroup or "other"
        if name != "skip":
            # The end of a comment is a group within it.
            kind = Kind.COMMENT if name == "close" or (name == "open" and match["close"]) else _KINDS[name]
            yield kind, match.start(), match.end()


def signs(text: str, start: int = 0) -> Iterator[Sign]:
    """Yield the pieces of a text with what they say; see :func:`scan`."""
    for kind, begin, end in scan(text, start):
        yield Sign(kind, Piece(text[begin:end], begin, text))
