"""What is kept of a posted file of puzzles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bot.domain.reading.problems import DomainError
from bot.features.puzzles.wanted import Kind

MAX_PUZZLES = 1_000
"""Puzzles read from a file."""
MAX_LEFT_OUT = 1_000
"""Lines or games of a file that are no puzzles; no further one is looked at."""
MAX_FAULTS = 3
"""Of those, so many are named."""


class Form(StrEnum):
    """What a row of a sheet is."""

    CROSSWORD = "crossword"
    """A line that ``puzzles make`` wrote."""
    LICHESS = "lichess"
    """A row of lichess' data set."""
    POSITIONS = "positions"
    """A position of chess with its solution, out of an EPD or a PGN."""

    @property
    def kind(self) -> Kind:
        """The game."""
        return Kind.CROSSWORD if self is Form.CROSSWORD else Kind.CHESS


Row: TypeAlias = str | DomainError
"""A puzzle as JSON on one line, or why there is none; the error has its place in the file."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The puzzles of a posted file."""

    form: Form
    rows: tuple[str, ...]
    """Each puzzle as JSON on one line; all have been read."""
    faults: tuple[DomainError, ...] = ()
    """Why others are left out, with their places: the first few."""
    left_out: int = 0
    """How many are."""
    ends_early: bool = False
    """Whether what follows the last puzzle was not looked at, for there is too much."""
    spoiler: bool = False

    def write(self) -> str:
        """Write what is to be kept: the form, then a row on each line."""
        return "\n".join((self.form, *self.rows))
