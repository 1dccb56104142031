"""A user's puzzle results and weak themes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.card import MAX_ALT_LENGTH, Card, Drawing, ReplyContext, truncate
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.rating import START_RATING, expected_score
from bot.features.puzzles.selection import PuzzleKind, PuzzleLibrary
from bot.storage.puzzles import Rating, Streak
from bot.text import Translator
from render.scene import ChartScene, Series

THEME_NAMES: Final = {
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
"""The themes that users see. Lichess' other themes are too technical for them."""

_MAX_CURVE_VALUES: Final = 6
"""Maximum number of ratings that the alt text lists."""
_CHART_WIDTH, _CHART_HEIGHT = 624, 420
"""In pixels: twice the width at which a phone shows the chart."""
_MIN_ANSWERS = 5
"""A theme with fewer first answers is never weak."""
_MIN_SHORTFALL = 0.1
"""A theme is weak if the fraction of correct first answers falls short of the expected fraction by more than this."""
_MAX_WEAK_THEMES = 3


@dataclass(frozen=True, slots=True)
class UserStats:
    """A user's results in crossword games or in chess."""

    kind: PuzzleKind
    rating: Rating
    curve: tuple[int, ...]
    """The rating after each first answer, oldest first; never empty. A complete curve begins with the initial rating."""
    answered_count: int
    correct_count: int
    streak: Streak
    weak_themes: tuple[tuple[str, int, int], ...]
    """(theme, number of correct first answers, number of first answers) entries."""


def stats_card(all_stats: Sequence[UserStats], context: ReplyContext) -> Card:
    translate = context.translate
    names = {PuzzleKind.CROSSWORD: translate("crossword games"), PuzzleKind.CHESS: translate("chess")}
    short_names = {PuzzleKind.CROSSWORD: translate("crossword"), PuzzleKind.CHESS: translate("chess")}
    scene = ChartScene(
        translate("Rating"),
        tuple(
            Series(short_names[stats.kind] if len(all_stats) > 1 else "", stats.curve) for stats in all_stats
        ),
        context.appearance.theme,
        width=_CHART_WIDTH,
        height=_CHART_HEIGHT,
        base=round(START_RATING),
        axis_names=("", translate("puzzles")),
    )
    alt = " ".join(_curve_text(stats, names[stats.kind], translate) for stats in all_stats)
    return Card(
        "\n".join(_game_text(stats, names[stats.kind], translate) for stats in all_stats),
        (Drawing(scene, truncate(alt, MAX_ALT_LENGTH), name="rating"),),
        accent="puzzle",
    )


def _game_text(stats: UserStats, name: str, translate: Translator) -> str:
    lines = [
        translate(
            "**{game}**: rating {rating} ± {deviation}",
            game=name[:1].upper() + name[1:],
            rating=round(stats.rating.rating),
            deviation=round(2 * stats.rating.deviation),
        ),
        translate(
            "- Right on the first try: {right} of {all}",
            right=stats.correct_count,
            all=stats.answered_count,
        ),
    ]
    if stats.streak.best:
        days, best = stats.streak.days, stats.streak.best
        lines.append(translate("- Daily puzzle streak: {days} (longest: {best})", days=days, best=best))
    if stats.weak_themes:
        themes = ", ".join(
            translate("{theme} ({right} of {all})", theme=THEME_NAMES[theme], right=right_count, all=total)
            for theme, right_count, total in stats.weak_themes
        )
        lines.append(
            translate("- Topics harder for you than the puzzles' ratings suggest: {themes}", themes=themes)
        )
    return "\n".join(lines)


def _curve_text(stats: UserStats, name: str, translate: Translator) -> str:
    curve = stats.curve
    indices = sorted(
        {round(step * (len(curve) - 1) / (_MAX_CURVE_VALUES - 1)) for step in range(_MAX_CURVE_VALUES)}
    )
    return translate(
        "Ratings in {game}, oldest first: {values}.",
        game=name,
        values=", ".join(str(curve[index]) for index in indices),
    )


def weak_themes(
    library: PuzzleLibrary, kind: PuzzleKind, user_rating: Rating, first_answers: Mapping[str, bool]
) -> tuple[tuple[str, int, int], ...]:
    """Return the themes that a user solves less often than the ratings predict, weakest first.

    ``first_answers`` maps puzzle ids to whether the first answer was correct.
    """
    answers_by_theme: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for puzzle_id, is_right in first_answers.items():
        if (entry := library.entries.get((kind, puzzle_id))) is None:
            continue
        for theme in entry.themes & THEME_NAMES.keys():
            answers_by_theme[theme].append((is_right, expected_score(user_rating, entry.rating)))
    gaps_and_themes = [
        (sum(is_right - expected for is_right, expected in answers) / len(answers), theme)
        for theme, answers in answers_by_theme.items()
        if len(answers) >= _MIN_ANSWERS
    ]
    return tuple(
        (theme, sum(is_right for is_right, _ in answers_by_theme[theme]), len(answers_by_theme[theme]))
        for gap, theme in sorted(gaps_and_themes)[:_MAX_WEAK_THEMES]
        if gap < -_MIN_SHORTFALL
    )
