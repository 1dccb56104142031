"""Forms in which somebody corrects a position that was read from a picture: what their fields hold, for any shell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.answers.controls import Choice

MAX_ROWS = 1_000
"""Characters of a board's rows in a form."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: a text of one line or more, or something to choose where there are choices."""

    name: str
    label: str
    value: str
    is_long: bool = False
    choices: tuple[Choice, ...] = ()


MAX_NAME = 40
"""Signs of a player's name that are kept of what somebody types."""


def rows_of(text: str) -> list[str]:
    """Return the rows of a board as somebody typed them, without spaces and empty lines; also those of one line."""
    return ["".join(row.split()) for row in text.replace("/", "\n").split("\n") if row.strip()]


def filled_names(filled: Mapping[str, str]) -> tuple[str, ...]:
    """Return what somebody typed the players to be called, a comma between them; none where nobody is named."""
    names = tuple(" ".join(name.split())[:MAX_NAME] for name in filled.get("names", "").split(","))
    return names if any(names) else ()
