"""A source of an opening book: named sequences of moves, each from the start of a game or from a position."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.chess.game import ChessMove
from bot.domain.chess.position import START, ChessPosition

MAX_NAME = 80

_EDGE = " \t-=*#/_~"


@dataclass(frozen=True, slots=True)
class BookLine:
    """One sequence of moves."""

    moves: tuple[ChessMove, ...]
    name: str = ""
    """What the comment above it, or above the ones before it, calls it; see :func:`sequence_name`."""
    start: ChessPosition = START
    line: int = 1
    """Where it starts in the source, from 1."""
    comment: str = ""
    """What is said before its first move."""


@dataclass(frozen=True, slots=True)
class BookSource:
    """All sequences of a source, in its order."""

    lines: tuple[BookLine, ...]


def sequence_name(text: str) -> str:
    """Return what a comment or a tag calls sequences: without rules drawn around it, and not too long."""
    return " ".join(text.split()).strip(_EDGE)[:MAX_NAME].strip(_EDGE)
