"""The ``board`` param of Turn URLs: row strings of bonus codes, separated by hyphens."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from bot.domain.crossword.layouts import MAX_SIDE, BoardLayout, layout_of_rows
from bot.domain.reading.problems import ParseError

_SYMBOLS = str.maketrans("dtDT", "'\"-=")
_CODES = str.maketrans("'\"-=", "dtDT")
_KNOWN_CODES = frozenset(".dtDT")

DEFAULT_BOARD = (
    "D..d..T......T.-.D...D...t.t..T-..D.....t...t..-d..D...t.....t.-....D.t...D....-.D...t.d.....t.-T...d...d...t.."
    "-...d.t...d.t...-..d...t...t...T-.d.....t.d...D.-....D...d.D....-.d.....d...D..d-..d...d.....D..-T..d.d...D...D."
    "-.T......T..d..D"
)
"""The board when a URL names none: sharewords, game/settings.ts."""

DEFAULT_NAME = "TurnURLDefault"


@lru_cache(maxsize=64)
def read_board(text: str) -> BoardLayout:
    """Read the value of a ``board`` param. The start square is the centre; of an even side, the later middle.

    Raises:
        ParseError: rows of different lengths, an unknown code, no
            squares, or a side over :data:`bot.domain.crossword.layouts.MAX_SIDE`.

    """
    rows = text.split("-")
    width = len(rows[0])
    if len(rows) > MAX_SIDE or not 1 <= width <= MAX_SIDE:
        raise ParseError(
            "board-size",
            "a board has 1 to {limit} rows and columns, not {rows} × {columns}",
            limit=MAX_SIDE,
            rows=len(rows),
            columns=width,
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise ParseError(
                "row-width",
                "row {row} is {width} squares wide, not {columns}",
                row=number,
                width=len(row),
                columns=width,
            )
        if unknown := next((code for code in row if code not in _KNOWN_CODES), None):
            raise ParseError(
                "unknown-square",
                "row {row} has a square {square!r}; there are . d t D and T",
                row=number,
                square=unknown,
            )
    layout = layout_of_rows(tuple(row.translate(_SYMBOLS) for row in rows))
    return replace(layout, name=DEFAULT_NAME) if text == DEFAULT_BOARD else layout


def write_board(layout: BoardLayout) -> str:
    """Write a layout as a ``board`` param; the layout has only squares that :func:`read_board` gives."""
    coded = layout.squares.translate(_CODES)
    starts = range(0, len(coded), layout.columns)
    return "-".join(coded[start : start + layout.columns] for start in starts)
