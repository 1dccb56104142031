"""Controls of puzzles and of the daily."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PuzzlePanel:
    """Controls of a puzzle."""

    game: str
    name: str
    """The puzzle's id, or where it stands in a posted file."""
    is_open: bool = True
    """Whether it can still be answered."""
    has_hint: bool = False
    goes_on: bool = True
    """Whether the next puzzle is offered."""


@dataclass(frozen=True, slots=True)
class DailyPanel:
    """Controls under the daily of a server."""

    game: str
    number: int
    name: str
    """The puzzle's id, or where it stands in a posted file."""
    is_open: bool = True
    """Whether it can still be answered."""


@dataclass(frozen=True, slots=True)
class DailyOffer:
    """Offers whoever solved a daily to tell of it, and to be named for it."""

    game: str
    number: int
