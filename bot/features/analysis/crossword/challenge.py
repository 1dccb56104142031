"""What is said of a phony: what challenging it is worth, and what playing it is."""

from __future__ import annotations

import math

from bot.chat.markdown import escape
from bot.domain.crossword.position import Position
from bot.engine.plays.values import RatedPlay
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.crossword.request import FINES, AnalysisResult, ChallengeRule, Outcome
from bot.text import Speaker

_MAX_WORDS = 3


def challenge_words(result: AnalysisResult, say: Speaker) -> list[str]:
    """Say what challenging the last play is worth, and what the play that was made is worth as a phony."""
    return [*_challenge(result, say), *_bluff(result, say)]


def _challenge(result: AnalysisResult, say: Speaker) -> list[str]:
    challenge = result.challenge
    if challenge is None:
        return []
    words = ", ".join(escape(word, 30) for word in challenge.words[:_MAX_WORDS])
    gained = challenge.off.points - challenge.stays.points
    error = math.hypot(challenge.off.points_error, challenge.stays.points_error)
    never = bool(challenge.rules) and all(rule.least is None for rule in challenge.rules)
    lead = (
        say(
            "⚖ Leave {words} on the board: taking it off changes {points:+.0f} ± {error:.0f} points.",
            words=words,
            points=gained,
            error=error,
        )
        if never
        else say(
            "⚖ **Challenge {words}**: worth {points:+.0f} ± {error:.0f} points.",
            words=words,
            points=gained,
            error=error,
        )
    )
    position = result.request.position
    lines = [
        lead,
        say(
            "Off the board: {outcome}.",
            outcome=_worth(challenge.off, challenge.play_off, challenge.without, say),
        ),
        say("If it stays: {outcome}.", outcome=_worth(challenge.stays, challenge.reply, position, say)),
    ]
    if not never:
        lines += [_rule_words(rule, say) for rule in challenge.rules]
    return ["\n".join(lines)]


def _worth(outcome: Outcome, play: RatedPlay, position: Position, say: Speaker) -> str:
    """Say how often a position is won, and with which play."""
    return say(
        "wins {percent:.0f} ± {error:.0f} % with {play}",
        percent=100 * outcome.win,
        error=max(1.0, 100 * outcome.win_error),
        play=f"{escape(play_words(play.play, position, say))} {say.number(play.score, '+d')}",
    )


def _rule_words(rule: ChallengeRule, say: Speaker) -> str:
    """Say from when on it pays to challenge under a rule."""
    percent = None if rule.least is None else math.ceil(100 * rule.least)
    match rule.rule:
        case "single":
            return say("A challenge in vain costs nothing.")
        case "double":
            cost = say("A challenge in vain costs your turn")
        case "triple":
            cost = say("A challenge in vain loses the game")
        case _:
            cost = say("A challenge in vain costs {points} points", points=FINES.get(rule.rule, 0))
    if percent is None:
        return say("{cost}: it does not pay.", cost=cost)
    return say("{cost}: it pays if you are {percent} % sure that it is no word.", cost=cost, percent=percent)


def _bluff(result: AnalysisResult, say: Speaker) -> list[str]:
    bluff = result.bluff
    if bluff is None:
        return []
    position = result.request.position
    lines = [
        say(
            "⚖ If it stands, it wins {stands:.0f} ± {stands_error:.0f} %; challenged off, {off:.0f} ± {off_error:.0f} %.",
            stands=100 * bluff.stands.win,
            stands_error=max(1.0, 100 * bluff.stands.win_error),
            off=100 * bluff.off.win,
            off_error=max(1.0, 100 * bluff.off.win_error),
        ),
        say(
            "The best play that is none: {outcome}.",
            outcome=_worth(bluff.best, bluff.best_play, position, say),
        ),
    ]
    if position.rules.challenge_rule == "void":
        lines = [say("Under the void rule it is refused at once.")]
    elif bluff.least is None:
        lines.append(say("It does not pay even if it stands."))
    else:
        lines.append(
            say(
                "It pays if it stands at least {percent} % of the time.", percent=math.ceil(100 * bluff.least)
            )
        )
    return ["\n".join(lines)]


def vain_words(rule: str, turn: float | None, say: Speaker) -> list[str]:
    """Say what a challenge in vain of a play would give its player; ``turn`` is what the opponent's turn is worth."""
    if rule in FINES:
        return [say("⚖ If it is challenged in vain, you win {points} points more.", points=FINES[rule])]
    if rule == "double" and turn is not None:
        return [
            say(
                "⚖ If it is challenged in vain, the opponent loses a turn: {points:.0f} points on average.",
                points=turn,
            )
        ]
    if rule == "triple":
        return [say("⚖ If it is challenged in vain, you win the game.")]
    return []
