"""What a pre-endgame says of its plays: how often they win over all that may be drawn, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import TYPE_CHECKING

from bot.domain.crossword.play import Exchange
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.endgame.outcomes import PreEndgamePlay
    from bot.engine.endgame.pre_endgame import PreEndgameResult

MARK = "†"
"""Stands beside the wins of a play that leaves tiles in the bag."""
SAMPLED = "≈"
"""Stands before a range that is not proved, but known by a random sample."""


def wins_words(play: PreEndgamePlay, say: Speaker) -> str:
    """Write the percentage of the draws with which a play wins; what is not decided makes it a range."""
    least, most = (say.number(100 * bound, ".1f") for bound in play.bounds)
    return least if least == most else f"{least}–{most}"


def worth_words(play: PreEndgamePlay, in_bag: int, say: Speaker) -> str:
    """Say what a play wins; with several tiles in the bag also by guesses."""
    if in_bag == 1 or not play.undecided:
        return say("wins {percent} %", percent=wins_words(play, say))
    if sampled := _sampled(play, say):
        return say(
            "wins about {percent:.0f} %, by a sample {range} %",
            percent=100 * play.points,
            range=sampled,
        )
    if play.undecided == sum((*play.sure, play.undecided)):
        return say("wins about {percent:.0f} %", percent=100 * play.points)
    return say(
        "wins about {percent:.0f} %, proved {range} %",
        percent=100 * play.points,
        range=_range(play.bounds, say),
    )


def cells(play: PreEndgamePlay, in_bag: int, say: Speaker) -> tuple[str, ...]:
    """Return what a table says of a play: with one tile in the bag, wins and the gain; with more, wins by the best guess too."""
    mark = MARK if play.left else ""
    if in_bag == 1:
        return _won_tied_lost(play) + mark, say.number(play.gain, "+.1f")
    gain = say.number(play.gain, "+.1f")
    if not play.undecided:
        return say.number(100 * play.points, ".1f") + mark, "=", gain
    sampled = _sampled(play, say)
    between = SAMPLED + sampled if sampled else _range(play.bounds, say)
    return say.number(100 * play.points, ".0f") + mark, between, gain


def remarks(solved: PreEndgameResult, shown: Sequence[PreEndgamePlay], say: Speaker) -> Iterable[str]:
    """Yield what is to be known beside the plays that are shown."""
    in_bag = solved.in_bag
    if in_bag == 1:
        yield say.count(
            "One tile is in the bag; {number} may be it. Won, tied and lost are counted over all of them.",
            "One tile is in the bag; any of {number} may be it. Won, tied and lost are counted over all of them.",
            solved.draws,
        )
    else:
        yield say(
            "{tiles} tiles are in the bag. Wins are counted over all that may be drawn, a tie as half a win.",
            tiles=in_bag,
        )
    if solved.complete:
        yield say("Proved: no play wins more of them.")
    elif solved.emptied:
        yield say("Proved: no play that empties the bag wins more of them.")
    else:
        yield say("Not proved in the time.")
    if any(play.undecided for play in shown):
        yield _about_ranges(in_bag, say)
    if any(_sampled(play, say) for play in shown):
        yield say(
            "≈ stands before a range that a random sample of the draws shows, 99 % sure; the others are proved."
        )
    if any(play.left for play in shown):
        yield say(
            "A † stands where a play leaves tiles in the bag: it is judged as if both players knew them and their order."
        )
    if any(isinstance(play.play, Exchange) for play in shown):
        yield say("After an exchange, no other one is looked at.")


def _about_ranges(in_bag: int, say: Speaker) -> str:
    if in_bag == 1:
        return say("A range such as 2–5 means that two tiles are proved won and three more are not decided.")
    return say(
        "A range such as 40–60 means that 40 % are proved won and 20 % more are not decided; what stands "
        "before it is a guess by some draws."
    )


def _sampled(play: PreEndgamePlay, say: Speaker) -> str:
    """Write the range that a random sample shows; nothing where in whole percentages it is the proved one."""
    if play.sampled is None or (sampled := _range(play.sampled, say)) == _range(play.bounds, say):
        return ""
    return sampled


def _range(bounds: tuple[float, float], say: Speaker) -> str:
    """Write between which whole percentages the wins of a play lie."""
    least, most = bounds
    return f"{say.number(floor(100 * least))}–{say.number(ceil(100 * most))}"


def _won_tied_lost(play: PreEndgamePlay) -> str:
    wins, ties, losses = play.sure
    return f"{wins}–{wins + play.undecided}" if play.undecided else f"{wins}-{ties}-{losses}"
