"""Where a GCG starts and ends in free text: a block of its lines, pasted in a message or filling a file.

A block needs proof: two ``#player`` lines, one and an event, or two lines that are events beyond doubt. Lines between that are not GCG's
belong to a note, as do those right after it at the end; what follows an empty line there does not belong to the block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from bot.domain.reading.notation import Span, is_mostly

# Carriage returns alone end lines too.
_QUOTE = re.compile(r"(?:>>> |> )(?=[^\S\n]*[`|#>])")
LINE = re.compile(r"[^\r\n]+")
_AROUND = " \t`|\ufeff\u200b"
_BEFORE = r"(?:>>> |> )?[\s`|\ufeff\u200b]*+"
_PRAGMA = re.compile(rf"{_BEFORE}#(?P<keyword>[a-z][a-z0-9-]{{1,30}})(?=\s|$)", re.IGNORECASE)
_PLAYER = re.compile(rf"{_BEFORE}#player[1-9]\s+\S", re.IGNORECASE)
_REMARK = re.compile(r"note|comment|rack[1-9]|incomplete", re.IGNORECASE)
_GOES_ON = re.compile(rf"{_BEFORE}#(?:note|comment)(?=\s|$)", re.IGNORECASE)
_NAMED = r"(?:>>> |> )?[\s`|]*+>[^\s:>][^:]{0,80}+:"
_EVENT_LIKE = re.compile(_NAMED)
_SIGNED = r"[+-]{1,2}+\d{1,5}\s++-?\d{1,6}\b"
_EVENT = re.compile(
    rf"{_NAMED}\s*+"
    r"(?:(?:(?<=\s)|[^\s()]{1,60}+\s++)(?:[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})\s++\S{1,120}+"
    r"|[^\s()]{0,60}\s*+(?:-\S{0,60}+|\((?:challenge|time)\)|\([^()\s]{1,60}+\)))\s++" + _SIGNED
)


class Kind(Enum):
    """What a line may be in a GCG."""

    EVENT = "event"
    PLAYER = "player"
    SETTING = "setting"
    """Another pragma that belongs before the first event."""
    OTHER = "other"
    """A remark, a rack, or a line that is an event only if it stands in a GCG."""


def kind_of_line(line: str) -> Kind | None:
    """Tell what a line may be in a GCG; None when it is none of its lines."""
    if "#" in line and (pragma := _PRAGMA.match(line)):
        if _PLAYER.match(line):
            return Kind.PLAYER
        return Kind.OTHER if _REMARK.fullmatch(pragma["keyword"]) else Kind.SETTING
    if ">" not in line:
        return None
    if _EVENT.match(line):
        return Kind.EVENT
    return Kind.OTHER if _EVENT_LIKE.match(line) else None


def find(text: str) -> Iterable[Span]:
    """Return each GCG in a text, from left to right."""
    return _find(text) if ">" in text or ("#" in text and "#player" in text.lower()) else ()


def _find(text: str) -> Iterator[Span]:
    block, following = _Block(), _Block()
    remark: re.Match[str] | None = None
    for line in LINE.finditer(text):
        kind = kind_of_line(line[0])
        remark = _remark(text, line, kind, remark)
        if block.has_game and kind in {Kind.PLAYER, Kind.SETTING}:
            # Settings after events are another game's, if they name players.
            following.add(line, kind)
            if kind is Kind.PLAYER:
                yield from block.span()
                block, following = following, _Block()
        elif kind is not None:
            block.add(line, kind)
            following = _Block()
        elif remark is not None:
            (following if following.is_started else block).go_on(line)
        if line[0].rstrip().endswith("```"):  # a code block starts or ends
            yield from block.span(following)
            block, following, remark = _Block(), _Block(), None
    yield from block.span(following)


def _remark(
    text: str, line: re.Match[str], kind: Kind | None, before: re.Match[str] | None
) -> re.Match[str] | None:
    """Return the last line of the note or comment that this line starts or goes on with, itself, or None."""
    if kind is not None:
        # Tags after a note ("#findingsad") go on with it, as every pragma does that nobody knows.
        goes_on = before is not None and kind is Kind.SETTING and not _KNOWN_PRAGMA.match(line[0].lstrip())
        return line if goes_on or _GOES_ON.match(line[0]) else None
    if before is None or not line[0].strip(_AROUND):
        return None
    between = text[before.end() : line.start()]
    same_quote = before[0].startswith("> ") == line[0].startswith("> ")
    is_next = max(between.count("\n"), between.count("\r")) == 1
    return line if is_next and same_quote else None


class _Block:
    """Lines that may be a GCG, as far as they were read."""

    def __init__(self) -> None:
        self._start = -1
        self.end = -1
        self._players = 0
        self._events = 0

    @property
    def has_game(self) -> bool:
        """Whether there are players and what they did."""
        return self._players > 1 and self._events > 0

    def add(self, line: re.Match[str], kind: Kind) -> None:
        """Take a line in: it starts the block or goes on with it."""
        text = line[0]
        if self._start < 0:
            if kind is Kind.OTHER and not _PRAGMA.match(text):
                return
            quote = _QUOTE.match(text)
            inner = text[quote.end() :] if quote else text
            self._start = line.end() - len(inner.lstrip(_AROUND))
        self.end = line.start() + len(text.rstrip(" \t`|"))
        self._events += kind is Kind.EVENT
        self._players += kind is Kind.PLAYER

    @property
    def is_started(self) -> bool:
        """Whether a line was taken in."""
        return self._start >= 0

    def go_on(self, line: re.Match[str]) -> None:
        """Take in a line that goes on with a note or comment."""
        if self.is_started:
            self.end = line.start() + len(line[0].rstrip(" \t`|"))

    def span(self, late: _Block | None = None) -> Iterator[Span]:
        """Yield the block, with the settings that stand ``late`` in it, if it is proved."""
        if self._players + self._events > 1:
            yield self._start, max(self.end, late.end if late else -1), "gcg"


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be a GCG, though nothing proves it: its first line is a pragma or event."""
    first = LINE.search(text.lstrip("\ufeff \t\r\n"))
    return first is not None and bool(_EVENT_LIKE.match(first[0]) or _KNOWN_PRAGMA.match(first[0]))


_KNOWN_PRAGMA = re.compile(
    r"#(?:player[1-9]|character-encoding|title|description|id|lexicon|game-type|board-layout|tile-distribution"
    r"|tile-set|tile|rack[1-9]|incomplete|note|comment|game-board|htarget|ltarget|orientation|style)\b",
    re.IGNORECASE,
)


# Where a text is clearly meant as a GCG, readable or not: four of five lines of it are lines of a GCG.

_PROVING: Final = 3
"""Lines of a GCG that prove one, an event beyond doubt among them."""


def find_nearly(text: str) -> Iterator[Span]:
    """Yield the part of a text that is clearly meant as a GCG: from its first line to its last."""
    lines = [
        (line.start(), line.end(), kind_of_line(line[0])) for line in LINE.finditer(text) if line[0].strip()
    ]
    ours = [place for place, (_, _, kind) in enumerate(lines) if kind is not None]
    if len(ours) < _PROVING or not any(kind is Kind.EVENT for _, _, kind in lines):
        return
    first, last = ours[0], ours[-1]
    if is_mostly(len(ours), last - first + 1):
        yield lines[first][0], lines[last][1], "gcg"
