"""How answers count: stars, and ratings by Glicko-2, one game at a time of a person against a puzzle.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (2022), with its names. A puzzle's rating is known from many who
tried it, or is a first guess; a person's first answer changes the person's rating alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_STARS = 3
TRIES_BEFORE_HINTS = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """What somebody has done about a puzzle."""

    tries: int = 0
    """Wrong answers."""
    hints: int = 0
    done: int = 0
    """Right moves of a line."""
    solved: bool = False
    given_up: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find."""
        return self.solved or self.given_up

    def has_hint(self, hints: int) -> bool:
        """Return whether one of so many hints may be taken."""
        return not self.is_over and self.tries >= TRIES_BEFORE_HINTS and self.hints < hints

    @property
    def stars(self) -> int:
        """Three for the first answer, two for the second, one later, one less for each hint; none when given up."""
        return max(0, max(1, MAX_STARS - self.tries) - self.hints) if self.solved else 0


START = 1500.0
START_DEVIATION = 350.0
MIN_DEVIATION = 60.0
"""Who plays every day is still let move."""
VOLATILITY = 0.06
TAU = 0.5
"""How much the volatility may change."""
_SCALE = 173.7178
_CLOSE = 1e-6
_STEPS = 100
"""Of the iteration, which needs about ten."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong somebody is."""

    rating: float = START
    deviation: float = START_DEVIATION
    """Its standard error."""
    volatility: float = VOLATILITY


@dataclass(frozen=True, slots=True)
class Result:
    """A game: against whom, and 1 for a win, 0.5 for a draw, 0 for a loss."""

    rating: float
    deviation: float
    score: float


def rated(before: Rating, results: tuple[Result, ...]) -> Rating:
    """Return the rating after the games of a period, of which there is one at least."""
    mu, phi = (before.rating - START) / _SCALE, before.deviation / _SCALE
    sums = [_against(mu, result) for result in results]
    variance = 1 / sum(g * g * expected * (1 - expected) for g, expected, _ in sums)
    gain = sum(g * (score - expected) for g, expected, score in sums)
    volatility = _volatility(phi, before.volatility, variance, variance * gain)
    widened = math.hypot(phi, volatility)
    phi = 1 / math.sqrt(1 / widened**2 + 1 / variance)
    deviation = min(START_DEVIATION, _SCALE * phi)
    return Rating(START + _SCALE * (mu + phi * phi * gain), deviation, volatility)


def _against(mu: float, result: Result) -> tuple[float, float, float]:
    phi = result.deviation / _SCALE
    g = 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (mu - (result.rating - START) / _SCALE)))
    return g, min(max(expected, _CLOSE), 1 - _CLOSE), result.score


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Return the new volatility, by the Illinois algorithm of step 5."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        ex = math.exp(x)
        top = ex * (delta**2 - phi**2 - variance - ex)
        return top / (2 * (phi**2 + variance + ex) ** 2) - (x - start) / TAU**2

    low = start
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(start - k * TAU) < 0 and k < _STEPS:
            k += 1
        high = start - k * TAU
    f_low, f_high = f(low), f(high)
    for _ in range(_STEPS):
        if abs(high - low) <= _CLOSE:
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)


def expected(own: Rating, puzzle: float, *, deviation: float = 90.0) -> float:
    """Return the chance that somebody's first answer to a puzzle is right."""
    return _against((own.rating - START) / _SCALE, Result(puzzle, deviation, 0.0))[1]


def after_answer(before: Rating, puzzle: float, *, right: bool, deviation: float = 90.0) -> Rating:
    """Return somebody's rating after the first answer to a puzzle."""
    after = rated(before, (Result(puzzle, deviation, 1.0 if right else 0.0),))
    return Rating(after.rating, max(MIN_DEVIATION, after.deviation), after.volatility)
