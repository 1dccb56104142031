"""What a simulation has found out so far, as plain values: from there it goes on another time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.engine.kernels.board import Numbers
from bot.engine.plays.values import RatedPlay


@dataclass(frozen=True, slots=True, eq=False)
class CandidateState:
    """The iterations of one candidate. Nobody writes into the arrays."""

    play: RatedPlay
    samples: npt.NDArray[np.int64]
    """By iteration: points won in millipoints, probability of winning in millionths."""
    plies: Numbers
    """Sums over the plies, as :mod:`bot.engine.kernels.rollouts` adds them up."""
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class SimulationState:
    """Everything that a simulation needs to go on; iteration k deals the same tiles as it would have."""

    candidates: tuple[CandidateState, ...]
    plies: int
    seed: int
    opponent_leaves: tuple[tuple[int, ...], ...]
    """What the opponent's tiles were drawn from beside those that are known; see :func:`simulate`."""

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        arrays = sum(one.samples.nbytes + one.plies.nbytes + 500 for one in self.candidates)
        return arrays + sum(16 * len(leave) + 64 for leave in self.opponent_leaves)
