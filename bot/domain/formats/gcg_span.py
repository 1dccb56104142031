"""Where a GCG starts and ends in free text: a block of its lines, pasted in a message or filling a file.

A block needs proof: two ``#player`` lines, one and an event, or two lines that are events beyond doubt. Lines between that are not GCG's
belong to a note; what follows the last of its lines does not belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Carriage returns alone end lines too.
_QUOTE = re.compile(r"(?:>>> |> )(?=[^\S\n]*[`|#>])")
_LINE = re.compile(r"[^\r\n]+")
_PRAGMA = re.compile(r"(?:>>> |> )?[\s`|\ufeff]*#(?:[a-z][a-z0-9-]{1,30})(?=\s|$)", re.IGNORECASE)
_PLAYER = re.compile(r"(?:>>> |> )?[\s`|\ufeff]*#player[1-9]\s+\S", re.IGNORECASE)
_EVENT_LIKE = re.compile(r"(?:>>> |> )?[\s`|]*>[^\s:>][^:]{0,80}:")
_SIGNED = r"[+-]{1,2}\d{1,5}\s+-?\d{1,6}\b"
_EVENT = re.compile(
    r"(?:>>> |> )?[\s`|]*>[^\s:>][^:]{0,80}:\s*"
    r"(?:[^\s()]{0,60}\s+(?:[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})\s+\S{1,120}"
    r"|[^\s()]{0,60}\s*(?:-\S{0,60}|\((?:challenge|time)\)|\([^()\s]{1,60}\)))\s+" + _SIGNED
)


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each GCG in a text, from left to right."""
    if "#player" not in text.lower() and ">" not in text:
        return
    block = _Block()
    for line in _LINE.finditer(text):
        block.add(line)
        if line[0].rstrip().endswith("```"):  # a code block starts or ends
            yield from block.span()
            block = _Block()
    yield from block.span()


class _Block:
    """Lines that may be a GCG, as far as they were read."""

    def __init__(self) -> None:
        self._start = -1
        self._end = -1
        self._players = 0
        self._events = 0

    def add(self, line: re.Match[str]) -> None:
        """Take a line in: it starts the block, goes on with it, or stands between two of its lines."""
        text = line[0]
        event = _EVENT.match(text) is not None
        if not (event or _PRAGMA.match(text) or (self._start >= 0 and _EVENT_LIKE.match(text))):
            return
        if self._start < 0:
            quote = _QUOTE.match(text)
            inner = text[quote.end() :] if quote else text
            self._start = line.end() - len(inner.lstrip(" \t`|\ufeff"))
        self._end = line.start() + len(text.rstrip(" \t`|"))
        self._events += event
        self._players += _PLAYER.match(text) is not None

    def span(self) -> Iterator[tuple[int, int]]:
        """Yield the block's start and end, if it is proved."""
        if self._players + self._events > 1:
            yield self._start, self._end


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be a GCG, though nothing proves it: its first line is a pragma or event."""
    first = _LINE.search(text.lstrip("\ufeff \t\r\n"))
    return first is not None and bool(_EVENT_LIKE.match(first[0]) or _KNOWN_PRAGMA.match(first[0]))


_KNOWN_PRAGMA = re.compile(
    r"#(?:player[1-9]|character-encoding|title|description|id|lexicon|game-type|board-layout|tile-distribution"
    r"|tile-set|tile|rack[1-9]|incomplete|note|style)\b",
    re.IGNORECASE,
)
