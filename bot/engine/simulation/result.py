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
    """The best play is the best with the requested confidence, apart from equivalent plays."""
    ITERATIONS = "iterations"
    """Every remaining play has had its iterations."""
    TIME = "time"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PlyAverage:
    """Averages of a ply; the first ply is the candidate itself."""

    score: float
    """Mean score in points."""
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
    """Probability of winning, from 0 to 1. Players who share a win get equal parts of it."""
    win_error: float
    """Standard error of ``win``."""
    equity: float
    """Points gained from now on relative to the best of the others, with the values of the leaves."""
    equity_error: float
    """Standard error of ``equity``."""
    plies: tuple[PlyAverage, ...]
    dropped: bool
    """Whether the play was dropped as worse than the best."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The candidates, best first: by probability of winning, or by equity if all win or lose anyway."""

    plays: tuple[SimulatedPlay, ...]
    plies: int
    """Number of plies after a candidate."""
    rollouts: int
    """Total number of iterations of all candidates."""
    ending: Ending | None
    """None while the simulation runs."""
    state: SimulationState | None = field(default=None, compare=False, repr=False)
    """The state from which to continue; None while the simulation runs, or if the state is stored elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateState:
    """The iterations of one candidate. The arrays are never modified."""

    play: RatedPlay
    samples: npt.NDArray[np.int64]
    """Results by iteration: gain in millipoints, and win probability in millionths."""
    plies: npt.NDArray[np.int64]
    """Sums by ply, as computed by :mod:`bot.engine.kernels.rollouts`."""
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class SimulationState:
    """Everything that a simulation needs to continue. Iteration k deals the same tiles as without an interruption."""

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
