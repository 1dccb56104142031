"""What the engine says of plays, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bot.domain.crossword.play import Play


class By(Enum):
    """What makes a play better than another."""

    EQUITY = "equity"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class RatedPlay:
    """A play with what it is worth."""

    play: Play
    """A placement lists the whole word, with ``THROUGH`` for tiles on the board."""
    score: int
    leave: tuple[int, ...]
    """The tiles that stay on the rack, in ascending order, the blank first."""
    equity: int
    """Score, leave and what else counts, in millipoints."""


@dataclass(frozen=True, slots=True)
class PlayCount:
    """How many plays a position has besides the pass."""

    placements: int
    exchanges: int
    """Distinct sets of tiles that may be exchanged."""
