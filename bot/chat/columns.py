"""Tables in code blocks, narrow enough that phones do not wrap their lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.domain.crossword.notations.fields import display_width

MAX_WIDTH: Final = 27
"""Maximum length of a line of a code block on a card, on a phone held upright (400 pixels)."""

_GAPS: Final = (2, 1)
_ELLIPSIS: Final = "…"
_MIN_LEGIBLE_LENGTH: Final = 10
"""Number of characters that are enough to identify a play."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    head: str
    cells: tuple[str, ...]
    to_the_left: bool = False
    """Whether the cells are aligned to the left; numbers are aligned to the right."""
    optional: bool = False
    """Whether the column is left out if there is no room for it."""
    short: tuple[str, ...] = ()
    """Shorter forms of the cells, for a table that is too wide. Cells that are still too long are cut."""
    spare: bool = False
    """Whether the column is left out before other cells are cut to fewer than :data:`_MIN_LEGIBLE_LENGTH` characters."""

    @property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(map(display_width, (self.head, *self.cells)))


def lay_out(columns: Sequence[Column], max_width: int = MAX_WIDTH) -> str:
    """Lay columns side by side, a line a row, in at most ``max_width`` characters of one width.

    A table that is too wide loses optional columns, the last one first, and then space between columns. Then cells
    take their shorter forms, and the longest cells are cut. A spare column is left out if too little of these cells
    would remain.
    """
    filled = [column for column in columns if any(column.cells)]
    while True:
        for gap in _GAPS:
            if _width(filled, gap) <= max_width:
                return _lines(filled, gap)
        last = next((at for at in range(len(filled) - 1, -1, -1) if filled[at].optional), None)
        if last is None:
            break
        del filled[last]
    filled = [replace(column, cells=column.short) if column.short else column for column in filled]
    gap = _GAPS[-1]
    over = _width(filled, gap) - max_width
    if over > 0:
        widest = max(
            (at for at, column in enumerate(filled) if column.short),
            key=lambda at: filled[at].width,
            default=0,
        )
        room = max(2, filled[widest].width - over)
        if room < min(_MIN_LEGIBLE_LENGTH, filled[widest].width) and any(column.spare for column in filled):
            return lay_out([column for column in columns if not column.spare], max_width)
        cells = tuple(cut(cell, room) for cell in filled[widest].cells)
        filled[widest] = replace(filled[widest], head=cut(filled[widest].head, room), cells=cells)
    return _lines(filled, gap)


def cut(text: str, max_width: int) -> str:
    """Cut a text to at most ``max_width`` characters of one width."""
    if display_width(text) <= max_width:
        return text
    while text and display_width(text) > max_width - 1:
        text = text[:-1]
    return text + _ELLIPSIS


def _width(columns: Sequence[Column], gap: int) -> int:
    return sum(column.width for column in columns) + gap * (len(columns) - 1)


def _lines(columns: Sequence[Column], gap: int) -> str:
    widths = [column.width for column in columns]

    def padded(texts: Iterator[str]) -> str:
        cells = []
        for column, text, width in zip(columns, texts, widths, strict=True):
            space = " " * (width - display_width(text))
            cells.append(text + space if column.to_the_left else space + text)
        return (" " * gap).join(cells).rstrip()

    rows = len(columns[0].cells)
    lines = [padded(column.head for column in columns)]
    lines += [padded(column.cells[row] for column in columns) for row in range(rows)]
    return "\n".join(lines)
