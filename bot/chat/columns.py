"""Tables in code blocks, narrow enough that phones do not wrap their lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.domain.crossword.notations.fields import display_width

MAX_WIDTH: Final = 27
"""Maximum length of a line. A phone in portrait orientation (400 pixels wide) wraps longer lines."""

_GAPS: Final = (2, 1)
"""Spaces between columns: the usual number, then the number for a table that is too wide."""

_MIN_LEGIBLE_WIDTH: Final = 10
"""Minimum width, in characters, at which a play can be recognized."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    heading: str
    cells: tuple[str, ...]
    is_left_aligned: bool = False
    is_optional: bool = False
    """Whether the column may be left out if the table is too wide."""
    short_cells: tuple[str, ...] = ()
    """Shorter forms for a table that is too wide. If necessary, they are cut."""
    drop_before_cutting: bool = False
    """Whether to leave out the column rather than cut other cells below :data:`_MIN_LEGIBLE_WIDTH` characters."""

    @property
    def width(self) -> int:
        return max(map(display_width, (self.heading, *self.cells)))


def lay_out(columns: Sequence[Column], max_width: int = MAX_WIDTH) -> str:
    """Lay columns side by side, if possible at most ``max_width`` monospaced characters wide.

    A table that is too wide first loses space between columns, then optional columns from the last to the first. Then
    shorter forms replace cells. Finally, the widest column with shorter forms, or else the first column, is cut to at least
    two characters. If it would become illegible, columns with ``drop_before_cutting`` are left out first.
    """
    visible_columns = [column for column in columns if any(column.cells)]
    while True:
        for gap in _GAPS:
            if _table_width(visible_columns, gap) <= max_width:
                return _format_lines(visible_columns, gap)
        last_optional_column = next(
            (column for column in reversed(visible_columns) if column.is_optional), None
        )
        if last_optional_column is None:
            break
        visible_columns.remove(last_optional_column)
    visible_columns = [
        replace(column, cells=column.short_cells) if column.short_cells else column
        for column in visible_columns
    ]
    gap = _GAPS[-1]
    excess = _table_width(visible_columns, gap) - max_width
    if excess > 0:
        widest_index = max(
            (index for index, column in enumerate(visible_columns) if column.short_cells),
            key=lambda index: visible_columns[index].width,
            default=0,
        )
        widest_column = visible_columns[widest_index]
        remaining_width = max(2, widest_column.width - excess)
        if remaining_width < min(_MIN_LEGIBLE_WIDTH, widest_column.width) and any(
            column.drop_before_cutting for column in visible_columns
        ):
            return lay_out([column for column in columns if not column.drop_before_cutting], max_width)
        visible_columns[widest_index] = replace(
            widest_column,
            heading=truncate_to_width(widest_column.heading, remaining_width),
            cells=tuple(truncate_to_width(cell, remaining_width) for cell in widest_column.cells),
        )
    return _format_lines(visible_columns, gap)


def truncate_to_width(text: str, max_width: int) -> str:
    if display_width(text) <= max_width:
        return text
    while text and display_width(text) > max_width - 1:
        text = text[:-1]
    return text + "…"


def _table_width(columns: Sequence[Column], gap: int) -> int:
    return sum(column.width for column in columns) + gap * (len(columns) - 1)


def _format_lines(columns: Sequence[Column], gap: int) -> str:
    widths = [column.width for column in columns]

    def pad_row(texts: Sequence[str]) -> str:
        cells = []
        for column, text, width in zip(columns, texts, widths, strict=True):
            space = " " * (width - display_width(text))
            cells.append(text + space if column.is_left_aligned else space + text)
        return (" " * gap).join(cells).rstrip()

    rows = zip(*(column.cells for column in columns), strict=True)
    return "\n".join(map(pad_row, ([column.heading for column in columns], *rows)))
