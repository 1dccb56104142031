"""What stands beside a board: players and sections, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from render.scene.pieces import Piece
from render.scene.squares import TileFace


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player in the panel."""

    name: str
    score: str
    """The score as text, such as ``335`` or ``-10``; empty when unknown."""
    to_move: bool = False
    note: str = ""
    """A short text beside the score: ``to move``, a clock, ``won``."""
    rack: tuple[TileFace, ...] | None = None
    """The tiles shown for this player; None when the rack is unknown or hidden."""
    rack_note: str = ""
    """Shown in the rack's place, or after a partial rack: ``rack hidden``, ``+3 unknown``."""
    taken: tuple[Piece, ...] = ()
    """The chess pieces this player has captured, for a player without a rack; the note stands after them, too."""
    in_hand: bool = False
    """Whether they may be put on the board again, and are larger: they are a part of the position."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled block of the panel: unbreakable words, wrapped to the panel's width."""

    title: str
    words: tuple[str, ...]
    strong: bool = True
    """Whether the words are set in the panel's main ink (True) or its quiet one (False)."""


class Layout(Enum):
    """Where the panel stands."""

    WIDE = "wide"
    """Panel to the right of the board: for screens wider than tall."""
    TALL = "tall"
    """Scores above the board, racks and the rest below it: for telephones."""
    BOARD = "board"
    """No panel."""
