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


def posted_name(digest: str, index: int) -> str:
    """Return the name of a puzzle of a posted file; no puzzle of a library is called so."""
    return f"{digest}.{index}"


def posted_place(name: str) -> tuple[str, int] | None:
    """Return the digest of the posted file and the place in it that a name tells; None for a puzzle of a library."""
    digest, dot, index = name.partition(".")
    return (digest, int(index)) if dot else None
