"""What controls are about: moments of stored games, and the entries of lists."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """What a viewer shows: a moment of a stored game, seen from a side. Small enough for a button's id."""

    digest: str
    turn: int
    """How many turns have been taken."""
    side: int | None = None
    """The seat whose side it is; None for the whole table."""
    spoiler: bool = False
    """Whether picture and text are hidden until they are clicked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list to choose from."""

    value: str
    label: str
    detail: str = ""
    emoji: str = ""
