"""Forms in which somebody corrects a position that was read from a picture: what their fields hold, for any shell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.chat.control import Field
from bot.chat.markdown import one_line

MAX_ROWS = 1_000
"""Characters of a board's rows in a form."""
MAX_NAME = 40
"""Characters of a player's name in a form."""
MAX_LINE = 2 * MAX_NAME + len(", ")
"""Characters of a field of one line: two names fit in, and every rack of a game, but not a rack of all tiles."""


def rows_field(label: str, rows: str) -> Field:
    """Return the field of a board's rows."""
    return Field("rows", label, rows, is_long=True, max_length=MAX_ROWS)


def line_field(name: str, label: str, value: str) -> Field:
    """Return a field of one line, which may be left empty."""
    return Field(name, label, value, max_length=MAX_LINE, required=False)


def rows_of(text: str) -> list[str]:
    """Return the rows of a board as somebody typed them, without spaces and empty lines; also those of one line."""
    return ["".join(row.split()) for row in text.replace("/", "\n").split("\n") if row.strip()]


def names_text(names: Sequence[str]) -> str:
    """Return the names of two players as a form shows them; empty where nobody is named."""
    return ", ".join(one_line(name, MAX_NAME) for name in names) if any(names) else ""


def filled_names(filled: Mapping[str, str]) -> tuple[str, ...]:
    """Return the two names that somebody typed, each on one line and bounded; none where nobody is named.

    Only the first comma separates them, so that nothing that was typed is lost: where there is none, one player is named.
    """
    first, _, second = filled.get("names", "").partition(",")
    names = tuple(" ".join(one_line(name.strip(), MAX_NAME).split()) for name in (first, second))
    return names if any(names) else ()
