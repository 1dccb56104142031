"""Boards drawn with characters: finding the grid in a text and cutting it into cells.

Two kinds are drawn. With spaces between cells and a sign on every square, as Kibitz does; and in columns under their
letters, between bars, with plain squares left blank, as Quackle and macondo do. A block of as many lines as each of
them has signs is taken for a board too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.domain.crossword.layouts import MAX_SIDE
from bot.domain.crossword.play import column_name
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ParseError

_WORD = re.compile(r"\S+")
_RULER = re.compile(r"[\s|+]*[=_—─-]{3}")
_NUMBER = re.compile(r"[|\s]*(?P<number>[0-9]{1,2})(?P<bar> ?[|│])?(?=\s|[|│]|(?<=[|│])|$)")
_LABEL = re.compile(r"[|\s]*[0-9]{1,2}[.:]?[\s|]+")
_UNBROKEN_SPACES = ("\u00a0", "\u2007", "\u202f")


def plain_spaces(text: str) -> str:
    """Put plain spaces for those without a break, which pages and phones put into what is copied; all places stay."""
    for space in _UNBROKEN_SPACES:
        text = text.replace(space, " ")
    return text


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a board, and what else the text holds."""

    rows: tuple[tuple[Piece, ...], ...]
    """What stands on each square; empty where nothing does."""
    after: tuple[Piece, ...]
    """The lines below the board."""
    beside: tuple[Piece, ...] = ()
    """What stands right of the board, line by line."""


def find_grid(lines: list[Piece]) -> Grid:
    """Find the board in a text.

    Raises:
        ParseError: there is none, its rows differ in width, or it is over 50 squares wide or high.

    """
    for index, line in enumerate(lines):
        columns = _header(line.text)
        if columns:
            first = index + 1
            while first < len(lines) and not lines[first].text.strip("|"):
                first += 1
            if first < len(lines) and _RULER.match(lines[first].text):
                first += 1
            if first < len(lines) and _row_number(lines[first].text) == 1:
                return _numbered_grid(lines, index, columns, first)
    grid = _bare_grid(lines)
    if grid is None:
        raise ParseError(
            "no-board",
            "there is no board in the text: a line of column letters and numbered rows under it, or as many rows as "
            "columns",
        )
    return grid


def _header(text: str) -> list[int]:
    """Return where the column letters stand, when a line starts with them."""
    starts: list[int] = []
    for match in _WORD.finditer(text.replace("|", " ")):
        if len(starts) > MAX_SIDE or match[0].upper() != column_name(len(starts)):
            break
        starts.append(match.start())
    return starts


def _row_number(text: str) -> int | None:
    match = _NUMBER.match(text)
    return int(match["number"]) if match else None


def _numbered_grid(lines: list[Piece], header: int, columns: list[int], first: int) -> Grid:
    if len(columns) > MAX_SIDE:
        raise _too_large(lines[header])
    rows: list[tuple[Piece, ...]] = []
    width = columns[1] - columns[0] if len(columns) > 1 else 2
    right = columns[-1] + width
    beside = [line.part(right) for line in lines[header:first]]
    index = first
    while (
        index < len(lines)
        and (match := _NUMBER.match(lines[index].text))
        and int(match["number"]) == len(rows) + 1
    ):
        line = lines[index]
        if len(rows) == MAX_SIDE:
            raise _too_large(line)
        if match["bar"]:
            rows.append(_cells_in_columns(line, columns, right))
            beside.append(line.part(right).strip("|│"))
        else:
            rows.append(_cells_in_words(line, match.end(), len(columns), len(rows) + 1))
        index += 1
    return Grid(tuple(rows), tuple(lines[index:]), tuple(beside))


def _too_large(line: Piece) -> ParseError:
    return line.malformed("board-size", "a board has at most {limit} rows and columns", limit=MAX_SIDE)


def _cells_in_columns(line: Piece, columns: list[int], right: int) -> tuple[Piece, ...]:
    ends = (*columns[1:], right)
    return tuple(line.part(start, end).strip(" |│") for start, end in zip(columns, ends, strict=True))


def _cells_in_words(line: Piece, start: int, columns: int, number: int) -> tuple[Piece, ...]:
    words = list(_WORD.finditer(line.text, start))
    if len(words) == columns + 1 and words[-1][0] == str(number):
        words.pop()
    if len(words) != columns:
        raise line.part(start).malformed(
            "row-width",
            "row {row} is {width} squares wide, not {columns}",
            row=number,
            width=len(words),
            columns=columns,
        )
    return tuple(line.part(*word.span()) for word in words)


def _bare_grid(lines: list[Piece]) -> Grid | None:
    """Return the first block of n lines with n signs each, row numbers and bars around them left out."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].text.strip(" |"):
            end += 1
        if 1 < end - start <= MAX_SIDE:
            for cut in (_words, _signs):
                rows = tuple(cut(line) for line in lines[start:end])
                if all(len(row) == len(rows) for row in rows):
                    return Grid(rows, tuple(lines[end:]))
        start = max(end, start + 1)
    return None


def _content(line: Piece) -> Piece:
    """Return a line without row number and bars."""
    label = _LABEL.match(line.text)
    start = label.end() if label else len(line.text) - len(line.text.lstrip(" |"))
    return line.part(start, len(line.text.rstrip(" |")))


def _words(line: Piece) -> tuple[Piece, ...]:
    content = _content(line)
    return tuple(content.part(*word.span()) for word in _WORD.finditer(content.text))


def _signs(line: Piece) -> tuple[Piece, ...]:
    return tuple(sign.strip() for sign in _content(line).signs())
