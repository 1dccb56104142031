"""In what one simulated play is better than another."""

from __future__ import annotations

from bot.engine.analysis import MILLIPOINTS
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.simulation.paired import PairedPlays
from bot.engine.simulation.result import SimulatedPlay
from bot.features.review.crossword.classes import Z_95
from bot.features.review.crossword.judging import tiles_taken
from bot.features.review.crossword.values import Why, WhyKind

MAX_WHY = 3
_BINGO = 40.0
"""About what a bingo scores more than another play."""


def reasons(
    best: SimulatedPlay, played: SimulatedPlay, paired: PairedPlays, leave_values: LeaveValues
) -> tuple[Why, ...]:
    """Return the most important things in which ``best`` is better than ``played``, as far as they are established."""
    leaves = [leave_values.value(one.play.leave) / MILLIPOINTS for one in (best, played)]
    ones = [one.plies for one in (best, played)]
    reply = [plies[1].score if len(plies) > 1 else 0.0 for plies in ones]
    replies = [plies[1].bingos if len(plies) > 1 else 0.0 for plies in ones]
    bingos = [plies[2].bingos if len(plies) > 2 else 0.0 for plies in ones]
    taken = [float(tiles_taken(one.play.play)) for one in (best, played)]
    # What a thing is worth in points, to tell the greatest; the opponent's gain is the own loss.
    weighed = [
        (
            best.play.score - played.play.score,
            3.0,
            Why(WhyKind.POINTS, best.play.score, played.play.score),
        ),
        (leaves[0] - leaves[1], 2.0, Why(WhyKind.LEAVE, leaves[0], leaves[1])),
        (reply[1] - reply[0], 2.0, Why(WhyKind.REPLY, reply[0], reply[1], paired.reply.error)),
        (
            _BINGO * (replies[1] - replies[0]),
            0.05 * _BINGO,
            Why(WhyKind.REPLY_BINGO, replies[0], replies[1], paired.reply_bingos.error),
        ),
        (
            _BINGO * (bingos[0] - bingos[1]),
            0.05 * _BINGO,
            Why(WhyKind.NEXT_BINGO, bingos[0], bingos[1], paired.bingos.error),
        ),
        (taken[0] - taken[1], 2.0, Why(WhyKind.TURNOVER, taken[0], taken[1])),
    ]
    good = [
        (gain, why)
        for gain, least, why in weighed
        if gain >= least and abs(why.best - why.played) > Z_95 * why.error
    ]
    good.sort(key=lambda one: -one[0])
    return tuple(why for _, why in good[:MAX_WHY])
