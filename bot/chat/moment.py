"""The values that controls refer to: moments of stored games, and entries of menus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a stored game, seen from a side; small enough for a button's id."""

    digest: str
    turn: int
    """Number of turns taken."""
    side: int | None = None
    """The seat whose side it is; None for the whole table."""
    spoiler: bool = False
    """Whether picture and text are spoilers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list to choose from."""

    value: str
    label: str
    detail: str = ""
    emoji: str = ""
