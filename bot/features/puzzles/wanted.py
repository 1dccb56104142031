"""What puzzle somebody wants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The game of a puzzle."""

    CROSSWORD = "crossword"
    CHESS = "chess"


class Level(StrEnum):
    """How hard a puzzle is, beside somebody's rating."""

    EASY = "easy"
    USUAL = "usual"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which puzzle it is, and how it was asked for: what follows it is asked for in the same way."""

    kind: Kind
    name: str = ""
    """The puzzle's id, or where it stands in a posted file; empty where none is chosen yet."""
    theme: str = ""
    """What it shall be about; empty for anything."""
    level: Level = Level.USUAL
