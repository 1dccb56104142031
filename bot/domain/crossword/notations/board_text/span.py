"""Where a board drawn with characters starts and ends in free text.

A line of column letters from A on and at least :data:`MIN_ROWS` numbered rows below it give it away. What Kibitz
and others write under a board (players, racks, the bag) is taken along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.domain.crossword.notations.board_text.grid import plain_spaces
from bot.domain.reading.detection import Span

MIN_ROWS = 7
_BLOCK_QUOTE = ">>> "
_SEPARATORS = 3
"""Rules and empty lines allowed between two rows."""
_MAX_LINES_BELOW = 24
_MAX_LINE = 300

_HEADER = re.compile(
    r"^[`*> \t|+]{0,12}A[ \t|]{1,4}B[ \t|]{1,4}C[ \t|]{1,4}D[ \t|]{1,4}E\b.*$", re.MULTILINE | re.IGNORECASE
)
_ROW = re.compile(r"[> \t|]{0,8}(?P<number>[0-9]{1,2})[ \t|]")
_RULE = re.compile(r"[> \t|+=_-]*")
_BELOW = re.compile(
    r"[ \t]{0,80}>?[ \t]{0,80}|>?[ \t]*\S.{0,80}[ \t]{2,}-?[0-9]{1,6}([ \t].{0,80})?|[ >]{1,4}[ \t]*-?[0-9]{1,6}([ \t].{0,80})?|(?:> )?[A-Z][A-Za-z -]{1,24}: .{1,200}"
)


def find(text: str) -> Iterator[Span]:
    """Yield each drawn board in a text, from left to right."""
    if text.count("\n") < MIN_ROWS:
        return
    text = plain_spaces(text)
    end = 0
    for header in _HEADER.finditer(text):
        if header.start() < end:
            continue
        found = _end_of_rows(text, header.end())
        if found is not None:
            end = _end_of_lines_below(text, found)
            marks = header[0][: len(header[0]) - len(header[0].lstrip("`*"))]
            start = header.start() + len(marks)
            if text.startswith(_BLOCK_QUOTE, start):
                start += len(_BLOCK_QUOTE)  # Only the first line of a block quote has a mark.
            yield start, start + len(text[start:end].rstrip(f"`{marks}")), "text"


def _lines(text: str, position: int) -> Iterator[tuple[str, int]]:
    """Yield each line after ``position`` with where it ends."""
    while position < len(text):
        start = position + 1
        position = text.find("\n", start)
        if position < 0:
            position = len(text)
        yield text[start:position].rstrip("\r"), position


def _end_of_rows(text: str, position: int) -> int | None:
    """Return where the last row ends, or None when there are too few."""
    rows = apart = 0
    end = position
    for line, line_end in _lines(text, position):
        row = _ROW.match(line)
        if row and int(row["number"]) == rows + 1:
            rows, apart, end = rows + 1, 0, line_end
        elif _RULE.fullmatch(line) and apart < _SEPARATORS:
            apart += 1
        else:
            break
    return end if rows >= MIN_ROWS else None


def _end_of_lines_below(text: str, position: int) -> int:
    end = position
    for count, (line, line_end) in enumerate(_lines(text, position)):
        if count >= _MAX_LINES_BELOW or len(line) > _MAX_LINE or not _BELOW.fullmatch(line):
            break
        if line.strip():
            end = line_end
    return end
