"""The result of a simulation, and the state from which it can be continued."""

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
    """At the requested confidence, every other play is either worse than the best play or equivalent to it."""
    ITERATIONS = "iterations"
    """Every remaining play reached the maximum number of iterations."""
    TIME = "time"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class PlyAverage:
    """Averages for one ply over all iterations. The first ply is the candidate play itself."""

    score: float
    """Mean score in points."""
    bingo_share: float
    """Fraction of turns with a bingo, from 0 to 1."""
    iterations: int
    """Number of iterations that reached the ply."""


@dataclass(frozen=True, slots=True)
class SimulatedPlay:
    """The results for a candidate play."""

    play: RatedPlay
    iterations: int
    win: float
    """Win probability, from 0 to 1. If players share first place, each gets an equal share of the win."""
    win_error: float
    """``win_error`` and ``equity_error`` are standard errors."""
    equity: float
    """Points by which the lead over the highest-scoring opponent grows from this turn on, including leave values."""
    equity_error: float
    plies: tuple[PlyAverage, ...]
    dropped: bool
    """Whether the play gets no more iterations, because it is clearly worse than the best play."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The results of all candidates, best first.

    They are ranked by win probability, or by equity if all win, or all lose, nearly every game.
    """

    plays: tuple[SimulatedPlay, ...]
    plies: int
    """Number of plies after a candidate play. If the bag is empty, this number is ignored, and games are played to the end."""
    rollouts: int
    """Total number of iterations across all candidates."""
    ending: Ending | None
    """None while the simulation is running."""
    state: SimulationState | None = field(default=None, compare=False, repr=False)
    """None while the simulation is running, or if the state is stored elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class CandidateState:
    """The iterations of one candidate. The arrays are never modified."""

    play: RatedPlay
    samples: npt.NDArray[np.int64]
    """One row per iteration: the growth of the lead in millipoints, and the win probability in millionths."""
    ply_sums: npt.NDArray[np.int64]
    """Sums for each ply, indexed by the ``PLY_`` constants of :mod:`bot.engine.kernels.rollouts`."""
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class SimulationState:
    """Everything needed to continue a simulation. It then deals the same tiles as a simulation that was never interrupted."""

    candidates: tuple[CandidateState, ...]
    plies: int
    seed: int
    opponent_leaves: tuple[tuple[int, ...], ...]
    """As in :func:`bot.engine.simulation.simulate.simulate`."""

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        arrays = sum(
            candidate.samples.nbytes + candidate.ply_sums.nbytes + 500 for candidate in self.candidates
        )
        return arrays + sum(16 * len(leave) + 64 for leave in self.opponent_leaves)
