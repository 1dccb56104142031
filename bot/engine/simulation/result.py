"""The result of a simulation, and the state from which it can continue, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from bot.engine.plays.values import RatedPlay

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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
    """Averages of a ply; the first ply is the candidate itself."""

    score: float
    """Points."""
    bingos: float
    """Share of turns that laid down a full rack, from 0 to 1."""
    turns: int
    """Number of games that reached the ply."""


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
    """Plies after a candidate."""
    rollouts: int
    """Iterations of all candidates together."""
    ending: Ending | None
    """None while the simulation runs."""
    state: SimulationState | None = field(default=None, compare=False, repr=False)
    """State from which to continue; None while it runs, and where the state is stored elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateState:
    """The iterations of one candidate; the arrays are never modified."""

    play: RatedPlay
    samples: npt.NDArray[np.int64]
    """Results by iteration: points won in millipoints, probability of winning in millionths."""
    plies: npt.NDArray[np.int64]
    """Sums over the plies, as :mod:`bot.engine.kernels.rollouts` adds them up."""
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class SimulationState:
    """Everything that a simulation needs to go on; iteration k deals the same tiles as it would have."""

    candidates: tuple[CandidateState, ...]
    plies: int
    seed: int
    opponent_leaves: tuple[tuple[int, ...], ...]
    """The leaves from which the opponent's unknown tiles were drawn; see :func:`simulate`."""

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        arrays = sum(candidate.samples.nbytes + candidate.plies.nbytes + 500 for candidate in self.candidates)
        return arrays + sum(16 * len(leave) + 64 for leave in self.opponent_leaves)
