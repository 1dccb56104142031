"""Chess pieces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PieceKind(Enum):
    """The six kinds of chess pieces."""

    KING = "K"
    QUEEN = "Q"
    ROOK = "R"
    BISHOP = "B"
    KNIGHT = "N"
    PAWN = "P"


@dataclass(frozen=True, slots=True)
class Piece:
    """A chess piece."""

    kind: PieceKind
    white: bool
