"""Where a puzzle file starts and ends in free text: lines tagged ``[D]`` or ``[S]`` with FENs among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.domain.reading.detection import Span

_LINE = re.compile(r"[^\r\n]+")
_QUOTED = re.compile(r"(?:>>> |> )?[ \t\ufeff]{0,40}")
_TAGGED = re.compile(r"\[[DSds]\]")
_FEN = re.compile(r"(?:\[FEN\s{1,4}\")?(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}\s{1,4}[wb]\b")
_COMMENT = re.compile(r"//|#")
MAX_STRANGE = 100
"""Characters of a line that means nothing and still does not end the file, if the file goes on behind it."""


def find(text: str) -> Iterator[Span]:
    """Yield each puzzle file in a text, from left to right."""
    if not any(tag in text for tag in ("[D]", "[S]", "[d]", "[s]")):
        return
    block = _Block()
    for line in _LINE.finditer(text):
        if not block.take(line):
            yield from block.span()
            block = _Block()
            block.take(line)
    yield from block.span()


class _Block:
    """Lines that may be a puzzle file, as far as they were read."""

    def __init__(self) -> None:
        self._start = -1
        self._end = -1
        self._tags = 0
        self._positions = 0
        self._strange = 0

    def take(self, line: re.Match[str]) -> bool:
        """Take a line in; tell whether it can belong to the block."""
        text = line[0]
        mark = _QUOTED.match(text)
        inner = mark.end() if mark else 0
        tagged, position = _TAGGED.match(text, inner), _FEN.match(text, inner)
        if tagged or position:
            self._tags += tagged is not None
            self._positions += position is not None
            self._strange = 0
        elif not text[inner:].strip():
            return True
        elif not _COMMENT.match(text, inner):
            self._strange += 1
            return self._start >= 0 and self._strange == 1 and len(text) <= MAX_STRANGE and "```" not in text
        if self._start < 0:
            self._start = line.start() + inner
        self._end = line.start() + len(text.rstrip(" \t`|"))
        return True

    def span(self) -> Iterator[Span]:
        """Yield the block, if it is proved."""
        if self._tags and self._positions:
            yield self._start, self._end, "puzzles"


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be a puzzle file: its first line that is no comment is tagged."""
    for line in _LINE.finditer(text[:20_000]):
        stripped = line[0].strip(" \t\ufeff`")
        if stripped and not _COMMENT.match(stripped):
            return _TAGGED.match(stripped) is not None
    return False
