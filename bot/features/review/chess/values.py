"""What a review says of a chess game, as plain values.

Turns count as the viewer does: turn n is the n-th half-move, from 1. ``W`` is how likely winning is, from 0 to 100.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Judgement(StrEnum):
    """What lichess calls a move that loses 5, 10 or 15 points of W, or a forced mate."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


class ChessPhase(StrEnum):
    """The part of the game a move is in, by the pieces on the board."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a position is worth for White: hundredths of a pawn, or moves until mate."""

    centipawns: int | None = None
    mate: int | None = None
    """Above zero White mates, below zero Black does; 0 when somebody is mated, whom ``centipawns`` tells: ±1000."""

    def __str__(self) -> str:
        if self.mate is not None:
            return f"#{self.mate}" if self.mate else "#"
        return f"{(self.centipawns or 0) / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A half-move."""

    turn: int
    white: bool
    san: str
    phase: ChessPhase
    before: Evaluation | None
    """None when it is not known."""
    after: Evaluation | None
    win_before: float | None = None
    """W of the player before the move."""
    win_after: float | None = None
    lost: float = 0.0
    """Points of W that the move lost, never below 0."""
    centipawns_lost: int = 0
    accuracy: float | None = None
    """None when it is not judged."""
    judgement: Judgement | None = None
    """None for a move that loses little, and for one that is not judged."""
    best: str = ""
    """The engine's move; empty without an engine."""
    only: bool = False
    """Whether every other move would have lost at least ten points of W."""
    clock: int | None = None
    """Milliseconds that were left after the move."""
    spent: int | None = None
    """Milliseconds that the move took, without what was added for it."""

    @property
    def judged(self) -> bool:
        """Whether the worth before and after is known."""
        return self.accuracy is not None


@dataclass(frozen=True, slots=True)
class PhaseReview:
    """A player's moves in a part of the game."""

    phase: ChessPhase
    moves: int
    accuracy: float


@dataclass(frozen=True, slots=True)
class ChessPlayerReview:
    """A player's moves together."""

    name: str
    turns: int
    judged: int
    accuracy: float | None
    """lichess' game accuracy; None when too few moves are judged."""
    acpl: float | None
    """Mean of the hundredths of a pawn lost; None when too few moves are judged."""
    inaccuracies: int
    mistakes: int
    blunders: int
    only_moves: int
    """How often there was an only move."""
    only_moves_found: int
    phases: tuple[PhaseReview, ...]


@dataclass(frozen=True, slots=True)
class ChessReview:
    """A game reviewed."""

    source: str
    """The engine's name; empty when the game's own text has the evaluations."""
    players: tuple[ChessPlayerReview, ChessPlayerReview]
    """White and Black."""
    moves: tuple[MoveReview, ...]
    curve: tuple[float | None, ...]
    """W of White at the start and after each move."""
    key_turns: tuple[int, ...]
    """The moves most worth to look at, at most four."""
