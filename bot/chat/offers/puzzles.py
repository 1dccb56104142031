"""Controls of puzzles and of the daily."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.moment import Choice
from bot.features.puzzles.wanted import Wanted


@dataclass(frozen=True, slots=True)
class PuzzlePanel:
    """Controls of a puzzle."""

    wanted: Wanted
    is_open: bool = True
    """Whether it can still be answered."""
    has_hint: bool = False
    goes_on: bool = True
    """Whether the next puzzle is offered."""


@dataclass(frozen=True, slots=True)
class MovePanel:
    """Menus to answer a chess puzzle by a move: its piece, then where to."""

    wanted: Wanted
    pieces: tuple[Choice, ...]
    start: str = ""
    """The square or the piece to drop that is chosen; empty for none."""
    moves: tuple[Choice, ...] = ()
    """What the chosen piece can do."""


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
