"""Glicko-2 ratings. A user's first answer to a puzzle counts as a game against the puzzle.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (2022), which uses the same variable names. A puzzle's rating is fixed:
lichess computed it from many answers, or Kibitz estimated it.
"""

from __future__ import annotations

import math

from bot.storage.puzzles import Rating
from bot.text import Translator

START_RATING = 1500.0
START_DEVIATION = 350.0
MIN_DEVIATION = 60.0
"""Minimum rating deviation after an answer. Without it, the rating of a user who plays every day would hardly change."""
START_VOLATILITY = 0.06
TAU = 0.5
"""Glicko-2's system constant, which limits how fast the volatility changes."""
_PUZZLE_DEVIATION = 90.0
"""The rating deviation assumed for all puzzles."""
_SCALE = 173.7178
"""Glicko points in one unit of the Glicko-2 scale."""
_TOLERANCE = 1e-6
_MAX_STEPS = 100
"""About ten steps are usually enough."""


UNRATED = Rating(START_RATING, START_DEVIATION, START_VOLATILITY)


def rating_after(rating: Rating, results: tuple[tuple[float, float, float], ...]) -> Rating:
    """Return the rating after a rating period of at least one game.

    A result is the opponent's rating and deviation, and the score (1 for a win, 0.5 for a draw, 0 for a loss).
    """
    mu, phi = (rating.rating - START_RATING) / _SCALE, rating.deviation / _SCALE
    terms = [(*_expectation(mu, opponent, deviation), score) for opponent, deviation, score in results]
    variance = 1 / sum(g * g * expected * (1 - expected) for g, expected, _ in terms)
    gain = sum(g * (score - expected) for g, expected, score in terms)
    volatility = _volatility(phi, rating.volatility, variance, variance * gain)
    phi_star = math.hypot(phi, volatility)
    phi = 1 / math.sqrt(1 / phi_star**2 + 1 / variance)
    deviation = min(START_DEVIATION, _SCALE * phi)
    return Rating(START_RATING + _SCALE * (mu + phi * phi * gain), deviation, volatility)


def _expectation(mu: float, rating: float, deviation: float) -> tuple[float, float]:
    phi = deviation / _SCALE
    g = 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (mu - (rating - START_RATING) / _SCALE)))
    return g, min(max(expected, _TOLERANCE), 1 - _TOLERANCE)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Find the new volatility with the Illinois algorithm (step 5 of the Glicko-2 paper)."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        ex = math.exp(x)
        top = ex * (delta**2 - phi**2 - variance - ex)
        return top / (2 * (phi**2 + variance + ex) ** 2) - (x - start) / TAU**2

    a = start
    if delta**2 > phi**2 + variance:
        b = math.log(delta**2 - phi**2 - variance)
    else:
        steps = (start - k * TAU for k in range(1, _MAX_STEPS))
        b = next((x for x in steps if f(x) >= 0), start - _MAX_STEPS * TAU)
    f_a, f_b = f(a), f(b)
    for _ in range(_MAX_STEPS):
        if abs(b - a) <= _TOLERANCE:
            break
        c = a + (a - b) * f_a / (f_b - f_a)
        f_c = f(c)
        if f_c * f_b <= 0:
            a, f_a = b, f_b
        else:
            f_a /= 2
        b, f_b = c, f_c
    return math.exp(a / 2)


def expected_score(rating: Rating, puzzle_rating: float) -> float:
    return _expectation((rating.rating - START_RATING) / _SCALE, puzzle_rating, _PUZZLE_DEVIATION)[1]


def rate_answer(rating: Rating, puzzle_rating: float, *, is_right: bool) -> Rating:
    new_rating = rating_after(rating, ((puzzle_rating, _PUZZLE_DEVIATION, 1.0 if is_right else 0.0),))
    return Rating(new_rating.rating, max(MIN_DEVIATION, new_rating.deviation), new_rating.volatility)


def rating_line(old_rating: Rating | None, new_rating: Rating | None, translate: Translator) -> str:
    if new_rating is None or new_rating == old_rating:
        return ""
    return translate(
        "Your rating: {rating} ± {deviation} ({change}).",
        rating=round(new_rating.rating),
        change=translate.number(round(new_rating.rating) - round((old_rating or UNRATED).rating), "+d"),
        deviation=round(2 * new_rating.deviation),
    )
