"""Where a text is clearly meant as a GCG, readable or not: four of five lines of it are lines of a GCG."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.domain.crossword.notations.gcg.span import LINE, Kind, kind_of_line
from bot.domain.reading.detection import Span, is_mostly

_PROVING: Final = 3
"""Lines of a GCG that prove one, an event beyond doubt among them."""


def find(text: str) -> Iterator[Span]:
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
