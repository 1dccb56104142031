"""Why a play is better than the one that was made, in words: only what was computed, each with its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.review.crossword.values import Why, WhyKind
from bot.text import Speaker
from bot.text.numbers import written


def why_words(reasons: Iterable[Why], say: Speaker) -> list[str]:
    """Say each thing in which the best play is better."""
    return [_WORDS[why.kind](why, say) for why in reasons]


def _points(why: Why, say: Speaker) -> str:
    return say("the best play scores {number} more", number=written(why.best - why.played, ".0f", say.locale))


def _leave(why: Why, say: Speaker) -> str:
    return say(
        "it keeps tiles worth {best} instead of {played}",
        best=written(why.best, "+.1f", say.locale),
        played=written(why.played, "+.1f", say.locale),
    )


def _reply(why: Why, say: Speaker) -> str:
    return say(
        "it holds the reply to {best} points instead of {played}",
        best=written(why.best, ".0f", say.locale),
        played=written(why.played, ".0f", say.locale),
    )


def _reply_bingo(why: Why, say: Speaker) -> str:
    return say(
        "a bingo in reply {best} % of the time instead of {played} %",
        best=written(100 * why.best, ".0f", say.locale),
        played=written(100 * why.played, ".0f", say.locale),
    )


def _next_bingo(why: Why, say: Speaker) -> str:
    return say(
        "a bingo next turn {best} % of the time instead of {played} %",
        best=written(100 * why.best, ".0f", say.locale),
        played=written(100 * why.played, ".0f", say.locale),
    )


def _turnover(why: Why, say: Speaker) -> str:
    return say(
        "it turns over {best} tiles instead of {played}",
        best=written(why.best, ".0f", say.locale),
        played=written(why.played, ".0f", say.locale),
    )


def _out(why: Why, say: Speaker) -> str:
    del why
    return say("it goes out")


def _spread(why: Why, say: Speaker) -> str:
    return say(
        "it gains {best} points to the end instead of {played}",
        best=written(why.best, "+.0f", say.locale),
        played=written(why.played, "+.0f", say.locale),
    )


def _draws(why: Why, say: Speaker) -> str:
    return say(
        "it wins with {best} of {total} tiles that may be in the bag instead of {played}",
        best=written(why.best, "", say.locale),
        played=written(why.played, "", say.locale),
        total=why.of,
    )


def _outcome(why: Why, say: Speaker) -> str:
    if why.best < 1:
        return say("it ties the game instead of losing it")
    if why.played:
        return say("it wins the game instead of tying it")
    return say("it wins the game instead of losing it")


_WORDS: dict[WhyKind, Callable[[Why, Speaker], str]] = {
    WhyKind.POINTS: _points,
    WhyKind.LEAVE: _leave,
    WhyKind.REPLY: _reply,
    WhyKind.REPLY_BINGO: _reply_bingo,
    WhyKind.NEXT_BINGO: _next_bingo,
    WhyKind.TURNOVER: _turnover,
    WhyKind.OUT: _out,
    WhyKind.SPREAD: _spread,
    WhyKind.DRAWS: _draws,
    WhyKind.OUTCOME: _outcome,
}
