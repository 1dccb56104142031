"""A user's results: weak themes, and the card of both games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.card import MAX_ALT, Card, Drawing, Style, clip
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.rating import START_RATING, expected_score
from bot.features.puzzles.selection import Kind, Library
from bot.storage.puzzles import Rating, Streak
from bot.text import Speaker
from render.scene import ChartScene, Series

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
