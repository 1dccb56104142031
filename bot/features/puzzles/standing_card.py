"""How somebody does at puzzles: ratings as a curve, streaks, and what comes hardest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.page import clipped
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.rating import START, Rating
from bot.features.puzzles.wanted import Kind
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker
from render.scene import ChartScene, Series

THEMES: Final = {
    "best-play": Phrase("best play"),
    "strategy": Phrase("strategy"),
    "only-bingo": Phrase("only bingo"),
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
"""Themes that have a name here; puzzles have more that say nothing to a player."""

_TOLD: Final = 6
"""Values of a curve that are told in words."""


@dataclass(frozen=True, slots=True)
class Weakness:
    """A theme that somebody solves less often than was to be expected."""

    theme: str
    right: int
    """First answers that were right."""
    of: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody does in a game."""

    kind: Kind
    rating: Rating
    history: tuple[int, ...]
    """The rating after each first answer, the latest last; never empty."""
    answered: int
    right: int
    streak: int
    best: int
    """The longest streak."""
    weak: tuple[Weakness, ...]


def standing(games: Sequence[Standing], style: Style) -> Reply:
    """Return how somebody does: the words, and the curves as one picture."""
    say = style.say
    if not games:
        return Reply(say("You have not answered a puzzle yet. `/puzzle` sets one."), found=False)
    names = {Kind.CROSSWORD: say("crossword games"), Kind.CHESS: say("chess")}
    short = {Kind.CROSSWORD: say("crossword"), Kind.CHESS: say("chess")}
    blocks = [_game_text(one, names[one.kind], say) for one in games]
    scene = ChartScene(
        say("Rating"),
        tuple(Series(short[one.kind] if len(games) > 1 else "", _curve(one)) for one in games),
        style.view.theme,
        width=WIDTH,
        height=HEIGHT,
        base=round(START),
        axes=("", say("puzzles")),
    )
    alt = " ".join(_curve_words(one, names[one.kind], say) for one in games)
    return Reply("\n".join(blocks), (Drawing(scene, clipped(alt, MAX_ALT), name="rating"),))


WIDTH, HEIGHT = 624, 420
"""Twice the width of a picture on a telephone."""


def _curve(one: Standing) -> tuple[int, ...]:
    """Return the ratings from the start on, as far as they are kept."""
    return (round(START), *one.history) if one.answered == len(one.history) else one.history


def _game_text(one: Standing, name: str, say: Speaker) -> str:
    lines = [
        say(
            "**{game}**: rating {rating} ± {deviation}",
            game=name[:1].upper() + name[1:],
            rating=round(one.rating.rating),
            deviation=round(2 * one.rating.deviation),
        ),
        say("- Right at the first answer: {right} of {all}", right=one.right, all=one.answered),
    ]
    if one.best:
        lines.append(say("- Streak of dailies: {days} (longest: {best})", days=one.streak, best=one.best))
    if one.weak:
        themes = ", ".join(
            say("{theme} ({right} of {all})", theme=THEMES[weak.theme], right=weak.right, all=weak.of)
            for weak in one.weak
        )
        lines.append(say("- Harder for you than their ratings say: {themes}", themes=themes))
    return "\n".join(lines)


def _curve_words(one: Standing, name: str, say: Speaker) -> str:
    """Tell a curve in words: some of its values, evenly spread, with the first and the last."""
    curve = _curve(one)
    places = sorted({round(at * (len(curve) - 1) / (_TOLD - 1)) for at in range(_TOLD)})
    values = ", ".join(str(curve[place]) for place in places)
    return say("Rating in {game}, from the first to the last answer: {values}.", game=name, values=values)
