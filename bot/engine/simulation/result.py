"""The result of a simulation, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from bot.engine.plays.values import RatedPlay

if TYPE_CHECKING:
    from bot.engine.simulation.state import SimulationState


class Ending(Enum):
    """Why a simulation ended."""

    DECIDED = "decided"
    """The best play is the best with the requested confidence, except for plays that are as good as the same."""
    ITERATIONS = "iterations"
    """Every play still in question had its iterations."""
    TIME = "time"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PlyAverage:
    """What was played on a ply, on average; the first ply is the candidate itself."""

    score: float
    """Points."""
    bingos: float
    """How often a full rack was laid down, from 0 to 1."""
    turns: int
    """How often the game had not ended before."""


@dataclass(frozen=True, slots=True)
class SimulatedPlay:
    """A candidate and its results."""

    play: RatedPlay
    iterations: int
    win: float
    """Probability of winning, from 0 to 1; who share a win have equal parts of it."""
    win_error: float
    """Standard error of ``win``."""
    equity: float
    """Points won from now on, against what the best of the others wins, with the leaves that are left."""
    equity_error: float
    """Standard error of ``equity``."""
    plies: tuple[PlyAverage, ...]
    dropped: bool
    """Whether it was given up as worse than the best."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The candidates, best first: by probability of winning, or by equity when all win or lose anyway."""

    plays: tuple[SimulatedPlay, ...]
    plies: int
    """How many plies follow a candidate."""
    rollouts: int
    """Iterations of all candidates together."""
    ending: Ending | None
    """None while the simulation goes on."""
    state: SimulationState | None = field(default=None, compare=False, repr=False)
    """What it takes to go on; None while it goes on, and where that is kept apart."""
