"""Why a play is better than the one that was made, in words: only what was computed, each with its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.features.review.crossword.values import Why, WhyKind
from bot.text import Speaker
from bot.text.numbers import written


def why_words(reasons: Iterable[Why], say: Speaker) -> list[str]:
    """Say each thing in which the best play is better."""
    return [_WORDS[why.kind](why, say, _numbers(why, say)) for why in reasons]


_PERCENT = 100
_FORMS: dict[WhyKind, tuple[str, int]] = {
    WhyKind.LEAVE: ("+.1f", 1),
    WhyKind.REPLY_BINGO: (".0f", _PERCENT),
    WhyKind.NEXT_BINGO: (".0f", _PERCENT),
    WhyKind.SPREAD: ("+.0f", 1),
    WhyKind.DRAWS: ("", 1),
}
"""How the two numbers are written, and by what they are multiplied; whole where nothing else is said."""


def _numbers(why: Why, say: Speaker) -> dict[str, str]:
    form, scale = _FORMS.get(why.kind, (".0f", 1))
    return {
        name: written(scale * value, form, say.locale)
        for name, value in (("best", why.best), ("played", why.played))
    }


def _outcome(why: Why, say: Speaker, _: dict[str, str]) -> str:
    if why.best < 1:
        return say("it ties the game instead of losing it")
    if why.played:
        return say("it wins the game instead of tying it")
    return say("it wins the game instead of losing it")


_WORDS: dict[WhyKind, Callable[[Why, Speaker, dict[str, str]], str]] = {
    WhyKind.POINTS: lambda why, say, _: say(
        "the best play scores {number} more", number=written(why.best - why.played, ".0f", say.locale)
    ),
    WhyKind.LEAVE: lambda _, say, numbers: say("it keeps tiles worth {best} instead of {played}", **numbers),
    WhyKind.REPLY: lambda _, say, numbers: say(
        "it holds the reply to {best} points instead of {played}", **numbers
    ),
    WhyKind.REPLY_BINGO: lambda _, say, numbers: say(
        "a bingo in reply {best} % of the time instead of {played} %", **numbers
    ),
    WhyKind.NEXT_BINGO: lambda _, say, numbers: say(
        "a bingo next turn {best} % of the time instead of {played} %", **numbers
    ),
    WhyKind.TURNOVER: lambda _, say, numbers: say(
        "it turns over {best} tiles instead of {played}", **numbers
    ),
    WhyKind.OUT: lambda _, say, __: say("it goes out"),
    WhyKind.SPREAD: lambda _, say, numbers: say(
        "it gains {best} points to the end instead of {played}", **numbers
    ),
    WhyKind.DRAWS: lambda why, say, numbers: say(
        "it wins with {best} of {total} tiles that may be in the bag instead of {played}",
        total=why.of,
        **numbers,
    ),
    WhyKind.OUTCOME: _outcome,
}
