"""Where a record of the ASCII draft of CGP starts and ends in free text.

Its rows are separated by bars and its empty squares are tildes: a chat writes spoilers between two bars, tables
with bars, and strikes words out with two tildes. What gives a record away is that it has as many rows as each of
them has squares. No row is empty, so two bars in a row end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.domain.crossword.layouts import MAX_SIDE
from bot.domain.crossword.notations.cgp.opcodes import MAX_OPCODES
from bot.domain.crossword.notations.cgp_ascii.opcodes import known_name
from bot.domain.reading.detection import Span

MIN_ROWS = 7
"""Fewer rows than this are not looked at in free text."""

_RUN = re.compile(r"[!-z|~]+")
_SINGLE_BARS = re.compile(r"[^|\s]++(?:\|[^|\s]++)*+")
_ROW = re.compile(r"(?:~~[!-R]|~(?!~)|[!-JQ-z])+")
_SQUARES = re.compile(r"~~([!-R])|[!-z~]")
# What people put around a notation: quotes, brackets, marks of code, emphasis, and the end of a sentence.
_CLOSING = re.compile(r"[`'\"*_)>\].,;:!?|]*")
_OPENING = 4
_MARKS = frozenset("`*_\"'")
_RACKS = re.compile(r"[^\S\n]{1,20}(?P<field>[!-J|~]{1,400})(?=\s)")
_SCORES = re.compile(r"[^\S\n]{1,20}(?P<field>-?\d{1,6}(?:\|-?\d{1,6})*)(?=\s)")
_TURNS = re.compile(r"[^\S\n]{1,20}(?P<field>\d{1,3})(?![\w])")
_NAME = re.compile(r"(?:[^\S\n]{1,20}|[^\S\n]{0,20}\|[^\S\n]{0,20})(?P<name>[a-z][a-z0-9]{1,4})(?![\w])")
_OPERAND = re.compile(r"[^\S\n]{1,20}\w[\w./+-]{0,60}(?<![./+-])")
_LAST_PLAY = re.compile(
    r"[^\S\n]{1,20}(?:pass\b|exchange[^\S\n]{1,20}[!-J~]{1,60}|[0-9A-Za-z]{2,4}[^\S\n]{1,20}[!-JQ-z~]{1,60})"
)


def find(text: str) -> Iterator[Span]:
    """Yield each part of a text that looks like a record, from left to right."""
    if text.count("|") < MIN_ROWS - 1:
        return
    end = 0
    for match in _RUN.finditer(text):
        if match[0].count("|") < MIN_ROWS - 1:
            continue
        for start, stop in _between_double_bars(text, max(match.start(), end), match.end()):
            board = _board(text, start, stop) if start >= end else None
            if board is not None:
                end = _end_of_fields(text, *board)
                yield board[0], end, "cgp-ascii"


def _between_double_bars(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a stretch that hold no two bars in a row and do not start or end with one."""
    for match in _SINGLE_BARS.finditer(text, start, end):
        if match[0].count("|") >= MIN_ROWS - 1 and "~" in match[0]:
            yield match.span()


def _board(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return start and end of the board in a stretch of rows, without what people put around it."""
    rows = text[start:end].split("|")
    side = len(rows)
    if side > MAX_SIDE or any(_width(row) != side for row in rows[1:-1]):
        return None
    skipped = next((skip for skip in range(_OPENING + 1) if _width(rows[0][skip:]) == side), None)
    last = _prefix_of_width(rows[-1], side)
    if skipped is None or last is None or not _CLOSING.fullmatch(rows[-1], last):
        return None
    return start + skipped, end - len(rows[-1]) + last


def _width(row: str) -> int:
    """Return how many squares a row has, 0 when it is none."""
    return sum(_length(match) for match in _SQUARES.finditer(row)) if _ROW.fullmatch(row) else 0


def _prefix_of_width(row: str, width: int) -> int | None:
    """Return the length of the part of a row that has so many squares."""
    squares = 0
    for match in _SQUARES.finditer(row):
        squares += _length(match)
        if squares >= width:
            return match.end() if squares == width and _ROW.fullmatch(row, 0, match.end()) else None
    return None


def _length(match: re.Match[str]) -> int:
    return ord(match[1]) - 32 if match[1] else 1


def _end_of_fields(text: str, board_start: int, board_end: int) -> int:
    end = board_end
    for field in (_RACKS, _SCORES):
        match = field.match(text, end)
        if match is None:
            return board_end
        end = match.end()
    turns = _TURNS.match(text, end)
    if turns is None:
        return board_end
    end = turns.end()
    for _ in range(MAX_OPCODES + 1):
        name = _NAME.match(text, end)
        if name is None or not known_name(name["name"]):
            break
        operand = (_LAST_PLAY if name["name"] == "lm" else _OPERAND).match(text, name.end())
        if operand is None and name["name"] != "oru":
            break
        end = operand.end() if operand else name.end()
    return _without_closing_marks(text, board_start, end)


def _without_closing_marks(text: str, start: int, end: int) -> int:
    """Return the end without the marks of code or emphasis that stand before the start too: some are signs of tiles."""
    marks = 0
    while marks < _OPENING and text[start - marks - 1 : start - marks] in _MARKS:
        marks += 1
    return end - marks if marks and text[end - marks : end] == text[start - marks : start][::-1] else end
