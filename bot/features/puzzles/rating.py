"""Ratings by Glicko-2, one game at a time of a user against a puzzle, streaks of dailies, and the card of a user's results.

Source: Mark E. Glickman, "Example of the Glicko-2 system" (2022), with its names. A puzzle's rating comes from many answers, or
is a first guess. A user's first answer changes only the user's rating.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, TypeAlias

from bot.chat.card import MAX_ALT, Card, Drawing, Style, clip
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.selection import Kind, Library
from bot.storage.puzzles import Rating, Streak
from bot.text import Speaker
from render.scene import ChartScene, Series

START_RATING = 1500.0
START_DEVIATION = 350.0
MIN_DEVIATION = 60.0
"""Minimum rating deviation, so that the rating of a daily player can still change."""
VOLATILITY = 0.06
TAU = 0.5
"""Limits the change of the volatility."""
_SCALE = 173.7178
_TOLERANCE = 1e-6
_MAX_STEPS = 100
"""Maximum steps of an iteration that needs about ten."""


UNRATED = Rating(START_RATING, START_DEVIATION, VOLATILITY)
"""The rating of a user before the first answer."""


Result: TypeAlias = tuple[float, float, float]
"""A game: the opponent's rating and deviation, and 1 for a win, 0.5 for a draw, 0 for a loss."""


def update_rating(before: Rating, results: tuple[Result, ...]) -> Rating:
    """Return the rating after the games of a period, at least one."""
    mu, phi = (before.rating - START_RATING) / _SCALE, before.deviation / _SCALE
    sums = [_against(mu, result) for result in results]
    variance = 1 / sum(g * g * expected * (1 - expected) for g, expected, _ in sums)
    gain = sum(g * (score - expected) for g, expected, score in sums)
    volatility = _volatility(phi, before.volatility, variance, variance * gain)
    widened = math.hypot(phi, volatility)
    phi = 1 / math.sqrt(1 / widened**2 + 1 / variance)
    deviation = min(START_DEVIATION, _SCALE * phi)
    return Rating(START_RATING + _SCALE * (mu + phi * phi * gain), deviation, volatility)


def _against(mu: float, result: Result) -> tuple[float, float, float]:
    rating, deviation, score = result
    phi = deviation / _SCALE
    g = 1 / math.sqrt(1 + 3 * phi * phi / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (mu - (rating - START_RATING) / _SCALE)))
    return g, min(max(expected, _TOLERANCE), 1 - _TOLERANCE), score


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
        while f(start - k * TAU) < 0 and k < _MAX_STEPS:
            k += 1
        high = start - k * TAU
    f_low, f_high = f(low), f(high)
    for _ in range(_MAX_STEPS):
        if abs(high - low) <= _TOLERANCE:
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)


def expected_score(own: Rating, puzzle: float, *, deviation: float = 90.0) -> float:
    """Return the chance that a user's first answer to a puzzle is right."""
    return _against((own.rating - START_RATING) / _SCALE, (puzzle, deviation, 0.0))[1]


def after_answer(before: Rating, puzzle: float, *, right: bool, deviation: float = 90.0) -> Rating:
    """Return a user's rating after the first answer to a puzzle."""
    after = update_rating(before, ((puzzle, deviation, 1.0 if right else 0.0),))
    return Rating(after.rating, max(MIN_DEVIATION, after.deviation), after.volatility)


# Streaks

FIRST_DAY = date(2026, 1, 1)
"""The day of daily number 1."""
_MONTHS = 12
_ZONES = 2
"""Days by which two places on Earth differ at most, each with its own hour of posting."""


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, 1 on the first day."""
    return (day - FIRST_DAY).days + 1


def day_of(number: int) -> date:
    """Return the day of a number."""
    return FIRST_DAY + timedelta(days=number - 1)


def continue_streak(streak: Streak, missed: Sequence[int]) -> Streak:
    """Return a streak after numbers that were posted and not solved: the first of each month does not count."""
    frozen = streak.frozen
    for number in missed if streak.days else ():
        day = day_of(number)
        month = _MONTHS * day.year + day.month
        if month <= frozen:
            return replace(streak, days=0)
        frozen = month
    return replace(streak, frozen=frozen)


def extend_streak(streak: Streak, number: int, missed: Sequence[int]) -> Streak:
    """Return a streak after a number was solved; ``missed`` are the numbers between the last one and this.

    A number that is not later than the last changes nothing: it was solved in two zones. If the last one lies in a future
    that no zone can have reached, a clock had been set forward, and the streak continues.
    """
    if number <= streak.last <= number + _ZONES:
        return streak
    before = continue_streak(streak, missed)
    days = before.days + 1
    return Streak(days, max(days, streak.best), number, before.frozen)


# Results

THEMES: Final = {
    "best-play": Phrase("best play"),
    "strategy": Phrase("strategy"),
    "only-bingo": Phrase("find the bingo"),
    "endgame": Phrase("endgame"),
    "pre-endgame": Phrase("pre-endgame"),
    "phony": Phrase("find the phony"),
    "hook": Phrase("find the hook"),
    "fork": Phrase("fork"),
    "pin": Phrase("pin"),
    "skewer": Phrase("skewer"),
    "sacrifice": Phrase("sacrifice"),
    "promotion": Phrase("promotion"),
    "discoveredAttack": Phrase("discovered attack"),
    "deflection": Phrase("deflection"),
    "hangingPiece": Phrase("hanging piece"),
    "trappedPiece": Phrase("trapped piece"),
    "defensiveMove": Phrase("defence"),
    "quietMove": Phrase("quiet move"),
    "mateIn1": Phrase("mate in one"),
    "mateIn2": Phrase("mate in two"),
    "mateIn3": Phrase("mate in three"),
    "rookEndgame": Phrase("rook endgame"),
    "pawnEndgame": Phrase("pawn endgame"),
}
"""Names of the themes that mean something to a player."""

_CURVE_VALUES: Final = 6
"""Values of a curve that its description lists."""
WIDTH, HEIGHT = 624, 420
"""Twice the width of a picture on a phone."""
_ENOUGH = 5
"""Minimum number of answers on a theme for a conclusion."""
_MIN_SHORTFALL = 0.1
"""Minimum shortfall of right answers on a weak theme against the expected number, as a share of all answers."""
_WEAK_THEMES = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's results in a game."""

    kind: Kind
    rating: Rating
    history: tuple[int, ...]
    """The rating after each first answer, the latest last; never empty."""
    answered: int
    right: int
    """Right first answers."""
    streak: Streak
    weak: tuple[tuple[str, int, int], ...]
    """Weak themes, each with its right and with all its first answers."""

    @property
    def curve(self) -> tuple[int, ...]:
        """The ratings, from the initial one where no rating is missing."""
        return (round(START_RATING), *self.history) if self.answered == len(self.history) else self.history


def rating_line(before: Rating | None, after: Rating | None, say: Speaker) -> str:
    """Return the change of a user's rating by a first answer; empty for no change."""
    if after is None or after == before:
        return ""
    change = round(after.rating) - round((before or UNRATED).rating)
    return say(
        "Your rating: {rating} ({change}), ± {deviation}.",
        rating=round(after.rating),
        change=say.number(change, "+d"),
        deviation=round(2 * after.deviation),
    )


def standing_card(games: Sequence[Standing], style: Style) -> Card:
    """Return a user's results: the words, and the curves as one picture."""
    say = style.say
    names = {Kind.CROSSWORD: say("crossword games"), Kind.CHESS: say("chess")}
    short = {Kind.CROSSWORD: say("crossword"), Kind.CHESS: say("chess")}
    scene = ChartScene(
        say("Rating"),
        tuple(Series(short[standing.kind] if len(games) > 1 else "", standing.curve) for standing in games),
        style.view.theme,
        width=WIDTH,
        height=HEIGHT,
        base=round(START_RATING),
        axes=("", say("puzzles")),
    )
    alt = " ".join(_curve_text(standing, names[standing.kind], say) for standing in games)
    text = "\n".join(_game_text(standing, names[standing.kind], say) for standing in games)
    return Card(text, (Drawing(scene, clip(alt, MAX_ALT), name="rating"),), accent="puzzle")


def _game_text(standing: Standing, name: str, say: Speaker) -> str:
    lines = [
        say(
            "**{game}**: rating {rating} ± {deviation}",
            game=name[:1].upper() + name[1:],
            rating=round(standing.rating.rating),
            deviation=round(2 * standing.rating.deviation),
        ),
        say("- Right on the first try: {right} of {all}", right=standing.right, all=standing.answered),
    ]
    if standing.streak.best:
        days, best = standing.streak.days, standing.streak.best
        lines.append(say("- Streak of dailies: {days} (longest: {best})", days=days, best=best))
    if standing.weak:
        themes = ", ".join(
            say("{theme} ({right} of {all})", theme=THEMES[theme], right=right, all=every)
            for theme, right, every in standing.weak
        )
        lines.append(say("- Harder for you than their ratings suggest: {themes}", themes=themes))
    return "\n".join(lines)


def _curve_text(standing: Standing, name: str, say: Speaker) -> str:
    """Describe a curve by some of its values, evenly spread, with the first and the last."""
    curve = standing.curve
    indices = sorted({round(at * (len(curve) - 1) / (_CURVE_VALUES - 1)) for at in range(_CURVE_VALUES)})
    values = ", ".join(str(curve[index]) for index in indices)
    return say("Rating in {game} after each answer: {values}.", game=name, values=values)


def weak_themes(
    library: Library, kind: Kind, own: Rating, firsts: Mapping[str, bool]
) -> tuple[tuple[str, int, int], ...]:
    """Return the themes that a user solves less often than the ratings predict, the weakest first.

    ``firsts`` are the answered puzzles, and whether the first answer was right. Themes with few answers are left out.
    """
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for name, right in firsts.items():
        if (entry := library.entries.get((kind, name))) is None:
            continue
        for theme in entry.themes & THEMES.keys():
            found[theme].append((right, expected_score(own, entry.rating)))
    weak = [
        (sum(right - chance for right, chance in tries) / len(tries), theme)
        for theme, tries in found.items()
        if len(tries) >= _ENOUGH
    ]
    return tuple(
        (theme, sum(right for right, _ in found[theme]), len(found[theme]))
        for gap, theme in sorted(weak)[:_WEAK_THEMES]
        if gap < -_MIN_SHORTFALL
    )
