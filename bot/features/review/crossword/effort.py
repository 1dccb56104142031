"""How much work goes into a review, by its depth, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.engine.simulation.arrays import MAX_PLIES
from bot.features.review.crossword.values import Phase
from bot.features.review.depth import Depth

MAX_REVIEW_SECONDS = 600.0
MAX_PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Effort:
    """What a review may do. Where seconds allow it, results depend on the other numbers only."""

    depth: Depth = Depth.QUICK
    seconds: float = 20.0
    """Seconds of a processor for the whole game, on one thread."""
    candidates: int = 8
    """Plays that are simulated beside the one that was made."""
    margin: int = 12_000
    """Millipoints that a play may be behind the best by equity to be simulated."""
    plies: int = 2
    """Plies that follow a candidate while the bag has more than seven tiles."""
    late_plies: int = 4
    """The same with two to seven."""
    first: int = 64
    """Iterations that every turn gets first."""
    iterations: int = 2048
    """Iterations at most, for turns whose class is not decided."""
    draws: int = 60
    """Draws against which luck is measured."""
    pre_endgame_seconds: float = 2.0
    endgame_seconds: float = 1.0
    seed: int = 0

    def plies_of(self, phase: Phase) -> int:
        """Return how many plies follow a candidate in a phase that is simulated."""
        return self.plies if phase is Phase.MIDDLEGAME else self.late_plies


QUICK = Effort()
DEEP = Effort(
    Depth.DEEP,
    seconds=170.0,
    candidates=25,
    margin=20_000,
    plies=4,
    late_plies=MAX_PLIES,
    iterations=20_000,
    pre_endgame_seconds=20.0,
    endgame_seconds=10.0,
)


def effort_of(depth: Depth, seconds: float, *, seed: int = 0) -> Effort:
    """Return what a depth asks for in so many seconds."""
    usual = QUICK if depth is Depth.QUICK else DEEP
    share = seconds / usual.seconds
    return replace(
        usual,
        seconds=seconds,
        pre_endgame_seconds=usual.pre_endgame_seconds * min(1.0, share),
        endgame_seconds=usual.endgame_seconds * min(1.0, share),
        seed=seed,
    )


class Clock:
    """When the work of a thread ends: after so many seconds of its processor, or on request.

    On a busy machine seconds of a processor take longer; no more than :data:`MAX_PATIENCE` times as long, though.
    """

    def __init__(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        """Begin now, on the thread that does the work."""
        self.seconds = seconds
        self.cancelled = cancelled
        self._elsewhere = 0.0
        self._begun = time.thread_time()
        self._begun_at = time.perf_counter()

    @property
    def taken(self) -> float:
        """Seconds of the processor since the beginning."""
        return time.thread_time() - self._begun + self._elsewhere

    def add(self, seconds: float) -> None:
        """Count seconds that another thread worked for this one."""
        self._elsewhere += seconds

    @property
    def left(self) -> float:
        """Seconds that are left; 0 once it is over."""
        return 0.0 if self.is_over() else self.seconds - self.taken

    def is_over(self, reserve: float = 0.0) -> bool:
        """Return whether to end, so that so many seconds remain for something else."""
        if self.cancelled() or self.taken + reserve >= self.seconds:
            return True
        return time.perf_counter() - self._begun_at >= MAX_PATIENCE * self.seconds
